"""Words with their vectors: neighbours, similarities and analogies."""

import functools

import keras
import numpy as np

from keras_richctx.checkpoints.read_vectors import read_vectors
from keras_richctx.checkpoints.write_vectors import write_vectors
from keras_richctx.datasets.check_naturals import check_naturals

METHODS = ("add", "mul")


class WordVectors:
    r"""A vocabulary and a matrix with a row for each word, the most frequent word first where an order is known.

    `vectors["king"]` is a vector, `vectors[["king", "queen"]]` a matrix; `"king" in vectors`, `len`, and iteration over the words.

    Args:
        words: list of V different strings.
        matrix: array of numbers of shape `(V, D)`; floats are kept as they are, and one that is mapped into memory stays there, and is read as it is needed.

    Raises:
        ValueError: if there is not one finite vector for each word, or a word comes twice.
        KeyError: for a word that has no vector; the message names it.
        TypeError: where a word or words are asked for by something else.

    Example:
        >>> vectors = WordVectors(["king", "man", "woman", "queen"], np.array([[0.3, 0.7], [0.2, 0.2], [0.6, 0.3], [0.7, 0.8]]))
        >>> vectors["king"] - vectors["man"] + vectors["woman"]
        array([0.7, 0.8])
        >>> vectors.analogy("man", "woman", "king")[0][0]
        'queen'
    """

    def __init__(self, words, matrix):
        self.words = list(words)
        given = isinstance(matrix, np.ndarray)
        matrix = matrix if given else keras.ops.convert_to_numpy(matrix) if keras.ops.is_tensor(matrix) else np.asarray(matrix)
        if matrix.dtype.kind not in "fiub":
            raise ValueError(f"Vectors are of real numbers. Received: a matrix of type {matrix.dtype}")
        self.matrix = matrix if given and matrix.dtype.kind == "f" else matrix.astype("float32")
        self.index = {word: i for i, word in enumerate(self.words)}
        if self.matrix.ndim != 2 or len(self.matrix) != len(self.words) or len(self.index) < len(self.words):
            raise ValueError(
                "There is one vector for each word, and no word twice. "
                f"Received: {len(self.words)} words, {len(self.index)} of them different, and a matrix of shape {self.matrix.shape}"
            )
        if not isinstance(self.matrix, np.memmap):  # that one is checked when it is read
            self._check_finite(self.matrix)

    @classmethod
    def load(cls, path, limit=None, mapped=False):
        """Reads a file of word2vec, GloVe or fastText; see [`read_vectors`][keras_richctx.checkpoints.read_vectors.read_vectors].

        Args:
            path: path of the file.
            limit: integer, how many words to read, or `None` for all. Defaults to `None`.
            mapped: boolean, whether to keep the matrix on the disk and map it into memory. Defaults to `False`.

        Returns:
            `WordVectors`.
        """
        return cls(*read_vectors(path, limit, mapped))

    def save(self, path, format="word2vec"):
        """Writes a file of word2vec, GloVe or fastText; see [`write_vectors`][keras_richctx.checkpoints.write_vectors.write_vectors].

        Args:
            path: path of the file.
            format: string, `"word2vec"`, `"word2vec-binary"`, `"glove"` or `"fasttext"`. Defaults to `"word2vec"`.
        """
        write_vectors(path, self.words, self.matrix, format)

    @property
    def dim(self):
        """D, the length of a vector."""
        return self.matrix.shape[1]

    @functools.cached_property
    def unit(self):
        """The vectors, each divided by its length, float32 `(V, D)`; a zero vector stays zero."""
        matrix = self.matrix
        if isinstance(matrix, np.memmap):
            self._check_finite(matrix)
        # by its largest number first, so that no square is too large or too small for float32
        largest = np.maximum(matrix.max(axis=1, initial=0), -matrix.min(axis=1, initial=0)).astype(np.result_type(matrix.dtype, "float32"))
        matrix = (matrix / np.where(largest > 0, largest, 1)[:, None]).astype("float32", copy=False)
        matrix /= np.maximum(np.sqrt(np.einsum("vd,vd->v", matrix, matrix)), 1e-12)[:, None]
        return matrix

    def __len__(self):
        return len(self.words)

    def __iter__(self):
        return iter(self.words)

    def __contains__(self, word):
        return word in self.index

    def __getitem__(self, word):
        return self.matrix[self._places(word)]

    def __repr__(self):
        return f"<WordVectors: {len(self):,} words of {self.dim} numbers>"

    def similarity(self, first, second):
        r"""Computes the cosine of the angle between the vectors of two words.

        Args:
            first: string.
            second: string.

        Returns:
            A float from -1 to 1.
        """
        return float(self.unit[self._place(first)] @ self.unit[self._place(second)])

    def most_similar(self, word, n=10, exclude=(), restrict=None):
        """Finds the words whose vectors point most nearly in the direction of a word's, or of a vector.

        Args:
            word: string, which is not among its own neighbours; or an array of shape `(D,)`.
            n: integer. Defaults to `10`.
            exclude: iterable of words that may not be found. Defaults to `()`.
            restrict: integer, among how many words to look, the first ones, or `None` for all. Defaults to `None`.

        Returns:
            A list of `n` pairs of a word and its cosine, the nearest first; of fewer where there are no more words.

        Raises:
            ValueError: if a number is negative, or the vector is not finite or of another length.
            TypeError: if `exclude` is one string.
        """
        check_naturals(n=n, restrict=0 if restrict is None else restrict)
        _check_words(exclude=exclude)
        if isinstance(word, str):
            exclude, vector = [*exclude, word], self.unit[self._place(word)]
        else:
            vector = self._vector(word)
        scores = self.unit[:restrict] @ vector
        return self._best(scores, n, exclude)

    def analogy(self, a, b, c, n=1, method="add", exclude=True, restrict=None):
        r"""Finds d such that a is to b as c is to d.

        `"add"` is the formula of the lectures, with all vectors of length one:

        $$d = \arg\max_x \frac{(w_b - w_a + w_c)^\top w_x}{\lVert w_b - w_a + w_c \rVert}$$

        `"mul"` multiplies, so that no term outweighs the others; cosines are moved into 0 ... 1:

        $$d = \arg\max_x \frac{\cos'(x, b) \cos'(x, c)}{\cos'(x, a) + 0.001}, \qquad \cos' = \frac{\cos + 1}{2}$$

        Args:
            a: string.
            b: string.
            c: string.
            n: integer, how many words to give. Defaults to `1`.
            method: string, `"add"` or `"mul"`. Defaults to `"add"`.
            exclude: boolean, whether a, b and c may not be found. The formula alone allows them, and often finds one of them. Defaults to `True`.
            restrict: integer, among how many words to look, the first ones, or `None` for all. Defaults to `None`.

        Returns:
            A list of `n` pairs of a word and its score, the best first; of fewer where there are no more words.

        Raises:
            ValueError: if `method` is unknown, or a number is negative.

        References:
            [Mikolov et al., 2013](https://aclanthology.org/N13-1090/); `"mul"`: [Levy and Goldberg, 2014](https://aclanthology.org/W14-1618/), equation 4.
        """
        check_naturals(n=n, restrict=0 if restrict is None else restrict)
        scores = self.analogy_scores(*(np.array([self._place(word)]) for word in (a, b, c)), method, stop=restrict)[0]
        return self._best(scores, n, [a, b, c] if exclude else [])

    def analogy_scores(self, a, b, c, method="add", start=None, stop=None):
        """Computes the score of every word, or of those from `start` to `stop`, for some analogies.

        Args:
            a: integer array of shape `(N,)`, places of words.
            b: integer array of shape `(N,)`.
            c: integer array of shape `(N,)`.
            method: string, as in `analogy`. Defaults to `"add"`.
            start: integer, the place of the first word, or `None` for the first of all. Defaults to `None`.
            stop: integer, the place behind the last word, or `None` for the last of all. Defaults to `None`.

        Returns:
            A float32 array of shape `(N, V)`, V the number of words from `start` to `stop`.
        """
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}. Received: method={method!r}")
        candidates = self.unit[start:stop].T  # (D, V)
        if method == "add":
            # (w_b - w_a + w_c) . w_x / |w_b - w_a + w_c|
            query = self.unit[b] - self.unit[a] + self.unit[c]
            return (query / np.maximum(np.linalg.norm(query, axis=1, keepdims=True), 1e-12)) @ candidates
        to_a, to_b, to_c = ((self.unit[words] @ candidates + 1) / 2 for words in (a, b, c))
        return to_b * to_c / (to_a + 0.001)

    def coverage(self, words):
        """Says which words have a vector.

        Args:
            words: iterable of strings.

        Returns:
            A dict: `share`, a float, of the words that have one, each counted as often as it is there; and `missing`, the list of the different words that have
            none, in their order.

        Raises:
            TypeError: if `words` is one string.
        """
        _check_words(words=words)
        words = list(words)
        missing = [word for word in words if word not in self]
        return {"share": 1 - len(missing) / max(1, len(words)), "missing": list(dict.fromkeys(missing))}

    def embedding_layer(self, tokenizer, trainable=True, lowercase=False, seed=0):
        """Makes an embedding for the ids of a tokenizer, with the vectors of its words.

        A token without a vector gets draws with the mean and the deviation of the vectors that were found; the padding gets zeros.

        Args:
            tokenizer: tokenizer of `keras_richctx.text`.
            trainable: boolean. Defaults to `True`.
            lowercase: boolean, whether a token that has no vector as it is gets that of its lower-case form. Defaults to `False`.
            seed: integer, of the draws. Defaults to `0`.

        Returns:
            A pair: a built `keras.layers.Embedding`, and what `coverage` says of the tokens, special ones left out.

        Raises:
            ValueError: if no token has a vector, or the seed is negative.

        Example:
            >>> tokenizer = krc.text.WordTokenizer.train(["to be or not to be"], vocab_size=8)
            >>> layer, report = WordVectors(["to", "be", "or"], np.eye(3)).embedding_layer(tokenizer)
            >>> layer(np.array([tokenizer("to be")])).shape, report
            (TensorShape([1, 2, 3]), {'share': 0.75, 'missing': ['not']})
        """
        check_naturals(seed=seed)
        tokens = [tokenizer.id_to_token(i) for i in range(tokenizer.vocab_size)]
        ordinary = [i for i in range(len(tokens)) if i not in set(tokenizer.special_ids)]
        spelt = [token.lower() if lowercase and token not in self else token for token in tokens]
        found = [i for i in ordinary if spelt[i] in self]
        if not found:
            raise ValueError(
                f"No token has a vector. Received: a tokenizer of {len(tokens):,} tokens, such as {[tokens[i] for i in ordinary[:5]]}, and {self!r}"
            )
        known = self[[spelt[i] for i in found]].astype(np.result_type(self.matrix.dtype, "float32"))
        matrix = np.random.default_rng(seed).normal(known.mean(axis=0), known.std(axis=0), (len(tokens), self.dim)).astype("float32")
        matrix[found] = known
        matrix[tokenizer.pad_id] = 0
        layer = keras.layers.Embedding(len(tokens), self.dim, trainable=trainable)
        layer.build()
        layer.set_weights([matrix])
        report = self.coverage(spelt[i] for i in ordinary)
        return layer, report

    def _places(self, word):
        """Returns the row of a word, or an array of those of several."""
        if isinstance(word, str) or not hasattr(word, "__iter__"):
            return self._place(word)
        return np.array([self._place(one) for one in word], "int64")

    def _place(self, word):
        """Returns the row of a word."""
        if not isinstance(word, str):
            raise TypeError(f"A vector is asked for by its word, a string. Received: {word!r}")
        if word not in self.index:
            raise KeyError(f"The word has no vector among the {len(self):,}. Received: {word!r}")
        return self.index[word]

    def _vector(self, vector):
        """Returns a vector with the length one, float32 `(D,)`; a zero vector stays zero."""
        try:
            vector = np.asarray(vector, "float64")
        except (TypeError, ValueError):
            raise ValueError(f"Neighbours are those of a word, or of a vector of {self.dim} numbers. Received: {vector!r}") from None
        if vector.shape != (self.dim,) or not np.isfinite(vector).all():
            raise ValueError(f"Neighbours are those of a word, or of a vector of {self.dim} finite numbers. Received: {vector!r} of shape {vector.shape}")
        vector = vector / (np.abs(vector).max(initial=0) or 1)
        return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype("float32")

    def _check_finite(self, matrix):
        """Raises where a vector holds NaN or infinity, with the first of such words."""
        finite = np.isfinite(matrix).all(axis=1)
        if not finite.all():
            raise ValueError(f"Vectors are finite. Received: {self.words[int(np.argmin(finite))]!r} with a number that is not")

    def _best(self, scores, n, exclude):
        """Returns the n best words with their scores, `(V,)`."""
        scores = scores.copy()
        scores[[place for word in exclude if (place := self.index.get(word, len(scores))) < len(scores)]] = -np.inf
        n = min(n, int(np.isfinite(scores).sum()))
        best = np.argpartition(-scores, n - 1)[:n] if n < len(scores) else np.arange(len(scores))
        best = best[np.argsort(-scores[best], kind="stable")][:n]
        return [(self.words[i], float(scores[i])) for i in best]


def _check_words(**named):
    """Raises where one string is passed for several words: its characters are not meant."""
    for name, words in named.items():
        if isinstance(words, str | bytes):
            raise TypeError(f"{name} are several words, as a list of strings. Received: {name}={words!r}")
