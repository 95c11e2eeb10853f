"""What a model is compiled for whose batches come in many shapes."""

import keras


class VariedShapes(keras.Model):
    """A model that is given batches of many shapes, as texts make them.

    On TensorFlow it runs without XLA, which would compile a program for each shape, before it is compiled too, unless `compile` says otherwise. A subclass
    with a `compile` of its own fills in its loss and its metrics and passes the rest on.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if keras.backend.backend() == "tensorflow":
            self.jit_compile = False

    def compile(self, *args, jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`.

        Args:
            *args: passed to `keras.Model.compile`.
            jit_compile: boolean or `"auto"`. Defaults to `False` on TensorFlow, where XLA would compile a program for each shape of batch, and `"auto"`
                elsewhere.
            **kwargs: passed to `keras.Model.compile`.
        """
        if jit_compile is None:
            jit_compile = False if keras.backend.backend() == "tensorflow" else "auto"
        super().compile(*args, jit_compile=jit_compile, **kwargs)

    def compile_from_config(self, config):
        """Compiles a loaded model as it was when saved, with the state of its optimizer to follow."""
        self.compile(**keras.saving.deserialize_keras_object(config))
        self.optimizer.build(self.trainable_variables)
