"""Tags for words: the conditional random field, and the tagger that puts a head on word vectors of any kind."""

from keras_richctx.tagging.bert_words import BertWords
from keras_richctx.tagging.convert_tags import convert_tags
from keras_richctx.tagging.crf import CRF
from keras_richctx.tagging.crf_loss import CRFLoss
from keras_richctx.tagging.elmo_words import ELMoWords
from keras_richctx.tagging.feature_tagger import FeatureTagger
from keras_richctx.tagging.joined_words import JoinedWords
from keras_richctx.tagging.multi_task import MultiTask
from keras_richctx.tagging.pair_classifier import PairClassifier
from keras_richctx.tagging.tag_head import TagHead
from keras_richctx.tagging.task import Task
from keras_richctx.tagging.token_tagger import TokenTagger
from keras_richctx.tagging.transitions import allowed_transitions
from keras_richctx.tagging.word_features import WordFeatures

__all__ = [
    "CRF",
    "BertWords",
    "CRFLoss",
    "ELMoWords",
    "FeatureTagger",
    "JoinedWords",
    "MultiTask",
    "PairClassifier",
    "TagHead",
    "Task",
    "TokenTagger",
    "WordFeatures",
    "allowed_transitions",
    "convert_tags",
]
