"""The conditional random field as a layer: tags that are chosen together rather than one by one."""

import keras

from keras_richctx.ops.crf import FORBIDDEN, crf_log_likelihood, crf_marginals, crf_viterbi
from keras_richctx.tagging.crf_loss import CRFLoss
from keras_richctx.tagging.transitions import allowed_transitions


@keras.saving.register_keras_serializable("keras_richctx")
class CRF(keras.layers.Layer):
    r"""Scores whole sequences of tags: the emissions of a network, and learnt scores of what follows what.

    $$p(y) \propto \exp\Bigl(a_{y_1} + \sum_t e_{t, y_t} + \sum_{t \ge 2} A_{y_{t-1}, y_t} + b_{y_n}\Bigr)$$

    The layer passes its emissions on, in float32, and its methods make likelihoods, tags and marginals of them. It trains inside of any model with
    `model.compile(loss=crf.loss)` and tags of -1 at pads:

    ```python
    emissions = keras.layers.Dense(num_tags)(features)
    crf = krc.layers.CRF(num_tags)
    model = keras.Model(inputs, crf(emissions))
    model.compile("adam", loss=crf.loss)
    model.fit(words, tags)                                    # tags (B, T), -1 at pads
    best = crf.viterbi(model(words), mask=words != 0)         # (B, T)
    ```

    Masked positions, pads on either side or gaps, are as if they were not there: the tag behind a gap follows the one before it. A row of pads alone has
    log-likelihood 0. All is computed in float32 under every dtype policy.

    With `tags` and `scheme`, transitions that the scheme does not have are forbidden in training and decoding alike: the probabilities of the others sum to
    one. A sequence of tags that takes a forbidden step has log-likelihood `-inf`, and no gradient: see that the data are of the scheme before training.

    Args:
        num_tags: integer, K.
        tags: list of K strings, the names of the tags in the order of their ids, or `None`. Defaults to `None`.
        scheme: string, `"BIO"`, `"BIOES"` or `"IOB1"`, to forbid what `allowed_transitions` does not allow; or `None`, to allow all. Defaults to `None`.
        transitions_initializer: initializer of A. Defaults to `"glorot_uniform"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        emissions: float tensor of shape `(B, T, K)`.

    Returns:
        The emissions, a float32 tensor of shape `(B, T, K)`.

    Raises:
        ValueError: if `num_tags` is no positive integer, the tags are not as many or not of the scheme, or emissions are not of width K.

    Example:
        >>> crf = CRF(3, tags=["O", "B-person", "I-person"], scheme="BIO")
        >>> emissions = np.array([[[0.0, 1.0, 3.0], [0.0, 1.0, 3.0]]], "float32")
        >>> crf.viterbi(emissions).numpy()  # I cannot come first
        array([[1, 2]], dtype=int32)
        >>> float(crf.log_likelihood(emissions, np.array([[2, 2]]))[0])
        -inf

    References:
        [Lafferty et al., 2001](https://repository.upenn.edu/handle/20.500.14332/6188); [Lample et al., 2016](https://arxiv.org/abs/1603.01360), section 2.2.
    """

    def __init__(self, num_tags, tags=None, scheme=None, transitions_initializer="glorot_uniform", **kwargs):
        super().__init__(autocast=False, **kwargs)  # emissions of float32 stay so
        if not isinstance(num_tags, int) or num_tags < 1:
            raise ValueError(f"num_tags is a positive integer. Received: num_tags={num_tags!r}")
        if tags is not None and len(tags) != num_tags:
            raise ValueError(f"Each tag needs its name. Received: num_tags={num_tags}, {len(tags)} tags")
        if scheme is not None and tags is None:
            raise ValueError(f"What a scheme allows goes by the names of the tags. Received: scheme={scheme!r}, tags=None")
        self.supports_masking = True
        self.num_tags = num_tags
        self.tags = None if tags is None else list(tags)
        self.scheme = scheme
        self.transitions_initializer = keras.initializers.get(transitions_initializer)
        self.allowed = None if scheme is None else allowed_transitions(tags, scheme)
        self.build((None, None, num_tags))

    def build(self, emissions_shape):
        shape = (self.num_tags,)
        self.transitions = self.add_weight(shape=shape * 2, initializer=self.transitions_initializer, name="transitions")
        self.start = self.add_weight(shape=shape, initializer="zeros", name="start")
        self.end = self.add_weight(shape=shape, initializer="zeros", name="end")
        self.built = True

    def call(self, emissions):
        self._check(emissions)
        return keras.ops.cast(emissions, "float32")

    def log_likelihood(self, emissions, tags, mask=None):
        """Computes the log-probability of one sequence of tags a row.

        Args:
            emissions: float tensor of shape `(B, T, K)`.
            tags: integer tensor of shape `(B, T)`; what stands at masked positions does not matter.
            mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.

        Returns:
            A float32 tensor of shape `(B,)`, in nats: at most 0, and `-inf` for a sequence that takes a forbidden step.
        """
        self._check(emissions)
        return crf_log_likelihood(emissions, tags, *self.weights_in_force(), mask=mask)

    def compute_mask(self, emissions, mask=None):
        return None  # a loss of whole rows has no place for it

    @property
    def loss(self):
        """The negative log-likelihood of a row, averaged over the rows: a `CRFLoss`, for `model.compile(loss=crf.loss)`."""
        return CRFLoss(self)

    def viterbi(self, emissions, mask=None, return_scores=False):
        """Finds the most probable sequence of tags of each row.

        Args:
            emissions: float tensor of shape `(B, T, K)`.
            mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
            return_scores: boolean, whether to return the scores too. Defaults to `False`.

        Returns:
            The tags, int32 `(B, T)`, -1 at masked positions; or a pair of them and their scores, float32 `(B,)`: log-probabilities before they are normalised.
        """
        self._check(emissions)
        tags, scores = crf_viterbi(emissions, *self.weights_in_force(), mask=mask)
        return (tags, scores) if return_scores else tags

    def marginals(self, emissions, mask=None):
        """Computes the probability of each tag at each position, over all sequences of tags.

        Args:
            emissions: float tensor of shape `(B, T, K)`.
            mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.

        Returns:
            A float32 tensor of shape `(B, T, K)`, which sums to 1 over the tags at real positions, and is 0 at the others.
        """
        self._check(emissions)
        return crf_marginals(emissions, *self.weights_in_force(), mask=mask)

    def weights_in_force(self):
        """Gives the transitions `(K, K)`, starts `(K,)` and ends `(K,)`, with what is forbidden far below zero."""
        weights = [keras.ops.cast(weight, "float32") for weight in (self.transitions, self.start, self.end)]
        if self.allowed is None:
            return weights
        return [keras.ops.where(allowed, weight, FORBIDDEN) for allowed, weight in zip(self.allowed, weights)]

    def _check(self, emissions):
        if len(emissions.shape) != 3 or emissions.shape[-1] != self.num_tags:
            shape = tuple(emissions.shape)
            raise ValueError(f"Emissions have a score for each tag at each position, (batch, length, {self.num_tags}). Received: emissions of shape {shape}")

    def compute_output_shape(self, emissions_shape):
        return emissions_shape

    def compute_output_spec(self, emissions):
        return keras.KerasTensor(emissions.shape, dtype="float32")

    def get_config(self):
        return {
            **super().get_config(),
            "num_tags": self.num_tags,
            "tags": self.tags,
            "scheme": self.scheme,
            "transitions_initializer": keras.initializers.serialize(self.transitions_initializer),
        }
