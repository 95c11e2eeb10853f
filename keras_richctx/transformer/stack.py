"""What the two stacks share."""

import keras

from keras_richctx.transformer.layer_norm import LayerNorm


class Stack(keras.layers.Layer):
    """Base of the stacks: L blocks of one kind, and with `norm="pre"` a last normalisation, as nothing else brings their sum back to one size.

    Args:
        num_layers: integer, L.
        num_heads: integer, H, as in the blocks.
        intermediate_dim: integer, as in the blocks.
        **kwargs: the other arguments of the blocks, and of `keras.layers.Layer`.
    """

    block_class = None

    def __init__(self, num_layers, num_heads, intermediate_dim, **kwargs):
        layer_kwargs = {k: kwargs.pop(k) for k in ("name", "dtype", "trainable") if k in kwargs}
        super().__init__(**layer_kwargs)
        if not isinstance(num_layers, int) or num_layers < 1:
            raise ValueError(f"num_layers is a positive integer. Received: num_layers={num_layers!r}")
        self.num_layers = num_layers
        self.supports_masking = True
        self.blocks = [self.block_class(num_heads, intermediate_dim, dtype=self.dtype_policy, name=f"block_{i}", **kwargs) for i in range(num_layers)]
        first = self.blocks[0]
        self.final_norm = None
        if first.norm == "pre":
            self.final_norm = LayerNorm(epsilon=first.layer_norm_epsilon, dtype=self.dtype_policy, name="final_norm")

    def _build(self, width, *source):
        for block in self.blocks:
            block.build((None, None, width), *source)
        if self.final_norm is not None:
            self.final_norm.build((None, None, width))

    def _finish(self, x):
        return x if self.final_norm is None else self.final_norm(x)

    def compute_mask(self, inputs, previous_mask):
        return previous_mask[0] if isinstance(previous_mask, list | tuple) else previous_mask

    def get_config(self):
        block = self.blocks[0].get_config()
        for key in ("name", "dtype", "trainable"):
            block.pop(key)
        return {**super().get_config(), "num_layers": self.num_layers, **block}
