"""Sequences with their vectors in columns, `(T, D, B)`: the layout of the equations, and the one in which a small batch multiplies fastest."""

import keras

from keras_richctx.ops.loop import loop


def to_columns(sequences):
    """Lays a batch of sequences out in columns: `(B, T, D)` to `(T, D, B)`."""
    return keras.ops.transpose(sequences, (1, 2, 0))


def from_columns(columns):
    """Lays columns out as a batch of sequences: `(T, D, B)` to `(B, T, D)`."""
    return keras.ops.transpose(columns, (2, 0, 1))


def transposed(matrix):
    """Transposes a matrix in memory: a view with swapped strides, which PyTorch would make, multiplies at half the speed."""
    rows, columns = matrix.shape
    return keras.ops.reshape(keras.ops.reshape(keras.ops.transpose(matrix), (-1,)), (columns, rows))  # (R, C) -> (C, R)


def scan(step, carry, sequences, reverse=False):
    """Goes through several sequences at once, from the carry of each step to the next.

    It is `loop` over the numbers of the steps. `keras.ops.scan` would do, but keeps its carry in arrays on TensorFlow, a sixth slower.

    Args:
        step: function `(carry, {name: column}) -> (carry, outputs)`; both are tuples of tensors.
        carry: tuple of tensors.
        sequences: dict of tensors of shape `(T, ...)`, or of `None` for what is not there and comes as `None`.
        reverse: boolean, whether to begin at the end.

    Returns:
        A pair: the last carry, and the outputs of all steps, in the order of the sequences.
    """
    steps = keras.ops.arange(keras.ops.shape(next(iter(sequences.values())))[0], dtype="int32")
    steps = keras.ops.flip(steps) if reverse else steps

    def at(t, carry):
        t = t[0, 0]
        carry, outputs = step(tuple(carry), {name: None if sequence is None else sequence[t] for name, sequence in sequences.items()})
        return tuple(outputs), list(carry)

    outputs, carry = loop(at, steps[None, :, None], list(carry))  # (1, T, 1): a batch of one, of one feature
    outputs = [keras.ops.swapaxes(output, 0, 1) for output in outputs]  # the loop's order (D, T, ...) -> (T, D, ...)
    return tuple(carry), tuple(keras.ops.flip(output, 0) if reverse else output for output in outputs)


def hold(real, new, old):
    """Takes the new state where a column is real, and keeps the old one elsewhere; `real`, `(1, B)`, is positive there, and `None` says everywhere."""
    return new if real is None else keras.ops.where(real > 0, new, old)


def before(columns, first):
    """The column before each: `(T, U, B)`, of which the first is `first`, `(U, B)`, and the last one falls away."""
    return keras.ops.concatenate([first[None], columns[:-1]], axis=0)


def products(matrix, columns):
    """One product for all steps: `(D, G)` times `(T, G, B)` gives `(T, D, B)`."""
    (_, width, batch), steps = columns.shape, keras.ops.shape(columns)[0]
    flat = keras.ops.reshape(keras.ops.transpose(columns, (1, 0, 2)), (width, -1))  # (T, G, B) -> (G, T B)
    product = keras.ops.reshape(keras.ops.matmul(matrix, flat), (matrix.shape[0], steps, batch or keras.ops.shape(columns)[2]))  # -> (D, T, B)
    return keras.ops.transpose(product, (1, 0, 2))


def sum_of_products(left, right):
    r"""The outer products of all steps, summed: $\sum_t l_t r_t^\top$; `(T, D, B)` and `(T, G, B)` give `(D, G)`."""
    left, right = (keras.ops.reshape(keras.ops.transpose(x, (1, 0, 2)), (x.shape[1], -1)) for x in (left, right))  # (D, T B), (G, T B)
    return keras.ops.matmul(left, keras.ops.transpose(right))
