"""Every model: `krc.models.X` is a `keras.Model` that saves into one file with what it needs, its tokenizers among it."""

from keras_richctx.bert import Bert, BertForPretraining, SpanAnswerer, TextClassifier
from keras_richctx.elmo import BidirectionalLanguageModel, ELMo
from keras_richctx.embeddings.word2vec import Word2Vec
from keras_richctx.finetuning import FeatureClassifier
from keras_richctx.gpt import GPT, GPT2
from keras_richctx.language_models import AWDLSTM, CharRNN, ConvLanguageModel, ULMFiTClassifier
from keras_richctx.tagging import MultiTask, PairClassifier, TokenTagger
from keras_richctx.translation import Seq2Seq, Transformer
from keras_richctx.vision import DRAW, AlexNet, GlimpseClassifier, ImageCaptioner, ImageClassifier

__all__ = [
    "AWDLSTM",
    "DRAW",
    "GPT",
    "GPT2",
    "AlexNet",
    "Bert",
    "BertForPretraining",
    "BidirectionalLanguageModel",
    "CharRNN",
    "ConvLanguageModel",
    "ELMo",
    "FeatureClassifier",
    "GlimpseClassifier",
    "ImageCaptioner",
    "ImageClassifier",
    "MultiTask",
    "PairClassifier",
    "Seq2Seq",
    "SpanAnswerer",
    "TextClassifier",
    "TokenTagger",
    "Transformer",
    "ULMFiTClassifier",
    "Word2Vec",
]
