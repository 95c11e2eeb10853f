"""A small convolutional network whose output still has a place for each part of the picture."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class ConvGrid(keras.layers.Layer):
    """Turns pictures into a grid of vectors: convolutions of 3 x 3, each followed by a maximum over 2 x 2, without the dense layers at the end.

    A cell of the grid sees little more of the picture than its own part: with three convolutions 22 x 22 pixels around its own 8 x 8. So attention to a cell
    can be read as attention to that part.

    Args:
        filters: tuple of integers, the width of each convolution; the last is D. Each halves the height and the width. Defaults to `(32, 64, 96)`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        images: tensor of shape `(B, H, W, 3)`, from 0 to 255.

    Returns:
        A float tensor of shape `(B, h, w, D)`, where `h` and `w` are `H` and `W` halved, and rounded down, once for each convolution.

    Raises:
        ValueError: if `filters` are not positive integers, one at least, or the pictures have another form or are too small for so many halvings.

    Example:
        >>> ConvGrid((4, 6, 8))(np.zeros((1, 48, 48, 3), "uint8")).shape
        TensorShape([1, 6, 6, 8])
    """

    def __init__(self, filters=(32, 64, 96), **kwargs):
        super().__init__(**kwargs)
        filters = tuple(filters)
        if not filters or not all(isinstance(width, int) and width > 0 for width in filters):
            raise ValueError(f"The widths of the convolutions are positive integers, one at least. Received: filters={filters!r}")
        self.filters = filters
        self.rescaling = keras.layers.Rescaling(1 / 127.5, offset=-1.0, dtype=self.dtype_policy, name="rescaling")
        options = {"padding": "same", "activation": "relu", "kernel_initializer": "he_normal", "dtype": self.dtype_policy}
        self.convolutions = [keras.layers.Conv2D(width, 3, name=f"convolution_{i}", **options) for i, width in enumerate(filters)]
        self.pooling = keras.layers.MaxPooling2D(2, dtype=self.dtype_policy, name="pooling")

    def build(self, images_shape):
        if len(images_shape) != 4:
            raise ValueError(f"Pictures have the shape (batch, height, width, channels). Received: images of shape {tuple(images_shape)}")
        for convolution, channels in zip(self.convolutions, (images_shape[-1], *self.filters)):
            convolution.build((*images_shape[:-1], channels))

    def call(self, images):
        if any(side is not None and side >> len(self.filters) == 0 for side in images.shape[1:3]):
            raise ValueError(f"{len(self.filters)} halvings need {2 ** len(self.filters)} pixels a side. Received: images of shape {tuple(images.shape)}")
        x = self.rescaling(images)  # (B, H, W, 3)
        for convolution in self.convolutions:
            x = self.pooling(convolution(x))  # half the height and width, each time
        return x

    def compute_output_shape(self, images_shape):
        batch, *sides, _ = images_shape
        return (batch, *(None if side is None else side >> len(self.filters) for side in sides), self.filters[-1])

    def get_config(self):
        return {**super().get_config(), "filters": self.filters}
