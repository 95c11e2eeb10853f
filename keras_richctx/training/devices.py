"""What Keras computes on."""

import keras


def on_gpu():
    """Whether Keras sees a GPU."""
    return any(device.lower().startswith(("gpu", "cuda")) for device in keras.distribution.list_devices())
