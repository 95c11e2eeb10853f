"""What one of several devices computes in a step, as pure functions of the weights and of its rows."""

import contextlib

import keras
from keras.src.backend import get_keras_mask  # Keras sets masks in public and reads them in private

from keras_richctx.ops.batch_ratio import BatchPart, batch_ratio, batch_sum
from keras_richctx.training.changed import changed


class ReplicaStep:
    r"""The step of a compiled model on the rows that one of $R$ devices holds.

    The loss of a batch is a sum over real positions divided by their number, $L = \sum_i l_i w_i / \sum_i d_i$. A device knows its own part of both sums;
    so the denominators are added over the devices first (`denominators`), and then each takes the gradient of

    $$L_r = R \, \frac{\sum_{i \in r} l_i w_i}{\sum_i d_i} + \text{penalties}, \qquad L = \frac{1}{R} \sum_r L_r,$$

    whose mean over the devices is the gradient of the whole batch, however the real positions are spread.

    Args:
        model: a built and compiled `keras.Model`.
        replicas: integer, $R$.

    Raises:
        ValueError: if the model has a training step or a loss of its own, which is not of this form.
    """

    def __init__(self, model, replicas):
        check_model(model)
        self.model = model
        self.replicas = replicas
        self.seeds = {id(generator.state) for layer in model._flatten_layers() for generator in getattr(layer, "_seed_generators", [])}

    def denominators(self, values, batch, replica, training):
        """Returns the sums of the denominators of these rows, a list of float tensors, in the order in which the losses ask for them."""
        with BatchPart(batch["rows"], self.replicas) as part:
            self._losses(values, batch, replica, training)
        return part.sums

    def loss(self, values, batch, totals, replica, training):
        """Returns the loss of these rows, and what the step has changed.

        Args:
            values: dict of `trainable` and `non_trainable`, lists of tensors: the values of the model's variables.
            batch: dict of `x`, `rows` and, where there are any, `y` and `sample_weight`.
            totals: list of tensors, the denominators of the whole batch.
            replica: integer tensor, the device's number.
            training: boolean.

        Returns:
            `L_r`; and a dict of `non_trainable`, a dict of the new values by their places, only of those that the layers have set, `metrics`, what these rows
            add to the metrics' variables, and `each`, the losses of the outputs.
        """
        with BatchPart(batch["rows"], self.replicas, totals):
            loss, each, outputs, non_trainable = self._losses(values, batch, replica, training)
        return loss, {"non_trainable": non_trainable, "metrics": self._metrics(outputs, batch), "each": each}

    def _losses(self, values, batch, replica, training):
        before = self._shifted(values["non_trainable"], replica)
        arguments = {"training": training} if self.model._call_has_training_arg else {}
        outputs, after, penalties = self.model.stateless_call(values["trainable"], before, batch["x"], return_losses=True, **arguments)
        places = [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if new is not old]
        each, after = [], self._shifted(after, -replica)
        weights = [*zip(self.model.trainable_variables, values["trainable"]), *zip(self.model.non_trainable_variables, after)]
        with _shared_loss_of(self.model, weights, penalties, each):  # a loss may have weights, as that of a CRF
            total = self.model._compute_loss(batch["x"], batch.get("y"), outputs, batch.get("sample_weight"), training=training)
        return total, each, outputs, {i: after[i] for i in places}

    def _shifted(self, values, replica):
        """The values with the seeds moved on, so that each device draws numbers of its own and the first one those of a single device."""
        stride = keras.ops.cast(replica, "uint32") * keras.ops.cast(2654435769, "uint32")
        first = keras.ops.convert_to_tensor([1, 0], "uint32")  # of a seed and a counter
        return [
            keras.ops.cast(keras.ops.cast(value, "uint32") + stride * first, variable.dtype) if id(variable) in self.seeds else value
            for variable, value in zip(self.model.non_trainable_variables, values, strict=True)
        ]

    def _metrics(self, outputs, batch):
        """Returns what the rows add to each variable of the compiled metrics, whose sums grow by addition."""
        metrics = self.model._compile_metrics
        if metrics is None:
            return []
        zeros = _zeros(metrics.variables)
        with keras.StatelessScope(state_mapping=zeros) as scope, changed(metrics, update_state=_counting(metrics, batch["rows"])):
            self.model.compute_metrics(batch["x"], batch.get("y"), outputs, batch.get("sample_weight"))
        return [scope.get_current_value(variable) for variable, _ in zeros]


def check_model(model):
    """Refuses a model whose step is not Keras' own, or cannot be shared."""
    for name in ("train_step", "test_step"):
        if getattr(type(model), name) is not getattr(keras.Model, name):
            raise ValueError(
                f"On several devices, a step is that of keras.Model. Received: {type(model).__name__}, which has a {name} of its own. Give the loss and the "
                "metrics to compile, and further terms to add_loss."
            )
    if type(model).compute_loss is not keras.Model.compute_loss and not getattr(model, "takes_batch_ratios", False):
        raise ValueError(
            f"On several devices, a loss has to know the whole batch. Received: {type(model).__name__}, which has a compute_loss of its own. If this takes its "
            "means by keras_richctx.ops.batch_ratio, set takes_batch_ratios = True in the class."
        )
    for layer in model._flatten_layers():
        if getattr(layer, "stateful", False):
            raise ValueError(f"A state that is carried from batch to batch has no place on several devices. Received: stateful=True in layer {layer.name!r}.")


@contextlib.contextmanager
def _shared_loss_of(model, weights, penalties, each):
    """Puts the losses of a whole batch in the place of those of its part, inside the block; the value of each output's is appended to `each`."""
    compiled = model._compile_loss
    with contextlib.ExitStack() as stack:
        stack.enter_context(changed(model, _losses_override=list(penalties), _aggregate_additional_loss=keras.ops.sum))
        if compiled is not None:
            losses = [item._replace(loss=_noting(item.loss, each)) for item in compiled._flat_losses]
            stack.enter_context(changed(compiled, _flat_losses=losses))
            weights = [*weights, *_zeros(compiled.variables)]  # it would count for itself
        stack.enter_context(keras.StatelessScope(state_mapping=weights))
        yield


def _noting(loss, each):
    def shared(y_true, y_pred, sample_weight=None):
        each.append(shared_loss(loss, y_true, y_pred, sample_weight))
        return each[-1]

    return shared


def _counting(metrics, rows):
    """Returns the `update_state` of compiled metrics for a part of which only some rows are of the batch."""

    def update_state(y_true, y_pred, sample_weight=None):
        y_true, y_pred = metrics._flatten_y(y_true), metrics._flatten_y(y_pred)
        weights = [None] if sample_weight is None else metrics._flatten_y(sample_weight)
        weights = weights * len(y_true) if len(weights) < len(y_true) else weights
        for plain, weighted, true, pred, weight in zip(metrics._flat_metrics, metrics._flat_weighted_metrics, y_true, y_pred, weights):
            here = _of_positions(rows, pred)
            if plain:
                plain.update_state(true, pred, here)
            if weighted:
                weighted.update_state(true, pred, here if weight is None else keras.ops.cast(weight, here.dtype) * _to_rank(rows, weight))

    return update_state


def shared_loss(loss, y_true, y_pred, sample_weight):
    """Returns a Keras loss, reduced as it says, but over the whole batch of which this is a part."""
    reduction = loss.reduction
    with changed(loss, reduction=None):
        values = loss(y_true, y_pred)  # (B, ...), zero where the outputs' mask says so
    mask = get_keras_mask(y_pred)
    if not len(values.shape):
        raise ValueError(f"On several devices, a loss gives a value for each example or position, and fit reduces them. Received: a number, of {loss.name!r}.")
    ones = keras.ops.ones_like(values)
    real = ones if mask is None else ones * _to_rank(keras.ops.cast(mask, values.dtype), values)
    weights = None if sample_weight is None else _to_rank(keras.ops.cast(sample_weight, values.dtype), values)
    weighted = values if weights is None else values * weights
    if reduction == "sum":
        return batch_sum(weighted)
    if reduction in ("sum_over_batch_size", "mean"):
        return batch_ratio(weighted, real)
    if reduction == "mean_with_sample_weight":
        return batch_ratio(weighted, real if weights is None else weights if mask is None else weights * real)
    raise ValueError(f"On several devices, a loss has to be reduced to a number. Received: reduction={reduction!r} of {loss.name!r}.")


def _zeros(variables):
    return [(variable, keras.ops.zeros(variable.shape, variable.dtype)) for variable in variables]


def _of_positions(rows, outputs):
    """Gives every position of the outputs, `(B, ..., D)`, the number of its row: `(B, ...)`."""
    if len(outputs.shape) < 3:
        return rows
    return keras.ops.broadcast_to(_to_rank(rows, outputs[..., 0]), keras.ops.shape(outputs)[:-1])


def _to_rank(weights, values):
    """Gives weights the rank of the values that they are for: trailing axes of one are added, or taken away."""
    while len(weights.shape) > len(values.shape) and weights.shape[-1] == 1:
        weights = keras.ops.squeeze(weights, axis=-1)
    return keras.ops.reshape(weights, (*keras.ops.shape(weights), *(1,) * (len(values.shape) - len(weights.shape))))
