"""A tagger by hand-crafted features: what taggers of learnt vectors are compared with."""

import numpy as np
import scipy.sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MaxAbsScaler

from keras_richctx.tagging.word_encoder import check_sentences
from keras_richctx.tagging.word_in_text import BeginProbability, lexical_features, structural_features

GROUPS = ("structural", "lexical", "probability", "embeddings")


class FeatureTagger:
    """Tags each word by logistic regression over groups of features, one word at a time.

    The groups are those of the literature on components of arguments, as far as they need no parser: where a word stands (`structural_features`), which words
    are around it (`lexical_features`), how probable a beginning is behind the words before it (`BeginProbability`); and word vectors of the word and of those
    around it. The syntactic groups, which need a parse tree, are not here.

    Args:
        groups: list of strings, some of `"structural"`, `"lexical"`, `"probability"` and `"embeddings"`. Defaults to the first three.
        vectors: pair of a list of N words in lower case and a float array of shape `(N, D)`, for `"embeddings"`; a word without a vector has zeros.
        window: integer, how many words on either side are looked at. Defaults to `2`.
        C: float, the inverse of the strength of the L2 penalty. Defaults to `1.0`.
        max_iter: integer, the most steps of the solver. Defaults to `200`.

    Raises:
        ValueError: if a group is unknown, or the vectors are missing.

    Example:
        >>> texts = krc.datasets.argued_texts(30)["components"]
        >>> tagger = FeatureTagger(["structural", "lexical"]).fit(texts)
        >>> krc.metrics.token_f1(tagger.predict_tags(texts.words), texts.tags)["f1"] > 0.9
        True

    References:
        [Stab and Gurevych, 2017](https://doi.org/10.1162/COLI_a_00295), section 5.1.
    """

    def __init__(self, groups=GROUPS[:3], vectors=None, window=2, C=1.0, max_iter=200):
        if isinstance(groups, str) or not groups or not set(groups) <= set(GROUPS):
            raise ValueError(f"The groups of features are {', '.join(GROUPS)}. Received: groups={groups!r}")
        if "embeddings" in groups and (vectors is None or len(vectors[0]) != len(vectors[1])):
            raise ValueError("The group of embeddings needs vectors, one for each word. Received: vectors=None, or of another number")
        self.groups = list(groups)
        self.window = window
        self.C = C
        self.max_iter = max_iter
        self.vectors = None if vectors is None else (dict(zip(vectors[0], range(len(vectors[0])))), np.asarray(vectors[1], "float32"))

    def fit(self, sentences):
        """Trains on `TaggedSentences`, texts with their tags; returns the tagger."""
        check_sentences(sentences.words)
        self.begin_probability = BeginProbability(sentences)
        self.vectorizer, self.scaler = DictVectorizer(), MaxAbsScaler()
        self.model = LogisticRegression(C=self.C, max_iter=self.max_iter)
        named = self._named(sentences.words)
        x = self._matrix(self.vectorizer.fit_transform(named), sentences.words)
        self.model.fit(self.scaler.fit_transform(x), [tag for tags in sentences.tags for tag in tags])
        return self

    def predict_tags(self, sentences):
        """Tags texts: takes lists of strings and returns as many lists of tags."""
        check_sentences(sentences)
        x = self._matrix(self.vectorizer.transform(self._named(sentences)), sentences)
        tags = iter(self.model.predict(self.scaler.transform(x)).tolist())
        return [[next(tags) for _ in words] for words in sentences]

    def _named(self, sentences):
        """Returns the features that have names: for each word of each text a dict."""
        makers = {
            "structural": structural_features,
            "lexical": lambda words: lexical_features(words, self.window),
            "probability": self.begin_probability.features,
        }
        makers = [makers[group] for group in self.groups if group in makers]
        rows = [[maker(words) for maker in makers] for words in sentences]  # for each text, for each group, for each word
        return [{name: value for part in parts for name, value in part[i].items()} for words, parts in zip(sentences, rows) for i in range(len(words))]

    def _matrix(self, named, sentences):
        """Puts the vectors of words beside the named features: a sparse array `(all words, features)`."""
        if "embeddings" not in self.groups:
            return named
        index, table = self.vectors
        table = np.concatenate([table, np.zeros_like(table[:1])])  # the last row is for words without a vector
        parts = []
        for words in sentences:
            rows = np.array([index.get(word.lower(), len(table) - 1) for word in words])
            rows = np.pad(rows, self.window, constant_values=len(table) - 1)
            near = np.lib.stride_tricks.sliding_window_view(rows, 2 * self.window + 1)  # (W, 2 window + 1)
            parts.append(table[near].reshape(len(words), -1))  # (W, (2 window + 1) * D)
        return scipy.sparse.hstack([named, scipy.sparse.csr_matrix(np.concatenate(parts))], format="csr")
