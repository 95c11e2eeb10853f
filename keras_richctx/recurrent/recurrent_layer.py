"""What the recurrent layers share: one recurrence, three ways to compute it, and what can be seen inside."""

import collections
import contextlib

import keras

from keras_richctx.ops.compact import from_front, to_front
from keras_richctx.ops.loop import loop
from keras_richctx.ops.masks import as_mask
from keras_richctx.recurrent.columns import from_columns, to_columns
from keras_richctx.recurrent.fused import has_kernel, is_traced_for_xla, run_kernel
from keras_richctx.recurrent.torch_weights import from_torch_weights
from keras_richctx.recurrent.traces import is_recording, record, recording

SWITCHES = ("return_sequences", "return_state", "go_backwards", "stateful", "zero_output_for_mask")


class RecurrentLayer(keras.layers.RNN):
    """Base of the recurrent layers: `keras.layers.RNN` around a cell of ours.

    A subclass names its `cell_class`; the arguments of the cell are arguments of the layer. There are three ways from the input to the states, with one
    result: the backend's fused kernel (`fused.py`), the cell's scan, which XLA compiles and whose gradient is written out (`lstm_scan.py` and the like), and
    the plain loop over the cell's `step`, which every value can be watched in. The layer takes the first that can be taken.

    Args:
        units: integer, U, the width of the hidden state.
        return_sequences: boolean, whether to return the output of every step or of the last one only. Defaults to `False`.
        return_state: boolean, whether to return the final state beside the output. Defaults to `False`.
        go_backwards: boolean, whether to read from the end; the outputs then come in that order. Defaults to `False`.
        stateful: boolean, whether each batch starts from the final state of the one before it. Defaults to `False`.
        zero_output_for_mask: boolean, whether to put out zeros at masked positions instead of repeating the output before them. Defaults to `False`.
        dropout: float, the share of input features that are dropped in training, the same at all steps. Defaults to `0.0`.
        recurrent_dropout: float, the share of the hidden state that is dropped before each product, the same at all steps. Defaults to `0.0`.
        weight_dropout: float, the share of the recurrent weights that are dropped in training, the same at all steps (DropConnect). Defaults to `0.0`.
        learn_initial_state: boolean, whether the state before the first step is a weight rather than zero. Defaults to `False`.
        use_cudnn: `"auto"` or `False`, whether a fused kernel of the backend may be used. Defaults to `"auto"`.
        seed: integer, the seed of the dropout, or `None`.
        **kwargs: arguments of the cell, and of `keras.layers.Layer`.
    """

    cell_class = None

    def __init__(
        self,
        units,
        return_sequences=False,
        return_state=False,
        go_backwards=False,
        stateful=False,
        zero_output_for_mask=False,
        dropout=0.0,
        recurrent_dropout=0.0,
        weight_dropout=0.0,
        learn_initial_state=False,
        use_cudnn="auto",
        seed=None,
        **kwargs,
    ):
        layer_kwargs = {k: kwargs.pop(k) for k in ("name", "dtype", "trainable", "activity_regularizer") if k in kwargs}
        cell = self.cell_class(units, dtype=layer_kwargs.get("dtype"), name="cell", **kwargs)
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            zero_output_for_mask=zero_output_for_mask,
            **layer_kwargs,
        )
        for name, rate in (("dropout", dropout), ("recurrent_dropout", recurrent_dropout), ("weight_dropout", weight_dropout)):
            if not 0 <= rate < 1:
                raise ValueError(f"{name} is a share of at least 0 and below 1. Received: {name}={rate!r}")
        if use_cudnn not in ("auto", False):
            raise ValueError(f"use_cudnn is 'auto' or False. Received: use_cudnn={use_cudnn!r}")
        if stateful and learn_initial_state:
            raise ValueError("A stateful layer starts from the batch before, and not from a learnt state. Received: stateful=True, learn_initial_state=True")
        self.input_spec = keras.layers.InputSpec(ndim=3)
        self.dropout = dropout
        self.recurrent_dropout = recurrent_dropout
        self.weight_dropout = weight_dropout
        self.learn_initial_state = learn_initial_state
        self.use_cudnn = use_cudnn
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self._probes = collections.deque()  # what `probed` adds; Keras would take what is in a list for a part of the model

    def build(self, sequences_shape, initial_state_shape=None):
        super().build(sequences_shape, initial_state_shape)
        if self.learn_initial_state:
            names = [f"initial_{name}" for name in self.cell.state_names]
            self.first_state = [self.add_weight(shape=(self.units,), initializer="zeros", name=name) for name in names]

    def get_initial_state(self, batch_size):
        """Gives the state before the first step, a list of `(B, U)`: zeros, or what was learnt."""
        if not self.learn_initial_state:
            return [keras.ops.zeros((batch_size, self.units), dtype=self.compute_dtype) for _ in self.cell.state_names]
        return [keras.ops.broadcast_to(keras.ops.cast(first, self.compute_dtype), (batch_size, self.units)) for first in self.first_state]

    def inner_loop(self, sequences, initial_state, mask, training=False):
        sequences = keras.ops.cast(sequences, self.compute_dtype)
        self._check_states(initial_state)
        if mask is not None:
            mask = as_mask(mask)
            mask = mask[..., 0] if len(mask.shape) == 3 else mask
            mask = keras.ops.broadcast_to(mask, keras.ops.shape(sequences)[:2])  # (B, T)
        if self.go_backwards:
            sequences, mask = keras.ops.flip(sequences, axis=1), None if mask is None else keras.ops.flip(mask, axis=1)
        if mask is not None:
            sequences = keras.ops.where(mask[..., None], sequences, keras.ops.zeros_like(sequences))  # whatever stands at pads
        sequences, recurrent_kernel, keep = self._drop(sequences, training)
        if is_recording():
            record(self, self._run_loop(sequences, initial_state, mask, recurrent_kernel, keep)[2], mask)
        if self._probes or not self.cell.has_scan:
            outputs, state, _ = self._run_loop(sequences, initial_state, mask, recurrent_kernel, keep)
        elif self._may_use_kernel() and keep is None and not is_traced_for_xla() and not self._needs_cell_at_pads(mask):
            outputs, state = self._run_kernel(sequences, initial_state, mask, recurrent_kernel)
        else:
            outputs, state = self._run_scan(sequences, initial_state, mask, recurrent_kernel, keep, bool(training))
        if mask is not None:
            shown = mask if self.zero_output_for_mask else keras.ops.cumsum(keras.ops.cast(mask, "int32"), axis=1) > 0  # nothing before the first one
            outputs = keras.ops.where(shown[..., None], outputs, keras.ops.zeros_like(outputs))
        return outputs[:, -1], outputs, state

    def _check_states(self, states):
        names, shapes = self.cell.state_names, [tuple(state.shape) for state in states]
        if len(states) != len(names) or any(len(shape) != 2 or shape[1] not in (None, self.units) for shape in shapes):
            raise ValueError(
                f"{type(self).__name__} starts from {len(names)} tensors of shape (batch, {self.units}): {', '.join(names)}. "
                f"Received: initial_state of shapes {shapes}"
            )

    def trace(self, sequences, mask=None, initial_state=None):
        """Gives every gate and state of every step, as `call` computes them outside of training.

        Args:
            sequences: float tensor of shape `(B, T, D)`.
            mask: boolean tensor of shape `(B, T)`, `True` at real positions, or `None` for all.
            initial_state: list of tensors of shape `(B, U)`, or `None` for the layer's own.

        Returns:
            A dict of float NumPy arrays of shape `(B, T, U)`, named as the cell's step names them, in the order of the layer's outputs (from the end, with
            `go_backwards`). At pads the states stay as they were, and gates, which nothing passed, are NaN.
        """
        with recording() as records:
            self(keras.ops.convert_to_tensor(sequences), initial_state=initial_state, mask=mask)
        return records[0][1]

    def probed(self, probes, of="hidden"):
        r"""Adds a value to the state at every step while the context lasts, for the derivative by it: with zeros, that is $\partial L / \partial h_t$.

        Args:
            probes: `keras.Variable` or tensor of shape `(B, T, U)`.
            of: string, the state it is added to: `"hidden"`, or `"cell"` of an LSTM. Defaults to `"hidden"`.

        Returns:
            A context manager.

        Example:
            >>> layer, x, zeros = krc.layers.GRU(3), np.ones((2, 7, 5), "float32"), keras.Variable(np.zeros((2, 7, 3), "float32"))
            >>> with layer.probed(zeros):
            ...     (by_hidden,) = krc.training.gradients(lambda: keras.ops.sum(layer(x)), [zeros])
            >>> by_hidden.shape
            (2, 7, 3)
        """
        if of not in self.cell.state_names:
            raise ValueError(f"The states of {type(self).__name__} are {', '.join(self.cell.state_names)}. Received: of={of!r}")
        if len(probes.shape) != 3 or probes.shape[-1] != self.units:
            raise ValueError(f"Probes are of the shape of the states, (batch, steps, {self.units}). Received: probes of shape {tuple(probes.shape)}")
        return self._add_probes(probes, of)

    @contextlib.contextmanager
    def _add_probes(self, probes, of):
        self._probes.append((of, probes))
        try:
            yield self
        finally:
            self._probes.pop()

    def _drop(self, sequences, training):
        """Draws this call's dropout; returns the input, the recurrent weights, and what each hidden state is multiplied by, `(B, U)`, or `None`."""
        recurrent_kernel, keep = keras.ops.cast(self.cell.recurrent_kernel, self.compute_dtype), None
        if training and self.dropout:
            batch, _, width = keras.ops.shape(sequences)
            sequences = keras.random.dropout(sequences, self.dropout, noise_shape=(batch, 1, width), seed=self.seed_generator)
        if training and self.weight_dropout:
            recurrent_kernel = keras.random.dropout(recurrent_kernel, self.weight_dropout, seed=self.seed_generator)
        if training and self.recurrent_dropout:
            ones = keras.ops.ones((keras.ops.shape(sequences)[0], self.units), dtype=self.compute_dtype)
            keep = keras.random.dropout(ones, self.recurrent_dropout, seed=self.seed_generator)
        return sequences, recurrent_kernel, keep

    def _run_kernel(self, sequences, states, mask, recurrent_kernel):
        if mask is None:
            return run_kernel(self.cell.kind, sequences, states, self.cell.kernel, recurrent_kernel, self.cell.bias_or_zeros())
        outputs, _ = run_kernel(self.cell.kind, to_front(sequences, mask), states, self.cell.kernel, recurrent_kernel, self.cell.bias_or_zeros())
        outputs = from_front(outputs, mask)
        some = keras.ops.any(mask, axis=1, keepdims=True)  # (B, 1)
        return outputs, [keras.ops.where(some, outputs[:, -1], states[0]), *states[1:]]

    def _run_scan(self, sequences, states, mask, recurrent_kernel, keep, training):
        columns = self.cell.scan(
            to_columns(sequences),
            [keras.ops.transpose(state) for state in states],  # (U, B)
            recurrent_kernel,
            None if keep is None else keras.ops.transpose(keep),  # (U, B)
            None if mask is None else keras.ops.cast(keras.ops.transpose(mask), self.compute_dtype)[:, None],  # (T, 1, B)
            training,
        )
        steps = from_columns(columns)  # (B, T, states * U)
        return steps[..., : self.units], keras.ops.split(steps[:, -1], len(self.cell.state_names), axis=-1)

    def _run_loop(self, sequences, states, mask, recurrent_kernel, keep):
        """Returns the outputs, the final states, and the trace as a dict of tensors."""
        names = []
        projection = self.cell.project(sequences)  # (B, T, gates * U): one product for all steps
        width = projection.shape[-1]
        for _, probes in self._probes:
            projection = keras.ops.concatenate([projection, keras.ops.cast(probes, projection.dtype)], axis=-1)
        if mask is not None:  # the loop masks outputs of one part only
            projection = keras.ops.concatenate([projection, keras.ops.cast(mask, projection.dtype)[..., None]], axis=-1)

        def step(inputs, states):
            new = self.cell.update(inputs[:, :width], states, recurrent_kernel, keep)
            for i, (of, _) in enumerate(self._probes):
                new[of] = new[of] + inputs[:, width + i * self.units :][:, : self.units]
            after = [new[name] for name in self.cell.state_names]
            if mask is not None:
                after = [keras.ops.where(inputs[:, -1:] > 0, a, b) for a, b in zip(after, states)]
                new.update(zip(self.cell.state_names, after))
            names[:] = new
            return tuple(new.values()), after

        values, states = loop(step, projection, states)
        trace = dict(zip(names, values))
        return trace["hidden"], states, trace

    def _may_use_kernel(self):
        return self.use_cudnn == "auto" and self.cell.has_scan and has_kernel(self.cell.kind)

    def _needs_cell_at_pads(self, mask):
        """Whether a final state besides the hidden one is asked for that a kernel would give at the end of the pads only."""
        return mask is not None and len(self.cell.state_names) > 1 and (self.return_state or self.stateful)

    def from_torch_weights(self, weights, level=0, reverse=False):
        """Takes over the weights of `torch.nn.RNN`, `LSTM` or `GRU`.

        Args:
            weights: mapping from names such as `weight_ih_l0` to arrays: the module's `state_dict()`.
            level: integer, which layer of the module. Defaults to `0`.
            reverse: boolean, whether to take those of its backward direction. Defaults to `False`.

        Raises:
            ValueError: if a weight is missing or its shape does not fit.
        """
        from_torch_weights(self, weights, level, reverse)

    @property
    def units(self):
        """The width of the hidden state."""
        return self.cell.units

    def get_config(self):
        config = keras.layers.Layer.get_config(self)
        cell = self.cell.get_config()
        for key in ("name", "dtype", "trainable"):
            cell.pop(key)
        names = (*SWITCHES, "dropout", "recurrent_dropout", "weight_dropout", "learn_initial_state", "use_cudnn", "seed")
        return {**config, **cell, **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_config(cls, config):
        return cls(**config)
