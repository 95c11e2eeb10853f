"""The long short-term memory cell with a projection of its output, as ELMo has it."""

import keras
import numpy as np

from keras_richctx.recurrent.lstm_step import lstm_step
from keras_richctx.recurrent.projected_lstm_scan import clip, projected_lstm_scan
from keras_richctx.recurrent.recurrent_cell import RecurrentCell


@keras.saving.register_keras_serializable("keras_richctx")
class ProjectedLSTMCell(RecurrentCell):
    r"""One step of a long short-term memory whose output is projected to fewer numbers, and fed back in that form.

    $$c_t = \mathrm{clip}(f_t \odot c_{t-1} + i_t \odot g_t), \qquad p_t = \mathrm{clip}(W_p\,(o_t \odot \tanh c_t))$$

    with the gates of `lstm_step`, which see $p_{t-1}$ in the place of $h_{t-1}$. A cell of 4,096 units with a projection of 512 multiplies by an eighth of
    the recurrent weights. Run it over time in `keras.layers.RNN`, which also takes care of masks, or by `run`, which trains faster. Without clips it is
    `torch.nn.LSTM` with `proj_size`.

    Args:
        units: integer, U, the width of the cell.
        projection_units: integer, P, the width of the output and of what is fed back.
        cell_clip: positive float, the largest absolute value in the cell, or `None`. Defaults to `None`.
        projection_clip: positive float, the largest absolute value in the output, or `None`. Defaults to `None`.
        use_bias: boolean, whether to add a bias. Defaults to `True`.
        unit_forget_bias: boolean, whether the bias of the forget gate starts one higher than the others. Defaults to `True`.
        forget_bias: float, what is added to the bias of the forget gate at run time, and is no part of the weights, as in the files of ELMo. Defaults to `0.0`.
        kernel_initializer: initializer of the input's weights. Defaults to `"glorot_uniform"`.
        recurrent_initializer: initializer of the state's weights. Defaults to `"orthogonal"`.
        bias_initializer: initializer of the bias. Defaults to `"zeros"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: float tensor of shape `(B, D)`, one step's input.
        states: list of the previous output, `(B, P)`, and the previous cell, `(B, U)`.

    Returns:
        A pair: the output, `(B, P)`, and the list of the new output (the same tensor) and cell.

    Raises:
        ValueError: if a width or a clip is not positive.

    Example:
        >>> encoder = keras.layers.RNN(ProjectedLSTMCell(16, projection_units=4, cell_clip=3.0, projection_clip=3.0), return_sequences=True)
        >>> encoder(np.ones((2, 7, 5))).shape
        TensorShape([2, 7, 4])

    References:
        [Sak et al., 2014](https://arxiv.org/abs/1402.1128), equations 1 to 7, without peepholes; [Peters et al., 2018](https://arxiv.org/abs/1802.05365),
        section 3.4.
    """

    kind = "lstm"
    gates = 4
    state_names = ("hidden", "cell")
    has_scan = False

    def __init__(self, units, projection_units, cell_clip=None, projection_clip=None, unit_forget_bias=True, forget_bias=0.0, **kwargs):
        super().__init__(units, **kwargs)
        if not isinstance(projection_units, int) or projection_units < 1:
            raise ValueError(f"{type(self).__name__} projects to a positive integer of units. Received: projection_units={projection_units!r}")
        for name, limit in (("cell_clip", cell_clip), ("projection_clip", projection_clip)):
            if limit is not None and not limit > 0:
                raise ValueError(f"{name} is a positive number, or None. Received: {name}={limit!r}")
        self.projection_units = projection_units
        self.cell_clip = cell_clip
        self.projection_clip = projection_clip
        self.unit_forget_bias = unit_forget_bias
        self.forget_bias = forget_bias
        self.state_size = [projection_units, units]
        self.output_size = projection_units

    def build(self, input_shape):
        width = self.gates * self.units
        self.kernel = self.add_weight(shape=(input_shape[-1], width), initializer=self.kernel_initializer, name="kernel")
        self.recurrent_kernel = self.add_weight(shape=(self.projection_units, width), initializer=self.recurrent_initializer, name="recurrent_kernel")
        self.bias = self.add_bias(width) if self.use_bias else None
        self.projection_kernel = self.add_weight(shape=(self.units, self.projection_units), initializer=self.kernel_initializer, name="projection_kernel")

    def add_bias(self, width):
        return self.add_bias_with_open_forget_gate(width) if self.unit_forget_bias else super().add_bias(width)

    def project(self, inputs):
        projection = super().project(inputs)
        if self.forget_bias:
            open_gate = np.repeat(np.array([0, self.forget_bias, 0, 0], "float32"), self.units)  # (4 U,)
            projection = projection + keras.ops.cast(open_gate, projection.dtype)
        return projection

    def run(self, sequences, states, mask=None, training=False):
        """Runs over time, with backpropagation through time written out.

        Args:
            sequences: float tensor of shape `(B, T, D)`.
            states: list of the output, `(B, P)`, and the cell, `(B, U)`, before the first step.
            mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all. Pads leave the states as they are, and what stands there, NaN
                too, reaches nothing.
            training: boolean, whether to keep what a derivative needs.

        Returns:
            A pair: the outputs, `(B, T, P)`, which at pads are those before them, and the list of final states.
        """
        sequences = keras.ops.convert_to_tensor(sequences, dtype=self.compute_dtype)
        if mask is not None:
            sequences = keras.ops.where(mask[..., None], sequences, keras.ops.zeros_like(sequences))
        projections = self.project(keras.ops.transpose(sequences, (1, 0, 2)))  # (T, B, 4 U): one product for all steps
        real = None if mask is None else keras.ops.cast(keras.ops.transpose(mask)[..., None], projections.dtype)  # (T, B, 1)
        kernels = [keras.ops.cast(kernel, projections.dtype) for kernel in (self.recurrent_kernel, self.projection_kernel)]
        clips = {"cell_clip": self.cell_clip, "projection_clip": self.projection_clip}
        states = [keras.ops.convert_to_tensor(state, dtype=projections.dtype) for state in states]
        steps = projected_lstm_scan(projections, *states, *kernels, real=real, training=training, **clips)  # (T, B, P + U)
        width, last = self.projection_units, steps[-1]
        return keras.ops.transpose(steps[..., :width], (1, 0, 2)), [last[:, :width], last[:, width:]]

    def update(self, projection, states, recurrent_kernel, keep=None):
        hidden, cell = states
        new = lstm_step(projection, hidden if keep is None else hidden * keep, cell, recurrent_kernel, self.cell_clip)
        # p_t = clip(W_p h_t)
        new["hidden"] = clip(keras.ops.matmul(new["hidden"], self.projection_kernel), self.projection_clip)
        return new

    def get_config(self):
        names = ("projection_units", "cell_clip", "projection_clip", "unit_forget_bias", "forget_bias")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
