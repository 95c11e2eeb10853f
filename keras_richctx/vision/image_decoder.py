"""The captioning decoders without attention: the picture is one vector."""

import keras

from keras_richctx.translation.recurrent_decoder import RecurrentDecoder

INJECTIONS = ("initial", "every_step")


@keras.saving.register_keras_serializable("keras_richctx")
class ImageDecoder(RecurrentDecoder):
    r"""A recurrent decoder that is given a picture as one vector $v$, before its first step or at each of them.

    With `inject="initial"` the picture makes the first state, and no later step sees it again; with `"every_step"` it is added at each one, to a first state of
    zeros:

    $$h_0 = \tanh(W_0 v + b_0), \quad h_t = f(y_{t-1}, h_{t-1}) \qquad \text{or} \qquad h_0 = 0, \quad h_t = f(y_{t-1}, h_{t-1}, v)$$

    For a plain recurrent cell the second is $h_t = \tanh(W_{xh} y_{t-1} + W_{hh} h_{t-1} + W_{ih} v + b)$.

    Args:
        units: integer, U, the width of the state, which is what the output layer sees.
        cell: string, `"gru"`, `"lstm"` or `"rnn"`. Defaults to `"gru"`.
        inject: string, `"initial"` or `"every_step"`. Defaults to `"initial"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        embedded: float tensor of shape `(B, T, E)`, the words before each position.
        memory: float tensor of shape `(B, S, M)`, the cells of the picture's grid; not looked at.
        summary: float tensor of shape `(B, N)`, the picture $v$.
        memory_mask: `None`, or a boolean tensor of shape `(B, S)`; not looked at.

    Returns:
        A pair: the states, `(B, T, U)`, and an empty tuple in place of the attention weights that it does not have.

    Raises:
        ValueError: if `cell` or `inject` is unknown.

    Example:
        >>> decoder = ImageDecoder(6, inject="every_step")
        >>> states, _ = decoder(np.ones((2, 4, 3), "float32"), np.ones((2, 9, 5), "float32"), np.ones((2, 5), "float32"))
        >>> states.shape
        TensorShape([2, 4, 6])

    References:
        [Vinyals et al., 2015](https://arxiv.org/abs/1411.4555); [Mao et al., 2015](https://arxiv.org/abs/1412.6632), who add the picture at each step.
    """

    def __init__(self, units, cell="gru", inject="initial", **kwargs):
        super().__init__(units, cell, **kwargs)
        if inject not in INJECTIONS:
            raise ValueError(f"A picture goes into the first state or into each step. Received: inject={inject!r}. Choose one of {', '.join(INJECTIONS)}.")
        self.inject = inject
        self.output_units = units
        if inject == "initial":
            self.context_to_cell = None
        else:
            self.initial = []

    def build(self, embedded_shape, memory_shape, summary_shape):
        super().build(embedded_shape, memory_shape, summary_shape)
        if self.context_to_cell is not None:
            self.context_to_cell.build(summary_shape)

    def start(self, memory, summary, memory_mask=None):
        constant, state = super().start(memory, summary, memory_mask)
        if self.inject == "initial":
            return constant, state  # h_0 = tanh(W_0 v + b_0)
        # W_ih v is the same at each step; h_0 = 0
        image = self.context_to_cell(summary)  # (B, gates * U)
        return {"image": image}, [keras.ops.zeros_like(image[:, : self.units]) for _ in self.cell.state_names]

    def advance(self, projection, state, memory):
        # h_t = f(y_{t-1}, h_{t-1}, v): what the cell multiplies, plus W_ih v
        hidden, state = self.cell.step(projection + memory["image"] if self.inject == "every_step" else projection, state)
        return (hidden,), state

    def features(self, embedded, outputs):
        return outputs[0]

    def get_config(self):
        return {**super().get_config(), "inject": self.inject}
