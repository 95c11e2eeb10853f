"""Weights of `torch.nn.MultiheadAttention`, brought into the layer's form."""

import numpy as np


def from_torch_weights(layer, weights):
    """Assigns a PyTorch module's weights to a `MultiHeadAttention`.

    Args:
        layer: the layer.
        weights: mapping from names such as `in_proj_weight` to arrays: the module's `state_dict()`.
    """
    weights = {name: np.asarray(value) for name, value in weights.items()}
    if "in_proj_weight" in weights:  # the three matrices, one above the other
        joint = np.split(weights.pop("in_proj_weight"), 3)
    else:
        joint = [_take(weights, f"{name}_proj_weight") for name in "qkv"]
    if not layer.built:
        layer.build(*((None, None, joint[i].shape[1]) for i in (0, 2, 1)))  # query, value, key
    values = {f"{name}_kernel": matrix.T for name, matrix in zip(("query", "key", "value"), joint)}  # (H K, D) -> (D, H K)
    values["output_kernel"] = _take(weights, "out_proj.weight").T
    if layer.use_bias:
        values |= {f"{name}_bias": bias for name, bias in zip(("query", "key", "value"), np.split(_take(weights, "in_proj_bias"), 3))}
        values["output_bias"] = _take(weights, "out_proj.bias")
    if weights:
        raise ValueError(f"These weights have no place in the layer. Received: {sorted(weights)}, with use_bias={layer.use_bias}")
    for name, value in values.items():
        variable = getattr(layer, name)
        if value.size != np.prod(variable.shape):
            raise ValueError(f"{name} has the shape {tuple(variable.shape)} here. Received: a matrix of shape {value.shape}")
    for name, value in values.items():
        variable = getattr(layer, name)
        variable.assign(value.reshape(variable.shape))  # (D, H K) -> (D, H, K), (H V, D) -> (H, V, D)


def _take(weights, name):
    if name not in weights:
        raise ValueError(f"The state of a torch.nn.MultiheadAttention has {name}. Received: {sorted(weights)}")
    return weights.pop(name)
