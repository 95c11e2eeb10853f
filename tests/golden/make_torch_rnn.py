"""Writes `torch_rnn.npz`: what PyTorch's recurrent layers give, three of them one above the other in both directions, and the gradients.

    python tests/golden/make_torch_rnn.py

The weights stand under PyTorch's own names, as in a `state_dict`.
"""

import pathlib

import numpy as np

B, T, D, U, LEVELS = 2, 5, 3, 4, 3
LAYERS = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU"}


def run(kind, seed):
    """Runs a stack of PyTorch's layers with random weights.

    Returns:
        A dict of arrays: `inputs` `(B, T, D)`; `initial` and `final` `(states, LEVELS * 2, B, U)`, forward before backward at each level; `outputs`
        `(B, T, 2 * U)`; `share`, of the same shape, the weights of the outputs in the loss; `weights/...` and `gradients/...` under PyTorch's names, and
        `gradients/inputs`.
    """
    import torch

    torch.manual_seed(seed)
    module = getattr(torch.nn, LAYERS[kind])(D, U, num_layers=LEVELS, bidirectional=True, batch_first=True)
    states = 2 if kind == "lstm" else 1
    inputs, initial, share = torch.randn(B, T, D, requires_grad=True), torch.randn(states, LEVELS * 2, B, U), torch.randn(B, T, 2 * U)
    outputs, final = module(inputs, tuple(initial) if kind == "lstm" else initial[0])
    (outputs * share).sum().backward()
    final = torch.stack(final) if kind == "lstm" else final[None]
    arrays = {"inputs": inputs, "initial": initial, "outputs": outputs, "final": final, "share": share, "gradients/inputs": inputs.grad}
    for name, parameter in module.named_parameters():
        arrays |= {f"weights/{name}": parameter, f"gradients/{name}": parameter.grad}
    return {name: tensor.detach().numpy() for name, tensor in arrays.items()}


if __name__ == "__main__":
    arrays = {f"{kind}/{name}": array for kind in LAYERS for name, array in run(kind, seed=0).items()}
    np.savez_compressed(pathlib.Path(__file__).with_name("torch_rnn.npz"), **arrays)
