"""A stack of projected LSTMs that reads in one direction: half of a biLM."""

import keras

from keras_richctx.ops.masks import as_mask
from keras_richctx.recurrent import ProjectedLSTMCell


@keras.saving.register_keras_serializable("keras_richctx")
class ProjectedLSTMStack(keras.layers.Layer):
    r"""Layers of long short-term memories with projections, each reading what the one below put out, with its input added to its output from the second on.

    $$h^l_t = \mathrm{LSTM}^l(h^{l-1}_t,\, h^l_{t-1}) + [\,l > 1\,]\; h^{l-1}_t$$

    Pads leave the states as they are, wherever they stand, and what stands there reaches nothing.

    Args:
        num_layers: integer, L.
        units: integer, U, the width of the cells.
        projection_units: integer, P, the width of what a layer puts out.
        cell_clip: positive float, the largest absolute value in a cell, or `None`. Defaults to `None`.
        projection_clip: positive float, the largest absolute value that a layer puts out (before the sum), or `None`. Defaults to `None`.
        skip_connections: boolean, whether the input of a layer is added to its output, from the second layer on. Defaults to `True`.
        forget_bias: float, added to the bias of the forget gates at run time. Defaults to `1.0`.
        dropout: float, the share of each layer's input features that are dropped in training. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        sequences: float tensor of shape `(B, T, D)`.
        state: list of 2 L tensors, the outputs `(B, P)` and the cells `(B, U)` of each layer in turn, or `None` for zeros.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
        training: boolean, whether dropout is on.

    Returns:
        A pair: a list of L float tensors of shape `(B, T, P)`, what each layer puts out (at pads its last real output), and the list of final states.

    Raises:
        ValueError: if a number is out of its range.

    Example:
        >>> outputs, state = ProjectedLSTMStack(2, units=6, projection_units=4)(np.ones((3, 7, 5)))
        >>> len(outputs), outputs[1].shape, len(state)
        (2, TensorShape([3, 7, 4]), 4)

    References:
        [Peters et al., 2018](https://arxiv.org/abs/1802.05365), section 3.4.
    """

    def __init__(
        self,
        num_layers,
        units,
        projection_units,
        cell_clip=None,
        projection_clip=None,
        skip_connections=True,
        forget_bias=1.0,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if not isinstance(num_layers, int) or num_layers < 1:
            raise ValueError(f"num_layers is a positive integer. Received: num_layers={num_layers!r}")
        self.num_layers = num_layers
        self.units = units
        self.projection_units = projection_units
        self.cell_clip = cell_clip
        self.projection_clip = projection_clip
        self.skip_connections = skip_connections
        self.forget_bias = forget_bias
        self.dropout_rate = dropout
        self.supports_masking = True
        cell = {"cell_clip": cell_clip, "projection_clip": projection_clip, "unit_forget_bias": False, "forget_bias": forget_bias}
        cell |= {"recurrent_initializer": "glorot_uniform", "dtype": self.dtype_policy}
        self.cells = [ProjectedLSTMCell(units, projection_units, name=f"cell_{i}", **cell) for i in range(num_layers)]
        self.dropout = keras.layers.Dropout(dropout, name="dropout", dtype=self.dtype_policy)

    def build(self, input_shape):
        width = input_shape[-1]
        for cell in self.cells:
            cell.build((None, width))
            width = self.projection_units

    def initial_state(self, batch_size):
        """Returns zeros: a list of 2 L tensors, `(B, P)` and `(B, U)` in turn."""
        return [keras.ops.zeros((batch_size, width), dtype=self.compute_dtype) for _ in self.cells for width in (self.projection_units, self.units)]

    def call(self, sequences, state=None, mask=None, training=False):
        mask = None if mask is None else as_mask(mask)
        state = list(self.initial_state(keras.ops.shape(sequences)[0]) if state is None else state)
        x, outputs, after = sequences, [], []
        for index, cell in enumerate(self.cells):
            y, final = cell.run(self.dropout(x, training=training), state[2 * index : 2 * index + 2], mask, bool(training))  # (B, T, P)
            # h^l = LSTM^l(h^{l-1}) + h^{l-1}
            x = y + x if self.skip_connections and index > 0 else y
            outputs.append(x)
            after += final
        return outputs, after

    def compute_mask(self, sequences, previous_mask):
        return None  # who needs the mask has it

    def compute_output_spec(self, sequences, state=None, mask=None, training=False):
        batch, length = sequences.shape[:2]
        outputs = [keras.KerasTensor((batch, length, self.projection_units), dtype=self.compute_dtype) for _ in self.cells]
        widths = [width for _ in self.cells for width in (self.projection_units, self.units)]
        return outputs, [keras.KerasTensor((batch, width), dtype=self.compute_dtype) for width in widths]

    def get_config(self):
        names = ("num_layers", "units", "projection_units", "cell_clip", "projection_clip", "skip_connections", "forget_bias")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}, "dropout": self.dropout_rate}
