"""Dropout of whole words."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class EmbeddingDropout(keras.layers.Layer):
    r"""Drops whole words: rows of the embedding matrix, one draw for a call and the same wherever a word stands.

    $$y_{bt} = \frac{m_{w_{bt}}}{1 - p} \, E_{w_{bt}}, \qquad m_v \sim \mathrm{Bernoulli}(1 - p) \text{ for each word } v$$

    Dropping a row of $E$ before the words are looked up is dropping the word at all of its places, and that is how it is done here: the matrix itself is not
    copied, and the output layer, where it has the same matrix, sees all of it. Padding: what is dropped depends on the ids alone.

    Args:
        rate: float, p, the share of words that are dropped.
        vocab_size: integer, V, the number of words.
        seed: integer, the seed of the draws, or `None`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        embedded: float tensor of shape `(B, T, E)`, rows of the embedding matrix.
        token_ids: integer tensor of shape `(B, T)`, which rows they are.
        training: boolean, whether to drop.

    Returns:
        A float tensor of shape `(B, T, E)`.

    Raises:
        ValueError: if `rate` is not at least 0 and below 1.

    Example:
        >>> words = np.array([[3, 1, 3, 3]])
        >>> y = EmbeddingDropout(0.5, vocab_size=5)(np.ones((1, 4, 2), "float32"), words, training=True).numpy()
        >>> bool((y[0, 0] == y[0, 2]).all()), bool((y[0, 0] == y[0, 3]).all())
        (True, True)

    References:
        [Gal and Ghahramani, 2016](https://arxiv.org/abs/1512.05287), section 4.2; [Merity et al., 2018](https://arxiv.org/abs/1708.02182), section 4.3.
    """

    def __init__(self, rate, vocab_size, seed=None, **kwargs):
        super().__init__(**kwargs)
        if not 0 <= rate < 1:
            raise ValueError(f"rate is a share of words, at least 0 and below 1. Received: rate={rate!r}")
        self.rate = rate
        self.vocab_size = vocab_size
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.supports_masking = True
        self.built = True

    def call(self, embedded, token_ids, training=False):
        if not training or self.rate == 0:
            return embedded
        # m_v / (1 - p)
        kept = keras.random.dropout(keras.ops.ones((self.vocab_size, 1), dtype=embedded.dtype), self.rate, seed=self.seed_generator)  # (V, 1)
        return embedded * keras.ops.take(kept, token_ids, axis=0)  # (B, T, E) * (B, T, 1)

    def compute_output_shape(self, embedded_shape, token_ids_shape=None):
        return embedded_shape

    def get_config(self):
        return {**super().get_config(), "rate": self.rate, "vocab_size": self.vocab_size, "seed": self.seed}
