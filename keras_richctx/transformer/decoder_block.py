"""One layer of a Transformer's decoder."""

import keras

from keras_richctx.transformer.block import Block


@keras.saving.register_keras_serializable("keras_richctx")
class DecoderBlock(Block):
    r"""Causal self-attention, attention over a source, then a feed-forward layer, each with a way around it and a layer normalisation.

    $$h = \mathrm{LN}(y + \mathrm{MultiHead}(y, y, y)), \qquad c = \mathrm{LN}(h + \mathrm{MultiHead}(h, m, m)), \qquad z = \mathrm{LN}(c + \mathrm{FFN}(c))$$

    where $m$ is what the encoder made of the source; in the first attention a position sees none behind it. Without `cross_attention` the middle sub-layer is
    missing: that is a block of GPT. No real position attends to a pad, on either side.

    Args:
        num_heads, intermediate_dim, norm, activation, dropout, attention_dropout, key_dim, layer_norm_epsilon, kernel_initializer, seed: as in
            [`Block`][keras_richctx.transformer.block.Block].
        cross_attention: boolean, whether there is a source. Defaults to `True`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, T, D)`.
        memory: float tensor of shape `(B, S, M)`, the source; or what `project_memory` made of it.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all; without a `cache`.
        memory_mask: boolean tensor of shape `(B, S)`, `True` at real positions, or `None` for all.
        cache: dict of the positions before, from `empty_cache` or an earlier call, or `None`.
        real_slots: boolean tensor over the slots of the `cache`, `True` where what is or will be there is real, or `None` for all.
        return_attention_scores: boolean, whether to return the attention weights too.
        training: boolean, whether dropout is on.

    Returns:
        A float tensor of shape `(B, T, D)`. With `return_attention_scores` a tuple that goes on with the weights, `(B, H, T, T)` and, over the source,
        `(B, H, T, S)`; with a `cache` one that ends with the new cache.

    Raises:
        ValueError: if the heads do not divide the width, an argument is out of its range, or the source is missing, or there and not asked for.

    Example:
        >>> block, source = DecoderBlock(num_heads=2, intermediate_dim=16), np.ones((1, 5, 8), "float32")
        >>> output, itself, across = block(np.ones((1, 3, 8), "float32"), source, return_attention_scores=True)
        >>> output.shape, itself.shape, across.shape
        (TensorShape([1, 3, 8]), TensorShape([1, 2, 3, 3]), TensorShape([1, 2, 3, 5]))

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1; without a source: [Radford et al.,
        2018](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf), section 3.1.
    """

    def __init__(self, num_heads, intermediate_dim, cross_attention=True, **kwargs):
        super().__init__(num_heads, intermediate_dim, **kwargs)
        self.cross_attention = cross_attention

    def build(self, inputs_shape, memory_shape=None):
        width = inputs_shape[-1]
        self.self_attention = self._make_attention("self_attention", width)
        self.self_attention.build((None, None, width))
        self.self_attention_norm = self._make_norm("self_attention")
        self.self_attention_norm.build((None, None, width))
        if self.cross_attention:
            source = width if memory_shape is None else memory_shape[-1]
            self.source_attention = self._make_attention("source_attention", width)
            self.source_attention.build((None, None, width), (None, None, source))
            self.source_attention_norm = self._make_norm("source_attention")
            self.source_attention_norm.build((None, None, width))
        self._build_feed_forward(width)

    def call(self, inputs, memory=None, mask=None, memory_mask=None, cache=None, real_slots=None, return_attention_scores=False, training=False):
        if (memory is None) == self.cross_attention:
            wanted = "attends over a source, and takes memory" if self.cross_attention else "has no attention over a source, and takes no memory"
            raise ValueError(f"This decoder block {wanted}. Received: memory={'None' if memory is None else 'a source'}")
        if isinstance(memory_mask, dict):  # Keras fills in the masks of what `project_memory` made: there are none
            memory_mask = None
        options = {"return_attention_scores": return_attention_scores, "training": training}

        def attend_itself(x):
            columns = mask if cache is None else real_slots
            return self.self_attention(x, query_mask=mask, value_mask=columns, use_causal_mask=True, cache=cache, **options)

        def attend_source(x):
            if isinstance(memory, dict):
                return self.source_attention(x, cache=memory, value_mask=memory_mask, **options)
            return self.source_attention(x, memory, value_mask=memory_mask, **options)

        x, *rest = self._around(inputs, attend_itself, self.self_attention_norm, training)
        cache = [rest.pop()] if cache is not None else []
        if self.cross_attention:
            x, *across = self._around(x, attend_source, self.source_attention_norm, training)
            rest += across
        (x,) = self._around(x, self._feed_forward, self.feed_forward_norm, training)
        results = [x, *rest, *cache]
        return results[0] if len(results) == 1 else tuple(results)

    def empty_cache(self, batch_size, length):
        """Makes room for `length` positions of each row, as `MultiHeadAttention.empty_cache`."""
        return self.self_attention.empty_cache(batch_size, length)

    def project_memory(self, memory):
        """Projects the source, `(B, S, M)`, once for all positions that will attend to it."""
        return self.source_attention.project(memory)

    def get_config(self):
        return {**super().get_config(), "cross_attention": self.cross_attention}
