"""The stack that reads."""

import keras

from keras_richctx.transformer.encoder_block import EncoderBlock
from keras_richctx.transformer.stack import Stack


@keras.saving.register_keras_serializable("keras_richctx")
class TransformerEncoder(Stack):
    """L encoder blocks, each reading what the one before it made; with `norm="pre"` a layer normalisation at the end.

    Positions are added before it, since attention by itself sees a bag of vectors. Pads change no real position.

    Args:
        num_layers: integer, L.
        num_heads: integer, H.
        intermediate_dim: integer, the width inside the feed-forward layers.
        **kwargs: the other arguments of [`EncoderBlock`][keras_richctx.transformer.encoder_block.EncoderBlock], and of `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor of shape `(B, T, D)`.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
        attention_mask, use_causal_mask: as in `EncoderBlock`.
        return_attention_scores: boolean, whether to return the attention weights of all layers too.
        training: boolean, whether dropout is on.

    Returns:
        A float tensor of shape `(B, T, D)`; with `return_attention_scores` a pair of it and a list of L weights, `(B, H, T, T)`.

    Raises:
        ValueError: if the heads do not divide the width, or an argument is out of its range.

    Example:
        >>> encoder = TransformerEncoder(num_layers=3, num_heads=2, intermediate_dim=16)
        >>> output, weights = encoder(np.ones((1, 5, 8), "float32"), return_attention_scores=True)
        >>> output.shape, len(weights)
        (TensorShape([1, 5, 8]), 3)

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1.
    """

    block_class = EncoderBlock

    def build(self, input_shape):
        self._build(input_shape[-1])

    def call(self, inputs, mask=None, attention_mask=None, use_causal_mask=False, return_attention_scores=False, training=False):
        x, all_weights = inputs, []
        for block in self.blocks:
            options = {"use_causal_mask": use_causal_mask, "return_attention_scores": return_attention_scores, "training": training}
            x = block(x, mask=mask, attention_mask=attention_mask, **options)
            if return_attention_scores:
                x, weights = x
                all_weights.append(weights)
        return (self._finish(x), all_weights) if return_attention_scores else self._finish(x)
