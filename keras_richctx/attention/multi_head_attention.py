"""Many heads of attention side by side, called as Keras' own."""

import keras

from keras_richctx.attention.fresh_initializer import fresh_initializer
from keras_richctx.attention.torch_weights import from_torch_weights
from keras_richctx.ops.dot_product_attention import attention, attention_with_weights
from keras_richctx.ops.masks import as_mask, causal_mask, merge_masks, slots_mask

PROJECTIONS = ("query", "key", "value")


@keras.saving.register_keras_serializable("keras_richctx")
class MultiHeadAttention(keras.layers.Layer):
    r"""Attention in H subspaces at once: each head compares, weighs and sums in projections of its own, and one matrix joins what they found.

    $$\mathrm{head}_h = \mathrm{softmax}\left(\frac{Q W^Q_h (K W^K_h)^\top}{\sqrt{d_k}}\right) V W^V_h, \qquad
    \mathrm{MultiHead}(Q, K, V) = \sum_h \mathrm{head}_h W^O_h$$

    where the sum over heads is the paper's one product $W^O$ with their concatenation. It is called as `keras.layers.MultiHeadAttention`, computes the same and
    holds the same weights in the same order, so that `set_weights` of one takes `get_weights` of the other.

    Masks say where attention is allowed and are combined with "and". Masked positions get weight zero. A query that may attend nowhere, as one that
    `query_mask` leaves out, has weights of zero and a context of zero, whether weights are asked for or not: `keras.layers.MultiHeadAttention` gives two
    different answers.

    Args:
        num_heads: integer, H.
        key_dim: integer, the width of each head's query and key.
        value_dim: integer, the width of each head's value. Defaults to `key_dim`.
        dropout: float, the share of attention weights dropped in training. Defaults to `0.0`.
        use_bias: boolean, whether the projections add a bias. Defaults to `True`.
        output_shape: integer, the width of the output. Defaults to that of the query.
        kernel_initializer: initializer of each projection as the matrix that it is, `(D, H * K)`. Defaults to `"glorot_uniform"`.
        bias_initializer: initializer of the biases. Defaults to `"zeros"`.
        seed: integer, of the dropout, or `None`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        query: float tensor of shape `(B, T, D)`.
        value: float tensor of shape `(B, S, D_v)`. Defaults to `query`: self-attention, whose three projections are then one product.
        key: float tensor of shape `(B, S, D_k)`. Defaults to `value`.
        query_mask, value_mask, key_mask: boolean tensors of shape `(B, T)`, `(B, S)` and `(B, S)`, `True` at real positions, or `None` for all. Keras fills
            them in where the inputs carry a mask of their own.
        attention_mask: boolean tensor of shape `(B, T, S)` or `(B, H, T, S)`, or one that broadcasts to it; or `None`.
        return_attention_scores: boolean, whether to return the attention weights too, as they are before dropout. Asking for them changes no output.
        use_causal_mask: boolean, whether a position sees none behind it. Defaults to `False`.
        cache: dict, for decoding step by step. From `empty_cache` or an earlier call: the query's keys and values are added to it, and each position sees those
            up to its own; masks are then over all of its slots. From `project`: the source itself, projected once for all steps.
        training: boolean, whether dropout is on.

    Returns:
        The output, `(B, T, D)`. With `return_attention_scores` a tuple that goes on with the weights, `(B, H, T, S)`; with a `cache` of `empty_cache` one that
        ends with the new cache.

    Raises:
        ValueError: if a number is out of its range, or a mask or a cache does not fit, with the axis that does not.

    Example:
        >>> layer = MultiHeadAttention(num_heads=2, key_dim=4)
        >>> x = np.ones((1, 3, 8), "float32")
        >>> output, weights = layer(x, use_causal_mask=True, return_attention_scores=True)
        >>> weights.numpy()[0, 0].round(2)
        array([[1.  , 0.  , 0.  ],
               [0.5 , 0.5 , 0.  ],
               [0.33, 0.33, 0.33]], dtype=float32)

    References:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.2.2.
    """

    attends_in = "attend"

    def __init__(
        self,
        num_heads,
        key_dim,
        value_dim=None,
        dropout=0.0,
        use_bias=True,
        output_shape=None,
        kernel_initializer="glorot_uniform",
        bias_initializer="zeros",
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        value_dim = key_dim if value_dim is None else value_dim
        for name, number in (("num_heads", num_heads), ("key_dim", key_dim), ("value_dim", value_dim), ("output_shape", output_shape or 1)):
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout is a share of at least 0 and below 1. Received: dropout={dropout!r}")
        self.num_heads = num_heads
        self.key_dim = key_dim
        self.value_dim = value_dim
        self.dropout_rate = dropout
        self.use_bias = use_bias
        self.output_width = output_shape
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.seed = seed
        self.supports_masking = True
        self.dropout = keras.layers.Dropout(dropout, seed=seed, dtype=self.dtype_policy, name="dropout")

    def build(self, query_shape, value_shape=None, key_shape=None):
        value_shape = query_shape if value_shape is None else value_shape
        key_shape = value_shape if key_shape is None else key_shape
        heads, output = self.num_heads, self.output_width or query_shape[-1]
        for name, shape, width in zip(PROJECTIONS, (query_shape, key_shape, value_shape), (self.key_dim, self.key_dim, self.value_dim)):
            self._add_projection(name, (shape[-1], heads, width), (shape[-1], heads * width))
        self._add_projection("output", (heads, self.value_dim, output), (heads * self.value_dim, output))

    def _add_projection(self, name, shape, matrix_shape):
        """Adds the kernel, drawn as the matrix that it is, and the bias of a projection; `output_kernel` is `(H, V, D)`, the others `(D, H, K)`."""

        draw = fresh_initializer(self.kernel_initializer)

        def initializer(shape, dtype=None):
            return keras.ops.reshape(draw(matrix_shape, dtype=dtype), shape)  # (D, H K) -> (D, H, K)

        kernel = self.add_weight(shape=shape, initializer=initializer, name=f"{name}_kernel")
        bias_shape = shape[1:] if name != "output" else shape[2:]
        bias = self.add_weight(shape=bias_shape, initializer=self.bias_initializer, name=f"{name}_bias") if self.use_bias else None
        setattr(self, f"{name}_kernel", kernel)
        setattr(self, f"{name}_bias", bias)

    def call(
        self,
        query,
        value=None,
        key=None,
        query_mask=None,
        value_mask=None,
        key_mask=None,
        attention_mask=None,
        return_attention_scores=False,
        use_causal_mask=False,
        cache=None,
        training=False,
    ):
        mask = self._merge(query_mask, value_mask, key_mask, attention_mask)
        if cache is not None and "index" not in cache:  # a source that stays
            (q,), memory, cache = self._project(query, "query"), cache, None
        elif value is None or (value is query and (key is None or key is query)):
            q, k, v = self._project(query, "query", "key", "value")
            memory = {"key": k, "value": v}
        else:
            (q,), memory = self._project(query, "query"), self.project(value, key)
        if cache is not None:
            memory = self._extend(cache, memory)
            mask = merge_masks(mask, slots_mask(cache["index"], keras.ops.shape(q)[2], keras.ops.shape(memory["key"])[2]))
        output, weights = self.attend(q, memory, mask, use_causal_mask and cache is None, return_attention_scores, training)
        results = [output, *([weights] if return_attention_scores else []), *([memory] if cache is not None else [])]
        return results[0] if len(results) == 1 else tuple(results)

    def compute_mask(self, query, previous_mask):
        return previous_mask[0] if isinstance(previous_mask, list | tuple) else previous_mask

    def project(self, value, key=None):
        """Projects a source once for all queries.

        Args:
            value: float tensor of shape `(B, S, D_v)`.
            key: float tensor of shape `(B, S, D_k)`. Defaults to `value`.

        Returns:
            A dict of `key`, `(B, H, S, K)`, and `value`, `(B, H, S, V)`: a `cache` for `call`.
        """
        if key is None or key is value:
            k, v = self._project(value, "key", "value")
        else:
            (k,), (v,) = self._project(key, "key"), self._project(value, "value")
        return {"key": k, "value": v}

    def empty_cache(self, batch_size, length):
        """Makes room for the keys and values of positions to come.

        Args:
            batch_size: integer, B.
            length: integer, S, the most positions that it will hold. What is written behind the last is not held.

        Returns:
            A dict of `key`, zeros `(B, H, S, K)`; `value`, zeros `(B, H, S, V)`; and `index`, int32 `()`, how many positions it holds.
        """
        shape = (batch_size, self.num_heads, length)
        return {
            "key": keras.ops.zeros((*shape, self.key_dim), dtype=self.compute_dtype),
            "value": keras.ops.zeros((*shape, self.value_dim), dtype=self.compute_dtype),
            "index": keras.ops.zeros((), dtype="int32"),
        }

    def attend(self, query, memory, mask=None, causal=False, with_weights=False, training=False):
        """Attends from projected queries, and joins the heads.

        Args:
            query: float tensor of shape `(B, H, T, K)`.
            memory: dict of `key`, `(B, H, S, K)`, and `value`, `(B, H, S, V)`.
            mask: boolean tensor that broadcasts to `(B, H, T, S)`, or `None`.
            causal: boolean, as `use_causal_mask`.
            with_weights: boolean, whether to return the weights too.
            training: boolean, whether dropout is on.

        Returns:
            A pair: the output, `(B, T, D)`, and the weights, `(B, H, T, S)`, or `None`.
        """
        drops = bool(training) and self.dropout_rate > 0
        if with_weights or drops:
            if causal:
                mask = merge_masks(mask, causal_mask(keras.ops.shape(query)[2], keras.ops.shape(memory["key"])[2]))
            drop = (lambda weights: self.dropout(weights, training=True)) if drops else None
            context, weights = attention_with_weights(query, memory["key"], memory["value"], mask, drop)  # (B, H, T, V), (B, H, T, S)
        else:
            context, weights = attention(query, memory["key"], memory["value"], mask, causal), None
        # sum_h head_h W^O_h: the heads side by side, times one matrix
        _, length, width = context.shape[1:]
        joined = keras.ops.reshape(keras.ops.transpose(context, (0, 2, 1, 3)), (-1, length or keras.ops.shape(context)[2], self.num_heads * width))
        kernel = keras.ops.reshape(keras.ops.cast(self.output_kernel, self.compute_dtype), (self.num_heads * width, -1))  # (H, V, D) -> (H V, D)
        output = keras.ops.matmul(joined, kernel)  # (B, T, D)
        return (output if self.output_bias is None else output + keras.ops.cast(self.output_bias, self.compute_dtype)), weights

    def attention_of(self, result, query, memory, mask=None, causal=False, with_weights=False, training=False):
        """Shows what `attend` looks at, for `krc.attention_maps`.

        Args:
            result: what `attend` returned.
            query, memory, mask, causal, with_weights, training: what it was given.

        Returns:
            A dict of `weights`, `(B, H, T, S)`, before dropout; `queries`, `(B, H, T, K)`; and `keys`, `(B, H, S, K)`.
        """
        weights = result[1]
        if weights is None:
            if causal:
                mask = merge_masks(mask, causal_mask(query.shape[2], memory["key"].shape[2]))
            weights = attention_with_weights(query, memory["key"], memory["value"], mask)[1]
        return {"weights": weights, "queries": query, "keys": memory["key"]}

    def from_torch_weights(self, weights):
        """Takes over the weights of `torch.nn.MultiheadAttention`.

        Args:
            weights: mapping from names such as `in_proj_weight` to arrays: the module's `state_dict()`.

        Raises:
            ValueError: if a weight is missing, has no place here, or its shape does not fit.
        """
        from_torch_weights(self, weights)

    def _project(self, x, *names):
        """Multiplies x, `(B, T, D)`, by several projections in one product; returns a list of `(B, H, T, K)`."""
        if x.shape[1] == 1 and len(names) > 1:  # for one position, to lay the matrices side by side costs more than it saves
            return [projected for name in names for projected in self._project(x, name)]
        kernels = [keras.ops.cast(getattr(self, f"{name}_kernel"), self.compute_dtype) for name in names]
        widths = [kernel.shape[2] for kernel in kernels]
        flat = [keras.ops.reshape(kernel, (kernel.shape[0], -1)) for kernel in kernels]  # (D, H, K) -> (D, H K)
        # (Q W^Q, K W^K, V W^V), side by side
        joint = keras.ops.matmul(x, flat[0] if len(flat) == 1 else keras.ops.concatenate(flat, axis=1))  # (B, T, sum of H K)
        if self.use_bias:
            biases = [keras.ops.reshape(keras.ops.cast(getattr(self, f"{name}_bias"), self.compute_dtype), (-1,)) for name in names]
            joint = joint + (biases[0] if len(biases) == 1 else keras.ops.concatenate(biases))
        length, heads, projected, start = x.shape[1] or keras.ops.shape(x)[1], self.num_heads, [], 0
        for width in widths:
            part = keras.ops.reshape(joint[..., start : start + heads * width], (-1, length, heads, width))  # (B, T, H K) -> (B, T, H, K)
            projected.append(keras.ops.transpose(part, (0, 2, 1, 3)))  # (B, H, T, K)
            start += heads * width
        return projected

    def _extend(self, cache, memory):
        """Writes keys and values behind those that the cache holds."""
        index = cache["index"]
        written = {name: keras.ops.slice_update(cache[name], (0, 0, index, 0), memory[name]) for name in ("key", "value")}
        return {**written, "index": index + keras.ops.shape(memory["key"])[2]}

    def _merge(self, query_mask, value_mask, key_mask, attention_mask):
        """Joins the masks of the call to one that broadcasts to `(B, H, T, S)`, or `None`."""
        of_rows = [(query_mask, "query_mask", (slice(None), None, slice(None), None))]  # (B, T) -> (B, 1, T, 1)
        of_rows += [(mask, name, (slice(None), None, None, slice(None))) for mask, name in ((value_mask, "value_mask"), (key_mask, "key_mask"))]
        masks = []
        for mask, name, places in of_rows:
            if mask is not None:
                mask = as_mask(mask, name)
                if len(mask.shape) != 2:
                    raise ValueError(f"{name} has two axes, batch and position. Received: {name} of shape {tuple(mask.shape)}. Pass it as attention_mask.")
                masks.append(mask[places])
        if attention_mask is not None:
            mask = as_mask(attention_mask, "attention_mask")
            if len(mask.shape) not in (3, 4):
                raise ValueError(
                    "attention_mask has the shape (B, T, S) or (B, H, T, S). Received: attention_mask of shape "
                    f"{tuple(mask.shape)}. A mask of real positions, (B, S), is value_mask; one for all rows, (T, S), gets a first axis of one."
                )
            masks.append(mask[:, None] if len(mask.shape) == 3 else mask)
        return merge_masks(*masks)

    def get_config(self):
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "value_dim": self.value_dim,
            "dropout": self.dropout_rate,
            "use_bias": self.use_bias,
            "output_shape": self.output_width,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "bias_initializer": keras.initializers.serialize(self.bias_initializer),
            "seed": self.seed,
        }
