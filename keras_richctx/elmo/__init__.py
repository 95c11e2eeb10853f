"""ELMo: words from their characters, read both ways, with a vector for each in its context."""

from keras_richctx.elmo.bidirectional_language_model import BidirectionalLanguageModel
from keras_richctx.elmo.bilm import BiLM
from keras_richctx.elmo.character_cnn import CharacterCNN
from keras_richctx.elmo.elmo import ELMo
from keras_richctx.elmo.highway import Highway
from keras_richctx.elmo.projected_lstm_stack import ProjectedLSTMStack
from keras_richctx.elmo.scalar_mix import ScalarMix
from keras_richctx.elmo.streams import build_vocabulary
from keras_richctx.elmo.vocabulary_cache import VocabularyCache

__all__ = [
    "BiLM",
    "BidirectionalLanguageModel",
    "CharacterCNN",
    "ELMo",
    "Highway",
    "ProjectedLSTMStack",
    "ScalarMix",
    "VocabularyCache",
    "build_vocabulary",
]
