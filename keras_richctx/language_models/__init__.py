"""Language models: what comes next in a text, with a state that can be carried on from one piece of it to the next."""

from keras_richctx.language_models.awd_lstm import AWDLSTM
from keras_richctx.language_models.char_rnn import CharRNN
from keras_richctx.language_models.conv_language_model import ConvLanguageModel
from keras_richctx.language_models.evaluate import evaluate
from keras_richctx.language_models.language_model import LanguageModel
from keras_richctx.language_models.recurrent_language_model import RecurrentLanguageModel
from keras_richctx.language_models.ulmfit_classifier import ULMFiTClassifier

__all__ = ["AWDLSTM", "CharRNN", "ConvLanguageModel", "LanguageModel", "RecurrentLanguageModel", "ULMFiTClassifier", "evaluate"]
