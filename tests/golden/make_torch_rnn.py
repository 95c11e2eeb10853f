"""Writes `torch_rnn.npz`: outputs and final states of PyTorch's recurrent layers, with their weights in the layout of Keras.

    python tests/golden/make_torch_rnn.py

PyTorch keeps one matrix `(gates * U, D)` a layer, the transpose of Keras' kernel, and two biases that are added where Keras has one (an LSTM, a vanilla
network) or that stay apart as in Keras' `(2, 3 * U)` (a GRU). A GRU's maps stand in the order r, z, n there and z, r, h in Keras.
"""

import pathlib

import numpy as np

B, T, D, U = 2, 5, 3, 4
LAYERS = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU"}


def run(kind, seed):
    """Runs a layer of PyTorch with random weights.

    Returns:
        A dict of arrays: `inputs` `(B, T, D)`, `initial` and `final` `(states, B, U)`, `outputs` `(B, T, U)`, and Keras' `kernel`, `recurrent_kernel`, `bias`.
    """
    import torch

    torch.manual_seed(seed)
    layer = getattr(torch.nn, LAYERS[kind])(D, U, batch_first=True)
    states = 2 if kind == "lstm" else 1
    inputs, initial = torch.randn(B, T, D), torch.randn(states, B, U)
    with torch.no_grad():
        outputs, final = layer(inputs, tuple(initial[:, None]) if kind == "lstm" else initial)
    final = torch.cat(final) if kind == "lstm" else final
    w = {name: value.detach().numpy() for name, value in layer.named_parameters()}
    order = [1, 0, 2] if kind == "gru" else range(len(w["bias_ih_l0"]) // U)
    arrange = lambda x: np.concatenate([x[m * U : (m + 1) * U] for m in order])  # noqa: E731
    biases = np.stack([arrange(w["bias_ih_l0"]), arrange(w["bias_hh_l0"])])
    return {
        "inputs": inputs.numpy(),
        "initial": initial.numpy(),
        "outputs": outputs.numpy(),
        "final": final.numpy(),
        "kernel": arrange(w["weight_ih_l0"]).T,
        "recurrent_kernel": arrange(w["weight_hh_l0"]).T,
        "bias": biases if kind == "gru" else biases.sum(axis=0),
    }


if __name__ == "__main__":
    arrays = {f"{kind}/{name}": array for kind in LAYERS for name, array in run(kind, seed=0).items()}
    np.savez_compressed(pathlib.Path(__file__).with_name("torch_rnn.npz"), **arrays)
