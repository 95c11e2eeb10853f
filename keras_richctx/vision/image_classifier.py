"""The class of an image, from a network that has learnt to see other ones."""

import keras

from keras_richctx.training.varied_shapes import VariedShapes

POOLS = ("average", "flatten")


@keras.saving.register_keras_serializable("keras_richctx")
class ImageClassifier(VariedShapes):
    r"""A new last layer on a network that is there already: the three ways to transfer what it has learnt.

    $$\text{logits} = W\, d(\mathrm{pool}(f(x))) + b$$

    where $f$ is the backbone and $d$ dropout.

    - As a **fixed feature extractor**, `fine_tune=False`: only $W$ and $b$ are trained. The backbone stays as it is, in its moving means and its dropout too.
    - **Fine-tuned**, `fine_tune=True`: all is trained. What lies low is more general and should change less: pass `layer_groups()` to `discriminative_rates` or
      `GradualUnfreezing` of `keras_richctx.training`.
    - From a **model zoo**: the backbone is any model of `keras.applications` with its published weights, made with `include_top=False`.

    The backbone is the one that was given, not a copy: to train the model trains it, and its `trainable` is set. `transfer` makes a classifier of other classes
    on a copy.

    Args:
        backbone: layer or model that turns images into a grid of vectors, `(B, h, w, D)`, or into one, `(B, D)`: a `ConvGrid`, an `AlexNet` without its last
            layer, a model of `keras.applications`, or your own, if Keras can save it.
        num_classes: integer, K.
        fine_tune: boolean, whether the backbone is trained. Defaults to `True`.
        pooling: string, what becomes of a grid: `"average"`, its mean vector, or `"flatten"`, all of its vectors side by side. Defaults to `"average"`.
        dropout: float, the share of features dropped in training before the last layer. Defaults to `0.0`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        images: tensor of shape `(B, H, W, C)`, as the backbone takes them.
        training: boolean, whether dropout is on, and with `fine_tune` the backbone in training.

    Returns:
        The logits of the classes, float `(B, K)`.

    Raises:
        ValueError: if `num_classes` is less than two, the pooling is unknown, the backbone is none, or makes a grid without cells.

    Example:
        >>> first = ImageClassifier(krc.layers.ConvGrid((4, 8)), num_classes=5, pooling="flatten")
        >>> images = np.zeros((3, 28, 28, 1), "uint8")
        >>> first(images).shape
        TensorShape([3, 5])
        >>> second = first.transfer(num_classes=2, fine_tune=False)
        >>> second(images).shape, len(second.trainable_variables)
        (TensorShape([3, 2]), 2)

    References:
        [Razavian et al., 2014](https://arxiv.org/abs/1403.6382), fixed features; [Yosinski et al., 2014](https://arxiv.org/abs/1411.1792), fine-tuning.
    """

    def __init__(self, backbone, num_classes, fine_tune=True, pooling="average", dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(num_classes, int) or num_classes < 2:
            raise ValueError(f"num_classes is an integer of at least 2. Received: num_classes={num_classes!r}")
        if not isinstance(backbone, keras.layers.Layer):
            raise ValueError(f"The backbone is a Keras layer or model. Received: backbone={backbone!r}")
        if pooling not in POOLS:
            raise ValueError(f"A grid is pooled by one of {', '.join(POOLS)}. Received: pooling={pooling!r}")
        self.backbone = backbone
        for layer in self.backbone._flatten_layers():  # one by one: a backbone loaded as frozen says so of itself alone
            layer.trainable = fine_tune
        self.num_classes, self.fine_tune, self.pooling, self.dropout_rate = num_classes, fine_tune, pooling, dropout
        policy = {"dtype": self.dtype_policy}
        self.pool = keras.layers.GlobalAveragePooling2D(name="pool", **policy) if pooling == "average" else keras.layers.Flatten(name="pool", **policy)
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.classify = keras.layers.Dense(num_classes, name="classify", **policy)

    def compile(self, optimizer="adam", loss="auto", metrics="auto", jit_compile="auto", **kwargs):
        """Configures training, as `keras.Model.compile`, with the loss and the metric of classification filled in.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            loss: `"auto"` for the cross-entropy.
            metrics: `"auto"` for the accuracy.
            jit_compile: boolean or `"auto"`. Defaults to `"auto"`, since images are of one shape.
            **kwargs: passed to `keras.Model.compile`.
        """
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True) if loss == "auto" else loss
        metrics = [keras.metrics.SparseCategoricalAccuracy(name="accuracy")] if metrics == "auto" else metrics
        super().compile(optimizer=optimizer, loss=loss, metrics=metrics, jit_compile=jit_compile, **kwargs)

    def call(self, images, training=False):
        # W d(pool(f(x))) + b
        return self.classify(self.dropout(self.features(images, training), training=training))

    def features(self, images, training=False):
        """What the last layer sees of images: `(B, D)`, or `(B, h w D)` where a grid is flattened."""
        options = {"training": training and self.fine_tune} if self.backbone._call_has_training_arg else {}
        x = self.backbone(images, **options)  # (B, h, w, D) or (B, D)
        _check_grid(x.shape, images.shape)
        return self.pool(x) if len(x.shape) == 4 else x

    def transfer(self, num_classes, fine_tune=True, **options):
        """Makes a classifier of other classes, on a copy of the backbone with its weights.

        Args:
            num_classes: integer, how many.
            fine_tune: boolean, whether the copy is trained. Defaults to `True`.
            **options: other arguments of `ImageClassifier`; by default those of this one.

        Returns:
            An `ImageClassifier`.

        Raises:
            ValueError: if this one has no weights yet.
        """
        if not self.built:
            raise ValueError("Only what has weights can be transferred. Received: a classifier that is not built. Call it on images, or train it.")
        copy = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(self.backbone))
        if not copy.built:
            copy.build(self._images_shape)
        copy.set_weights(self.backbone.get_weights())
        made = type(self)(copy, num_classes, fine_tune, **{"pooling": self.pooling, "dropout": self.dropout_rate, "dtype": self.dtype_policy, **options})
        made.build(self._images_shape)
        return made

    def build(self, input_shape):
        self._images_shape = tuple(input_shape)
        if not self.backbone.built:
            self.backbone.build(self._images_shape)
        shape = self.backbone.compute_output_shape(self._images_shape)
        _check_grid(shape, self._images_shape)
        if len(shape) == 4:
            self.pool.build(shape)
            shape = self.pool.compute_output_shape(shape)
        self.classify.build(shape)

    def layer_groups(self):
        """Returns the groups for `discriminative_rates` and `GradualUnfreezing`, lowest first: each layer of the backbone with weights, then the last layer."""
        layers = [layer for layer in self.backbone._flatten_layers(include_self=True) if layer.trainable and layer._trainable_variables]
        return [*([layer] for layer in layers), [self.classify]]

    def get_config(self):
        return {
            **super().get_config(),
            "backbone": keras.saving.serialize_keras_object(self.backbone),
            "num_classes": self.num_classes,
            "fine_tune": self.fine_tune,
            "pooling": self.pooling,
            "dropout": self.dropout_rate,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "backbone": keras.saving.deserialize_keras_object(config["backbone"])})


def _check_grid(shape, images_shape):
    """Raises where a grid, or a vector, is none: the mean of no cells is not a number."""
    if len(shape) not in (2, 4) or 0 in shape[1:]:
        raise ValueError(
            "A backbone makes a grid of vectors, (B, h, w, D), or one vector, (B, D), of an image. "
            f"Received: one that makes {tuple(shape)} of images of shape {tuple(images_shape)}"
        )
