"""Words in their context, as a BERT reads them."""

import keras

from keras_richctx.bert import combine_layers
from keras_richctx.elmo import ScalarMix
from keras_richctx.ops.compact import take_positions
from keras_richctx.tagging.word_encoder import WORDS_STEP, WordEncoder, check_sentences, word_mask
from keras_richctx.text import pack_pairs
from keras_richctx.text.pad_rows import pad_rows

STEP = 16  # rows are padded to multiples of this many sub-words


@keras.saving.register_keras_serializable("keras_richctx")
class BertWords(WordEncoder):
    r"""Makes a vector of each word with a `Bert`: that of its first sub-word.

    $$x_w = h_{\mathrm{first}(w)}$$

    Words are split into sub-words one by one; a word of which nothing is left, such as a control character, is the unknown token. Only whole sentences are
    read: one of more tokens than the model can read is an error.

    The `Bert` is the one that was given, not a copy.

    Args:
        bert: `Bert` with a tokenizer.
        layers: string, as `combine_layers` takes it, such as `"last"` or `"concat_last_four"`; or `"mix"` for a `ScalarMix` of all layers, which is learnt.
            Defaults to `"last"`.
        fine_tune: boolean, whether the `Bert` is trained too. Without, it is frozen, and never drops anything: its features are the same in training. Defaults
            to `True`.
        **kwargs: passed to `keras.layers.Layer`, such as `name`.

    Call arguments:
        inputs: what `prepare` returns: `token_ids`, `segment_ids` and `padding_mask`, `(B, T)`; `first_positions`, integer `(B, W)`, where each word begins;
            `word_mask`.
        training: boolean, whether dropout is on.

    Returns:
        A float tensor of shape `(B, W, D)`.

    Raises:
        ValueError: if the `Bert` has no tokenizer, or a sentence is too long.

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 5.3.
    """

    def __init__(self, bert, layers="last", fine_tune=True, **kwargs):
        super().__init__(**{"dtype": bert.dtype_policy, **kwargs})
        if bert.tokenizer is None:
            raise ValueError("To read words, the model needs its tokenizer. Received: a Bert with tokenizer=None")
        self.bert = bert
        self.max_length = bert.max_length
        self.layers = layers
        self.fine_tune = fine_tune
        self.bert.trainable = fine_tune
        self.mix = None
        if layers == "mix":
            self.mix = ScalarMix(name="mix", dtype=self.dtype_policy)
            self.mix.build((None, bert.num_layers + 1, None, bert.width))
        self.built = True

    def prepare(self, sentences):
        check_sentences(sentences)
        tokenizer = self.bert.tokenizer
        flat = [(" " if self.bert.model_type == "roberta" and i else "") + word for sentence in sentences for i, word in enumerate(sentence)]
        pieces, rows, firsts = iter(tokenizer(flat)), [], []
        for i, sentence in enumerate(sentences):
            row, first = [], []
            for _ in sentence:
                first.append(len(row) + 1)  # behind [CLS]
                row += next(pieces) or [tokenizer.unk_id if tokenizer.unk_id is not None else tokenizer.eos_id]
            if len(row) + 2 > self.bert.max_length:
                begin = " ".join(sentence[:5])
                raise ValueError(f"The model reads {self.bert.max_length} tokens. Received: {len(row) + 2} of sentence {i}, {begin!r}... Split the sentence.")
            rows.append(row)
            firsts.append(first)
        inputs = pack_pairs(tokenizer, rows, pad_to_multiple=STEP, max_length=self.bert.max_length)
        return {**inputs, "first_positions": pad_rows(firsts, multiple=WORDS_STEP), "word_mask": word_mask(sentences)}

    def call(self, inputs, training=False):
        training = bool(training) and self.fine_tune
        given = {name: inputs[name] for name in ("token_ids", "segment_ids", "padding_mask")}
        if self.layers == "last":
            x = self.bert(given, training=training)["sequence_output"]  # (B, T, D)
        elif self.mix is None:
            x = combine_layers(self.bert.layer_outputs(given, training=training), self.layers)  # (B, T, D)
        else:
            x = self.mix(self.bert.layer_outputs(given, training=training), mask=inputs["padding_mask"], training=training)  # (B, T, D)
        return take_positions(x, inputs["first_positions"])  # (B, W, D)

    def get_config(self):
        config = super().get_config()
        config.pop("dtype")  # the Bert has it
        return {**config, "bert": keras.saving.serialize_keras_object(self.bert), "layers": self.layers, "fine_tune": self.fine_tune}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "bert": keras.saving.deserialize_keras_object(config["bert"])})
