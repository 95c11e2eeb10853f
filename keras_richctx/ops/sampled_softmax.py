"""The softmax over a large vocabulary, from a sample of it."""

import keras
import numpy as np


def log_uniform(size):
    r"""Gives the log-uniform distribution, which is near that of words by their rank.

    $$p_i = \frac{\log(i + 2) - \log(i + 1)}{\log(V + 1)}, \qquad i = 0 \dots V - 1$$

    Args:
        size: integer, V.

    Returns:
        A float32 array of shape `(V,)` that sums to one.

    Example:
        >>> log_uniform(3).round(2)
        array([0.5 , 0.29, 0.21], dtype=float32)
    """
    rank = np.arange(size, dtype="float64")
    return (np.log1p(1 / (rank + 1)) / np.log(size + 1)).astype("float32")


def unique_candidates(probabilities, num_samples, seed=None):
    r"""Draws different items: each next one by the given probabilities among those that are left.

    Every item waits for a time $E_i / p_i$ with $E_i$ from the exponential distribution, and the first `num_samples` to arrive are taken. Given the time
    $\tau$ at which the one behind them arrives, an item is among them with the probability

    $$q_i = 1 - e^{-p_i \tau}$$

    so that $\sum_{i \in S} g_i / q_i$ is on average $\sum_i g_i$, for any $g$.

    Args:
        probabilities: float tensor of shape `(V,)`.
        num_samples: integer, K, less than V.
        seed: integer or `keras.random.SeedGenerator`, or `None`.

    Returns:
        A pair: the items, int32 `(K,)`, and $q$ of all, float32 `(V,)`.

    References:
        [Duffield et al., 2007](https://doi.org/10.1145/1314690.1314696); without replacement by exponential times:
        [Efraimidis and Spirakis, 2006](https://doi.org/10.1016/j.ipl.2005.11.003).
    """
    probabilities = keras.ops.convert_to_tensor(probabilities, dtype="float32")
    uniform = keras.random.uniform(probabilities.shape, minval=1e-20, maxval=1.0, dtype="float32", seed=seed)
    arrival = -keras.ops.log(uniform) / probabilities  # (V,)
    earliest, items = keras.ops.top_k(-arrival, num_samples + 1)
    # q = 1 - exp(-p tau)
    return keras.ops.cast(items[:num_samples], "int32"), -keras.ops.expm1(probabilities * earliest[num_samples])


def sampled_softmax_loss(features, targets, embeddings, bias, num_samples, seed=None):
    r"""The cross-entropy of a softmax whose sum runs over the target and a sample of the other words, log-uniform by rank and without repetition.

    $$-\log p(y) \approx \log \Bigl(\sum_{i \in S \cup \{y\}} e^{z_i - \log q_i}\Bigr) - (z_y - \log q_y), \qquad z_i = w_i^\top h + b_i$$

    with $S$ and $q$ as `unique_candidates` gives them, one sample for all rows; the target counts once where it is in the sample too. Words must stand in the
    order of their frequency, the most frequent first. It is for training; a perplexity needs the whole softmax.

    Args:
        features: float tensor of shape `(N, D)`, $h$.
        targets: integer tensor of shape `(N,)`, $y$.
        embeddings: float tensor of shape `(V, D)`, $w$.
        bias: float tensor of shape `(V,)`, $b$.
        num_samples: integer, K. From V on the whole softmax is taken.
        seed: integer or `keras.random.SeedGenerator`, or `None`.

    Returns:
        A float32 tensor of shape `(N,)`, in nats.

    References:
        [Jean et al., 2015](https://arxiv.org/abs/1412.2007), section 3.
    """
    features, embeddings, bias = (keras.ops.convert_to_tensor(x) for x in (features, embeddings, bias))
    targets = keras.ops.cast(targets, "int32")
    size, dtype = embeddings.shape[0], features.dtype
    if num_samples >= size:
        logits = keras.ops.matmul(features, keras.ops.transpose(keras.ops.cast(embeddings, dtype)))  # (N, V)
        logits = keras.ops.cast(logits, "float32") + bias
        return keras.ops.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    sample, q = unique_candidates(log_uniform(size), num_samples, seed)
    sample, log_q = keras.ops.stop_gradient(sample), keras.ops.stop_gradient(keras.ops.log(q))

    def logits_of(items, product):
        # z_i - log q_i, in float32 under every policy
        return keras.ops.cast(product, "float32") + keras.ops.take(bias, items) - keras.ops.take(log_q, items)

    own = keras.ops.cast(keras.ops.take(embeddings, targets, axis=0), dtype)  # (N, D)
    of_target = logits_of(targets, keras.ops.sum(features * own, axis=-1))  # (N,)
    others = keras.ops.cast(keras.ops.take(embeddings, sample, axis=0), dtype)  # (K, D)
    of_sample = logits_of(sample, keras.ops.matmul(features, keras.ops.transpose(others)))  # (N, K)
    again = targets[:, None] == sample[None]
    of_sample = keras.ops.where(again, -1e30, of_sample)
    return keras.ops.logsumexp(keras.ops.concatenate([of_target[:, None], of_sample], axis=-1), axis=-1) - of_target
