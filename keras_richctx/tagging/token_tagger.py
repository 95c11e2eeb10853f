"""A tag for each word: names, parts of speech, components of arguments."""

import types

import keras

from keras_richctx.bert import Bert
from keras_richctx.elmo import ELMo
from keras_richctx.metrics import TokenAccuracy, chunks
from keras_richctx.tagging.bert_words import BertWords
from keras_richctx.tagging.decoder import Decoder
from keras_richctx.tagging.elmo_words import ELMoWords
from keras_richctx.tagging.joined_words import JoinedWords
from keras_richctx.tagging.tag_head import TagHead
from keras_richctx.tagging.tagged_batches import TaggedBatches
from keras_richctx.tagging.word_encoder import WordEncoder, check_sentences
from keras_richctx.training.varied_shapes import VariedShapes
from keras_richctx.translation import RecurrentEncoder

HEADS = ("linear", "crf", "bilstm", "bilstm-crf")


@keras.saving.register_keras_serializable("keras_richctx")
class TokenTagger(VariedShapes):
    r"""Tags words by their vectors, whatever makes these: plain words and characters, ELMo, BERT, or several of them.

    $$e_t = W\, d(h_t) + b, \qquad h = \mathrm{BiLSTM}(d(x)) \text{ or } x, \qquad x = \mathrm{Encoder}(\text{words})$$

    where $d$ is dropout. Tags are chosen one by one, by the softmax of $e_t$, or together, by a `CRF`. All of it runs on words: of a word that is split into
    sub-words, the first one stands for it, and a tag never falls between the parts of a word. More padding changes no word.

    It is trained on `tagger.batches(sentences)`, with the loss of its head: the negative log-likelihood of the tags of all sentences divided by the number of
    their words, in nats.

    Args:
        encoder: a `WordFeatures`, a `Bert` or an `ELMo`, or any other word encoder, such as `BertWords(bert, layers="mix", fine_tune=False)`; or a list of
            them, of which the vectors are put side by side. A `Bert` is fine-tuned, an `ELMo` frozen under a learnt mix of its layers, unless they are wrapped
            otherwise.
        tags: list of K strings, in the order of their ids.
        head: string, `"linear"`, `"crf"`, `"bilstm"` or `"bilstm-crf"`. Defaults to `"linear"`.
        units: even integer, the width of the BiLSTM: half of it for each direction. Defaults to `200`.
        dropout: float, the share of features that are dropped in training, before the BiLSTM and behind it. Defaults to `0.5` with a BiLSTM and `0.1` without.
        scheme: string, `"BIO"`, `"BIOES"` or `"IOB1"`, to bind a CRF to what the scheme allows, in training and decoding; or `None`. Defaults to `None`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: what `prepare` returns.
        training: boolean, whether dropout is on.

    Returns:
        The emissions, float `(B, W, K)`: logits of the softmax, or what `CRF` takes.

    Raises:
        ValueError: if the head is unknown, there are no tags, or a scheme is given without a CRF.

    Example:
        >>> sentences = krc.datasets.TaggedSentences([["Ada", "codes"], ["I", "met", "Ada"]], [["B-person", "O"], ["O", "O", "B-person"]])
        >>> words = krc.layers.WordFeatures.from_sentences(sentences.words, embedding_dim=8)
        >>> tagger = TokenTagger(words, sentences.names, head="bilstm-crf", units=6)
        >>> tagger.compile(keras.optimizers.Adam(0.02))
        >>> history = krc.training.fit(tagger, tagger.batches(sentences), epochs=2, progress=False)
        >>> [len(tags) for tags in tagger.predict_tags([["Ada", "sleeps"], ["Hi"]])]
        [2, 1]

    References:
        [Huang et al., 2015](https://arxiv.org/abs/1508.01991); [Ma and Hovy, 2016](https://arxiv.org/abs/1603.01354);
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 5.3.
    """

    takes_batch_ratios = True  # so that it is trained on several devices as on one

    def __init__(self, encoder, tags, head="linear", units=200, dropout=None, scheme=None, **kwargs):
        super().__init__(**kwargs)
        if head not in HEADS:
            raise ValueError(f"The heads are {', '.join(HEADS)}. Received: head={head!r}")
        if scheme is not None and "crf" not in head:
            raise ValueError(f"A scheme binds a CRF. Received: scheme={scheme!r}, head={head!r}. Pass head='crf' or 'bilstm-crf'.")
        self.head = head
        self.units = units
        self.dropout_rate = (0.5 if "bilstm" in head else 0.1) if dropout is None else dropout
        self.scheme = scheme
        policy = {"dtype": self.dtype_policy}
        self.encoder = as_word_encoder(encoder, policy)
        if self.encoder.output_dim and "bilstm" not in head:
            raise ValueError(f"What is put beside the output of a BiLSTM needs one. Received: head={head!r} and an encoder with at_output=True")
        self.dropout = keras.layers.Dropout(self.dropout_rate, name="dropout", **policy)
        self.bilstm = RecurrentEncoder(units, cell="lstm", name="bilstm", **policy) if "bilstm" in head else None
        self.tag_head = TagHead(tags, crf="crf" in head, scheme=scheme, name="tag_head", **policy)
        self.tags = self.tag_head.tags
        self(self.prepare([["a"]]))  # which tells every layer the widths

    @property
    def crf(self):
        """The `CRF` of the head, or `None`."""
        return self.tag_head.crf

    def call(self, inputs, training=False):
        x = keras.ops.cast(self.encoder(inputs, training=training), self.compute_dtype)  # (B, W, D)
        x, beside = self.encoder.split(x)
        x = self.dropout(x, training=training)
        if self.bilstm is not None:
            x, _ = self.bilstm(x, mask=inputs["word_mask"])  # (B, W, U)
            x = x if beside is None else keras.ops.concatenate([x, beside], axis=-1)  # (B, W, U + n)
            x = self.dropout(x, training=training)
        # e = W d(h) + b
        return self.tag_head(x)  # (B, W, K)

    def prepare(self, sentences):
        """Turns sentences of words into what `call` takes: a dict of arrays."""
        return self.encoder.prepare(sentences)

    def batches(self, sentences, batch_size=32, shuffle=True, seed=0):
        """Makes batches for `fit` and `evaluate`.

        Args:
            sentences: `TaggedSentences`.
            batch_size: integer, sentences in a step. Defaults to `32`.
            shuffle: boolean. Defaults to `True`.
            seed: integer, of the order. Defaults to `0`.

        Returns:
            A `TaggedBatches`: of each batch the inputs, and the ids of the tags, int32 `(B, W)`, -1 at pads.

        Raises:
            ValueError: if a tag is none of the tagger's, or a sentence takes a step that the scheme forbids; the message names the sentence.
        """
        check_sentences(sentences.words)
        return TaggedBatches(self.prepare, sentences.words, self.tag_head.ids(sentences.tags), batch_size, shuffle, seed, self.encoder.max_length)

    def log_likelihood(self, emissions, tags, mask):
        """Computes the log-probability of each row's tags.

        Args:
            emissions: float tensor of shape `(B, W, K)`.
            tags: integer tensor of shape `(B, W)`; what stands at masked positions does not matter.
            mask: boolean tensor of shape `(B, W)`, `True` at words.

        Returns:
            A float32 tensor of shape `(B,)`.
        """
        return self.tag_head.log_likelihood(emissions, tags, mask)

    def compile(self, optimizer="adam", weighted_metrics="auto", jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`; the loss is that of the head.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            weighted_metrics: `"auto"` for the accuracy of the single tags, by the emissions alone.
            jit_compile: boolean or `"auto"`. Defaults to `False` on TensorFlow, where XLA would compile a program for each shape of batch, and `"auto"`
                elsewhere.
            **kwargs: passed to `keras.Model.compile`.
        """
        if kwargs.get("loss") is not None:
            raise ValueError(f"The loss of a TokenTagger is the log-likelihood of its head. Received: loss={kwargs['loss']!r}. Leave it out.")
        weighted_metrics = [TokenAccuracy()] if weighted_metrics == "auto" else weighted_metrics
        super().compile(optimizer=optimizer, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """Computes the mean loss of a word; `sample_weight` is `(B,)`, one for each sentence."""
        return self.tag_head.mean_loss(y, y_pred, sample_weight) + sum(self.losses)

    def compute_metrics(self, x, y, y_pred, sample_weight=None):
        """Updates the metrics, which pads do not count for."""
        return super().compute_metrics(x, y, y_pred, keras.ops.cast(keras.ops.cast(y, "int32") >= 0, "float32"))

    def predict_tags(self, sentences, batch_size=32):
        """Tags sentences.

        Args:
            sentences: list of lists of strings.
            batch_size: integer. Defaults to `32`.

        Returns:
            A list of lists of strings, a tag for each word.
        """
        program = vars(self).setdefault("_program", types.SimpleNamespace(decoder=None))  # a plain namespace, which Keras neither tracks nor saves
        program.decoder = program.decoder or Decoder(self, self.tag_head)
        return program.decoder.decode(sentences, batch_size)

    def entities(self, sentences, batch_size=32):
        """Finds the entities of sentences.

        Args:
            sentences: list of lists of strings.
            batch_size: integer. Defaults to `32`.

        Returns:
            A list, for each sentence a list of tuples `(type, start, end)`: words `start` to `end - 1`, read from the tags as `krc.metrics.chunks` does.
        """
        return [chunks(tags) for tags in self.predict_tags(sentences, batch_size)]

    def get_config(self):
        return {
            **super().get_config(),
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "tags": self.tags,
            "head": self.head,
            "units": self.units,
            "dropout": self.dropout_rate,
            "scheme": self.scheme,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "encoder": keras.saving.deserialize_keras_object(config["encoder"])})


def as_word_encoder(encoder, policy):
    """Returns a word encoder: itself, one around a `Bert` or an `ELMo`, or several side by side."""
    if isinstance(encoder, list | tuple):
        return JoinedWords([as_word_encoder(each, policy) for each in encoder], name="encoder", **policy)
    if isinstance(encoder, Bert):
        return BertWords(encoder, name="bert_words")
    if isinstance(encoder, ELMo):
        return ELMoWords(encoder, name="elmo_words")
    if not isinstance(encoder, WordEncoder):
        raise ValueError(f"The encoder is a WordFeatures, a Bert, an ELMo, another word encoder, or a list of them. Received: encoder={encoder!r}")
    return encoder
