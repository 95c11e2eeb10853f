"""Channels that damp each other where several are active."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class LocalResponseNormalization(keras.layers.Layer):
    r"""Divides each activity by how active its neighbours among the channels are at the same place.

    $$b^i = a^i \Big/ \Bigl( k + \alpha \sum_{j = \max(0,\, i - n / 2)}^{\min(N - 1,\, i + n / 2)} (a^j)^2 \Bigr)^{\beta}$$

    It has no weights. Batch normalization has taken its place since; AlexNet has it behind its first two convolutions. PyTorch's layer of that name has
    $\alpha / n$ for $\alpha$.

    Args:
        size: odd integer, $n$, the channels of a neighbourhood. Defaults to `5`.
        bias: float, $k$. Defaults to `2.0`.
        alpha: float, $\alpha$. Defaults to `1e-4`.
        beta: float, $\beta$. Defaults to `0.75`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, ..., C)`.

    Returns:
        A float tensor of the same shape; the sum runs in float32.

    Raises:
        ValueError: if `size` is not an odd positive integer, or what is divided by might not be a positive number.

    Example:
        >>> LocalResponseNormalization(size=3, bias=1.0, alpha=1.0, beta=1.0)(np.array([[1.0, 2.0, 0.0, 3.0]])).numpy().round(3)
        array([[0.167, 0.333, 0.   , 0.3  ]], dtype=float32)

    References:
        [Krizhevsky et al., 2012](https://papers.nips.cc/paper/4824-imagenet-classification-with-deep-convolutional-neural-networks), section 3.3.
    """

    def __init__(self, size=5, bias=2.0, alpha=1e-4, beta=0.75, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(size, int) or size < 1 or size % 2 == 0:
            raise ValueError(f"A neighbourhood is a channel and as many on either side: size is an odd positive integer. Received: size={size!r}")
        if not (0 < bias < float("inf") and 0 <= alpha < float("inf") and abs(beta) < float("inf")):
            raise ValueError(f"bias is a positive number, alpha one of at least zero, and beta finite. Received: {bias=}, {alpha=}, {beta=}")
        self.size, self.bias, self.alpha, self.beta = size, bias, alpha, beta

    def call(self, inputs):
        if not keras.backend.is_float_dtype(inputs.dtype):
            inputs = keras.ops.cast(inputs, self.compute_dtype)
        squares = keras.ops.square(keras.ops.cast(inputs, "float32"))
        half, channels = self.size // 2, inputs.shape[-1]
        padded = keras.ops.pad(squares, [(0, 0)] * (len(inputs.shape) - 1) + [(half, half)])  # (B, ..., C + n - 1)
        around = sum(padded[..., shift : shift + channels] for shift in range(self.size))  # (B, ..., C)
        # b^i = a^i / (k + alpha sum_j (a^j)^2)^beta
        return inputs * keras.ops.cast(keras.ops.power(self.bias + self.alpha * around, -self.beta), inputs.dtype)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "size": self.size, "bias": self.bias, "alpha": self.alpha, "beta": self.beta}
