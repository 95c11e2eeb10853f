"""What the three cells share: two weight matrices and a bias, and one product for the input of all steps."""

import keras


class RecurrentCell(keras.layers.Layer):
    """Base of the cells: holds the weights of `gates` maps of the input and of the state, in the layout of Keras' own cells.

    A subclass says its `kind`, how many maps it has (`gates`), what its states are called (`state_names`), and what one `update` computes from them; with
    `has_scan` it also runs all steps at once.

    Args:
        units: integer, U, the width of the hidden state.
        use_bias: boolean, whether to add a bias. Defaults to `True`.
        kernel_initializer: initializer of the input's weights. Defaults to `"glorot_uniform"`.
        recurrent_initializer: initializer of the state's weights. Defaults to `"orthogonal"`.
        bias_initializer: initializer of the bias. Defaults to `"zeros"`.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.
    """

    kind = None
    gates = 1
    state_names = ("hidden",)
    has_scan = True

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
        self.state_size = units if len(self.state_names) == 1 else [units] * len(self.state_names)
        self.output_size = units

    def build(self, input_shape):
        width = self.gates * self.units
        self.kernel = self.add_weight(shape=(input_shape[-1], width), initializer=self.kernel_initializer, name="kernel")
        self.recurrent_kernel = self.add_weight(shape=(self.units, width), initializer=self.recurrent_initializer, name="recurrent_kernel")
        self.bias = self.add_bias(width) if self.use_bias else None

    def add_bias(self, width):
        return self.add_weight(shape=(width,), initializer=self.bias_initializer, name="bias")

    def add_bias_with_open_forget_gate(self, width):
        """Adds a bias whose second map of four starts one higher than the others."""

        def initializer(shape, dtype=None):
            bias = self.bias_initializer(shape, dtype=dtype)
            forget = keras.ops.arange(width) // self.units == 1  # (4 U,)
            return bias + keras.ops.cast(forget, bias.dtype)

        return self.add_weight(shape=(width,), initializer=initializer, name="bias")

    def project(self, inputs):
        """Multiplies the input, `(B, D)` or all steps at once `(B, T, D)`, by its weights and adds the bias: `(..., gates * U)`."""
        projection = keras.ops.matmul(inputs, self.kernel)
        return projection if self.bias is None else projection + keras.ops.cast(self.bias, projection.dtype)

    def bias_or_zeros(self):
        """The bias, or zeros in its place, `(gates * U,)`."""
        return keras.ops.zeros((self.gates * self.units,)) if self.bias is None else self.bias

    def update(self, projection, states, recurrent_kernel, keep=None):
        """Computes everything of one step.

        Args:
            projection: float tensor of shape `(B, gates * U)`, what `project` made of this step's input.
            states: list of the state's tensors, `(B, U)` each.
            recurrent_kernel: float tensor of shape `(U, gates * U)`.
            keep: float tensor of shape `(B, U)`, what the hidden state is multiplied by before the products, or `None`.

        Returns:
            A dict of float tensors of shape `(B, U)`, the new states by `state_names` among them.
        """
        raise NotImplementedError

    def scan(self, inputs, states, recurrent_kernel, keep, real, training):
        """Runs all steps at once, vectors in columns.

        Args:
            inputs: float tensor of shape `(T, D, B)`.
            states: list of the state's tensors, `(U, B)` each.
            recurrent_kernel: float tensor of shape `(U, gates * U)`.
            keep: float tensor of shape `(U, B)`, or `None`.
            real: float tensor of shape `(T, 1, B)`, positive at real positions, or `None`.
            training: boolean, whether to keep what a derivative needs.

        Returns:
            A float tensor of shape `(T, states * U, B)`, the states one below the other.
        """
        raise NotImplementedError

    def step(self, projection, states):
        """Takes one step in time.

        Args:
            projection: float tensor of shape `(B, gates * U)`, what `project` made of this step's input.
            states: list of the state's tensors, `(B, U)` each.

        Returns:
            A pair: the output, `(B, U)`, and the list of new states.
        """
        new = self.update(projection, states, self.recurrent_kernel)
        return new["hidden"], [new[name] for name in self.state_names]

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
