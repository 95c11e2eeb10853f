"""Sequence to sequence: an encoder that reads, a decoder that writes, and between the two a fixed context or attention."""

import keras

from keras_richctx.attention import coverage_penalty
from keras_richctx.ops.masks import padding_mask
from keras_richctx.translation.bahdanau_decoder import BahdanauDecoder
from keras_richctx.translation.fixed_context_decoder import FixedContextDecoder
from keras_richctx.translation.luong_decoder import LuongDecoder
from keras_richctx.translation.recurrent_encoder import RecurrentEncoder
from keras_richctx.translation.translator import Translator

DECODERS = {"bahdanau": BahdanauDecoder, "luong": LuongDecoder, "fixed": FixedContextDecoder}


@keras.saving.register_keras_serializable("keras_richctx")
class Seq2Seq(Translator):
    """A recurrent translation model: bidirectional encoder, and a decoder with Bahdanau's attention, Luong's, or none.

    The model holds its two tokenizers, so that a saved one translates by itself. More padding, on either side, changes no real position.

    Args:
        source_tokenizer: tokenizer of `keras_richctx.text`, for what is read.
        target_tokenizer: tokenizer of `keras_richctx.text`, for what is written; it has beginning and end symbols.
        units: even integer, the width of the encoder's and the decoder's states. Defaults to `256`.
        embedding_dim: integer, the width of the word embeddings, and of the hidden layer between the decoder's state and the vocabulary (with Luong's
            attention that layer is as wide as the state). Defaults to `units`.
        cell: string, `"gru"`, `"lstm"` or `"rnn"`. Defaults to `"gru"`.
        attention: string, `"bahdanau"` (the state before a step asks), `"luong"` (the state after it asks, its result is fed to the next step) or
            `"fixed"` (no attention: one context vector for the whole sentence). Defaults to `"bahdanau"`.
        score: string, the score of `Alignment`. Defaults to `"additive"` for Bahdanau and `"general"` for Luong.
        max_source_length: integer, the longest source in tokens that the `"location"` score knows; the other scores have no such limit.
        dropout: float, the share of features dropped from embeddings and from what the output layer sees, in training. Defaults to `0.0`.
        coverage: float, the weight in the loss of `coverage_penalty`, which asks the attention to look at each source word once: for alignments that can
            be read, where words translate one to one. Defaults to `0.0`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: a dict of `encoder_token_ids`, integer `(B, S)`, and `decoder_token_ids`, integer `(B, T)`: the target shifted right, beginning symbol
            first; and, if pads cannot be told by their id, `encoder_padding_mask`, boolean `(B, S)`, and `decoder_padding_mask`, `(B, T)`.
        training: boolean, whether dropout is on.

    Returns:
        The logits of the next word at each target position, float `(B, T, V)`.

    Raises:
        ValueError: for an unknown `attention`, `cell` or `score`, odd `units`, a number out of its range, or an argument that the chosen attention does
            not take.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=100)
        >>> model = Seq2Seq(tokenizer, tokenizer, units=8)
        >>> ids = np.array([tokenizer("the cat sleeps")])
        >>> model({"encoder_token_ids": ids, "decoder_token_ids": ids}).shape == (1, 3, tokenizer.vocab_size)
        True

    References:
        [Sutskever et al., 2014](https://arxiv.org/abs/1409.3215); [Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473);
        [Luong et al., 2015](https://arxiv.org/abs/1508.04025).
    """

    def __init__(
        self,
        source_tokenizer,
        target_tokenizer,
        units=256,
        embedding_dim=None,
        cell="gru",
        attention="bahdanau",
        score=None,
        max_source_length=None,
        dropout=0.0,
        coverage=0.0,
        **kwargs,
    ):
        super().__init__(source_tokenizer, target_tokenizer, **kwargs)
        if attention not in DECODERS:
            raise ValueError(f"Unknown attention. Received: attention={attention!r}. Choose one of {', '.join(DECODERS)}.")
        if attention == "fixed" and score is not None:
            raise ValueError(f"A fixed context has no alignment score. Received: attention='fixed', score={score!r}")
        if attention == "fixed" and coverage:
            raise ValueError(f"Without attention there is no coverage to ask for. Received: attention='fixed', coverage={coverage!r}")
        if (max_source_length is not None) != (score == "location"):
            raise ValueError(
                f"max_source_length goes with the location score, and with no other. Received: score={score!r}, max_source_length={max_source_length!r}"
            )
        embedding_dim = units if embedding_dim is None else embedding_dim
        for name, width in (("units", units), ("embedding_dim", embedding_dim)):
            if not isinstance(width, int) or width < 1:
                raise ValueError(f"{name} is a width, a positive integer. Received: {name}={width!r}")
        if not 0 <= coverage < float("inf"):
            raise ValueError(f"The weight of the coverage penalty is a number of at least zero. Received: coverage={coverage!r}")
        self.units = units
        self.embedding_dim = embedding_dim
        self.cell = cell
        self.attention = attention
        self.score = score
        self.max_source_length = max_source_length
        self.dropout_rate = dropout
        self.coverage = coverage

        policy = {"dtype": self.dtype_policy}
        # of unit variance: from the much smaller values of Keras' default, words take epochs to come through
        words = {"embeddings_initializer": keras.initializers.RandomNormal(stddev=1.0), **policy}
        self.source_embedding = keras.layers.Embedding(source_tokenizer.vocab_size, self.embedding_dim, name="source_embedding", **words)
        self.target_embedding = keras.layers.Embedding(target_tokenizer.vocab_size, self.embedding_dim, name="target_embedding", **words)
        self.encoder = RecurrentEncoder(units, cell, name="encoder", **policy)
        options = {} if score is None else {"score": score, "score_units": max_source_length}
        if attention != "luong":
            options["output_units"] = self.embedding_dim
        self.decoder = DECODERS[attention](units, cell, name="decoder", **options, **policy)
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.output_projection = keras.layers.Dense(target_tokenizer.vocab_size, name="output_projection", **policy)
        self.build()  # all widths are known

    @property
    def has_attention(self):
        return self.attention != "fixed"

    def build(self, input_shape=None):
        if self.built:
            return
        embedded = (None, None, self.embedding_dim)
        self.source_embedding.build((None, None))
        self.target_embedding.build((None, None))
        self.encoder.build(embedded)
        self.decoder.build(embedded, (None, None, self.units), (None, self.units))
        self.output_projection.build((None, None, self.decoder.output_units))
        self.built = True

    def call(self, inputs, training=False):
        features, weights = self._run(inputs, training)
        if training and self.coverage:
            self.add_loss(self.coverage * coverage_penalty(weights, self._target_mask(inputs), self._source_mask(inputs)))
        return self.output_projection(self.dropout(features, training=training))  # (B, T, V)

    def attention_weights(self, inputs):
        """Returns where each target position looked: float `(B, T, S)`, zero at pads of the source, before dropout.

        Args:
            inputs: what `call` takes.

        Raises:
            ValueError: if the model has no attention.
        """
        if not self.has_attention:
            raise ValueError("This model sees its source through one fixed vector and has no attention to show. Received: attention='fixed'")
        return self._run(inputs)[1]

    def start(self, inputs, max_new_tokens):
        memory, summary, mask = self._read(inputs)
        memory, state = self.decoder.start(memory, summary, mask)
        state = {"decoder": state}
        if self.has_attention:  # how often each source word was looked at: pads need no look
            state["coverage"] = keras.ops.cast(keras.ops.logical_not(mask), "float32")  # (B, S)
        first = keras.ops.full((keras.ops.shape(inputs["encoder_token_ids"])[0],), self.target_tokenizer.bos_id, dtype="int32")
        return first, state, memory

    def step(self, token_ids, state, memory):
        features, weights, after = self.decoder.step(self.target_embedding(token_ids), state["decoder"], memory)
        state = {**state, "decoder": after}
        if self.has_attention:
            state["coverage"] = state["coverage"] + keras.ops.cast(weights, "float32")
        return self.output_projection(features), state

    def _read(self, inputs, training=False):
        """Encodes the source: its states `(B, S, U)`, its summary `(B, U)`, its padding mask `(B, S)`."""
        check_holds(inputs, "encoder_token_ids", self)
        mask = self._source_mask(inputs)
        embedded = self.dropout(self.source_embedding(inputs["encoder_token_ids"]), training=training)
        memory, summary = self.encoder(embedded, mask=mask)
        return memory, summary, mask

    def _run(self, inputs, training=False):
        """Encodes the source and runs the decoder over the known target: features `(B, T, U)` and weights `(B, T, S)`."""
        check_holds(inputs, "decoder_token_ids", self)
        memory, summary, mask = self._read(inputs, training)
        embedded = self.dropout(self.target_embedding(inputs["decoder_token_ids"]), training=training)
        return self.decoder(embedded, memory, summary, memory_mask=mask)

    def _source_mask(self, inputs):
        mask = inputs.get("encoder_padding_mask")
        return padding_mask(inputs["encoder_token_ids"], self.source_tokenizer.pad_id) if mask is None else mask

    def _target_mask(self, inputs):
        mask = inputs.get("decoder_padding_mask")
        return padding_mask(inputs["decoder_token_ids"], self.target_tokenizer.pad_id) if mask is None else mask

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "embedding_dim": self.embedding_dim,
            "cell": self.cell,
            "attention": self.attention,
            "score": self.score,
            "max_source_length": self.max_source_length,
            "dropout": self.dropout_rate,
            "coverage": self.coverage,
        }


def check_holds(inputs, name, model):
    """Raises unless the inputs are a dict that holds `name`."""
    if not isinstance(inputs, dict) or name not in inputs:
        received = f"a dict of {sorted(inputs)}" if isinstance(inputs, dict) else f"a {type(inputs).__name__}"
        raise ValueError(f"A {type(model).__name__} takes a dict of encoder_token_ids and decoder_token_ids. Received: {received}, without {name}")
