"""From vectors of words to tags."""

import keras

from keras_richctx.ops.batch_ratio import batch_ratio
from keras_richctx.tagging.crf import CRF


@keras.saving.register_keras_serializable("keras_richctx")
class TagHead(keras.layers.Layer):
    r"""Scores the tags of each word, $e_t = W h_t + b$, and chooses among them: one by one, by the softmax, or together, by a `CRF`.

    Args:
        tags: list of K different strings, in the order of their ids.
        crf: boolean, whether tags are chosen together. Defaults to `False`.
        scheme: string, `"BIO"`, `"BIOES"` or `"IOB1"`, to bind the CRF to what the scheme allows, or `None`. Defaults to `None`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        x: float tensor of shape `(B, W, D)`.

    Returns:
        The emissions, float `(B, W, K)`.

    Raises:
        ValueError: if there are no tags, one occurs twice, or a scheme is given without a CRF.

    Example:
        >>> head = krc.layers.TagHead(["O", "B-KEY", "I-KEY"], crf=True, scheme="BIO")
        >>> emissions = head(np.ones((2, 5, 8)))
        >>> emissions.shape, head.best(emissions, np.ones((2, 5), bool)).shape
        (TensorShape([2, 5, 3]), TensorShape([2, 5]))
    """

    def __init__(self, tags, crf=False, scheme=None, **kwargs):
        super().__init__(**kwargs)
        if isinstance(tags, str) or len(tags) < 1 or len(set(tags)) != len(tags):
            raise ValueError(f"tags is a list of different strings, one at least. Received: tags={tags!r}")
        if scheme is not None and not crf:
            raise ValueError(f"A scheme binds a CRF. Received: scheme={scheme!r} without a CRF.")
        self.supports_masking = True
        self.tags = list(tags)
        self.scheme = scheme
        self.index = {tag: i for i, tag in enumerate(self.tags)}
        self.output_projection = keras.layers.Dense(len(self.tags), name="output_projection", dtype=self.dtype_policy)
        self.crf = CRF(len(self.tags), tags=self.tags, scheme=scheme, name="crf") if crf else None

    def build(self, x_shape):
        self.output_projection.build(x_shape)

    def call(self, x):
        # e = W h + b
        emissions = self.output_projection(x)  # (B, W, K)
        return emissions if self.crf is None else self.crf(emissions)

    def log_likelihood(self, emissions, tags, mask):
        """Computes the log-probability of each row's tags.

        Args:
            emissions: float tensor of shape `(B, W, K)`.
            tags: integer tensor of shape `(B, W)`; what stands at masked positions does not matter.
            mask: boolean tensor of shape `(B, W)`, `True` at words.

        Returns:
            A float32 tensor of shape `(B,)`.
        """
        if self.crf is not None:
            return self.crf.log_likelihood(emissions, tags, mask)
        emissions, tags = keras.ops.cast(emissions, "float32"), keras.ops.where(mask, tags, 0)
        losses = keras.ops.sparse_categorical_crossentropy(tags, emissions, from_logits=True)  # (B, W)
        return -keras.ops.sum(keras.ops.where(mask, losses, 0.0), axis=1)

    def mean_loss(self, tags, emissions, sample_weight=None):
        """Computes the negative log-likelihood of the tags of all rows, divided by the number of their words.

        Args:
            tags: integer tensor of shape `(B, W)`, negative at pads.
            emissions: float tensor of shape `(B, W, K)`.
            sample_weight: float tensor of shape `(B,)`, or `None` for 1 everywhere.

        Returns:
            A float32 tensor without axes, in nats; zero without words.
        """
        tags = keras.ops.cast(tags, "int32")
        real = tags >= 0
        weights = 1.0 if sample_weight is None else keras.ops.cast(sample_weight, "float32")
        counts = keras.ops.sum(keras.ops.cast(real, "float32"), axis=1)  # (B,)
        # L = -sum_i log p(y_i) / sum_i n_i
        return batch_ratio(-weights * self.log_likelihood(emissions, tags, real), weights * counts)

    def best(self, emissions, mask):
        """Chooses the tags: integer `(B, W)`; what stands at masked positions means nothing."""
        return keras.ops.argmax(emissions, axis=-1) if self.crf is None else self.crf.viterbi(emissions, mask=mask)

    def ids(self, sentences):
        """Turns tags into ids.

        Args:
            sentences: list of lists of strings, the tags of each sentence.

        Returns:
            A list of lists of integers.

        Raises:
            ValueError: if a tag is unknown, or a sentence takes a step that the scheme forbids; the message names the sentence.
        """
        return [self._ids(i, tags) for i, tags in enumerate(sentences)]

    def _ids(self, index, tags):
        """Returns the ids of one sentence's tags, or raises where one is unknown or none may follow."""
        if unknown := [tag for tag in tags if tag not in self.index]:
            raise ValueError(f"{len(self.tags)} tags are known, {', '.join(self.tags[:20])}. Received: {unknown[0]!r} in sentence {index}")
        ids = [self.index[tag] for tag in tags]
        if self.scheme is not None:
            follow, start, end = self.crf.allowed
            steps = zip([None, *ids], [*ids, None])
            for place, (i, j) in enumerate(steps):
                if not (start[j] if i is None else end[i] if j is None else follow[i, j]):
                    names = ["the start" if i is None else self.tags[i], "the end" if j is None else self.tags[j]]
                    raise ValueError(f"{self.scheme} does not allow {names[1]} behind {names[0]}. Received: that at word {place} of sentence {index}: {tags}")
        return ids

    def compute_mask(self, x, previous_mask):
        return None  # who needs the mask has it

    def compute_output_shape(self, x_shape):
        return (*x_shape[:-1], len(self.tags))

    def get_config(self):
        return {**super().get_config(), "tags": self.tags, "crf": self.crf is not None, "scheme": self.scheme}
