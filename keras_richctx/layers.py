"""Every layer: `krc.layers.X` is a `keras.layers.Layer` that stands in any Keras model."""

from keras_richctx.attention import Alignment
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
from keras_richctx.translation import BahdanauDecoder, FixedContextDecoder, LuongDecoder, RecurrentEncoder

__all__ = [
    "GRU",
    "LSTM",
    "ActivationRegularization",
    "Alignment",
    "BahdanauDecoder",
    "ConcatPooling",
    "EmbeddingDropout",
    "FixedContextDecoder",
    "GRUCell",
    "LSTMCell",
    "LuongDecoder",
    "ProjectedLSTMCell",
    "RNNCell",
    "RecurrentEncoder",
    "SimpleRNN",
    "TiedDense",
    "VariationalDropout",
]
