"""What the recurrent decoders share: one step of a cell that also sees a context, and the loop over it."""

import keras

from keras_richctx.recurrent import GRUCell, LSTMCell, RNNCell, loop

CELLS = {"gru": GRUCell, "lstm": LSTMCell, "rnn": RNNCell}


class RecurrentDecoder(keras.layers.Layer):
    """Base of the decoders: says what comes next, given the words so far and the encoder's memory.

    A subclass defines `advance`, one step in time; training (`call`) runs it over all positions of the known target, decoding (`start`, `step`) word by
    word. Both go through the same function.

    Args:
        units: integer, U, the width of the state.
        cell: string, `"gru"`, `"lstm"` or `"rnn"`. Defaults to `"gru"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.
    """

    attends_in = "call"  # step by step in there, in a loop: the weights of all steps come out of it together

    def __init__(self, units, cell="gru", **kwargs):
        super().__init__(**kwargs)
        if cell not in CELLS:
            raise ValueError(f"Unknown recurrent cell. Received: cell={cell!r}. Choose one of {', '.join(CELLS)}.")
        self.units = units
        self.cell_name = cell
        self.supports_masking = True
        self.cell = CELLS[cell](units, dtype=self.dtype_policy, name="cell")
        self.initial = [keras.layers.Dense(units, activation="tanh", dtype=self.dtype_policy, name=f"initial_{i}") for i in range(len(self.cell.state_names))]
        # W [y; c] is one matrix over the concatenation, or two side by side: the one for y is the cell's kernel, this is the one for c
        self.context_to_cell = keras.layers.Dense(self.cell.gates * units, use_bias=False, dtype=self.dtype_policy, name="context_to_cell")

    def build(self, embedded_shape, memory_shape, summary_shape):
        self.cell.build((embedded_shape[0], embedded_shape[-1]))
        for dense in self.initial:
            dense.build(summary_shape)

    def call(self, embedded, memory, summary, memory_mask=None):
        """Runs over a known target; returns the features, `(B, T, U)`, and the attention weights, `(B, T, S)`, or `()` without attention."""
        memory, state = self.start(memory, summary, memory_mask)
        projection = self.cell.project(embedded)  # (B, T, gates * U): the target's part, for all steps at once
        outputs, _ = loop(lambda p, s: self.advance(p, s, memory), projection, state)
        return self.features(embedded, outputs), _weights(outputs)

    def attention_of(self, result, *args, **kwargs):
        """Shows where `call`, which gave `result`, looks, for `krc.attention_maps`: a dict of `weights`, `(B, 1, T, S)`, or `None` without attention."""
        weights = result[1]
        return None if isinstance(weights, tuple) else {"weights": weights[:, None]}

    def compute_mask(self, embedded, previous_mask):
        return None, None

    def start(self, memory, summary, memory_mask=None):
        """Prepares decoding; returns what stays the same for all steps (a dict), and the first state (a list of tensors `(B, U)`)."""
        # s_0 = tanh(W h), from the encoder's final states
        return {"memory": memory, "summary": summary, "mask": memory_mask}, [dense(summary) for dense in self.initial]

    def step(self, embedded, state, memory):
        """Takes one step from the embedded last word, `(B, E)`; returns the features, `(B, U)`, the attention weights, `(B, S)` or `()`, and the new state."""
        outputs, state = self.advance(self.cell.project(embedded), state, memory)
        return self.features(embedded, outputs), _weights(outputs), state

    def advance(self, projection, state, memory):
        """One step in time.

        Args:
            projection: float tensor of shape `(B, gates * U)`, the cell's products with the embedded last word.
            state: list of tensors of shape `(B, U)`.
            memory: dict, from `start`.

        Returns:
            A pair: a tuple of this step's hidden state `(B, U)`, context, and, with attention, weights `(B, S)`; and the list of new states.
        """
        raise NotImplementedError

    def features(self, embedded, outputs):
        """Joins what the output layer sees, at one position or at all of them: `(..., U)`."""
        raise NotImplementedError

    def get_config(self):
        return {**super().get_config(), "units": self.units, "cell": self.cell_name}


def _weights(outputs):
    """The attention weights among what `advance` put out; without attention an empty tuple, since no symbolic output can be `None`."""
    return outputs[2] if len(outputs) > 2 else ()
