"""Which output vectors a word is trained against: itself and words that are drawn, or the nodes on its path."""

import numpy as np

from keras_richctx.datasets.check_naturals import check_naturals
from keras_richctx.embeddings.corpus import check_counts
from keras_richctx.embeddings.huffman import huffman_codes


def negative_sampling(counts, num_negatives=5, power=0.75):
    r"""Trains a word against itself and against words that are drawn by their frequency, flattened.

    $$P(w) \propto \mathrm{count}(w)^{3/4}$$

    Where the word itself is drawn, the draw does not count.

    Args:
        counts: integer array of shape `(V,)`.
        num_negatives: integer, K. Defaults to `5`.
        power: float. Defaults to `0.75`.

    Returns:
        A function of target ids, int32 `(N,)`, and a `numpy.random.Generator`: a dict of `output_ids`, int32, `labels`, int32, 1 for the word itself, and
        `output_mask`, boolean, each `(N, 1 + K)`.

    Raises:
        ValueError: if the counts are no counts, or another number is not what it has to be.

    References:
        [Mikolov et al., 2013](https://arxiv.org/abs/1310.4546), section 2.2.
    """
    counts = check_counts(counts)
    check_naturals(num_negatives=num_negatives)
    if not np.isfinite(power):
        raise ValueError(f"The power of the counts is finite. Received: power={power!r}")
    # P(w) = count(w)^(3/4) / sum, and zero for a word that does not occur, whatever the power
    heights = np.cumsum(np.where(counts > 0, np.maximum(counts, 1).astype("float64") ** power, 0))
    heights /= heights[-1]
    labels = np.eye(1, 1 + num_negatives, dtype="int32")

    def outputs(targets, rng):
        drawn = np.searchsorted(heights, rng.random((len(targets), num_negatives)), side="right").astype("int32")  # (N, K)
        ids = np.concatenate([targets[:, None], drawn], axis=1)
        mask = np.concatenate([np.ones((len(targets), 1), bool), drawn != targets[:, None]], axis=1)
        return {"output_ids": ids, "labels": np.broadcast_to(labels, ids.shape), "output_mask": mask}

    return outputs


def hierarchical_softmax(counts):
    r"""Trains a word along the path that leads to it in Huffman's tree.

    $$p(w \mid v) = \prod_j \sigma\bigl(s_j\, v^\top u_{n_j}\bigr), \qquad s_j = +1 \text{ for the branch } 0, -1 \text{ for the branch } 1$$

    which sums to one over all words.

    Args:
        counts: integer array of shape `(V,)`.

    Returns:
        A function as of `negative_sampling`; O is the longest path, and `output_ids` are inner nodes.

    References:
        [Mikolov et al., 2013](https://arxiv.org/abs/1310.4546), section 2.1.
    """
    nodes, branches, real = huffman_codes(counts)
    labels = (1 - branches).astype("int32")
    return lambda targets, rng: {"output_ids": nodes[targets], "labels": labels[targets], "output_mask": real[targets]}
