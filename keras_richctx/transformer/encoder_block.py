"""One layer of a Transformer's encoder."""

import keras

from keras_richctx.transformer.block import Block


@keras.saving.register_keras_serializable("keras_richctx")
class EncoderBlock(Block):
    r"""Self-attention, then a feed-forward layer at each position, each with a way around it and a layer normalisation.

    $$h = \mathrm{LN}(x + \mathrm{MultiHead}(x, x, x)), \qquad y = \mathrm{LN}(h + \mathrm{FFN}(h)), \qquad
    \mathrm{FFN}(h) = \max(0,\, h W_1 + b_1) W_2 + b_2$$

    as in the paper, `norm="post"`; with `norm="pre"` the normalisation stands before each sub-layer, $x + f(\mathrm{LN}(x))$, and the way through all blocks is
    free of it. No position attends to a pad, and a pad attends to nothing; the content of pads changes nothing.

    Args:
        num_heads, intermediate_dim, norm, activation, dropout, attention_dropout, key_dim, layer_norm_epsilon, kernel_initializer, seed: as in
            [`Block`][keras_richctx.transformer.block.Block].
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, T, D)`.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
        attention_mask: boolean tensor of shape `(B, T, T)`, or one that broadcasts to it, combined with `mask`; or `None`.
        use_causal_mask: boolean, whether a position sees none behind it. Defaults to `False`.
        return_attention_scores: boolean, whether to return the attention weights too.
        training: boolean, whether dropout is on.

    Returns:
        A float tensor of shape `(B, T, D)`; with `return_attention_scores` a pair of it and the weights, `(B, H, T, T)`.

    Raises:
        ValueError: if the heads do not divide the width, or an argument is out of its range.

    Example:
        >>> EncoderBlock(num_heads=2, intermediate_dim=16)(np.ones((1, 3, 8), "float32")).shape
        TensorShape([1, 3, 8])

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1; before or after: [Xiong et al., 2020](https://arxiv.org/abs/2002.04745).
    """

    def build(self, input_shape):
        width = input_shape[-1]
        self.attention = self._make_attention("attention", width)
        self.attention.build((None, None, width))
        self.attention_norm = self._make_norm("attention")
        self.attention_norm.build((None, None, width))
        self._build_feed_forward(width)

    def call(self, inputs, mask=None, attention_mask=None, use_causal_mask=False, return_attention_scores=False, training=False):
        def attend(x):
            options = {"use_causal_mask": use_causal_mask, "return_attention_scores": return_attention_scores, "training": training}
            return self.attention(x, query_mask=mask, value_mask=mask, attention_mask=attention_mask, **options)

        x, *weights = self._around(inputs, attend, self.attention_norm, training)
        (x,) = self._around(x, self._feed_forward, self.feed_forward_norm, training)
        return (x, *weights) if return_attention_scores else x
