"""One vector for each word from all layers of a biLM, by weights that the task learns."""

import keras

from keras_richctx.ops.masks import as_mask

EPSILON = 1e-12


@keras.saving.register_keras_serializable("keras_richctx")
class ScalarMix(keras.layers.Layer):
    r"""Sums the layers of a biLM with weights that are positive and sum to one, and scales the sum.

    $$\mathrm{ELMo}_t = \gamma \sum_{l=0}^{L} s_l\, h^l_t, \qquad s = \mathrm{softmax}(w)$$

    A task learns $\gamma$ and $w$, L + 2 numbers, which start at one and zero: the average of the layers. Several mixes may stand over one biLM, such as one
    for the input of a task's network and one for its output. Pads come out as zeros.

    With `layer_norm` each layer is normalised first, so that its weight says what it is worth and not how large its numbers are. `"token"` takes mean and
    variance over the features of each word, as layer normalisation does elsewhere: a word's vector hangs on nothing else. `"batch"` takes them over all
    features of all real words of the batch at once, as the original does: then a vector hangs on the sentences that it shares its batch with.

    Args:
        layer_norm: `None`, `"token"` or `"batch"`. Defaults to `None`.
        regularization: float, $\lambda$: in training $\lambda \lVert w \rVert^2$ is added to the loss. With a large one, such as 1, the weights stay near the
            average of the layers; with a small one, such as 0.001, they may differ. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        layers: float tensor of shape `(B, L + 1, T, D)`, the output `"layers"` of `krc.models.ELMo`.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
        training: boolean, whether the penalty is added.

    Returns:
        A float tensor of shape `(B, T, D)`.

    Raises:
        ValueError: if `layer_norm` is unknown, `regularization` is negative, or the layers are of another rank.

    Example:
        >>> ScalarMix()(np.ones((2, 3, 7, 10))).shape
        TensorShape([2, 7, 10])

    References:
        [Peters et al., 2018](https://arxiv.org/abs/1802.05365), equation 1, and section 3.3 for $\lambda$.
    """

    def __init__(self, layer_norm=None, regularization=0.0, **kwargs):
        super().__init__(**kwargs)
        if layer_norm not in (None, "token", "batch"):
            raise ValueError(f"Layers are normalised by 'token', by 'batch', or not, None. Received: layer_norm={layer_norm!r}")
        if not regularization >= 0:
            raise ValueError(f"regularization is at least 0. Received: regularization={regularization!r}")
        self.layer_norm = layer_norm
        self.regularization = regularization
        self.supports_masking = True

    def build(self, layers_shape):
        if len(layers_shape) != 4:
            raise ValueError(f"ScalarMix takes layers of shape (batch, layers, length, width). Received: layers_shape={tuple(layers_shape)}")
        # the numbers that everything hangs on are kept and used in float32
        self.scalars = self.add_weight(shape=(layers_shape[1],), initializer="zeros", autocast=False, name="scalars")
        self.gamma = self.add_weight(shape=(), initializer="ones", autocast=False, name="gamma")

    @property
    def weights_of_layers(self):
        r"""$s$, the weight of each layer, float tensor `(L + 1,)`."""
        return keras.ops.softmax(keras.ops.convert_to_tensor(self.scalars))

    def call(self, layers, mask=None, training=False):
        if training and self.regularization:
            # lambda |w|^2
            self.add_loss(self.regularization * keras.ops.sum(keras.ops.square(self.scalars)))
        mask = None if mask is None else as_mask(mask)[:, None, :, None]  # (B, 1, T, 1)
        if mask is not None:
            layers = keras.ops.where(mask, layers, keras.ops.zeros_like(layers))  # whatever stands at pads
        x = layers if self.layer_norm is None else keras.ops.cast(normalize(layers, self.layer_norm, mask), layers.dtype)
        # gamma sum_l s_l h^l
        weights = keras.ops.cast(self.gamma * self.weights_of_layers, x.dtype)
        mixed = keras.ops.einsum("l,bltd->btd", weights, x)  # (B, T, D)
        return mixed if mask is None else keras.ops.where(mask[:, 0], mixed, keras.ops.zeros_like(mixed))

    def compute_mask(self, layers, previous_mask):
        return None  # who needs the mask has it

    def compute_output_shape(self, layers_shape):
        return (layers_shape[0], *layers_shape[2:])

    def get_config(self):
        return {**super().get_config(), "layer_norm": self.layer_norm, "regularization": self.regularization}


def normalize(layers, over, mask=None):
    r"""Gives each layer mean zero and variance one, in float32.

    $$\hat h^l = \frac{h^l - \mu}{\sqrt{\sigma^2 + 10^{-12}}}$$

    Args:
        layers: float tensor of shape `(B, L + 1, T, D)`, zeros at pads.
        over: string, `"token"` for $\mu$ and $\sigma$ of each word's features, or `"batch"` for those of all real words together, one pair for each layer.
        mask: boolean tensor of shape `(B, 1, T, 1)`, or `None`.

    Returns:
        A float32 tensor of shape `(B, L + 1, T, D)`; what stands at pads means nothing.
    """
    layers = keras.ops.cast(layers, "float32")
    if over == "token":
        mean, variance = keras.ops.moments(layers, axes=-1, keepdims=True)  # (B, L + 1, T, 1)
        return (layers - mean) / keras.ops.sqrt(variance + EPSILON)
    real = keras.ops.ones_like(layers[:, :1, :, :1]) if mask is None else keras.ops.cast(mask, "float32")  # (B, 1, T, 1)
    count = keras.ops.maximum(keras.ops.sum(real), 1) * layers.shape[-1]
    mean = keras.ops.sum(layers * real, axis=(0, 2, 3), keepdims=True) / count  # (1, L + 1, 1, 1)
    variance = keras.ops.sum(keras.ops.square((layers - mean) * real), axis=(0, 2, 3), keepdims=True) / count
    return (layers - mean) / keras.ops.sqrt(variance + EPSILON)
