"""Every layer: `krc.layers.X` is a `keras.layers.Layer` that stands in any Keras model."""

from keras_richctx.attention import Alignment, MultiHeadAttention
from keras_richctx.bert import MaskedLMHead
from keras_richctx.elmo import BiLM, CharacterCNN, Highway, ProjectedLSTMStack, ScalarMix
from keras_richctx.recurrent import (
    GRU,
    LSTM,
    ActivationRegularization,
    ConcatPooling,
    EmbeddingDropout,
    GRUCell,
    LSTMCell,
    ProjectedLSTMCell,
    RNNCell,
    SimpleRNN,
    TiedDense,
    VariationalDropout,
)
from keras_richctx.tagging import CRF, BertWords, ELMoWords, JoinedWords, TagHead, WordFeatures
from keras_richctx.transformer import DecoderBlock, EncoderBlock, LearnedPositions, SinusoidalPositions, TransformerDecoder, TransformerEncoder
from keras_richctx.translation import BahdanauDecoder, FixedContextDecoder, LuongDecoder, RecurrentEncoder
from keras_richctx.vision import ConvGrid, ImageDecoder, LocalResponseNormalization

__all__ = [
    "CRF",
    "GRU",
    "LSTM",
    "ActivationRegularization",
    "Alignment",
    "BahdanauDecoder",
    "BertWords",
    "BiLM",
    "CharacterCNN",
    "ConcatPooling",
    "ConvGrid",
    "DecoderBlock",
    "ELMoWords",
    "EmbeddingDropout",
    "EncoderBlock",
    "FixedContextDecoder",
    "GRUCell",
    "Highway",
    "ImageDecoder",
    "JoinedWords",
    "LSTMCell",
    "LearnedPositions",
    "LocalResponseNormalization",
    "LuongDecoder",
    "MaskedLMHead",
    "MultiHeadAttention",
    "ProjectedLSTMCell",
    "ProjectedLSTMStack",
    "RNNCell",
    "RecurrentEncoder",
    "ScalarMix",
    "SimpleRNN",
    "SinusoidalPositions",
    "TagHead",
    "TiedDense",
    "TransformerDecoder",
    "TransformerEncoder",
    "VariationalDropout",
    "WordFeatures",
]
