"""The Gaussian error linear unit in its second form."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
def gelu_tanh(x):
    r"""The Gaussian error linear unit in its tanh form, that of GPT, GPT-2 and Google's BERT.

    $$\mathrm{GELU}(x) \approx \frac{x}{2} \left(1 + \tanh\left(\sqrt{2 / \pi}\, (x + 0.044715\, x^3)\right)\right)$$

    It is up to 4.7e-4 away from `keras.activations.gelu`, which is $x \Phi(x)$ itself.

    Args:
        x: float tensor.

    Returns:
        A float tensor of the shape of `x`.

    Example:
        >>> gelu_tanh(np.array([-1.0, 0.0, 1.0], "float32")).numpy().round(4)
        array([-0.1588,  0.    ,  0.8412], dtype=float32)

    References:
        [Hendrycks and Gimpel, 2016](https://arxiv.org/abs/1606.08415), section 2.
    """
    return keras.ops.gelu(x, approximate=True)
