"""Words by themselves: an embedding of each, and what its characters say."""

import collections

import keras
import numpy as np

from keras_richctx.elmo import CharacterCNN
from keras_richctx.tagging.word_encoder import WORDS_STEP, WordEncoder, check_sentences, word_mask
from keras_richctx.text import CharacterTokenizer
from keras_richctx.text.pad_rows import pad_rows

UNKNOWN = 1  # 0 is the pad


@keras.saving.register_keras_serializable("keras_richctx")
class WordFeatures(WordEncoder):
    r"""Makes a vector of each word, whatever is around it: its embedding beside features of its characters.

    $$x = [E_w;\; \mathrm{CharacterCNN}(\text{word})]$$

    Words are looked up in lower case; upper and lower case, endings, digits and signs are for the characters to tell, of which no word is without. Make it with
    `from_sentences`.

    Args:
        words: list of V - 2 different strings in lower case: those with ids 2, 3, … The ids 0 and 1 are the pad and the unknown word.
        embedding_dim: integer, the width of the embedding. Defaults to `100`.
        filters: list of pairs of a width and a number of filters over characters, or `None` for no characters. Defaults to `((3, 50),)`.
        character_dim: integer, the width of a character's embedding. Defaults to `16`.
        max_characters: integer, how much of a word is read, two marks and bytes; the rest of a longer one is not. Defaults to `25`.
        unknown_rate: float, the share of words that are taken for unknown in training, so that the unknown word is learnt. Defaults to `0.05`.
        seed: integer, that of the draw of these, or `None`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: what `prepare` returns: `word_ids`, integer `(B, W)`; `character_ids`, integer `(B, W, C)`, where characters are read; `word_mask`.
        training: boolean, whether some words are taken for unknown.

    Returns:
        A float tensor of shape `(B, W, D)`, D being the width of the embedding and the number of filters together.

    Raises:
        ValueError: if a word occurs twice, or a number is out of its range.

    Example:
        >>> features = WordFeatures.from_sentences([["Ada", "codes"], ["ada", "sleeps"]], embedding_dim=5, filters=[(2, 4)])
        >>> features.words, features(features.prepare([["ADA", "writes"]])).shape
        (['ada', 'codes', 'sleeps'], TensorShape([1, 8, 9]))

    References:
        [Ma and Hovy, 2016](https://arxiv.org/abs/1603.01354), section 2.1.
    """

    in_context = False

    def __init__(self, words, embedding_dim=100, filters=((3, 50),), character_dim=16, max_characters=25, unknown_rate=0.05, seed=None, **kwargs):
        super().__init__(**kwargs)
        words = list(words)
        if len(set(words)) != len(words):
            raise ValueError("Each word has one id. Received: words with some twice")
        if not isinstance(embedding_dim, int) or embedding_dim < 1:
            raise ValueError(f"embedding_dim is a positive integer. Received: embedding_dim={embedding_dim!r}")
        if not 0 <= unknown_rate < 1:
            raise ValueError(f"unknown_rate is a share of at least 0 and below 1. Received: unknown_rate={unknown_rate!r}")
        self.words = words
        self.embedding_dim = embedding_dim
        self.filters = None if filters is None else [tuple(pair) for pair in filters]
        self.character_dim = character_dim
        self.max_characters = max_characters
        self.unknown_rate = unknown_rate
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.ids = {word: i for i, word in enumerate(words, start=UNKNOWN + 1)}
        self.embedding = keras.layers.Embedding(len(words) + UNKNOWN + 1, embedding_dim, name="embedding", dtype=self.dtype_policy)
        self.embedding.build((None, None))
        self.characters = None
        if filters is not None:
            options = {"num_highways": 0, "projection_dim": None, "name": "characters", "dtype": self.dtype_policy}
            self.characters = CharacterCNN(self.filters, character_dim, **options)
            self.characters.build((None, None, max_characters))
        self.built = True

    @classmethod
    def from_sentences(cls, sentences, vectors=None, min_count=1, **options):
        """Makes a layer with the words of sentences, and of the vectors that are given.

        Args:
            sentences: list of lists of strings: those to train on.
            vectors: pair of a list of N words and a float array of shape `(N, D)`, such as GloVe's, the first values of their embeddings; all of the words are
                known then, and a word that occurs several times in lower case has its first vector. Or `None`. Defaults to `None`.
            min_count: integer, how often a word without a vector must occur in the sentences to be known. Defaults to `1`.
            **options: arguments of the constructor but `words`; with vectors, `embedding_dim` is theirs.

        Returns:
            A `WordFeatures`.

        Raises:
            ValueError: if words and vectors do not correspond.
        """
        counts = collections.Counter(word.lower() for sentence in sentences for word in sentence)
        words = {word: None for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count >= min_count}
        if vectors is None:
            return cls(list(words), **options)
        names, array = vectors[0], np.asarray(vectors[1], "float32")
        if array.ndim != 2 or len(names) != len(array):
            raise ValueError(f"Each word has its vector. Received: {len(names)} words, vectors of shape {array.shape}")
        known = {}
        for i, word in enumerate(names):
            known.setdefault(word.lower(), i)
        layer = cls(list(dict.fromkeys([*words, *known])), **{**options, "embedding_dim": array.shape[1]})
        table = np.random.default_rng(layer.seed).normal(scale=array.std(), size=layer.embedding.embeddings.shape).astype("float32")  # those without
        table[[layer.ids[word] for word in known]] = array[list(known.values())]
        layer.embedding.set_weights([table])
        return layer

    def prepare(self, sentences):
        check_sentences(sentences)
        ids = pad_rows([[self.ids.get(word.lower(), UNKNOWN) for word in sentence] for sentence in sentences], multiple=WORDS_STEP)
        inputs = {"word_ids": ids, "word_mask": word_mask(sentences)}
        if self.characters is not None:
            characters = CharacterTokenizer(self.max_characters)(sentences)  # (N, W, C)
            inputs["character_ids"] = np.pad(characters, ((0, 0), (0, ids.shape[1] - characters.shape[1]), (0, 0)))
        return inputs

    def call(self, inputs, training=False):
        ids = inputs["word_ids"]
        if training and self.unknown_rate:
            known = keras.random.uniform(keras.ops.shape(ids), seed=self.seed_generator) >= self.unknown_rate
            ids = keras.ops.where(known, ids, UNKNOWN)
        embedded = self.embedding(ids)  # (B, W, E)
        if self.characters is None:
            return embedded
        # x = [E_w; CharacterCNN(word)]
        return keras.ops.concatenate([embedded, self.characters(inputs["character_ids"])], axis=-1)  # (B, W, D)

    def get_config(self):
        names = ("words", "embedding_dim", "filters", "character_dim", "max_characters", "unknown_rate", "seed")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
