"""Translation: recurrent encoder and decoders, with a fixed context or with attention, the Transformer, and one way to train and translate."""

from keras_richctx.translation.bahdanau_decoder import BahdanauDecoder
from keras_richctx.translation.fixed_context_decoder import FixedContextDecoder
from keras_richctx.translation.luong_decoder import LuongDecoder
from keras_richctx.translation.recurrent_encoder import RecurrentEncoder
from keras_richctx.translation.seq2seq import Seq2Seq
from keras_richctx.translation.transformer import Transformer
from keras_richctx.translation.translate import translate
from keras_richctx.translation.translation import Translation
from keras_richctx.translation.translator import Translator

__all__ = [
    "BahdanauDecoder",
    "FixedContextDecoder",
    "LuongDecoder",
    "RecurrentEncoder",
    "Seq2Seq",
    "Transformer",
    "Translation",
    "Translator",
    "translate",
]
