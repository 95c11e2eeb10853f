"""The recurrent layers against PyTorch's: outputs that were written down once, and the ones of the PyTorch that is installed, if any."""

import importlib.util
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

pytestmark = pytest.mark.backends

GOLDEN = Path(__file__).parents[1] / "golden"
LAYERS = {"rnn": SimpleRNN, "lstm": LSTM, "gru": GRU}

kinds = pytest.mark.parametrize("kind", LAYERS)


def check(kind, torch):
    layer = LAYERS[kind](torch["initial"].shape[-1], return_sequences=True, return_state=True)
    layer.build(torch["inputs"].shape)
    layer.set_weights([torch["kernel"], torch["recurrent_kernel"], torch["bias"]])
    outputs, *states = layer(torch["inputs"], initial_state=list(torch["initial"]))
    np.testing.assert_allclose(keras.ops.convert_to_numpy(outputs), torch["outputs"], atol=1e-6)
    assert len(states) == len(torch["final"])
    for state, expected in zip(states, torch["final"]):
        np.testing.assert_allclose(keras.ops.convert_to_numpy(state), expected, atol=1e-6)


@kinds
def test_equals_what_pytorch_gave(kind):
    with np.load(GOLDEN / "torch_rnn.npz") as golden:
        check(kind, {name: golden[f"{kind}/{name}"] for name in ("inputs", "initial", "outputs", "final", "kernel", "recurrent_kernel", "bias")})


@kinds
def test_equals_the_pytorch_that_is_installed(kind):
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("make_torch_rnn", GOLDEN / "make_torch_rnn.py")
    make_torch_rnn = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_torch_rnn)
    check(kind, make_torch_rnn.run(kind, seed=1))
