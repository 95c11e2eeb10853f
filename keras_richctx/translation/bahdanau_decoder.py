"""The decoder that looks before it speaks."""

import keras

from keras_richctx.attention import Alignment
from keras_richctx.translation.deep_output import DeepOutput
from keras_richctx.translation.recurrent_decoder import RecurrentDecoder


@keras.saving.register_keras_serializable("keras_richctx")
class BahdanauDecoder(RecurrentDecoder):
    r"""A recurrent decoder that makes a new context at each step, with its previous state as the query.

    $$c_t = \sum_i \alpha_{ti} h_i, \quad \alpha_{ti} = \mathrm{softmax}_i\, \mathrm{score}(s_{t-1}, h_i), \qquad s_t = f(s_{t-1}, y_{t-1}, c_t),
    \qquad s_0 = \tanh(W_s \overleftarrow h_1)$$

    Pads of the source get no weight. Pads of the target stand after its real positions and cannot reach them.

    Args:
        units: integer, U, the width of the state.
        cell: string, `"gru"`, `"lstm"` or `"rnn"`. Defaults to `"gru"`.
        score: string, one of the scores of `Alignment`. Defaults to `"additive"`, the paper's.
        score_units: integer or `None`, the `units` of `Alignment`.
        output_units: integer, F, the width of the features that the output layer sees. Defaults to `units`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        embedded: float tensor of shape `(B, T, E)`, the words before each position.
        memory: float tensor of shape `(B, S, M)`, the encoder's states.
        summary: float tensor of shape `(B, N)`, the encoder's final states; its second half, the backward state, starts the decoder.
        memory_mask: boolean tensor of shape `(B, S)`, `True` at real source positions, or `None` for all.

    Returns:
        A pair: the features, `(B, T, F)`, and the attention weights, `(B, T, S)`.

    Raises:
        ValueError: if `cell` or `score` is unknown.

    Example:
        >>> decoder = BahdanauDecoder(6)
        >>> features, weights = decoder(np.ones((2, 4, 3), "float32"), np.ones((2, 5, 6), "float32"), np.ones((2, 6), "float32"))
        >>> features.shape, weights.shape
        (TensorShape([2, 4, 6]), TensorShape([2, 4, 5]))

    References:
        [Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473), section 3.1 and appendix A.
    """

    def __init__(self, units, cell="gru", score="additive", score_units=None, output_units=None, **kwargs):
        super().__init__(units, cell, **kwargs)
        self.alignment = Alignment(score, score_units, dtype=self.dtype_policy, name="alignment")
        self.output_units = output_units or units
        self.output_layer = DeepOutput(self.output_units, dtype=self.dtype_policy, name="output")

    def build(self, embedded_shape, memory_shape, summary_shape):
        super().build(embedded_shape, memory_shape, (None, summary_shape[-1] // 2))
        self.alignment.build((None, None, self.units), memory_shape)
        self.context_to_cell.build(memory_shape)
        self.output_layer.build((None, self.units), memory_shape, embedded_shape)

    def start(self, memory, summary, memory_mask=None):
        # s_0 = tanh(W_s h_1 backward): the state that has read the sentence from its end to its first word
        backward = summary[:, summary.shape[-1] // 2 :]  # (B, N / 2)
        constant, state = super().start(memory, backward, memory_mask)
        return {**constant, "keys": self.alignment.project_keys(memory)}, state

    def advance(self, projection, state, memory):
        # alpha_ti = softmax_i score(s_{t-1}, h_i);  c_t = sum_i alpha_ti h_i
        query = state[0][:, None, :]  # (B, 1, U)
        context, weights = self.alignment.attend(query, memory["keys"], memory["memory"], memory["mask"])
        context, weights = context[:, 0], weights[:, 0]  # (B, M), (B, S)
        # s_t = f(s_{t-1}, y_{t-1}, c_t)
        hidden, state = self.cell.step(projection + self.context_to_cell(context), state)
        return (hidden, context, weights), state

    def features(self, embedded, outputs):
        return self.output_layer(outputs[0], outputs[1], embedded)

    def get_config(self):
        return {**super().get_config(), "score": self.alignment.score, "score_units": self.alignment.units, "output_units": self.output_units}
