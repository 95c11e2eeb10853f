"""Every model: `krc.models.X` is a `keras.Model` that saves into one file with what it needs, its tokenizers among it."""

from keras_richctx.language_models import AWDLSTM, CharRNN, ConvLanguageModel, ULMFiTClassifier
from keras_richctx.translation import Seq2Seq

__all__ = ["AWDLSTM", "CharRNN", "ConvLanguageModel", "Seq2Seq", "ULMFiTClassifier"]
