"""The decoder without attention: the whole source in one vector."""

import keras

from keras_richctx.translation.deep_output import DeepOutput
from keras_richctx.translation.recurrent_decoder import RecurrentDecoder


@keras.saving.register_keras_serializable("keras_richctx")
class FixedContextDecoder(RecurrentDecoder):
    r"""A recurrent decoder that sees the source through one vector $c$, the same at each step: $s_t = f(s_{t-1}, y_{t-1}, c)$.

    It is the bottleneck that attention removes: however long the source, all of it has to pass through $c$.

    Args:
        units: integer, U, the width of the state.
        output_units: integer, F, the width of the features that the output layer sees. Defaults to `units`.
        cell: string, `"gru"`, `"lstm"` or `"rnn"`. Defaults to `"gru"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        embedded: float tensor of shape `(B, T, E)`, the words before each position.
        memory: float tensor of shape `(B, S, M)`; not looked at.
        summary: float tensor of shape `(B, N)`, the encoder's final states: the context.
        memory_mask: boolean tensor of shape `(B, S)`; not looked at.

    Returns:
        A pair: the features, `(B, T, F)`, and an empty tuple in place of the attention weights that it does not have.

    Raises:
        ValueError: if `cell` is unknown.

    Example:
        >>> decoder = FixedContextDecoder(6)
        >>> features, _ = decoder(np.ones((2, 4, 3), "float32"), np.ones((2, 5, 6), "float32"), np.ones((2, 6), "float32"))
        >>> features.shape
        TensorShape([2, 4, 6])

    References:
        [Cho et al., 2014](https://arxiv.org/abs/1406.1078); [Sutskever et al., 2014](https://arxiv.org/abs/1409.3215).
    """

    def __init__(self, units, cell="gru", output_units=None, **kwargs):
        super().__init__(units, cell, **kwargs)
        self.output_units = output_units or units
        self.output_layer = DeepOutput(self.output_units, dtype=self.dtype_policy, name="output")

    def build(self, embedded_shape, memory_shape, summary_shape):
        super().build(embedded_shape, memory_shape, summary_shape)
        self.context_to_cell.build(summary_shape)
        self.output_layer.build((None, self.units), summary_shape, embedded_shape)

    def advance(self, projection, state, memory):
        # s_t = f(s_{t-1}, y_{t-1}, c)
        hidden, state = self.cell.step(projection + self.context_to_cell(memory["summary"]), state)
        return (hidden, memory["summary"]), state

    def features(self, embedded, outputs):
        return self.output_layer(*outputs, embedded)

    def get_config(self):
        return {**super().get_config(), "output_units": self.output_units}
