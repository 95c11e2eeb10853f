"""Batches of several tasks, one task after the other or several at once."""

import numpy as np

from keras_richctx.tagging.tagged_batches import TaggedBatches, UnlikeBatches


class MixedBatches(UnlikeBatches):
    """Gives batches of sentences that are tagged for some of several tasks: of each batch the inputs and, for every task, the ids of the tags, all -1 where
    its sentences have none.

    Tasks over the same sentences train together, on every batch of these. Which sentences are next is what the sampler decides. A pass has as many batches as
    all sentences fill; it hangs on the seed and on its number alone.

    Args:
        prepare: as of `TaggedBatches`.
        tasks: list of strings, the names of all tasks.
        data: dict from the names of some of them to a pair of its sentences, a list of lists of strings, and of their tags, a list of lists of ids.
        batch_size: integer.
        sampler: `krc.datasets.TaskSampler`.
        shuffle: boolean. Without, sentences are in one order in all passes, but the sampler's order is a new one in each. Defaults to `True`.
        seed: integer. Defaults to `0`.
        limit: integer or `None`, as of `TaggedBatches`. Defaults to `None`.
    """

    def __init__(self, prepare, tasks, data, batch_size, sampler, shuffle=True, seed=0, limit=None):
        super().__init__()
        self.tasks, self.data, self.sampler, self.shuffle, self.seed, self.limit = tasks, data, sampler, shuffle, seed, limit
        self.groups = group_tasks({name: words for name, (words, _) in data.items()})  # lists of tasks over the same sentences
        numbers = [range(len(data[group[0]][0])) for group in self.groups]
        # the "tags" of a sentence, here, are its own number: the ids of every task are looked up by it
        self.sources = [
            TaggedBatches(prepare, data[group[0]][0], [[i] for i in rows], batch_size, shuffle, seed + k, limit)
            for k, (group, rows) in enumerate(zip(self.groups, numbers))
        ]
        self.number = -1
        self.on_epoch_end()

    @property
    def num_batches(self):
        return sum(source.num_batches for source in self.sources)

    def batch(self, index):
        k = self.order[index]
        source = self.sources[k]
        used = np.count_nonzero(self.order[:index] == k)  # batches of the source that came before in this pass
        inputs, numbers = source.batch((self.starts[k] + used) % source.num_batches)
        tags = {name: np.full(numbers.shape, -1, "int32") for name in self.tasks}  # (B, W), -1 at pads
        for name in self.groups[k]:
            for i, row in enumerate(numbers[:, 0]):
                ids = self.data[name][1][row]
                tags[name][i, : len(ids)] = ids
        return inputs, tags

    def on_epoch_end(self):
        """Plans the next pass."""
        self.number += 1
        for source in self.sources:
            source.on_epoch_end()
        rng = np.random.default_rng((self.seed, self.number))
        self.order = self.sampler.order([source.num_batches for source in self.sources], self.num_batches, rng)
        # a source that is not read through begins elsewhere in each pass
        self.starts = [int(rng.integers(source.num_batches)) if self.shuffle else 0 for source in self.sources]


def group_tasks(words):
    """Puts tasks over the same sentences together.

    Args:
        words: dict from the name of each task to its sentences, a list of lists of strings.

    Returns:
        A list of lists of names.

    Example:
        >>> group_tasks({"a": [["Hi"]], "b": [["Ho"]], "c": [["Hi"]]})
        [['a', 'c'], ['b']]
    """
    groups = []
    for name, sentences in words.items():
        for group in groups:
            if words[group[0]] is sentences or words[group[0]] == sentences:
                group.append(name)
                break
        else:
            groups.append([name])
    return groups
