"""Whether anyone looks at the metrics after a step."""

from keras.src.utils.python_utils import is_default  # whether a callback has a hook; Keras has no public name for it

from keras_richctx.training.changed import changed


def is_called_after_steps(callback):
    """Whether a callback has work after each step, of training or of evaluation, for which it is given the metrics.

    One that does not look at them says so by `reads_metrics_of_steps = False` in its class; a class derived from that one may look at them again.
    """
    hooks = (callback.on_batch_end, callback.on_train_batch_end, callback.on_test_batch_end)
    return vars(type(callback)).get("reads_metrics_of_steps", True) and not all(map(is_default, hooks))


def metrics_of_epochs(model):
    """Has `keras.Model.fit` read the metrics of a model at the end of an epoch, for a block, where its steps return none.

    On TensorFlow, Keras makes numbers of what a step returns before the next one is begun, and so waits for the GPU after each.
    """
    by_keras = model._get_metrics_result_or_logs
    return changed(model, _get_metrics_result_or_logs=lambda logs: by_keras(logs) if logs else model.get_metrics_result())
