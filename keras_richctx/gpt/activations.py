"""The names that configs have for activations."""

import keras

from keras_richctx.ops import gelu_tanh

# Hugging Face's names. In a config of GPT, "gelu" is the tanh form; in one of GPT-2, the erf form.
BY_NAME = {
    "gelu_new": gelu_tanh,
    "gelu_pytorch_tanh": gelu_tanh,
    "gelu_fast": gelu_tanh,
    "gelu": keras.activations.gelu,
    "relu": keras.activations.relu,
    "silu": keras.activations.silu,
    "swish": keras.activations.silu,
    "tanh": keras.activations.tanh,
}
KEYS = {"gpt2": "activation_function", "openai-gpt": "afn"}


def activation_from_config(config, model_type):
    """Returns the activation that a config names; the tanh form of the GELU where it names none, as OpenAI's files do."""
    name = config.get(KEYS[model_type], "gelu_new")
    if name not in BY_NAME:
        raise ValueError(f"Unknown activation. Received: {KEYS[model_type]}={name!r}. Known are {', '.join(BY_NAME)}.")
    return gelu_tanh if (model_type, name) == ("openai-gpt", "gelu") else BY_NAME[name]


def activation_to_config(activation, model_type):
    """Returns the entry of a config that names an activation."""
    names = [name for name, function in BY_NAME.items() if function is activation]
    if model_type == "openai-gpt" and activation is gelu_tanh:
        names = ["gelu"]
    if not names or (model_type == "openai-gpt" and activation is keras.activations.gelu):
        raise ValueError(f"There is no name for this activation in a config of the type {model_type}. Received: activation={activation!r}")
    return {KEYS[model_type]: names[0]}
