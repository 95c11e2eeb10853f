"""Words from their characters: convolutions of several widths, and the largest value of each along the word."""

import keras

from keras_richctx.elmo.highway import Highway

FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))  # as published: 2,048 in all


def word_mask(character_ids):
    """Returns where there are words: `(B, T, C)` to boolean `(B, T)`, `True` where a row has an id other than 0."""
    return keras.ops.any(keras.ops.not_equal(character_ids, 0), axis=-1)


@keras.saving.register_keras_serializable("keras_richctx")
class CharacterCNN(keras.layers.Layer):
    r"""Makes a vector of a word from its characters, without a vocabulary of words.

    $$f^w = a\Bigl(\max_{1 \le i \le C - w + 1} \sum_{j=1}^{w} W^w_j\, E_{c_{i+j-1}} + b^w\Bigr), \qquad
    x = W_p\, \mathrm{Highway}\bigl(\dots \mathrm{Highway}([f^{w_1}; f^{w_2}; \dots])\bigr) + b_p$$

    for each width $w$, with $a$ the activation and $[\,;\,]$ one behind the other. The maximum runs over the whole row, the pads within a word (id 261)
    included, as in the published weights. A word is a word wherever it stands: no vector hangs on another word, nor on the number of rows; what comes out where
    there is no word (ids 0) means nothing, and is to be masked.

    Args:
        filters: list of pairs of a width and a number of filters. Defaults to the seven of the published models, 2,048 filters in all.
        embedding_dim: integer, the width of a character's embedding. Defaults to `16`.
        num_highways: integer. Defaults to `2`.
        projection_dim: integer, P, the width of the output, or `None` for no projection. Defaults to `512`.
        activation: string, `"relu"` or `"tanh"`. Defaults to `"relu"`.
        num_characters: integer, the ids, 0 included. Defaults to `262`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        character_ids: integer tensor of shape `(B, T, C)`, as `krc.text.CharacterTokenizer` makes them.

    Returns:
        A float tensor of shape `(B, T, P)`.

    Raises:
        ValueError: if a number is out of its range, or a word has fewer characters than a filter is wide.

    Example:
        >>> ids = krc.text.CharacterTokenizer()([["To", "be"], ["or"]])
        >>> CharacterCNN(filters=[(1, 4), (3, 8)], projection_dim=6)(ids).shape
        TensorShape([2, 2, 6])

    References:
        [Kim et al., 2016](https://arxiv.org/abs/1508.06615), section 2; [Jozefowicz et al., 2016](https://arxiv.org/abs/1602.02410).
    """

    def __init__(self, filters=FILTERS, embedding_dim=16, num_highways=2, projection_dim=512, activation="relu", num_characters=262, **kwargs):
        super().__init__(**kwargs)
        filters = [tuple(pair) for pair in filters]
        if not filters or any(len(pair) != 2 or not all(isinstance(n, int) and n > 0 for n in pair) for pair in filters):
            raise ValueError(f"filters are pairs of a width and a number, both positive integers. Received: filters={filters!r}")
        numbers = {"embedding_dim": (embedding_dim, 1), "num_highways": (num_highways, 0), "num_characters": (num_characters, 2)}
        numbers["projection_dim"] = (1 if projection_dim is None else projection_dim, 1)
        for name, (number, least) in numbers.items():
            if not isinstance(number, int) or number < least:
                raise ValueError(f"{name} is an integer of at least {least}. Received: {name}={number!r}")
        if activation not in ("relu", "tanh"):
            raise ValueError(f"The activation is 'relu' or 'tanh'. Received: activation={activation!r}")
        self.filters = filters
        self.embedding_dim = embedding_dim
        self.num_highways = num_highways
        self.projection_dim = projection_dim
        self.activation = activation
        self.num_characters = num_characters
        self.num_filters = sum(number for _, number in filters)
        self.highways = [Highway(name=f"highway_{i}", dtype=self.dtype_policy) for i in range(num_highways)]
        self.projection = None
        if projection_dim is not None:
            initializer = keras.initializers.RandomNormal(stddev=self.num_filters**-0.5)
            self.projection = keras.layers.Dense(projection_dim, kernel_initializer=initializer, name="projection", dtype=self.dtype_policy)

    @property
    def output_dim(self):
        """The width of a word's vector."""
        return self.num_filters if self.projection is None else self.projection_dim

    def build(self, input_shape):
        self.embeddings = self.add_weight(shape=(self.num_characters - 1, self.embedding_dim), initializer=_uniform(1.0), name="embeddings")
        self.kernels, self.biases = [], []
        for width, number in self.filters:
            # as in the published training: wide for tanh, narrow for relu
            initializer = _uniform(0.05) if self.activation == "relu" else keras.initializers.RandomNormal(stddev=(width * self.embedding_dim) ** -0.5)
            shape = (width, self.embedding_dim, number)
            self.kernels.append(self.add_weight(shape=shape, initializer=initializer, name=f"kernel_{len(self.kernels)}"))
            self.biases.append(self.add_weight(shape=(number,), initializer="zeros", name=f"bias_{len(self.biases)}"))
        for highway in self.highways:
            highway.build((None, self.num_filters))
        if self.projection is not None:
            self.projection.build((None, self.num_filters))

    def call(self, character_ids):
        shape = keras.ops.shape(character_ids)
        characters, widest = shape[-1], max(width for width, _ in self.filters)
        if isinstance(characters, int) and characters < widest:
            raise ValueError(f"A filter is {widest} characters wide. Received: character_ids of shape {tuple(character_ids.shape)}")
        words = keras.ops.reshape(character_ids, (-1, characters))  # (B, T, C) -> (N, C)
        table = keras.ops.pad(keras.ops.cast(self.embeddings, self.compute_dtype), [[1, 0], [0, 0]])  # (262, E): zeros for id 0
        embedded = keras.ops.take(table, words, axis=0)  # (N, C, E)
        # f^w = a(max_i sum_j W_j E_{c_{i+j-1}} + b): the same before the maximum as behind it, as a does not decrease
        features = [keras.ops.max(keras.ops.conv(embedded, kernel), axis=1) + bias for kernel, bias in zip(self.kernels, self.biases)]  # (N, filters) each
        x = getattr(keras.ops, self.activation)(keras.ops.concatenate(features, axis=-1))  # (N, F)
        for highway in self.highways:
            x = highway(x)
        x = x if self.projection is None else self.projection(x)  # (N, P)
        return keras.ops.reshape(x, (*shape[:-1], self.output_dim))  # (N, P) -> (B, T, P)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.output_dim)

    def compute_output_spec(self, character_ids):
        return keras.KerasTensor(self.compute_output_shape(character_ids.shape), dtype=self.compute_dtype)

    def get_config(self):
        names = ("filters", "embedding_dim", "num_highways", "projection_dim", "activation", "num_characters")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def _uniform(limit):
    return keras.initializers.RandomUniform(-limit, limit)
