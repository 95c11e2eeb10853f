"""A language model that sees a window of the text, for comparison with those that have a memory."""

import keras

from keras_richctx.language_models.language_model import LanguageModel

NOTHING = -1  # the id that stands before the beginning of a text


@keras.saving.register_keras_serializable("keras_richctx")
class ConvLanguageModel(LanguageModel):
    r"""A stack of 1-D convolutions over a text: what comes next depends on the last $R$ tokens and on nothing before them.

    $$h^l_t = \mathrm{relu}\Bigl(b^l + \sum_{j=0}^{k-1} W^l_j\, h^{l-1}_{t-j}\Bigr), \qquad h^0_t = E\,x_t, \qquad
    p(x_{t+1} \mid x_{\le t}) = \mathrm{softmax}(W h^L_t + b), \qquad R = 1 + L\,(k - 1)$$

    All positions are computed at once, where a recurrent network takes them one after the other; the price is that more context needs more layers. What stands
    before the text is zero in every layer.

    With `padding="same"`, the default of most convolutions, the window stands around the position instead of before it, so the model sees the token that it is
    asked for: its loss falls towards zero, and it has learnt to copy. It is here to be measured, and can neither go on from a state nor write.

    Args:
        tokenizer: tokenizer of `keras_richctx.text`.
        filters: integer, the width of each layer. Defaults to `256`.
        kernel_size: integer, $k$, the tokens that a layer sees. Defaults to `5`.
        num_layers: integer, $L$. Defaults to `4`.
        padding: string, `"causal"` or `"same"`. Defaults to `"causal"`.
        embedding_dim: integer, E. Defaults to the smaller of `filters` and the size of the vocabulary.
        dropout: float, the share of features dropped in training after each layer. Defaults to `0.0`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        token_ids: integer tensor of shape `(B, T)`. The text starts anew in each row. Pads may stand at the end, where with causal padding they change nothing
            before them.
        training: boolean, whether dropout is on.

    Returns:
        The logits of the next token at each position, float `(B, T, V)`.

    Raises:
        ValueError: if `padding` is unknown, a number is no positive integer, or `tokenizer` is none; from `advance` and what uses it, if the padding is
            `"same"`.

    Example:
        >>> tokenizer = krc.text.CodePointTokenizer.train(["to be or not to be"])
        >>> model = ConvLanguageModel(tokenizer, filters=8, kernel_size=3, num_layers=2)
        >>> model(np.array([tokenizer("to be")])).shape, model.receptive_field
        (TensorShape([1, 5, 11]), 5)

    References:
        [Bai et al., 2018](https://arxiv.org/abs/1803.01271), section 3.1; [Kalchbrenner et al., 2016](https://arxiv.org/abs/1610.10099).
    """

    def __init__(self, tokenizer, filters=256, kernel_size=5, num_layers=4, padding="causal", embedding_dim=None, dropout=0.0, **kwargs):
        super().__init__(tokenizer, **kwargs)
        if padding not in ("causal", "same"):
            raise ValueError(f"Unknown padding. Received: padding={padding!r}. Choose one of causal, same.")
        numbers = {"filters": filters, "kernel_size": kernel_size, "num_layers": num_layers, "embedding_dim": 1 if embedding_dim is None else embedding_dim}
        for name, number in numbers.items():
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
        self.filters = filters
        self.kernel_size = kernel_size
        self.num_layers = num_layers
        self.padding = padding
        self.embedding_dim = min(filters, tokenizer.vocab_size) if embedding_dim is None else embedding_dim
        self.dropout_rate = dropout

        policy = {"dtype": self.dtype_policy}
        self.embedding = keras.layers.Embedding(
            tokenizer.vocab_size, self.embedding_dim, embeddings_initializer=keras.initializers.RandomNormal(stddev=1.0), name="embedding", **policy
        )
        self.convolutions = [
            keras.layers.Conv1D(filters, kernel_size, padding=padding, activation="relu", name=f"convolution_{index}", **policy) for index in range(num_layers)
        ]
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.output_projection = keras.layers.Dense(tokenizer.vocab_size, name="output_projection", **policy)
        self.build()

    @property
    def receptive_field(self):
        """R, the number of tokens that a prediction depends on."""
        return 1 + self.num_layers * (self.kernel_size - 1)

    def build(self, input_shape=None):
        if self.built:
            return
        self.embedding.build((None, None))
        width = self.embedding_dim
        for convolution in self.convolutions:
            convolution.build((None, None, width))
            width = self.filters
        self.output_projection.build((None, None, width))
        self.built = True

    def call(self, token_ids, training=False):
        # h^0_t = E x_t, and nothing before the text
        there = keras.ops.not_equal(token_ids, NOTHING)[..., None]  # (B, T, 1)
        x = self.embedding(keras.ops.where(there[..., 0], token_ids, 0))  # (B, T, E)
        for convolution in self.convolutions:
            # h^l_t = relu(b + sum_j W_j h^(l-1)_(t-j))
            x = convolution(keras.ops.where(there, x, 0))  # (B, T, F)
            x = self.dropout(x, training=training)
        return self.output_projection(x)

    def initial_state(self, batch_size):
        """Returns the state before the first token: a list of one integer tensor, `(B, R - 1)`, the tokens of the window, none of which is there yet."""
        self._check_causal()
        return [keras.ops.full((batch_size, self.receptive_field - 1), NOTHING, dtype="int32")]

    def advance(self, token_ids, state, training=False):
        """Reads a piece of text on from a state: the window before it is computed once more.

        Args:
            token_ids: integer tensor of shape `(B, T)`.
            state: list of one integer tensor of shape `(B, R - 1)`, from `initial_state` or an earlier piece.
            training: boolean, whether dropout is on. Defaults to `False`.

        Returns:
            A pair: the logits of the token after each position, float `(B, T, V)`, and the state after the last position.

        Raises:
            ValueError: if the padding is `"same"`.
        """
        self._check_causal()
        before = self.receptive_field - 1
        text = keras.ops.concatenate([state[0], keras.ops.cast(token_ids, "int32")], axis=1)  # (B, R - 1 + T)
        logits = self.call(text, training=training)[:, before:]  # (B, T, V)
        return logits, [text[:, keras.ops.shape(text)[1] - before :]]

    def read(self, token_ids, mask, max_new_tokens):
        self._check_causal()
        token_ids = keras.ops.where(mask, token_ids, NOTHING)
        positions = keras.ops.arange(keras.ops.shape(token_ids)[1], dtype="int32")[None]  # (1, T)
        last = keras.ops.max(keras.ops.where(mask, positions, -1), axis=1, keepdims=True)  # (B, 1)
        window = last + keras.ops.arange(2 - self.receptive_field, 1, dtype="int32")[None]  # (B, R - 1)
        return [keras.ops.where(window >= 0, keras.ops.take_along_axis(token_ids, keras.ops.maximum(window, 0), axis=1), NOTHING)]

    def _check_causal(self):
        if self.padding != "causal":
            raise ValueError(f"This model sees the text after a position, so it cannot go on from a state. Received: padding={self.padding!r}. Take 'causal'.")

    def get_config(self):
        return {
            **super().get_config(),
            "filters": self.filters,
            "kernel_size": self.kernel_size,
            "num_layers": self.num_layers,
            "padding": self.padding,
            "embedding_dim": self.embedding_dim,
            "dropout": self.dropout_rate,
        }
