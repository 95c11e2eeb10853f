"""What the three cells share: two weight matrices and a bias, and one product for the input of all steps."""

import keras


class RecurrentCell(keras.layers.Layer):
    """Base of the cells: holds the weights of `gates` maps of the input and of the state, in the layout of Keras' own cells.

    A subclass says how many maps it has (`gates`), how many state vectors (`states`), and what one `step` computes from them.

    Args:
        units: integer, U, the width of the hidden state.
        use_bias: boolean, whether to add a bias. Defaults to `True`.
        kernel_initializer: initializer of the input's weights. Defaults to `"glorot_uniform"`.
        recurrent_initializer: initializer of the state's weights. Defaults to `"orthogonal"`.
        bias_initializer: initializer of the bias. Defaults to `"zeros"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.
    """

    gates = 1
    states = 1

    def __init__(
        self,
        units,
        use_bias=True,
        kernel_initializer="glorot_uniform",
        recurrent_initializer="orthogonal",
        bias_initializer="zeros",
        **kwargs,
    ):
        super().__init__(**kwargs)
        if not isinstance(units, int) or units < 1:
            raise ValueError(f"{type(self).__name__} needs a positive integer of units. Received: units={units!r}")
        self.units = units
        self.use_bias = use_bias
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(recurrent_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.state_size = units if self.states == 1 else [units] * self.states
        self.output_size = units

    def build(self, input_shape):
        width = self.gates * self.units
        self.kernel = self.add_weight(shape=(input_shape[-1], width), initializer=self.kernel_initializer, name="kernel")
        self.recurrent_kernel = self.add_weight(shape=(self.units, width), initializer=self.recurrent_initializer, name="recurrent_kernel")
        self.bias = self.add_bias(width) if self.use_bias else None

    def add_bias(self, width):
        return self.add_weight(shape=(width,), initializer=self.bias_initializer, name="bias")

    def project(self, inputs):
        """Multiplies the input, `(B, D)` or all steps at once `(B, T, D)`, by its weights and adds the bias: `(..., gates * U)`."""
        projection = keras.ops.matmul(inputs, self.kernel)
        return projection if self.bias is None else projection + keras.ops.cast(self.bias, projection.dtype)

    def step(self, projection, states):
        """Takes one step in time.

        Args:
            projection: float tensor of shape `(B, gates * U)`, what `project` made of this step's input.
            states: list of the state's tensors, `(B, U)` each.

        Returns:
            A pair: the output, `(B, U)`, and the list of new states.
        """
        raise NotImplementedError

    def call(self, inputs, states):
        # one tensor in, one tensor out, as Keras' cells: a list only where the caller has a list
        nested = isinstance(states, (list, tuple))
        output, new_states = self.step(self.project(inputs), list(states) if nested else [states])
        return output, new_states if nested else new_states[0]

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "use_bias": self.use_bias,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "recurrent_initializer": keras.initializers.serialize(self.recurrent_initializer),
            "bias_initializer": keras.initializers.serialize(self.bias_initializer),
        }
