"""What Keras computes on."""

import keras


def on_gpu():
    """Whether Keras sees a GPU."""
    if keras.backend.backend() == "torch":
        import torch

        return torch.cuda.is_available()
    return any(device.lower().startswith(("gpu", "cuda")) for device in keras.distribution.list_devices())
