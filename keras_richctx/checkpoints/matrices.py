"""Projections as files have them, matrices; `MultiHeadAttention` keeps its heads apart."""

import math

import keras


def matrix_shape(variable):
    """Returns the shape of a variable in a file: `(in, out)` for a kernel, one axis for a bias.

    Args:
        variable: variable of a layer, of `MultiHeadAttention` also.
    """
    shape = tuple(variable.shape)
    if variable.name == "output_kernel":
        return math.prod(shape[:-1]), shape[-1]  # (H, K, D) -> (H K, D)
    if variable.name in ("query_kernel", "key_kernel", "value_kernel"):
        return shape[0], math.prod(shape[1:])  # (D, H, K) -> (D, H K)
    return (math.prod(shape),) if variable.name in ("query_bias", "key_bias", "value_bias") else shape


def as_matrix(variable):
    """Returns a variable's value in the form of the file.

    Args:
        variable: variable of a layer, of `MultiHeadAttention` also.
    """
    return keras.ops.convert_to_numpy(variable).reshape(matrix_shape(variable))


def from_matrix(variable, transposed=False):
    """Returns the function from a file's array to the variable's value, for `assign`; an array that has the heads apart already is taken too.

    Args:
        variable: variable of a layer, of `MultiHeadAttention` also.
        transposed: boolean, whether the file has the matrix as `(out, in)`, as PyTorch's layers do.
    """
    shape, matrix = tuple(variable.shape), matrix_shape(variable)

    def take(array):
        if array.shape == shape and shape != matrix:
            return array
        array = array.T if transposed else array
        if array.shape != matrix:
            raise ValueError(f"the matrix is {matrix}")
        return array.reshape(shape)

    return take
