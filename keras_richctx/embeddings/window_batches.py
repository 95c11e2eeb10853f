"""What `Word2Vec` trains on: windows of a corpus with the outputs that belong to them, in batches without end."""

import numpy as np

from keras_richctx.datasets.check_naturals import check_naturals
from keras_richctx.embeddings.corpus import id_blocks
from keras_richctx.embeddings.windows import keep_probabilities, windows

ROWS = 2**16  # words whose windows are made, and shuffled, at once


class WindowBatches:
    """Batches of windows, pass after pass over a corpus, each with new draws.

    In each pass, words are dropped by `keep_probabilities`, and a window is put around each word that is left: as far as a draw from 1 to W says, so that a
    word at the distance $d$ is in it with the probability $(W - d + 1) / W$. A batch holds windows of one size, so that no place in it is wasted; the sizes
    take turns, and within some ten thousand words the order is random. The corpus itself is read block by block.

    Args:
        corpus: as in `id_blocks`.
        tokenizer: tokenizer of `keras_richctx.text`.
        counts: integer array of shape `(V,)`, from `count_words`.
        outputs: function of target ids, int32 `(N,)`, and a `numpy.random.Generator` that gives the dict of `output_ids`, `labels` and `output_mask`, each `(N,
            O)`.
        window: integer, W.
        sample: float, the threshold of `keep_probabilities`.
        batch_size: integer, B.
        seed: integer, from which all draws are made.

    Raises:
        ValueError: if a number is not what it has to be, or `sample` leaves next to nothing of the corpus; when gone through, if the corpus makes no window.

    Attributes:
        steps: integer, how many batches a pass has on average.
    """

    def __init__(self, corpus, tokenizer, counts, outputs, window=5, sample=1e-3, batch_size=1024, seed=0):
        for name, number in (("window", window), ("batch_size", batch_size)):
            if not isinstance(number, int | np.integer) or number < 1:
                raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
        check_naturals(seed=seed)
        counts = np.asarray(counts)
        self.corpus = corpus
        self.tokenizer = tokenizer
        self.keep = keep_probabilities(counts, sample)
        self.outputs = outputs
        self.window = window
        self.batch_size = batch_size
        self.seed = seed
        left = float(counts @ self.keep)
        if left < 2 <= counts.sum():  # passes would follow each other without a window in them
            raise ValueError(f"Of {counts.sum():,} words, {left:.2g} are kept in a pass, and a window needs two. Received: {sample=}. Pass 0 to keep all.")
        self.steps = max(1, round(left / batch_size))

    def __iter__(self):
        rest, passes = [{} for _ in range(self.window)], 0  # for each size, what has not filled a batch yet
        while True:
            rng, neighbours = np.random.default_rng([self.seed, passes]), False
            for ids, sentences in id_blocks(self.corpus, self.tokenizer):
                neighbours = neighbours or bool((sentences[1:] == sentences[:-1]).any())
                kept = rng.random(len(ids), dtype="float32") < self.keep[ids]
                ids, sentences = ids[kept], sentences[kept]
                for first in range(0, len(ids), ROWS):
                    centres = rng.permutation(np.arange(first, min(first + ROWS, len(ids))))
                    sizes = rng.integers(1, self.window + 1, len(centres))
                    for index in range(self.window):
                        rows = self._rows(ids, sentences, centres[sizes == index + 1], index + 1, rng)
                        rest[index] = {name: np.concatenate([rest[index][name], rows[name]]) if rest[index] else rows[name] for name in rows}
                    yield from self._take(rest)
            if not neighbours:
                raise ValueError("A window needs two words of the vocabulary in a sentence. Received: a corpus in which no sentence has two.")
            passes += 1

    def _rows(self, ids, sentences, centres, size, rng):
        """Returns the windows around some words, without those that nothing stands around, as a dict of arrays."""
        around, real = windows(ids, sentences, centres, size)
        some = real.any(axis=1)
        return {"context_ids": around[some], "context_mask": real[some], **self.outputs(ids[centres[some]], rng)}

    def _take(self, rest):
        """Yields batches, the sizes in turn, and leaves what does not fill one."""
        taken = 0
        while all(len(rows["context_ids"]) >= taken + self.batch_size for rows in rest):
            for rows in rest:
                yield {name: array[taken : taken + self.batch_size] for name, array in rows.items()}
            taken += self.batch_size
        for index, rows in enumerate(rest):
            rest[index] = {name: array[taken:] for name, array in rows.items()}
