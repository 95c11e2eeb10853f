"""An output layer that has its weights from the embedding."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class TiedDense(keras.layers.Layer):
    r"""Turns features into the logits of words by the matrix that words are embedded with; its own weight is a bias alone.

    $$\text{logits} = h\,E^\top + b$$

    The matrix is an argument of the call and belongs to the embedding: there is one variable, which is saved once and trained from both sides.

    Args:
        units: integer, V, the number of words.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        features: float tensor of shape `(..., E)`.
        embeddings: variable or float tensor of shape `(V, E)`.

    Returns:
        A float tensor of shape `(..., V)`.

    Example:
        >>> embedding = keras.layers.Embedding(7, 4)
        >>> features = embedding(np.array([[3, 5]]))
        >>> TiedDense(7)(features, embedding.embeddings).shape
        TensorShape([1, 2, 7])

    References:
        [Press and Wolf, 2017](https://arxiv.org/abs/1608.05859); [Inan et al., 2017](https://arxiv.org/abs/1611.01462).
    """

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.supports_masking = True

    def build(self, features_shape, embeddings_shape=None):
        self.bias = self.add_weight(shape=(self.units,), initializer="zeros", name="bias")

    def call(self, features, embeddings):
        # h E^T + b
        kernel = keras.ops.cast(keras.ops.transpose(embeddings), features.dtype)  # (E, V)
        return keras.ops.matmul(features, kernel) + keras.ops.cast(self.bias, features.dtype)

    def compute_mask(self, features, previous_mask):
        return None  # the loss goes by its weights

    def compute_output_shape(self, features_shape, embeddings_shape=None):
        return (*features_shape[:-1], self.units)

    def get_config(self):
        return {**super().get_config(), "units": self.units}
