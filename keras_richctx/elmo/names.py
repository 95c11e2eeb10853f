"""Which array of AllenNLP's HDF5 goes where, and in which form it stands there."""

import keras
import numpy as np


def targets_of(model):
    """Says which array of a file goes where.

    The gates of a file stand in the order i, c, f, o, and here in i, f, c, o; one matrix has the rows of the input above those of the state. That the bias of
    the forget gate is one higher at run time is no part of the weights, there as here.

    Args:
        model: an `ELMo`.

    Returns:
        A dict from names in the file to what `keras_richctx.checkpoints.assign` takes.
    """
    cnn = model.character_cnn
    targets = {"char_embed": (cnn.embeddings, None)}
    for i, (kernel, bias) in enumerate(zip(cnn.kernels, cnn.biases)):
        targets[f"CNN/W_cnn_{i}"] = (kernel, lambda array: array[0])  # (1, width, E, filters)
        targets[f"CNN/b_cnn_{i}"] = (bias, None)
    for i, highway in enumerate(cnn.highways):
        named = {"W_carry": highway.gate_kernel, "b_carry": highway.gate_bias_vector}
        named |= {"W_transform": highway.transform_kernel, "b_transform": highway.transform_bias}
        targets |= {f"CNN_high_{i}/{name}": (variable, None) for name, variable in named.items()}
    if cnn.projection is not None:
        targets["CNN_proj/W_proj"], targets["CNN_proj/b_proj"] = (cnn.projection.kernel, None), (cnn.projection.bias, None)
    for direction, stack in enumerate((model.bilm.forward_stack, model.bilm.backward_stack)):
        for i, cell in enumerate(stack.cells):
            prefix, rows = f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell", cell.kernel.shape[0]
            targets[f"{prefix}/W_0"] = [(cell.kernel, _rows(None, rows, cell)), (cell.recurrent_kernel, _rows(rows, None, cell))]
            targets[f"{prefix}/B"] = (cell.bias, swap_gates)
            targets[f"{prefix}/W_P_0"] = (cell.projection_kernel, None)
    return targets


def as_in_file(name, variables):
    """Returns what a file holds under a name: the value of one variable, or of two that stand one above the other, in the file's form."""
    arrays = [keras.ops.convert_to_numpy(variable).astype("float32") for variable in variables]
    if name.endswith(("/W_0", "/B")):
        return swap_gates(np.concatenate(arrays, axis=0))
    return arrays[0][None] if name.startswith("CNN/W_cnn") else arrays[0]


def swap_gates(array):
    """Exchanges the second and the third of four gates along the last axis: i, c, f, o to i, f, c, o and back."""
    if array.shape[-1] % 4:
        raise ValueError("there are no four gates along its last axis")
    first, second, third, fourth = np.split(array, 4, axis=-1)
    return np.concatenate([first, third, second, fourth], axis=-1)


def _rows(begin, end, cell):
    """Takes some rows of the joint matrix, whose number must be that of the cell."""
    expected = cell.kernel.shape[0] + cell.recurrent_kernel.shape[0]

    def take(array):
        if len(array) != expected:
            raise ValueError(f"{len(array)} rows, where input and state have {expected}")
        return swap_gates(array[begin:end])

    return take
