"""The vectors of words before they have a context, computed once for each word."""

import keras
import numpy as np

from keras_richctx.text import CharacterTokenizer

STEP = 16  # lengths of words and of sentences are rounded up to a multiple, so that few shapes are compiled


class VocabularyCache:
    """Keeps what the character CNN makes of words, for a model that is not trained meanwhile: most of a text is words that were read before.

    It knows every word: one that is asked for and was not computed yet is computed then, and kept. The cache goes on growing with the vocabulary of what it is
    given, D numbers a word; and it is of the weights that the model has when a word is first asked for.

    Args:
        model: an `ELMo`.
        words: iterable of strings to compute at once. Defaults to none.
        batch_size: integer, the words to compute at a time. Defaults to `512`.

    Call arguments:
        sentences: list of lists of strings.

    Returns:
        A dict of `token_vectors`, float `(B, T, D)`, and `padding_mask`, boolean `(B, T)`: what the model takes in the place of `character_ids`.

    Raises:
        TypeError: if a sentence is no list of strings.
        ValueError: if a sentence or a word is empty.

    Example:
        >>> model = krc.models.ELMo(filters=[(1, 4), (3, 8)], units=6, projection_dim=5)
        >>> cache = VocabularyCache(model, ["the", "bank"])
        >>> model(cache([["the", "bank"], ["banks"]]))["layers"].shape
        TensorShape([2, 3, 2, 10])
    """

    def __init__(self, model, words=(), batch_size=512):
        self.tokenizer = CharacterTokenizer(model.max_characters)
        self.batch_size = batch_size
        inputs = keras.Input((1, model.max_characters), dtype="int32")
        self._cnn = keras.Model(inputs, model.character_cnn(inputs), name="words")  # so that Keras compiles it
        self._rows = {}
        self._vectors = np.zeros((0, model.character_cnn.output_dim), "float32")  # with room for more words behind those that are there
        self.add(words)

    def __len__(self):
        return len(self._rows)

    def add(self, words):
        """Computes the vectors of those words that are not there yet.

        Args:
            words: iterable of strings.
        """
        new = [word for word in dict.fromkeys(words) if word not in self._rows]
        for first in range(0, len(new), self.batch_size):
            some = new[first : first + self.batch_size]
            ids = self.tokenizer([[word] for word in some])  # (N, 1, C)
            padded = np.zeros((-(-len(some) // STEP) * STEP, *ids.shape[1:]), "int32")
            padded[: len(ids)] = ids
            vectors = np.asarray(self._cnn.predict_on_batch(padded), "float32")[: len(some), 0]  # (N, D)
            count = len(self._rows)
            if count + len(some) > len(self._vectors):
                room = np.zeros((max(count + len(some), 2 * len(self._vectors)), self._vectors.shape[1]), "float32")
                room[:count] = self._vectors[:count]
                self._vectors = room
            self._vectors[count : count + len(some)] = vectors
            self._rows |= {word: count + i for i, word in enumerate(some)}

    def __call__(self, sentences):
        self.tokenizer.check(sentences)
        self.add(word for sentence in sentences for word in sentence)
        length = max(map(len, sentences))
        vectors = np.zeros((len(sentences), length, self._vectors.shape[1]), "float32")  # (B, T, D)
        for i, sentence in enumerate(sentences):
            vectors[i, : len(sentence)] = self._vectors[[self._rows[word] for word in sentence]]
        return {"token_vectors": vectors, "padding_mask": np.arange(length) < np.array([len(sentence) for sentence in sentences])[:, None]}


def embed(model, sentences, batch_size, cache):
    """Computes the layers of sentences; see `ELMo.embed`."""
    cache.tokenizer.check(sentences)
    order = range(len(sentences)) if model.stateful else sorted(range(len(sentences)), key=lambda i: -len(sentences[i]))
    found = [None] * len(sentences)
    for first in range(0, len(sentences), batch_size):
        rows = [order[i] for i in range(first, min(first + batch_size, len(sentences)))]
        inputs = cache([sentences[i] for i in rows])
        more = -inputs["padding_mask"].shape[1] % STEP
        inputs = {name: np.pad(array, [(0, 0), (0, more)] + [(0, 0)] * (array.ndim - 2)) for name, array in inputs.items()}
        layers = model.predict_on_batch(inputs)["layers"]  # (B, L + 1, T or T + 2, 2 D)
        beside = 2 if model.keep_boundaries else 0
        for row, i in enumerate(rows):
            found[i] = np.asarray(layers[row, :, : len(sentences[i]) + beside])
    return found
