"""The decoder that looks after its step."""

import keras

from keras_richctx.attention import Alignment
from keras_richctx.translation.recurrent_decoder import RecurrentDecoder


@keras.saving.register_keras_serializable("keras_richctx")
class LuongDecoder(RecurrentDecoder):
    r"""A recurrent decoder whose new state is the query, and whose attentional vector is fed into the next step.

    $$s_t = f(s_{t-1}, y_{t-1}, \tilde h_{t-1}), \qquad c_t = \sum_i \mathrm{softmax}_i\, \mathrm{score}(s_t, h_i)\, h_i, \qquad
    \tilde h_t = \tanh(W_c [c_t; s_t])$$

    Feeding $\tilde h$ ("input feeding") tells the next step where this one looked. Pads of the source get no weight.

    Args:
        units: integer, U, the width of the state and of the features.
        cell: string, `"gru"`, `"lstm"` or `"rnn"`. Defaults to `"gru"`.
        score: string, one of the scores of `Alignment`. Defaults to `"general"`, which did best in the paper.
        score_units: integer or `None`, the `units` of `Alignment`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        embedded: float tensor of shape `(B, T, E)`, the words before each position.
        memory: float tensor of shape `(B, S, M)`, the encoder's states.
        summary: float tensor of shape `(B, N)`, the encoder's final states.
        memory_mask: boolean tensor of shape `(B, S)`, `True` at real source positions, or `None` for all.

    Returns:
        A pair: the features $\tilde h$, `(B, T, U)`, and the attention weights, `(B, T, S)`.

    Raises:
        ValueError: if `cell` or `score` is unknown.

    Example:
        >>> decoder = LuongDecoder(6)
        >>> features, weights = decoder(np.ones((2, 4, 3), "float32"), np.ones((2, 5, 6), "float32"), np.ones((2, 6), "float32"))
        >>> features.shape, weights.shape
        (TensorShape([2, 4, 6]), TensorShape([2, 4, 5]))

    References:
        [Luong et al., 2015](https://arxiv.org/abs/1508.04025), sections 3.1 and 3.3.
    """

    def __init__(self, units, cell="gru", score="general", score_units=None, **kwargs):
        super().__init__(units, cell, **kwargs)
        self.output_units = units
        self.alignment = Alignment(score, score_units, dtype=self.dtype_policy, name="alignment")
        self.attentional = keras.layers.Dense(units, activation="tanh", use_bias=False, dtype=self.dtype_policy, name="attentional")

    def build(self, embedded_shape, memory_shape, summary_shape):
        super().build(embedded_shape, memory_shape, summary_shape)
        self.alignment.build((None, None, self.units), memory_shape)
        self.context_to_cell.build((None, self.units))
        self.attentional.build((None, memory_shape[-1] + self.units))

    def start(self, memory, summary, memory_mask=None):
        constant, state = super().start(memory, summary, memory_mask)
        nothing_yet = keras.ops.zeros_like(state[0])  # (B, U): no attentional vector before the first step
        return {**constant, "keys": self.alignment.project_keys(memory)}, [*state, nothing_yet]

    def advance(self, projection, state, memory):
        *state, attentional = state
        # s_t = f(s_{t-1}, y_{t-1}, h~_{t-1})
        hidden, state = self.cell.step(projection + self.context_to_cell(attentional), state)
        # c_t = sum_i softmax_i score(s_t, h_i) h_i
        context, weights = self.alignment.attend(hidden[:, None, :], memory["keys"], memory["memory"], memory["mask"])
        context, weights = context[:, 0], weights[:, 0]  # (B, M), (B, S)
        # h~_t = tanh(W_c [c_t; s_t])
        attentional = self.attentional(keras.ops.concatenate([context, hidden], axis=-1))
        return (attentional, context, weights), [*state, attentional]

    def features(self, embedded, outputs):
        return outputs[0]

    def get_config(self):
        return {**super().get_config(), "score": self.alignment.score, "score_units": self.alignment.units}
