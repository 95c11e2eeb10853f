"""What encoder and decoder blocks share: sub-layers, each with a way around it and a normalisation before or after."""

import keras

from keras_richctx.attention import MultiHeadAttention
from keras_richctx.attention.fresh_initializer import fresh_initializer
from keras_richctx.transformer.layer_norm import LayerNorm

NORMS = ("post", "pre")


class Block(keras.layers.Layer):
    r"""Base of the blocks: holds their arguments, and joins a sub-layer $f$ to its input.

    $$y = \mathrm{LayerNorm}(x + f(x)) \quad \text{(post)}, \qquad y = x + f(\mathrm{LayerNorm}(x)) \quad \text{(pre)}$$

    Args:
        num_heads: integer, H; it divides the width of the input, unless `key_dim` is given.
        intermediate_dim: integer, the width inside the feed-forward layer.
        norm: string, `"post"` as in the paper, or `"pre"`. Defaults to `"post"`.
        activation: what stands between the two matrices of the feed-forward layer, as in `keras.layers.Dense`. Defaults to `"relu"`.
        dropout: float, the share of a sub-layer's output that is dropped in training. Defaults to `0.0`.
        attention_dropout: float, the share of attention weights that are dropped in training. Defaults to `0.0`.
        key_dim: integer, the width of each head. Defaults to the width of the input divided by `num_heads`.
        layer_norm_epsilon: float, added to the variance. Defaults to `1e-5`.
        kernel_initializer: initializer of all matrices. Defaults to `"glorot_uniform"`.
        seed: integer, of the dropouts, or `None`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.
    """

    def __init__(
        self,
        num_heads,
        intermediate_dim,
        norm="post",
        activation="relu",
        dropout=0.0,
        attention_dropout=0.0,
        key_dim=None,
        layer_norm_epsilon=1e-5,
        kernel_initializer="glorot_uniform",
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if norm not in NORMS:
            raise ValueError(f"The normalisation stands after each sub-layer or before it. Received: norm={norm!r}. Choose one of {', '.join(NORMS)}.")
        for name, number in (("num_heads", num_heads), ("intermediate_dim", intermediate_dim)):
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
        self.num_heads = num_heads
        self.intermediate_dim = intermediate_dim
        self.norm = norm
        self.activation = keras.activations.get(activation)
        self.dropout_rate = dropout
        self.attention_dropout = attention_dropout
        self.key_dim = key_dim
        self.layer_norm_epsilon = layer_norm_epsilon
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.seed = seed
        self.supports_masking = True
        self.dropout = keras.layers.Dropout(dropout, seed=seed, dtype=self.dtype_policy, name="dropout")

    def _make_attention(self, name, width):
        if self.key_dim is None and width % self.num_heads:
            raise ValueError(
                f"The heads share the width of the input evenly. Received: num_heads={self.num_heads}, inputs of width {width}. "
                "Choose a number that divides it, or say key_dim."
            )
        key_dim = self.key_dim or width // self.num_heads
        options = {"dropout": self.attention_dropout, "kernel_initializer": fresh_initializer(self.kernel_initializer), "seed": self.seed}
        return MultiHeadAttention(self.num_heads, key_dim, dtype=self.dtype_policy, name=name, **options)

    def _make_norm(self, name):
        return LayerNorm(epsilon=self.layer_norm_epsilon, dtype=self.dtype_policy, name=f"{name}_norm")

    def _build_feed_forward(self, width):
        """Makes the two matrices of `_feed_forward` and their normalisation, for inputs of that width."""
        self.intermediate = self._make_dense(self.intermediate_dim, width, "intermediate", self.activation)
        self.output_dense = self._make_dense(width, self.intermediate_dim, "output")
        self.feed_forward_norm = self._make_norm("feed_forward")
        self.feed_forward_norm.build((None, None, width))

    def _make_dense(self, units, width, name, activation=None):
        dense = keras.layers.Dense(
            units, activation=activation, kernel_initializer=fresh_initializer(self.kernel_initializer), dtype=self.dtype_policy, name=name
        )
        dense.build((None, None, width))
        return dense

    def _feed_forward(self, x):
        # FFN(x) = max(0, x W_1 + b_1) W_2 + b_2
        return self.output_dense(self.intermediate(x))

    def _around(self, x, sub_layer, norm, training):
        """Joins a sub-layer to its input x, `(B, T, D)`; returns a tuple of the sum and of what else the sub-layer returned."""
        # post: LayerNorm(x + f(x));  pre: x + f(LayerNorm(x))
        output = sub_layer(norm(x) if self.norm == "pre" else x)
        output, *rest = output if isinstance(output, tuple) else (output,)
        x = x + self.dropout(output, training=training)
        return (norm(x) if self.norm == "post" else x), *rest

    def compute_mask(self, inputs, previous_mask):
        return previous_mask[0] if isinstance(previous_mask, list | tuple) else previous_mask

    def get_config(self):
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "intermediate_dim": self.intermediate_dim,
            "norm": self.norm,
            "activation": keras.activations.serialize(self.activation),
            "dropout": self.dropout_rate,
            "attention_dropout": self.attention_dropout,
            "key_dim": self.key_dim,
            "layer_norm_epsilon": self.layer_norm_epsilon,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "seed": self.seed,
        }
