"""Positions as weights, one vector each."""

import keras

from keras_richctx.transformer.positions import add_positions, default_positions


@keras.saving.register_keras_serializable("keras_richctx")
class LearnedPositions(keras.layers.Layer):
    """Adds a learnt vector for each position to the vectors there, as in GPT and BERT; it knows no position behind its last.

    Args:
        max_length: integer, how many positions there are.
        initializer: initializer of the vectors. Defaults to a normal distribution of standard deviation 0.02.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, T, D)`.
        positions: integer tensor of shape `(T,)` or `(B, T)`, each at least zero and below `max_length`, or `None` for 0 to T - 1. With pads on the left, count
            from the first real one.

    Returns:
        A float tensor of shape `(B, T, D)`.

    Raises:
        ValueError: if there are more positions than it has vectors.

    Example:
        >>> LearnedPositions(max_length=7)(np.zeros((1, 3, 4), "float32")).shape
        TensorShape([1, 3, 4])

    References:
        [Gehring et al., 2017](https://arxiv.org/abs/1705.03122), section 3.1.
    """

    def __init__(self, max_length, initializer=None, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(max_length, int) or max_length < 1:
            raise ValueError(f"max_length is a positive integer. Received: max_length={max_length!r}")
        self.max_length = max_length
        self.initializer = keras.initializers.get(initializer or keras.initializers.RandomNormal(stddev=0.02))
        self.supports_masking = True

    def build(self, input_shape):
        # not cast down under a mixed policy: the sum is made in float32
        self.embeddings = self.add_weight(shape=(self.max_length, input_shape[-1]), initializer=self.initializer, name="embeddings", autocast=False)

    def call(self, inputs, positions=None):
        length = inputs.shape[1]
        if positions is None and isinstance(length, int) and length > self.max_length:
            raise ValueError(f"There are {self.max_length} positions. Received: inputs of {length}. Cut them, or make the layer with a larger max_length.")
        if positions is None and not isinstance(length, int | None):  # symbolic, as on JAX: a slice would not be known to be that long
            positions = default_positions(inputs)
        if positions is None:
            return add_positions(inputs, self.embeddings[: length or keras.ops.shape(inputs)[1]])
        return add_positions(inputs, keras.ops.take(self.embeddings, positions, axis=0))

    def compute_output_shape(self, input_shape, *_):
        return input_shape

    def compute_mask(self, inputs, previous_mask):
        return previous_mask[0] if isinstance(previous_mask, list | tuple) else previous_mask

    def get_config(self):
        return {**super().get_config(), "max_length": self.max_length, "initializer": keras.initializers.serialize(self.initializer)}
