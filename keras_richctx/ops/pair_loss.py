"""The loss of word2vec: does an input vector go with an output vector, or not?"""

import keras


def pair_loss(inputs, outputs, labels, input_mask=None, output_mask=None):
    r"""The logistic loss of every input of a row with every output of the row, summed.

    $$L = -\sum_i \sum_j m_i\, n_j \log \sigma\bigl(s_j\, v_i^\top u_j\bigr), \qquad s_j = 2 y_j - 1$$

    With $y = 1$ for the word that was there and $y = 0$ for others that were drawn, it is negative sampling; with the nodes of the path to a word and the
    branches taken there, the hierarchical softmax. Its gradient, which the tests hold against a backend's own, is

    $$\frac{\partial L}{\partial v_i} = \sum_j m_i\, n_j \bigl(\sigma(v_i^\top u_j) - y_j\bigr)\, u_j, \qquad
      \frac{\partial L}{\partial u_j} = \sum_i m_i\, n_j \bigl(\sigma(v_i^\top u_j) - y_j\bigr)\, v_i$$

    Args:
        inputs: float tensor of shape `(B, I, D)`, $v$.
        outputs: float tensor of shape `(B, O, D)`, $u$.
        labels: float or integer tensor of shape `(B, O)`, $y$, of 0 and 1.
        input_mask: boolean tensor of shape `(B, I)`, $m$, or `None` for all.
        output_mask: boolean tensor of shape `(B, O)`, $n$, or `None` for all.

    Returns:
        A float32 tensor of shape `(B,)`, or float64 for inputs of that type.

    Example:
        >>> pair_loss(np.zeros((1, 3, 4)), np.zeros((1, 2, 4)), np.array([[1, 0]])).numpy() / np.log(2)  # six pairs, nothing known of any
        array([6.])

    References:
        [Mikolov et al., 2013](https://arxiv.org/abs/1310.4546), equations 3 and 4.
    """
    logits = keras.ops.matmul(inputs, keras.ops.transpose(outputs, (0, 2, 1)))  # (B, I, O)
    logits = keras.ops.cast(logits, keras.backend.result_type(logits.dtype, "float32"))
    sign = keras.ops.cast(2 * keras.ops.cast(labels, "int32") - 1, logits.dtype)[:, None, :]
    # -log sigma(s x) = softplus(-s x)
    losses = keras.ops.softplus(-sign * logits)
    for mask, axis in ((input_mask, 2), (output_mask, 1)):
        if mask is not None:
            losses = keras.ops.where(keras.ops.expand_dims(mask, axis), losses, 0)
    return keras.ops.sum(losses, axis=(1, 2))
