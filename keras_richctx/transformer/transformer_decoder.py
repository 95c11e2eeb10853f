"""The stack that writes."""

import keras

from keras_richctx.transformer.decoder_block import DecoderBlock
from keras_richctx.transformer.stack import Stack


@keras.saving.register_keras_serializable("keras_richctx")
class TransformerDecoder(Stack):
    """L decoder blocks, each reading what the one before it made; with `norm="pre"` a layer normalisation at the end.

    Positions are added before it. With `cross_attention=False` there is no source, and it is the body of GPT.

    Args:
        num_layers: integer, L.
        num_heads: integer, H.
        intermediate_dim: integer, the width inside the feed-forward layers.
        **kwargs: the other arguments of [`DecoderBlock`][keras_richctx.transformer.decoder_block.DecoderBlock], `cross_attention` among them, and of
            `keras.layers.Layer`.

    Call arguments:
        inputs: float tensor of shape `(B, T, D)`.
        memory: float tensor of shape `(B, S, M)`, the source; or what `project_memory` made of it.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all; without a `cache`.
        memory_mask: boolean tensor of shape `(B, S)`, `True` at real positions, or `None` for all.
        cache: list of L dicts, from `empty_cache` or an earlier call, or `None`.
        real_slots: boolean tensor of shape `(B, S)` over the slots of the `cache`, `True` where what is or will be there is real, or `None` for all.
        return_attention_scores: boolean, whether to return the attention weights of all layers too.
        training: boolean, whether dropout is on.

    Returns:
        A float tensor of shape `(B, T, D)`. With `return_attention_scores` a tuple that goes on with a list of the weights, `(B, H, T, T)` each, and a list of
        those over the source, `(B, H, T, S)` each, empty without one; with a `cache` one that ends with the new cache.

    Raises:
        ValueError: if the heads do not divide the width, or an argument is out of its range.

    Example:
        >>> decoder, x = TransformerDecoder(num_layers=2, num_heads=2, intermediate_dim=16, cross_attention=False), np.ones((1, 4, 8), "float32")
        >>> whole = decoder(x)
        >>> first, cache = decoder(x[:, :3], cache=decoder.empty_cache(1, 4))
        >>> last, cache = decoder(x[:, 3:], cache=cache)
        >>> bool(np.allclose(whole[:, 3:], last, atol=1e-5)), int(cache[0]["index"])
        (True, 4)

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1.
    """

    block_class = DecoderBlock

    def build(self, inputs_shape, memory_shape=None):
        self._build(inputs_shape[-1], memory_shape)

    def call(self, inputs, memory=None, mask=None, memory_mask=None, cache=None, real_slots=None, return_attention_scores=False, training=False):
        if isinstance(memory_mask, list | tuple):  # Keras fills in the masks of what `project_memory` made: there are none
            memory_mask = None
        x, itself, across, caches = inputs, [], [], []
        for index, block in enumerate(self.blocks):
            source = memory[index] if isinstance(memory, list | tuple) else memory
            own = None if cache is None else cache[index]
            options = {"return_attention_scores": return_attention_scores, "training": training}
            x = block(x, source, mask=mask, memory_mask=memory_mask, cache=own, real_slots=real_slots, **options)
            if return_attention_scores or cache is not None:
                x, *rest = x
                caches += [rest.pop()] if cache is not None else []
                itself += rest[:1]
                across += rest[1:]
        results = [self._finish(x), *([itself, across] if return_attention_scores else []), *([caches] if cache is not None else [])]
        return results[0] if len(results) == 1 else tuple(results)

    def empty_cache(self, batch_size, length):
        """Makes room for `length` positions of each row: a list of L dicts, as `MultiHeadAttention.empty_cache`."""
        return [block.empty_cache(batch_size, length) for block in self.blocks]

    def project_memory(self, memory):
        """Projects the source, `(B, S, M)`, for each block, once for all positions that will attend to it: a list of L dicts."""
        return [block.project_memory(memory) for block in self.blocks]
