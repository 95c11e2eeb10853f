"""Batches of tagged sentences, of like length."""

import keras
import numpy as np

EXTRA = 8  # pads


class UnlikeBatches(keras.utils.PyDataset):
    """Base of batches of sentences whose lengths vary. Keras takes for fixed what the first two batches have in common: here the first one gets pads where the
    second is as long.

    A subclass defines `batch`, which gives the inputs and the targets of a batch, ids of tags, -1 at pads, or a class for each row; and `limit`, the most
    positions of an array, or `None`.
    """

    limit = None

    def __len__(self):
        return self.num_batches

    def __getitem__(self, index):
        inputs, tags = self.batch(index)
        if index == 0 and self.num_batches > 1:
            beside, _ = self.batch(1)
            inputs = {name: self._unlike(array, beside[name].shape[1]) for name, array in inputs.items()}
            if "word_mask" in inputs:  # there is a tag for each word
                width = inputs["word_mask"].shape[1]
                tags = keras.tree.map_structure(lambda ids: np.pad(ids, ((0, 0), (0, width - ids.shape[1])), constant_values=-1), tags)
        return inputs, tags

    def _unlike(self, array, length):
        """Adds pads to an array `(B, length, ...)`, if there is room for them."""
        room = self.limit is None or length + EXTRA <= self.limit
        return np.pad(array, ((0, 0), (0, EXTRA), *((0, 0),) * (array.ndim - 2))) if array.shape[1] == length and room else array


class TaggedBatches(UnlikeBatches):
    """Gives the batches of a pass: every sentence once, sentences of like length together, so that there are few pads.

    The order of a pass hangs on the seed and on the number of the pass alone.

    Args:
        prepare: function that takes a list of sentences to a dict of arrays, with `word_mask` `(B, W)` among them; the second axis of each may differ from
            batch to batch, and zeros there are pads.
        words: list of N lists of strings.
        tags: list of N lists of integers, the ids of the tags.
        batch_size: integer.
        shuffle: boolean, whether sentences of like length, and the batches, are in a new order in each pass. Defaults to `True`.
        seed: integer. Defaults to `0`.
        limit: integer, the most positions that an array of `prepare` may have, or `None`. Defaults to `None`.
    """

    def __init__(self, prepare, words, tags, batch_size, shuffle=True, seed=0, limit=None):
        super().__init__()
        self.limit = limit
        self.prepare, self.words, self.tags = prepare, list(words), list(tags)
        self.batch_size, self.shuffle, self.seed = batch_size, shuffle, seed
        self.number = -1
        self.on_epoch_end()

    @property
    def num_batches(self):
        return -(-len(self.words) // self.batch_size)

    def batch(self, index):
        rows = self.order[self.places[index] * self.batch_size :][: self.batch_size]
        inputs = self.prepare([self.words[row] for row in rows])
        tags = np.full(inputs["word_mask"].shape, -1, "int32")  # (B, W), -1 at pads
        for i, row in enumerate(rows):
            tags[i, : len(self.tags[row])] = self.tags[row]
        return inputs, tags

    def on_epoch_end(self):
        """Plans the next pass."""
        self.number += 1
        rng = np.random.default_rng((self.seed, self.number))
        lengths = np.array([len(sentence) for sentence in self.words])
        noise = rng.random(len(lengths)) * (0.1 * lengths + 2) if self.shuffle else 0  # lengths may differ by a tenth, and two words
        self.order = np.argsort(lengths + noise, kind="stable")
        self.places = rng.permutation(self.num_batches) if self.shuffle else np.arange(self.num_batches)
        # the longest and the shortest first, which are hardly ever of one length
        last = self.num_batches - 1
        self.places = np.array([last, 0, *(place for place in self.places if place not in (last, 0))][: self.num_batches])
