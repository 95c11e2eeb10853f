"""The names that configs have for activations."""

import keras

from keras_richctx.ops import gelu_tanh

# Hugging Face's names. Those of one function stand one after the other, the one that is written first.
ACTIVATIONS = {
    "gelu_new": gelu_tanh,
    "gelu_pytorch_tanh": gelu_tanh,
    "gelu_fast": gelu_tanh,
    "gelu": keras.activations.gelu,
    "gelu_python": keras.activations.gelu,
    "relu": keras.activations.relu,
    "silu": keras.activations.silu,
    "swish": keras.activations.silu,
    "tanh": keras.activations.tanh,
}


def activation_of(name, key):
    """Returns the activation that a config names.

    Args:
        name: string, as in the config.
        key: string, the word of the config under which it stands, for messages.

    Raises:
        ValueError: if there is no such activation here.
    """
    if name not in ACTIVATIONS:
        raise ValueError(f"Unknown activation. Received: {key}={name!r}. Known are {', '.join(ACTIVATIONS)}.")
    return ACTIVATIONS[name]


def name_of(activation):
    """Returns the name that a config has for an activation.

    Args:
        activation: function.

    Raises:
        ValueError: if there is none.
    """
    name = next((name for name, function in ACTIVATIONS.items() if function is activation), None)
    if name is None:
        raise ValueError(f"A config has no name for this activation. Received: activation={activation!r}. It has: {', '.join(ACTIVATIONS)}.")
    return name
