"""The encoder of a recurrent translation model."""

import keras

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

LAYERS = {"gru": GRU, "lstm": LSTM, "rnn": SimpleRNN}


@keras.saving.register_keras_serializable("keras_richctx")
class RecurrentEncoder(keras.layers.Layer):
    r"""Reads a sentence in both directions: what stands at position $i$, in the light of the whole.

    $$h_i = [\overrightarrow h_i; \overleftarrow h_i]$$

    Pads change nothing at real positions: the backward direction starts at the last of them. What stands at pads themselves is for the mask to hide.

    Args:
        units: even integer, U, the width of $h_i$: half of it for each direction.
        cell: string, `"gru"`, `"lstm"` or `"rnn"`. Defaults to `"gru"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        embedded: float tensor of shape `(B, S, E)`.
        mask: boolean tensor of shape `(B, S)`, `True` at real positions, or `None` for all.

    Returns:
        A pair: the states of all positions, `(B, S, U)`, and the final states of both directions side by side, `(B, U)`: the sentence in one vector.

    Raises:
        ValueError: if `units` is not an even positive integer, or `cell` unknown.

    Example:
        >>> memory, summary = RecurrentEncoder(8)(np.ones((2, 5, 3), "float32"))
        >>> memory.shape, summary.shape
        (TensorShape([2, 5, 8]), TensorShape([2, 8]))

    References:
        [Schuster and Paliwal, 1997](https://doi.org/10.1109/78.650093); [Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473), section 3.2.
    """

    def __init__(self, units, cell="gru", **kwargs):
        super().__init__(**kwargs)
        if cell not in LAYERS:
            raise ValueError(f"Unknown recurrent cell. Received: cell={cell!r}. Choose one of {', '.join(LAYERS)}.")
        if not isinstance(units, int) or units < 2 or units % 2:
            raise ValueError(f"The encoder gives half of its units to each direction, so they are an even positive integer. Received: units={units!r}")
        self.units = units
        self.cell = cell
        self.supports_masking = True
        self.directions = keras.layers.Bidirectional(
            LAYERS[cell](units // 2, return_sequences=True, return_state=True, dtype=self.dtype_policy), dtype=self.dtype_policy, name="directions"
        )

    def build(self, embedded_shape):
        self.directions.build(embedded_shape)

    def call(self, embedded, mask=None):
        # h_i = [h_i forward; h_i backward]
        memory, *states = self.directions(embedded, mask=mask)  # (B, S, U); the states of both directions, (B, U / 2) each
        forward, backward = states[0], states[len(states) // 2]  # of an LSTM: the hidden states, not the cells
        return memory, keras.ops.concatenate([forward, backward], axis=-1)

    def compute_mask(self, embedded, mask=None):
        return mask, None

    def compute_output_shape(self, embedded_shape):
        return (*embedded_shape[:-1], self.units), (embedded_shape[0], self.units)

    def get_config(self):
        return {**super().get_config(), "units": self.units, "cell": self.cell}
