"""The names that configs of GPT and GPT-2 have for activations."""

import keras

from keras_richctx.checkpoints.activation_names import activation_of, name_of
from keras_richctx.ops import gelu_tanh

# In a config of GPT, "gelu" is the tanh form; in one of GPT-2, the erf form.
KEYS = {"gpt2": "activation_function", "openai-gpt": "afn"}


def activation_from_config(config, model_type):
    """Returns the activation that a config names; the tanh form of the GELU where it names none, as OpenAI's files do."""
    name = config.get(KEYS[model_type], "gelu_new")
    activation = activation_of(name, KEYS[model_type])
    return gelu_tanh if (model_type, name) == ("openai-gpt", "gelu") else activation


def activation_to_config(activation, model_type):
    """Returns the entry of a config that names an activation."""
    if model_type == "openai-gpt" and activation is keras.activations.gelu:
        raise ValueError(f"There is no name for this activation in a config of the type {model_type}. Received: activation={activation!r}")
    return {KEYS[model_type]: "gelu" if model_type == "openai-gpt" and activation is gelu_tanh else name_of(activation)}
