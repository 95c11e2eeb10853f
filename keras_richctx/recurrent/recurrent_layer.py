"""What the recurrent layers share: the loop over time around a cell, with the input's products taken out of it."""

import keras

from keras_richctx.recurrent.loop import loop


class RecurrentLayer(keras.layers.RNN):
    """Base of the recurrent layers: `keras.layers.RNN` around a cell of ours, with the products of all steps' inputs taken at once, before the loop.

    A subclass names its `cell_class`; the arguments of the cell are arguments of the layer.

    Args:
        units: integer, U, the width of the hidden state.
        return_sequences: boolean, whether to return the output of every step or of the last one only. Defaults to `False`.
        return_state: boolean, whether to return the final state beside the output. Defaults to `False`.
        go_backwards: boolean, whether to read from the end; the outputs then come in that order. Defaults to `False`.
        stateful: boolean, whether each batch starts from the final state of the one before it. Defaults to `False`.
        zero_output_for_mask: boolean, whether to put out zeros at masked positions instead of repeating the output before them. Defaults to `False`.
        **kwargs: arguments of the cell, and of `keras.layers.Layer`.
    """

    cell_class = None

    def __init__(self, units, return_sequences=False, return_state=False, go_backwards=False, stateful=False, zero_output_for_mask=False, **kwargs):
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

    def inner_loop(self, sequences, initial_state, mask, training=False):
        outputs, state = loop(
            self.cell.step,
            self.cell.project(sequences),  # (B, T, gates * U): one product for all steps
            initial_state,
            mask,
            reverse=self.go_backwards,
            zero_output_for_mask=self.zero_output_for_mask,
        )
        return outputs[:, -1], outputs, state

    @property
    def units(self):
        """The width of the hidden state."""
        return self.cell.units

    def get_config(self):
        config = keras.layers.Layer.get_config(self)
        cell = self.cell.get_config()
        for key in ("name", "dtype", "trainable"):
            cell.pop(key)
        names = ("return_sequences", "return_state", "go_backwards", "stateful", "zero_output_for_mask")
        return {**config, **cell, **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_config(cls, config):
        return cls(**config)
