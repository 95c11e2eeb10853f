"""One attention layer over the family of alignment scores."""

import keras

from keras_richctx.ops.masked_softmax import masked_softmax
from keras_richctx.ops.masks import as_mask, merge_masks
from keras_richctx.ops.scores import additive_score, cosine_score, dot_score, general_score, location_score, scaled_dot_score

SCORES = ("additive", "dot", "scaled_dot", "general", "cosine", "location")


@keras.saving.register_keras_serializable("keras_richctx")
class Alignment(keras.layers.Layer):
    r"""Attention of queries over a source: scores, a softmax over the real source positions, and the weighted sum of the values.

    $$\alpha_{ti} = \frac{\exp e_{ti}}{\sum_j \exp e_{tj}}, \qquad c_t = \sum_i \alpha_{ti} v_i, \qquad e_{ti} = \mathrm{score}(s_t, h_i)$$

    The six scores are those of `keras_richctx.ops`; this layer holds their weights. Masked positions get weight zero; a query over an entirely masked
    source gets zero weights and a zero context. Values at masked positions take no part, as long as they are finite: zero times `NaN` is `NaN`.

    Args:
        score: string, one of `"additive"` (Bahdanau), `"dot"`, `"general"`, `"location"` (Luong), `"scaled_dot"` (Vaswani), `"cosine"` (Graves; times
            a learned strength $\beta$, as in the paper). Defaults to `"additive"`.
        units: integer; for `"additive"` the width of the hidden layer, by default that of the query; for `"location"` the number of source positions
            that it knows, required (on JAX this score takes no source of symbolic length). The other scores take none.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        query: float tensor of shape `(B, T, D_q)`, what asks: the decoder's states $s_t$.
        value: float tensor of shape `(B, S, D_v)`, what is summed up: the encoder's states.
        key: float tensor of shape `(B, S, D_k)`, what is compared with the query. Defaults to `value`.
        mask: boolean tensor of shape `(B, S)`, the real positions of the source, or of three axes, which broadcasts to `(B, T, S)`; or `None` for all. Two
            axes are always `(B, S)`: give a causal mask, `(T, S)`, a first axis of one.
        value_mask: boolean tensor of shape `(B, S)`, combined with `mask`; Keras fills it in where `value` carries a mask of its own.

    Returns:
        A pair: the contexts, `(B, T, D_v)`, and the weights, `(B, T, S)`.

    Raises:
        ValueError: for an unknown score, `units` where the score takes none or none where it needs them, different widths of query and key under a dot
            product or a cosine, and a source longer than a `"location"` score knows.

    Example:
        >>> source, real = np.ones((1, 3, 4), "float32"), np.array([[True, True, False]])
        >>> context, weights = Alignment("dot")(np.ones((1, 2, 4), "float32"), source, mask=real)
        >>> weights.numpy()
        array([[[0.5, 0.5, 0. ],
                [0.5, 0.5, 0. ]]], dtype=float32)

    References:
        [Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473); [Luong et al., 2015](https://arxiv.org/abs/1508.04025);
        [Graves et al., 2014](https://arxiv.org/abs/1410.5401); [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762).
    """

    attends_in = "attend"

    def __init__(self, score="additive", units=None, **kwargs):
        super().__init__(**kwargs)
        if score not in SCORES:
            raise ValueError(f"Unknown alignment score. Received: score={score!r}. Choose one of {', '.join(SCORES)}.")
        if units is not None and score not in ("additive", "location"):
            raise ValueError(f"The {score} score has no units. Received: units={units!r}. Leave it out.")
        if score == "location" and units is None:
            raise ValueError("The location score has one weight vector a source position: pass units=, the longest source. Received: units=None")
        if units is not None and (not isinstance(units, int) or units < 1):
            raise ValueError(f"The units of an alignment are a positive integer. Received: units={units!r}")
        self.score = score
        self.units = units
        self.supports_masking = True

    def build(self, query_shape, value_shape, key_shape=None):
        query_width, key_width = query_shape[-1], (key_shape or value_shape)[-1]
        if self.score == "additive":
            units = self.units or query_width
            self.w1 = self.add_weight(shape=(query_width, units), name="w1")
            self.w2 = self.add_weight(shape=(key_width, units), name="w2")
            self.v = self.add_weight(shape=(units,), initializer=keras.initializers.RandomUniform(-(units**-0.5), units**-0.5), name="v")
        elif self.score == "general":
            # a Glorot matrix over the root of its width, so that the scores begin as soft as those of a scaled dot product
            initializer = keras.initializers.VarianceScaling(1 / key_width, "fan_avg", "uniform")
            self.w = self.add_weight(shape=(key_width, query_width), initializer=initializer, name="w")
        elif self.score == "location":
            self.w = self.add_weight(shape=(query_width, self.units), name="w")
        elif self.score == "cosine":
            self.strength = self.add_weight(shape=(), initializer=keras.initializers.Constant(5.0), name="strength")

    def call(self, query, value, key=None, mask=None, value_mask=None):
        mask = merge_masks(_over_queries(mask), _over_queries(value_mask))
        return self.attend(query, self.project_keys(value if key is None else key), value, mask)

    def compute_mask(self, query, previous_mask):
        return None, None

    def project_keys(self, key):
        """Multiplies the keys, `(B, S, D_k)`, by the weights that belong to them: once for all queries, so a decoder calls it before its loop."""
        if self.score == "additive":
            return keras.ops.matmul(key, self.w2)
        if self.score == "general":
            return keras.ops.matmul(key, self.w)
        return key

    def attend(self, query, keys, value, mask=None):
        """Attends with keys that went through `project_keys` before.

        Args:
            query: float tensor of shape `(B, T, D_q)`.
            keys: float tensor of shape `(B, S, ...)`, from `project_keys`.
            value: float tensor of shape `(B, S, D_v)`.
            mask: boolean tensor of shape `(B, S)` or `(B, T, S)`, or `None`.

        Returns:
            A pair: the contexts, `(B, T, D_v)`, and the weights, `(B, T, S)`.
        """
        # alpha_ti = softmax_i(score(s_t, h_i))
        weights = masked_softmax(self.compare(query, keys), _over_queries(mask))  # (B, T, S)
        # c_t = sum_i alpha_ti v_i
        return keras.ops.matmul(weights, value), weights

    def attention_of(self, result, *args, **kwargs):
        """Shows what `attend`, which gave `result`, looks at, for `krc.attention_maps`: a dict of `weights`, `(B, 1, T, S)`."""
        return {"weights": result[1][:, None]}

    def compare(self, query, keys):
        """Scores queries, `(B, T, D_q)`, against projected keys, `(B, S, ...)`: `(B, T, S)`."""
        if self.score == "additive":
            return additive_score(query, keys, self.v, w1=self.w1)
        if self.score == "general":
            return general_score(query, keys)
        if self.score == "dot":
            return dot_score(query, keys)
        if self.score == "scaled_dot":
            return scaled_dot_score(query, keys)
        if self.score == "cosine":
            # Graves' strength: beta * cos(s_t, h_i)
            return self.strength * cosine_score(query, keys)
        length = keys.shape[1]
        if isinstance(length, int) and length > self.units:
            raise ValueError(
                f"This location score knows {self.units} source positions. Received: a source of {length} positions. "
                "Build the layer with more units, or shorten the source."
            )
        return location_score(query, self.w[:, : keras.ops.shape(keys)[1]])

    def compute_output_shape(self, query_shape, value_shape, key_shape=None):
        return (*query_shape[:-1], value_shape[-1]), (*query_shape[:-1], value_shape[1])

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


def _over_queries(mask):
    """Gives a mask of source positions, `(B, S)`, an axis for the queries: `(B, 1, S)`."""
    if mask is None:
        return None
    mask = as_mask(mask)
    if len(mask.shape) not in (2, 3):
        raise ValueError(f"A mask of an alignment has the shape (B, S), or one that broadcasts to (B, T, S). Received: a mask of shape {tuple(mask.shape)}")
    return mask[:, None, :] if len(mask.shape) == 2 else mask
