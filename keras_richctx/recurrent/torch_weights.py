"""The weights of PyTorch's recurrent layers, in the layout of Keras."""

import numpy as np


def from_torch_weights(layer, weights, level=0, reverse=False):
    """Takes over the weights of one layer and direction of `torch.nn.RNN`, `LSTM` or `GRU`.

    PyTorch keeps matrices `(gates * U, D)`, the transpose of Keras' kernel, and two biases. An LSTM and a vanilla network only ever add the two, and have one
    in Keras; a GRU needs both, and its maps stand in the order r, z, n there and z, r, h here.

    Args:
        layer: `SimpleRNN`, `LSTM` or `GRU` of `keras_richctx.layers`; if it is not built, the weights say how wide its input is.
        weights: mapping from PyTorch's names to arrays, such as the module's `state_dict()`.
        level: integer, which layer of the module. Defaults to `0`.
        reverse: boolean, whether to take those of its backward direction. Defaults to `False`.

    Raises:
        ValueError: if a weight is missing, has no place, or its shape does not fit.
    """
    suffix = f"l{level}{'_reverse' if reverse else ''}"
    names = [f"weight_ih_{suffix}", f"weight_hh_{suffix}", *([f"bias_ih_{suffix}", f"bias_hh_{suffix}"] if layer.cell.use_bias else [])]
    if not layer.cell.use_bias and f"bias_ih_{suffix}" in weights:
        raise ValueError(f"PyTorch's layer has biases, which a layer without would lose. Received: weights with bias_ih_{suffix}, and use_bias=False")
    missing = [name for name in names if name not in weights]
    if missing:
        raise ValueError(f"There are no weights {', '.join(missing)}. Received: weights named {', '.join(weights)}")
    if layer.cell.kind == "gru" and not layer.cell.reset_after:
        raise ValueError("PyTorch's GRU resets after the product with the state. Received: a GRU with reset_after=False")
    w_x, w_h, *biases = (np.asarray(weights[name]) for name in names)
    units, gates = layer.units, layer.cell.gates
    if w_h.shape != (gates * units, units) or w_x.shape[0] != gates * units:
        raise ValueError(
            f"{type(layer).__name__}({units}) has {gates} maps of {units} units. Received: {names[0]} of shape {w_x.shape}, {names[1]} of shape {w_h.shape}"
        )
    order = [1, 0, 2] if layer.cell.kind == "gru" else range(gates)
    arrange = lambda x: np.concatenate([np.split(x, gates)[i] for i in order])  # noqa: E731
    arrays = [arrange(w_x).T, arrange(w_h).T]  # (D, gates * U), (U, gates * U)
    if biases:
        biases = np.stack([arrange(bias) for bias in biases])  # (2, gates * U)
        arrays.append(biases if layer.cell.kind == "gru" else biases.sum(axis=0))
    if not layer.built:
        layer.build((None, None, w_x.shape[1]))
    layer.cell.set_weights(arrays)
