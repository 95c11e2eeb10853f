"""The long short-term memory cell with a projection of its output, as ELMo has it."""

import keras

from keras_richctx.recurrent.lstm_step import lstm_step
from keras_richctx.recurrent.recurrent_cell import RecurrentCell


@keras.saving.register_keras_serializable("keras_richctx")
class ProjectedLSTMCell(RecurrentCell):
    r"""One step of a long short-term memory whose output is projected to fewer numbers, and fed back in that form.

    $$c_t = \mathrm{clip}(f_t \odot c_{t-1} + i_t \odot g_t), \qquad p_t = \mathrm{clip}(W_p\,(o_t \odot \tanh c_t))$$

    with the gates of `lstm_step`, which see $p_{t-1}$ in the place of $h_{t-1}$. A cell of 4,096 units with a projection of 512 multiplies by an eighth of
    the recurrent weights. Run it over time in `keras.layers.RNN`, which also takes care of masks. Without clips it is `torch.nn.LSTM` with `proj_size`.

    Args:
        units: integer, U, the width of the cell.
        projection_units: integer, P, the width of the output and of what is fed back.
        cell_clip: positive float, the largest absolute value in the cell, or `None`. Defaults to `None`.
        projection_clip: positive float, the largest absolute value in the output, or `None`. Defaults to `None`.
        use_bias: boolean, whether to add a bias. Defaults to `True`.
        unit_forget_bias: boolean, whether the bias of the forget gate starts one higher than the others. Defaults to `True`.
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

    def __init__(self, units, projection_units, cell_clip=None, projection_clip=None, unit_forget_bias=True, **kwargs):
        super().__init__(units, **kwargs)
        if not isinstance(projection_units, int) or projection_units < 1:
            raise ValueError(f"{type(self).__name__} projects to a positive integer of units. Received: projection_units={projection_units!r}")
        for name, clip in (("cell_clip", cell_clip), ("projection_clip", projection_clip)):
            if clip is not None and not clip > 0:
                raise ValueError(f"{name} is a positive number, or None. Received: {name}={clip!r}")
        self.projection_units = projection_units
        self.cell_clip = cell_clip
        self.projection_clip = projection_clip
        self.unit_forget_bias = unit_forget_bias
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

    def update(self, projection, states, recurrent_kernel, keep=None):
        hidden, cell = states
        new = lstm_step(projection, hidden if keep is None else hidden * keep, cell, recurrent_kernel, self.cell_clip)
        # p_t = clip(W_p h_t)
        new["hidden"] = keras.ops.matmul(new["hidden"], self.projection_kernel)
        if self.projection_clip is not None:
            new["hidden"] = keras.ops.clip(new["hidden"], -self.projection_clip, self.projection_clip)
        return new

    def get_config(self):
        names = ("projection_units", "cell_clip", "projection_clip", "unit_forget_bias")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
