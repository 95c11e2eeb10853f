"""The Transformer: a translation model without recurrence."""

import keras

from keras_richctx.ops.masks import padding_mask
from keras_richctx.recurrent import TiedDense
from keras_richctx.transformer import SinusoidalPositions, TransformerDecoder, TransformerEncoder
from keras_richctx.translation.seq2seq import check_holds
from keras_richctx.translation.translator import Translator

PRESETS = {
    "base": {"num_layers": 6, "width": 512, "num_heads": 8, "intermediate_dim": 2048, "dropout": 0.1},
    "big": {"num_layers": 6, "width": 1024, "num_heads": 16, "intermediate_dim": 4096, "dropout": 0.3},
}


@keras.saving.register_keras_serializable("keras_richctx")
class Transformer(Translator):
    r"""A translation model of attention alone: an encoder that looks at the source from each of its words, a decoder that looks at what it wrote and at that.

    $$m = \mathrm{Encoder}(\sqrt D\, E x + \mathrm{PE}), \qquad \text{logits} = \mathrm{Decoder}(\sqrt D\, E y + \mathrm{PE},\; m)\, E^\top + b$$

    The target's embedding matrix is the output layer too, and, where both languages have one tokenizer, the source's embedding. The model holds its tokenizers,
    so that a saved one translates by itself. More padding, on either side, changes no real position. Target positions are trained all at once; decoding keeps
    the keys and values of what is written.

    Args:
        source_tokenizer: tokenizer of `keras_richctx.text`, for what is read.
        target_tokenizer: tokenizer of `keras_richctx.text`, for what is written; it has beginning and end symbols.
        num_layers: integer, L, of the encoder and of the decoder. Defaults to `6`.
        width: integer, D. Defaults to `512`.
        num_heads: integer, H, which divides the width. Defaults to `8`.
        intermediate_dim: integer, the width inside the feed-forward layers. Defaults to four times `width`.
        norm: string, `"post"` as in the paper, or `"pre"`, which trains without a warm-up too. Defaults to `"post"`.
        activation: string, of the feed-forward layers. Defaults to `"relu"`.
        dropout: float, the share dropped of embeddings and of each sub-layer's output, in training. Defaults to `0.1`.
        attention_dropout: float, the share of attention weights that are dropped in training. Defaults to `0.0`.
        label_smoothing: float, what `compile` takes for `SmoothedCrossentropy`, unless it is given a loss. Defaults to `0.1`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: a dict of `encoder_token_ids`, integer `(B, S)`, and `decoder_token_ids`, integer `(B, T)`: the target shifted right, beginning symbol
            first; and, if pads cannot be told by their id, `encoder_padding_mask`, boolean `(B, S)`, and `decoder_padding_mask`, `(B, T)`.
        training: boolean, whether dropout is on.

    Returns:
        The logits of the next word at each target position, float `(B, T, V)`.

    Raises:
        ValueError: if the heads do not divide the width, or a number is out of its range.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=100)
        >>> model = Transformer(tokenizer, tokenizer, num_layers=2, width=8, num_heads=2)
        >>> ids = np.array([tokenizer("the cat sleeps")])
        >>> model({"encoder_token_ids": ids, "decoder_token_ids": ids}).shape == (1, 3, tokenizer.vocab_size)
        True

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762).
    """

    def __init__(
        self,
        source_tokenizer,
        target_tokenizer,
        num_layers=6,
        width=512,
        num_heads=8,
        intermediate_dim=None,
        norm="post",
        activation="relu",
        dropout=0.1,
        attention_dropout=0.0,
        label_smoothing=0.1,
        **kwargs,
    ):
        super().__init__(source_tokenizer, target_tokenizer, **kwargs)
        if not isinstance(width, int) or width < 1:
            raise ValueError(f"width is a positive integer. Received: width={width!r}")
        self.num_layers = num_layers
        self.width = width
        self.num_heads = num_heads
        self.intermediate_dim = 4 * width if intermediate_dim is None else intermediate_dim
        self.norm = norm
        self.activation = activation
        self.dropout_rate = dropout
        self.attention_dropout = attention_dropout
        self.label_smoothing = label_smoothing

        policy = {"dtype": self.dtype_policy}
        blocks = {"norm": norm, "activation": activation, "dropout": dropout, "attention_dropout": attention_dropout, **policy}
        sizes = (num_layers, num_heads, self.intermediate_dim)
        # times the root of the width, embeddings are of unit variance, as the positions are
        words = {"embeddings_initializer": keras.initializers.RandomNormal(stddev=width**-0.5), **policy}
        self.target_embedding = keras.layers.Embedding(target_tokenizer.vocab_size, width, name="target_embedding", **words)
        self.source_embedding = self.target_embedding
        if source_tokenizer != target_tokenizer:
            self.source_embedding = keras.layers.Embedding(source_tokenizer.vocab_size, width, name="source_embedding", **words)
        self.positions = SinusoidalPositions(name="positions", **policy)
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.encoder = TransformerEncoder(*sizes, name="encoder", **blocks)
        self.decoder = TransformerDecoder(*sizes, name="decoder", **blocks)
        self.output_projection = TiedDense(target_tokenizer.vocab_size, name="output_projection", **policy)
        self.build()  # all widths are known

    @classmethod
    def from_preset(cls, preset, source_tokenizer, target_tokenizer, **options):
        """Makes a model of one of the paper's two sizes, `"base"` or `"big"`, with new weights.

        Args:
            preset: string.
            source_tokenizer: as in the constructor.
            target_tokenizer: as in the constructor.
            **options: arguments of the constructor that are to differ.

        Returns:
            A `Transformer`.

        Raises:
            ValueError: if there is no such preset.
        """
        if preset not in PRESETS:
            raise ValueError(f"The presets of a Transformer are {', '.join(PRESETS)}. Received: preset={preset!r}")
        return cls(source_tokenizer, target_tokenizer, **{**PRESETS[preset], **options})

    def build(self, input_shape=None):
        if self.built:
            return
        self.source_embedding.build((None, None))
        self.target_embedding.build((None, None))
        words = (None, None, self.width)
        self.encoder.build(words)
        self.decoder.build(words, words)
        self.output_projection.build(words)
        self.built = True

    def call(self, inputs, training=False):
        check_holds(inputs, "decoder_token_ids", self)
        memory, mask = self._read(inputs, training)
        words = self._embed(self.target_embedding, inputs["decoder_token_ids"], training=training)
        features = self.decoder(words, memory, mask=self._mask(inputs, "decoder", self.target_tokenizer), memory_mask=mask, training=training)
        return self._project(features)  # (B, T, V)

    def attention_scores(self, inputs):
        """Shows where every head of every layer looks.

        Args:
            inputs: what `call` takes.

        Returns:
            A dict of lists over the layers: `"encoder"`, float `(B, H, S, S)` each; `"decoder"`, `(B, H, T, T)` each; and `"cross"`, from the target to the
            source, `(B, H, T, S)` each. Rows of real positions sum to one; pads look nowhere and get no look.
        """
        check_holds(inputs, "decoder_token_ids", self)
        mask = self._mask(inputs, "encoder", self.source_tokenizer)
        source = self._embed(self.source_embedding, inputs["encoder_token_ids"])
        memory, encoder = self.encoder(source, mask=mask, return_attention_scores=True)
        words, target_mask = self._embed(self.target_embedding, inputs["decoder_token_ids"]), self._mask(inputs, "decoder", self.target_tokenizer)
        _, decoder, cross = self.decoder(words, memory, mask=target_mask, memory_mask=mask, return_attention_scores=True)
        return {"encoder": encoder, "decoder": decoder, "cross": cross}

    def attention_weights(self, inputs):
        """Returns where each target position looked, as one map, float `(B, T, S)`: the mean over the heads of the last layer but one.

        It is that layer that aligns words best (Garg et al., 2019); `attention_scores` has them all.

        Args:
            inputs: what `call` takes.
        """
        return self._alignment(self.attention_scores(inputs)["cross"])

    def start(self, inputs, max_new_tokens):
        check_holds(inputs, "encoder_token_ids", self)
        memory, mask = self._read(inputs)
        batch = keras.ops.shape(mask)[0]
        first = keras.ops.full((batch,), self.target_tokenizer.bos_id, dtype="int32")
        state = {
            "cache": self.decoder.empty_cache(batch, max_new_tokens),
            "coverage": keras.ops.cast(keras.ops.logical_not(mask), "float32"),  # (B, S): how often a word was looked at; pads need no look
        }
        return first, state, {"source": self.decoder.project_memory(memory), "mask": mask}

    def step(self, token_ids, state, memory):
        position = state["cache"][0]["index"][None]  # (1,)
        words = self._embed(self.target_embedding, token_ids[:, None], positions=position)  # (B, 1, D)
        options = {"memory_mask": memory["mask"], "cache": state["cache"], "return_attention_scores": True}
        features, _, cross, cache = self.decoder(words, memory["source"], **options)
        coverage = state["coverage"] + keras.ops.cast(self._alignment(cross)[:, 0], "float32")
        return self._project(features)[:, 0], {"cache": cache, "coverage": coverage}

    def _read(self, inputs, training=False):
        """Encodes the source: its vectors `(B, S, D)`, and its padding mask `(B, S)`."""
        mask = self._mask(inputs, "encoder", self.source_tokenizer)
        words = self._embed(self.source_embedding, inputs["encoder_token_ids"], training=training)
        return self.encoder(words, mask=mask, training=training), mask

    def _embed(self, embedding, token_ids, positions=None, training=False):
        # sqrt(D) E x + PE
        return self.dropout(self.positions(embedding(token_ids) * self.width**0.5, positions), training=training)

    def _project(self, features):
        return self.output_projection(features, self.target_embedding.embeddings)

    def _alignment(self, cross):
        """Makes one map, `(B, T, S)`, of those of all layers."""
        return keras.ops.mean(cross[max(0, len(cross) - 2)], axis=1)

    def _mask(self, inputs, side, tokenizer):
        mask = inputs.get(f"{side}_padding_mask")
        return padding_mask(inputs[f"{side}_token_ids"], tokenizer.pad_id) if mask is None else keras.ops.cast(mask, "bool")

    def get_config(self):
        return {
            **super().get_config(),
            "num_layers": self.num_layers,
            "width": self.width,
            "num_heads": self.num_heads,
            "intermediate_dim": self.intermediate_dim,
            "norm": self.norm,
            "activation": self.activation,
            "dropout": self.dropout_rate,
            "attention_dropout": self.attention_dropout,
            "label_smoothing": self.label_smoothing,
        }
