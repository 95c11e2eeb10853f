"""From what stands at masked positions to the words that stood there."""

import keras

from keras_richctx.ops.compact import take_positions
from keras_richctx.recurrent import TiedDense


@keras.saving.register_keras_serializable("keras_richctx")
class MaskedLMHead(keras.layers.Layer):
    r"""Foretells the tokens at masked positions, with the matrix that tokens are embedded with.

    $$\text{logits} = \mathrm{LN}(\mathrm{act}(W h + b))\, E^\top + c$$

    The logits are computed where they are asked for and nowhere else: with 15 % of the positions masked, a seventh of the work and of the memory.

    Args:
        vocab_size: integer, V.
        activation: as in `keras.layers.Dense`. Defaults to `"gelu"`.
        layer_norm_epsilon: float. Defaults to `1e-12`.
        kernel_initializer: initializer of the matrix W. Defaults to `"glorot_uniform"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, T, D)`.
        embeddings: variable or float tensor of shape `(V, D)`.
        mask_positions: integer tensor of shape `(B, P)`, or `None` for all.

    Returns:
        A float tensor of shape `(B, P, V)`, or `(B, T, V)`.

    Example:
        >>> head = MaskedLMHead(vocab_size=37)
        >>> head(np.ones((2, 5, 8), "float32"), np.ones((37, 8), "float32"), np.array([[1], [4]])).shape
        TensorShape([2, 1, 37])

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 3.1.
    """

    def __init__(self, vocab_size, activation="gelu", layer_norm_epsilon=1e-12, kernel_initializer="glorot_uniform", **kwargs):
        super().__init__(**kwargs)
        self.vocab_size = vocab_size
        self.activation = keras.activations.get(activation)
        self.layer_norm_epsilon = layer_norm_epsilon
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build(self, inputs_shape, embeddings_shape=None, mask_positions_shape=None):
        width, policy = inputs_shape[-1], {"dtype": self.dtype_policy}
        self.dense = keras.layers.Dense(width, activation=self.activation, kernel_initializer=self.kernel_initializer, name="dense", **policy)
        self.norm = keras.layers.LayerNormalization(epsilon=self.layer_norm_epsilon, name="norm", **policy)
        self.output_projection = TiedDense(self.vocab_size, name="output_projection", **policy)
        for layer in (self.dense, self.norm, self.output_projection):
            layer.build((None, None, width))

    def call(self, inputs, embeddings, mask_positions=None):
        x = inputs if mask_positions is None else take_positions(inputs, mask_positions)  # (B, P, D)
        # logits = LN(act(W h + b)) E^T + c
        return self.output_projection(self.norm(self.dense(x)), embeddings)  # (B, P, V)

    def compute_mask(self, inputs, previous_mask):
        return None  # the loss goes by its weights

    def compute_output_shape(self, inputs_shape, embeddings_shape=None, mask_positions_shape=None):
        return (inputs_shape[0], (mask_positions_shape or inputs_shape)[1], self.vocab_size)

    def get_config(self):
        return {
            **super().get_config(),
            "vocab_size": self.vocab_size,
            "activation": keras.activations.serialize(self.activation),
            "layer_norm_epsilon": self.layer_norm_epsilon,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
