"""AlexNet: the convolutional network that won ImageNet's challenge of 2012."""

import keras

from keras_richctx.vision.local_response_normalization import LocalResponseNormalization


@keras.saving.register_keras_serializable("keras_richctx")
class AlexNet(keras.Model):
    r"""Classifies an image by five convolutions and three dense layers.

    | layer | output | |
    |---|---|---|
    | `conv1` | 55 x 55 x 96 | 96 filters of 11 x 11, every 4 pixels, and ReLU |
    | `pool1`, `norm1` | 27 x 27 x 96 | maxima of 3 x 3, every 2; `LocalResponseNormalization` |
    | `conv2` | 27 x 27 x 256 | 256 of 5 x 5, and ReLU |
    | `pool2`, `norm2` | 13 x 13 x 256 | as before |
    | `conv3`, `conv4` | 13 x 13 x 384 | 384 of 3 x 3 each, and ReLU |
    | `conv5` | 13 x 13 x 256 | 256 of 3 x 3, and ReLU |
    | `pool3` | 6 x 6 x 256 | as before |
    | `fc6`, `fc7` | 4096 | dense, ReLU, dropout |
    | `fc8` | 1000 | dense: the logits |

    Every convolution here sees all channels: 62.4 million weights. The authors shared theirs out to two graphics cards, so that `conv2`, `conv4` and `conv5`
    saw half of them: 61.0 million.

    Nothing is allocated until the model is built, by its first call or `build((None, 227, 227, 3))`: `output_shapes` tells the shapes before that.

    Args:
        num_classes: integer, K, or `None` to end at `fc7`, as a backbone of `ImageClassifier`. Defaults to `1000`.
        dropout: float, the share of features dropped in training behind `fc6` and `fc7`. Defaults to `0.5`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        images: float tensor of shape `(B, 227, 227, 3)`; other sizes of at least 67 do, as long as they stay the same.
        training: boolean, whether dropout is on.

    Returns:
        The logits, float `(B, K)`, or the 4096 features of `fc7`.

    Example:
        >>> model = AlexNet()
        >>> model.output_shapes()["pool3"], model.output_shapes()["fc8"]
        ((6, 6, 256), (1000,))

    References:
        [Krizhevsky et al., 2012](https://papers.nips.cc/paper/4824-imagenet-classification-with-deep-convolutional-neural-networks).
    """

    def __init__(self, num_classes=1000, dropout=0.5, **kwargs):
        super().__init__(**kwargs)
        self.num_classes, self.dropout_rate = num_classes, dropout
        policy = {"dtype": self.dtype_policy}

        def convolution(name, filters, size, strides=1, padding="same"):
            return keras.layers.Conv2D(filters, size, strides, padding, activation="relu", name=name, **policy)

        def pool(number):
            return keras.layers.MaxPooling2D(3, 2, name=f"pool{number}", **policy)

        self.stages = [
            convolution("conv1", 96, 11, strides=4, padding="valid"),
            pool(1),
            LocalResponseNormalization(name="norm1", **policy),
            convolution("conv2", 256, 5),
            pool(2),
            LocalResponseNormalization(name="norm2", **policy),
            convolution("conv3", 384, 3),
            convolution("conv4", 384, 3),
            convolution("conv5", 256, 3),
            pool(3),
            keras.layers.Flatten(name="flatten", **policy),
            keras.layers.Dense(4096, activation="relu", name="fc6", **policy),
            keras.layers.Dropout(dropout, name="drop6", **policy),
            keras.layers.Dense(4096, activation="relu", name="fc7", **policy),
            keras.layers.Dropout(dropout, name="drop7", **policy),
        ]
        if num_classes is not None:
            self.stages.append(keras.layers.Dense(num_classes, name="fc8", **policy))

    def build(self, input_shape):
        for stage in self.stages:
            stage.build(input_shape)
            input_shape = stage.compute_output_shape(input_shape)

    def call(self, images, training=False):
        x = images
        for stage in self.stages:
            x = stage(x, training=training) if isinstance(stage, keras.layers.Dropout) else stage(x)
        return x

    def output_shapes(self, image_shape=(227, 227, 3)):
        """Tells what shape the output of each layer has, without making any.

        Args:
            image_shape: tuple, `(H, W, C)`. Defaults to `(227, 227, 3)`.

        Returns:
            A dict from the name of each layer to a tuple.
        """
        shape, shapes = (None, *image_shape), {}
        for stage in self.stages:
            shape = stage.compute_output_shape(shape)
            shapes[stage.name] = tuple(shape[1:])
        return shapes

    def compute_output_shape(self, input_shape):
        return (input_shape[0], *list(self.output_shapes(input_shape[1:]).values())[-1])

    def get_config(self):
        return {**super().get_config(), "num_classes": self.num_classes, "dropout": self.dropout_rate}
