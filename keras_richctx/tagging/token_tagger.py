"""A tag for each word: names, parts of speech, components of arguments."""

import types

import keras
import numpy as np

from keras_richctx.bert import Bert
from keras_richctx.elmo import ELMo
from keras_richctx.metrics import TokenAccuracy, chunks
from keras_richctx.tagging.bert_words import BertWords
from keras_richctx.tagging.crf import CRF
from keras_richctx.tagging.decoder import Decoder
from keras_richctx.tagging.elmo_words import ELMoWords
from keras_richctx.tagging.joined_words import JoinedWords
from keras_richctx.tagging.tagged_batches import TaggedBatches
from keras_richctx.tagging.word_encoder import WordEncoder, check_sentences
from keras_richctx.translation import RecurrentEncoder

HEADS = ("linear", "crf", "bilstm", "bilstm-crf")


@keras.saving.register_keras_serializable("keras_richctx")
class TokenTagger(keras.Model):
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

    def __init__(self, encoder, tags, head="linear", units=200, dropout=None, scheme=None, **kwargs):
        super().__init__(**kwargs)
        if head not in HEADS:
            raise ValueError(f"The heads are {', '.join(HEADS)}. Received: head={head!r}")
        if isinstance(tags, str) or len(tags) < 1 or len(set(tags)) != len(tags):
            raise ValueError(f"tags is a list of different strings, one at least. Received: tags={tags!r}")
        if scheme is not None and "crf" not in head:
            raise ValueError(f"A scheme binds a CRF. Received: scheme={scheme!r}, head={head!r}. Pass head='crf' or 'bilstm-crf'.")
        self.tags = list(tags)
        self.head = head
        self.units = units
        self.dropout_rate = (0.5 if "bilstm" in head else 0.1) if dropout is None else dropout
        self.scheme = scheme
        self.ids = {tag: i for i, tag in enumerate(tags)}
        policy = {"dtype": self.dtype_policy}
        self.encoder = as_word_encoder(encoder, policy)
        self.dropout = keras.layers.Dropout(self.dropout_rate, name="dropout", **policy)
        self.bilstm = RecurrentEncoder(units, cell="lstm", name="bilstm", **policy) if "bilstm" in head else None
        self.output_projection = keras.layers.Dense(len(tags), name="output_projection", **policy)
        self.crf = CRF(len(tags), tags=self.tags, scheme=scheme, name="crf") if "crf" in head else None
        if keras.backend.backend() == "tensorflow":
            self.jit_compile = False  # XLA would compile a program for each shape of batch
        self(self.prepare([["a"]]))  # which tells every layer the widths

    def call(self, inputs, training=False):
        x = keras.ops.cast(self.encoder(inputs, training=training), self.compute_dtype)  # (B, W, D)
        x = self.dropout(x, training=training)
        if self.bilstm is not None:
            x, _ = self.bilstm(x, mask=inputs["word_mask"])  # (B, W, U)
            x = self.dropout(x, training=training)
        # e = W d(h) + b
        emissions = self.output_projection(x)  # (B, W, K)
        return emissions if self.crf is None else self.crf(emissions)

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
        ids = [self._ids(i, tags) for i, tags in enumerate(sentences.tags)]
        return TaggedBatches(self.prepare, sentences.words, ids, batch_size, shuffle, seed, self.encoder.max_length)

    def log_likelihood(self, emissions, tags, mask):
        """Computes the log-probability of each row's tags.

        Args:
            emissions: float tensor of shape `(B, W, K)`.
            tags: integer tensor of shape `(B, W)`; what stands at masked positions does not matter.
            mask: boolean tensor of shape `(B, W)`, `True` at words.

        Returns:
            A float32 tensor of shape `(B,)`.
        """
        if self.crf is not None:
            return self.crf.log_likelihood(emissions, tags, mask)
        emissions, tags = keras.ops.cast(emissions, "float32"), keras.ops.where(mask, tags, 0)
        losses = keras.ops.sparse_categorical_crossentropy(tags, emissions, from_logits=True)  # (B, W)
        return -keras.ops.sum(keras.ops.where(mask, losses, 0.0), axis=1)

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
        if jit_compile is None:
            jit_compile = False if keras.backend.backend() == "tensorflow" else "auto"
        super().compile(optimizer=optimizer, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    def compile_from_config(self, config):
        """Compiles a loaded model as it was when saved, with the state of its optimizer to follow."""
        self.compile(**keras.saving.deserialize_keras_object(config))
        self.optimizer.build(self.trainable_variables)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """Computes the mean loss of a word; `sample_weight` is `(B,)`, one for each sentence."""
        tags = keras.ops.cast(y, "int32")
        real = tags >= 0
        weights = 1.0 if sample_weight is None else keras.ops.cast(sample_weight, "float32")
        count = keras.ops.sum(weights * keras.ops.sum(keras.ops.cast(real, "float32"), axis=1))
        # L = -sum_i log p(y_i) / sum_i n_i
        loss = -keras.ops.sum(weights * self.log_likelihood(y_pred, tags, real)) / keras.ops.maximum(count, 1.0)
        return loss + sum(self.losses)

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
        check_sentences(sentences)
        program = vars(self).setdefault("_program", types.SimpleNamespace(decoder=None))  # a plain namespace, which Keras neither tracks nor saves
        program.decoder = program.decoder or Decoder(self)
        results = [None] * len(sentences)
        order = np.argsort([len(sentence) for sentence in sentences], kind="stable")
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            inputs = self.prepare([sentences[row] for row in rows])
            for row, ids in zip(rows, program.decoder.predict_on_batch(inputs)):
                results[row] = [self.tags[i] for i in ids[: len(sentences[row])]]
        return results

    def entities(self, sentences, batch_size=32):
        """Finds the entities of sentences.

        Args:
            sentences: list of lists of strings.
            batch_size: integer. Defaults to `32`.

        Returns:
            A list, for each sentence a list of tuples `(type, start, end)`: words `start` to `end - 1`, read from the tags as `krc.metrics.chunks` does.
        """
        return [chunks(tags) for tags in self.predict_tags(sentences, batch_size)]

    def _ids(self, index, tags):
        """Returns the ids of one sentence's tags, or raises where one is unknown or none may follow."""
        if unknown := [tag for tag in tags if tag not in self.ids]:
            raise ValueError(f"The tagger knows {len(self.ids)} tags, {', '.join(self.tags[:20])}. Received: {unknown[0]!r} in sentence {index}")
        ids = [self.ids[tag] for tag in tags]
        if self.scheme is not None:
            follow, start, end = self.crf.allowed
            steps = zip([None, *ids], [*ids, None])
            for place, (i, j) in enumerate(steps):
                if not (start[j] if i is None else end[i] if j is None else follow[i, j]):
                    names = ["the start" if i is None else self.tags[i], "the end" if j is None else self.tags[j]]
                    raise ValueError(f"{self.scheme} does not allow {names[1]} behind {names[0]}. Received: that at word {place} of sentence {index}: {tags}")
        return ids

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
