"""Huffman's tree of a vocabulary, for the hierarchical softmax."""

import heapq

import numpy as np

from keras_richctx.embeddings.corpus import check_counts


def huffman_codes(counts):
    r"""Builds Huffman's binary tree, in which frequent words stand near the root, and reads off the path to each word.

    A tree over n words has n - 1 inner nodes, and each is an output vector. The mean length of a path, by frequency, is within one of the entropy of the words.

    Args:
        counts: integer array of shape `(V,)`; words with a count of 0 are not in the tree.

    Returns:
        A triple of arrays of shape `(V, L)`, L the longest path: the inner nodes from the root to each word, int32; the branch taken at each, 0 or 1, int8; and
        which of these are real, boolean.

    Raises:
        ValueError: if fewer than two words occur, or the counts are no counts.

    Example:
        >>> nodes, branches, real = huffman_codes(np.array([0, 4, 2, 1]))
        >>> real.sum(axis=1).tolist()
        [0, 1, 2, 2]

    References:
        [Huffman, 1952](https://doi.org/10.1109/JRPROC.1952.273898); [Morin and Bengio, 2005](https://proceedings.mlr.press/r5/morin05a.html).
    """
    counts = check_counts(counts)
    words = np.flatnonzero(counts)
    if len(words) < 2:
        raise ValueError(f"A tree needs two words that occur. Received: counts with {len(words)} of them")
    heap = [(int(counts[word]), int(word)) for word in words]
    heapq.heapify(heap)
    size, parents = len(counts), {}
    inner = size  # an inner node has the number V + i while the tree is built, in the order of its making
    while len(heap) > 1:
        (first_count, first), (second_count, second) = heapq.heappop(heap), heapq.heappop(heap)
        parents[first], parents[second] = (inner, 0), (inner, 1)
        heapq.heappush(heap, (first_count + second_count, inner))
        inner += 1
    root, paths = inner - 1, {}
    paths[root] = []
    for node in range(root - 1, size - 1, -1):  # a parent is made after its children
        parent, branch = parents[node]
        paths[node] = [*paths[parent], (root - parent, branch)]
    found = {int(word): [*paths[parents[int(word)][0]], (root - parents[int(word)][0], parents[int(word)][1])] for word in words}
    longest = max(map(len, found.values()))
    nodes, branches, real = np.zeros((size, longest), "int32"), np.zeros((size, longest), "int8"), np.zeros((size, longest), bool)
    for word, path in found.items():
        nodes[word, : len(path)], branches[word, : len(path)] = zip(*path)
        real[word, : len(path)] = True
    return nodes, branches, real
