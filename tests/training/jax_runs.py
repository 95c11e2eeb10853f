"""Trains a small BERT on one, and on four, devices of JAX, and prints what came of it: a process of its own, since JAX lays out its devices once."""

import json
import os
import sys

if __name__ == "__main__":
    os.environ.update(KERAS_BACKEND="jax", XLA_FLAGS="--xla_force_host_platform_device_count=4")

    import keras
    import numpy as np

    import keras_richctx as krc
    from keras_richctx.training import on_jax
    from keras_richctx.training.changed import changed

    class Between(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            self.model.make_train_function(force=True)  # as GradualUnfreezing does

        def on_epoch_end(self, epoch, logs=None):
            assert self.model.test_on_batch(np.ones((8, 7), "int32"), np.zeros(8, "int32"), return_dict=True)["loss"] > 0  # without weights: None in the batch

    def train(strategy, callbacks=()):
        keras.utils.set_random_seed(0)
        with strategy.scope():
            bert = krc.models.Bert(num_layers=1, width=12, num_heads=4, vocab_size=37, dropout=0.0, attention_dropout=0.0)
            model = krc.models.TextClassifier(bert, 3)
            model.compile(keras.optimizers.Adam(0.01, clipnorm=1.0), weighted_metrics=None)
            x = np.random.default_rng(0).integers(1, 37, size=(23, 7)).astype("int32")
            fit_arguments = {"epochs": 2, "batch_size": 8, "shuffle": False, "validation_data": (x[:5], np.arange(5) % 3), "progress": False}
            history = krc.training.fit(model, x, np.arange(23) % 3, callbacks=callbacks, **fit_arguments)
            model.train_on_batch(x[:8], np.arange(8) % 3)  # Keras' own again
        kernel = next(weight for weight in model.trainable_variables if weight.path.endswith("query_kernel"))
        return {
            "loss": history.history["loss"] + history.history["val_loss"],
            "weights": [weight.tolist() for weight in model.get_weights()],
            "a part": kernel.value.addressable_shards[0].data.shape,
        }

    runs = {"one": ("one",), "data": ("data_parallel",), "model": ("model_parallel",), "both": ("model_parallel", 4, 2)}
    results = {name: train(krc.training.strategy(*arguments)) for name, arguments in runs.items()}
    try:
        krc.training.strategy("model_parallel", 4, 3)
    except ValueError as error:
        results["refused"] = str(error)
    made = []
    step = on_jax.step_on_gpus
    with changed(on_jax, on_gpu=lambda: True, step_on_gpus=lambda model: made.append(model) or step(model)):  # the gradients summed as there
        results["data, as on GPUs"] = train(krc.training.strategy("data_parallel"), [Between()])
    results["steps made as on GPUs"] = len(made)
    json.dump(results, sys.stdout)
