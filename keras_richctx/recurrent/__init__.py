"""Recurrent networks: three cells whose equations can be read in one `step`, the loop over time, and the layers that join the two."""

from keras_richctx.ops.loop import loop
from keras_richctx.recurrent.activation_regularization import ActivationRegularization
from keras_richctx.recurrent.concat_pooling import ConcatPooling
from keras_richctx.recurrent.embedding_dropout import EmbeddingDropout
from keras_richctx.recurrent.gru import GRU
from keras_richctx.recurrent.gru_cell import GRUCell
from keras_richctx.recurrent.gru_step import gru_step
from keras_richctx.recurrent.lstm import LSTM
from keras_richctx.recurrent.lstm_cell import LSTMCell
from keras_richctx.recurrent.lstm_step import lstm_step
from keras_richctx.recurrent.projected_lstm_cell import ProjectedLSTMCell
from keras_richctx.recurrent.rnn_cell import RNNCell
from keras_richctx.recurrent.rnn_step import rnn_step
from keras_richctx.recurrent.simple_rnn import SimpleRNN
from keras_richctx.recurrent.tied_dense import TiedDense
from keras_richctx.recurrent.traces import traces
from keras_richctx.recurrent.variational_dropout import VariationalDropout

__all__ = [
    "GRU",
    "LSTM",
    "ActivationRegularization",
    "ConcatPooling",
    "EmbeddingDropout",
    "GRUCell",
    "LSTMCell",
    "ProjectedLSTMCell",
    "RNNCell",
    "SimpleRNN",
    "TiedDense",
    "VariationalDropout",
    "gru_step",
    "loop",
    "lstm_step",
    "rnn_step",
    "traces",
]
