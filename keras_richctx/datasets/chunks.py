"""A corpus cut into chunks of whole sentences, each as many as fit into one input, and pairs of texts made of them."""

import numpy as np

from keras_richctx.text.packing import longest_first


class Chunks:
    """Chunks of whole sentences: of one document each, or, where `across` is set, going on from document to document.

    A sentence that is longer than `room` is cut into pieces of that length, so that no token is lost. Where chunks go over the end of a document, the
    separator between the documents is a token of the chunk.

    Args:
        store: `TokenStore`.
        room: integer, how many tokens a chunk may have.
        across: boolean, whether a chunk may go over the end of a document.
        short_rate: float, which part of the chunks is kept shorter than `room`, by a length drawn between 2 and it.
        seed: integer.

    Attributes:
        starts: int64 array `(U,)`, where in `store.ids` each unit, a sentence or a piece of one, starts.
        ends: int64 array `(U,)`, where it ends.
        first: int64 array `(C + 1,)`, the first unit of each chunk, and U.
        document: int64 array `(C,)`, the number of the document that a chunk begins in.
    """

    def __init__(self, store, room, across, short_rate, seed):
        self.starts, self.ends, documents = _units(store, room)
        self.first = _cut(self.starts, self.ends, documents, room, across, short_rate, np.random.default_rng(seed))
        self.document = np.searchsorted(documents, self.first[:-1], side="right") - 1
        self.first_of_document = np.searchsorted(self.first, documents[:-1]) if not across else None  # the first chunk of each document, `(D,)`

    def __len__(self):
        return len(self.first) - 1

    def whole(self, chunks):
        """Returns where in `store.ids` chunks start and how many tokens they have, `(B,)` each."""
        starts = self.starts[self.first[chunks]]
        return starts, self.ends[self.first[chunks + 1] - 1] - starts

    def pairs(self, chunks, rng, room):
        """Makes a pair of texts of each chunk: its beginning, and either its end or that of a chunk of another document, as a fair coin decides.

        The chunks for which it is another one exchange their ends, those of like length, so that each sentence stands in one pair. Where there is none to
        exchange with, and for a chunk of one sentence, the second text is copied from a random chunk of another document.

        Args:
            chunks: integer array `(B,)`.
            rng: `np.random.Generator`.
            room: integer, how many tokens a pair may have; the end of the longer text is cut off.

        Returns:
            Starts and lengths of the first texts, starts and lengths of the second, and the labels, 0 where the second is the next and 1 where it is random,
            all `(B,)`.
        """
        first, last = self.first[chunks], self.first[chunks + 1]
        count = last - first  # (B,), units
        alone = count == 1
        split = first + np.where(alone, 1, 1 + np.floor(rng.random(len(chunks)) * (count - 1)).astype("int64"))
        random = alone | (rng.random(len(chunks)) < 0.5)
        start = self.starts[first]
        length = self.ends[split - 1] - start
        tail = self.starts[np.where(alone, first, split)]
        tail_length = np.where(alone, 0, self.ends[last - 1] - tail)
        # Exchange: each random row takes the end of the next one in the order of their lengths.
        rows = np.flatnonzero(random & ~alone)
        rows = rows[np.argsort(tail_length[rows], kind="stable")]
        givers = np.roll(rows, -1)
        second, second_length = tail.copy(), tail_length.copy()
        second[rows], second_length[rows] = tail[givers], tail_length[givers]
        document = self.document[chunks]
        lonely = alone.copy()
        lonely[rows] = document[rows] == document[givers]
        lonely = np.flatnonzero(lonely)
        second[lonely], second_length[lonely] = self._elsewhere(document[lonely], rng)
        length, second_length = longest_first(length, second_length, room)
        return start, length, second, second_length, random.astype("int32")

    def _elsewhere(self, documents, rng):
        """Returns starts and lengths of texts of other documents than these: the end of a random chunk, behind its first sentence where it has several."""
        low = self.first_of_document[documents]
        high = np.append(self.first_of_document, len(self))[documents + 1]
        drawn = np.floor(rng.random(len(documents)) * (len(self) - (high - low))).astype("int64")  # over the chunks that are left
        chunk = np.where(drawn >= low, drawn + high - low, drawn)
        first, last = self.first[chunk], self.first[chunk + 1]
        begin = first + np.floor(rng.random(len(documents)) * (last - first)).astype("int64")
        starts = self.starts[begin]
        return starts, self.ends[last - 1] - starts


def _units(store, room):
    """Cuts sentences that are longer than `room`. Returns where units start and end, and the first unit of each document, and how many there are."""
    starts, ends = np.asarray(store.starts), np.asarray(store.ends)
    pieces = -(-(ends - starts) // room)  # (S,)
    if (pieces == 1).all():
        return starts, ends, np.asarray(store.documents)
    begin = np.cumsum(pieces) - pieces  # (S,), the first unit of each sentence
    nth = np.arange(pieces.sum()) - np.repeat(begin, pieces)  # (U,)
    unit_starts = np.repeat(starts, pieces) + nth * room
    return unit_starts, np.minimum(unit_starts + room, np.repeat(ends, pieces)), np.append(begin, pieces.sum())[store.documents]


def _cut(starts, ends, documents, room, across, short_rate, rng):
    """Returns the first unit of each chunk, and the number of units, `(C + 1,)`."""
    document_ends = iter(documents[1:].tolist())
    document_end, first, begin, target = next(document_ends), [0], None, 0
    for unit, (start, end) in enumerate(zip(starts.tolist(), ends.tolist())):
        over = unit == document_end
        if over:
            document_end = next(document_ends)
        if begin is None or end - begin > target or (over and not across):
            if begin is not None:
                first.append(unit)
            begin = start
            target = room if rng.random() >= short_rate else int(rng.integers(2, room + 1))
    return np.array([*first, len(starts)], "int64")
