"""Two stacks of LSTMs over the same words, one reading from the beginning and one from the end."""

import keras

from keras_richctx.elmo.projected_lstm_stack import ProjectedLSTMStack
from keras_richctx.ops.masks import as_mask


@keras.saving.register_keras_serializable("keras_richctx")
class BiLM(keras.layers.Layer):
    r"""The recurrent part of a bidirectional language model: what each of L layers knows of the words before a position, and of those behind it.

    $$h^l_t = [\overrightarrow{h}^l_t;\, \overleftarrow{h}^l_t], \qquad \overrightarrow{h}^l = \overrightarrow{\mathrm{Stack}}(x_{1 \dots T}), \qquad
    \overleftarrow{h}^l = \overleftarrow{\mathrm{Stack}}(x_{T \dots 1})$$

    The two directions share their input and nothing else: neither sees a layer of the other, so that each could be trained to foretell the next word of its
    own way. Pads change nothing, wherever they stand, and put out zeros.

    Args:
        num_layers: integer, L. Defaults to `2`.
        units: integer, U, the width of the cells. Defaults to `4096`.
        projection_units: integer, P, the width of each direction's output. Defaults to `512`.
        cell_clip: positive float or `None`. Defaults to `3.0`.
        projection_clip: positive float or `None`. Defaults to `3.0`.
        skip_connections: boolean. Defaults to `True`.
        dropout: float, the share of each layer's input features that are dropped in training. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        sequences: float tensor of shape `(B, T, D)`.
        mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
        state: list of 4 L tensors: those of the forward stack, then those of the backward stack, or `None` for zeros.
        return_state: boolean, whether to return the final state too. Defaults to `False`.
        training: boolean, whether dropout is on.

    Returns:
        A float tensor of shape `(B, L, T, 2 * P)`; with `return_state` a pair of it and the list of final states.

    Example:
        >>> BiLM(2, units=6, projection_units=4)(np.ones((3, 7, 5))).shape
        TensorShape([3, 2, 7, 8])

    References:
        [Peters et al., 2018](https://arxiv.org/abs/1802.05365), section 3.1.
    """

    def __init__(self, num_layers=2, units=4096, projection_units=512, cell_clip=3.0, projection_clip=3.0, skip_connections=True, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.num_layers = num_layers
        self.units = units
        self.projection_units = projection_units
        self.cell_clip = cell_clip
        self.projection_clip = projection_clip
        self.skip_connections = skip_connections
        self.dropout_rate = dropout
        self.supports_masking = True
        options = {"cell_clip": cell_clip, "projection_clip": projection_clip, "skip_connections": skip_connections, "dropout": dropout}
        self.forward_stack, self.backward_stack = (
            ProjectedLSTMStack(num_layers, units, projection_units, name=name, dtype=self.dtype_policy, **options)
            for name in ("forward_stack", "backward_stack")
        )

    def build(self, input_shape):
        self.forward_stack.build(input_shape)
        self.backward_stack.build(input_shape)

    def initial_state(self, batch_size):
        """Returns zeros: a list of 4 L tensors."""
        return [*self.forward_stack.initial_state(batch_size), *self.backward_stack.initial_state(batch_size)]

    def call(self, sequences, mask=None, state=None, return_state=False, training=False):
        mask = None if mask is None else as_mask(mask)
        half = 2 * self.num_layers
        forward, after = self.forward_stack(sequences, state=None if state is None else state[:half], mask=mask, training=training)
        # turned round, pads at the end stand before the first word, where they leave the state as it is
        turned, turned_mask = keras.ops.flip(sequences, axis=1), None if mask is None else keras.ops.flip(mask, axis=1)
        backward, after_backward = self.backward_stack(turned, state=None if state is None else state[half:], mask=turned_mask, training=training)
        # h^l = [forward; backward]
        layers = [keras.ops.concatenate([f, keras.ops.flip(b, axis=1)], axis=-1) for f, b in zip(forward, backward)]  # (B, T, 2 P) each
        layers = keras.ops.stack(layers, axis=1)  # (B, L, T, 2 P)
        if mask is not None:
            layers = keras.ops.where(mask[:, None, :, None], layers, keras.ops.zeros_like(layers))
        return (layers, [*after, *after_backward]) if return_state else layers

    def compute_mask(self, sequences, previous_mask):
        return None  # who needs the mask has it

    def compute_output_spec(self, sequences, mask=None, state=None, return_state=False, training=False):
        batch, length = sequences.shape[:2]
        layers = keras.KerasTensor((batch, self.num_layers, length, 2 * self.projection_units), dtype=self.compute_dtype)
        widths = [width for _ in range(2 * self.num_layers) for width in (self.projection_units, self.units)]
        states = [keras.KerasTensor((batch, width), dtype=self.compute_dtype) for width in widths]
        return (layers, states) if return_state else layers

    def get_config(self):
        names = ("num_layers", "units", "projection_units", "cell_clip", "projection_clip", "skip_connections")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}, "dropout": self.dropout_rate}
