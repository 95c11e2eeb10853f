"""Two small corpora and the tokenizers trained on them, shared by the tests of this folder."""

import pytest

from keras_richctx.text import ByteLevelBPETokenizer, CodePointTokenizer, WordPieceTokenizer, WordTokenizer

ENGLISH = [
    "What? I don't know!",
    "The agreement on the European Economic Area was signed in August 1992 (it is well-known).",
    "It costs 1,250.5 at 7:30, doesn't it?",
    "The café's naïve résumé: a, b; c.",
]
FRENCH = [
    "Quoi ? Je n'en sais rien !",
    "L'accord sur la zone économique européenne a été signé en août 1992 : peut-être.",
    "« Qu'est-ce que c'est ? »",
    "« D'accord », dit-il.",
]


@pytest.fixture(scope="session")
def english():
    return WordTokenizer.train(ENGLISH, vocab_size=100)


@pytest.fixture(scope="session")
def french():
    return WordTokenizer.train(FRENCH, vocab_size=100)


@pytest.fixture(scope="session")
def bpe():
    return ByteLevelBPETokenizer.train(ENGLISH + FRENCH, vocab_size=320)


@pytest.fixture(scope="session")
def code_points():
    return CodePointTokenizer.train(ENGLISH + FRENCH)


@pytest.fixture(scope="session")
def word_pieces():
    return WordPieceTokenizer.train(ENGLISH + FRENCH, vocab_size=120, lowercase=False)


@pytest.fixture(scope="session", params=["english", "bpe", "code_points", "word_pieces"])
def tokenizer(request):
    """Each law of `Tokenizer` is tested on every kind."""
    return request.getfixturevalue(request.param)
