"""Stochastic gradient descent that ends in an average of the weights it passes."""

import keras


@keras.saving.register_keras_serializable("keras_richctx")
class NTASGD(keras.optimizers.SGD):
    r"""Gradient descent at a constant rate, which keeps the mean of its weights from the step on where the validation loss stops falling: the trigger.

    $$w_{k+1} = w_k - \gamma \, \hat\nabla f(w_k), \qquad \bar w = \frac{1}{K - T + 1} \sum_{i=T}^{K} w_i$$

    where $T$ is the trigger and $K$ the last step. A constant rate jumps around a minimum without settling; the mean of the jumps lies inside. The descent goes
    on from $w_k$, and $\bar w$ has no part in it.

    The trigger is pulled at the first check whose validation loss is worse than the best of the checks before the last $n$. (Algorithm 1 of the paper looks at
    the last $n$ alone, as printed; this is what its text says and its authors' code does.) The callback
    [`NonMonotonicTrigger`][keras_richctx.training.non_monotonic_trigger.NonMonotonicTrigger] makes a check after each epoch, and shows $\bar w$ to validation
    and to what is saved: train with it. At the end of `fit` the model has $\bar w$. Losses, averages and weights are all saved with the optimizer.

    Args:
        learning_rate: float or schedule, $\gamma$. Defaults to `30.0`, the paper's, which goes with a loss that is a mean over tokens, and with clipping.
        global_clipnorm: float, the largest norm of all gradients together, or `None`. Defaults to `0.25`, that of the authors' code.
        interval: integer, n, the number of last checks whose losses may be worse than an earlier one. Defaults to `5`.
        weight_decay: float or `None`. Defaults to `None`; the authors' code has `1.2e-6`.
        name: string. Defaults to `"ntasgd"`.
        **kwargs: further arguments of `keras.optimizers.SGD` but for those on averages, which are this one's own, and `gradient_accumulation_steps`.

    Raises:
        ValueError: for an argument that it does not take, or if `interval` is no integer of at least zero.

    Example:
        >>> weight = keras.Variable(1.0)
        >>> optimizer = NTASGD(learning_rate=0.5)
        >>> optimizer.build([weight])
        >>> optimizer.start_averaging()
        >>> for gradient in (0.25, -0.25):  # 1.0, 0.875, 1.0
        ...     optimizer.apply([keras.ops.convert_to_tensor(gradient)], [weight])
        >>> optimizer.show_average()
        >>> round(float(weight), 4)
        0.9583

    References:
        [Merity et al., 2018](https://arxiv.org/abs/1708.02182), section 2 and algorithm 1; the mean:
        [Polyak and Juditsky, 1992](https://doi.org/10.1137/0330046).
    """

    def __init__(self, learning_rate=30.0, global_clipnorm=0.25, interval=5, weight_decay=None, name="ntasgd", **kwargs):
        for argument in ("use_ema", "ema_momentum", "ema_overwrite_frequency", "gradient_accumulation_steps"):
            if argument in kwargs:
                raise ValueError(f"NTASGD averages in its own way, and over every step. Received: {argument}={kwargs[argument]!r}. Leave it out.")
        if not isinstance(interval, int) or interval < 0:
            raise ValueError(f"interval is a number of checks, an integer of at least zero. Received: interval={interval!r}")
        # Keras' own moving average has all the places that a mean needs: a slot for each weight, an update after each step, an end.
        super().__init__(learning_rate, global_clipnorm=global_clipnorm, weight_decay=weight_decay, name=name, use_ema=True, **kwargs)
        self.interval = interval

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        once = {"aggregation": "only_first_replica"}
        self.averaged = self.add_variable(shape=(), dtype="int32", name="averaged", **once)  # K - T + 1, or 0 before the trigger
        self.shown = self.add_variable(shape=(), dtype="int32", name="shown", **once)  # 1 while weights and averages have changed places
        # the best loss of the checks before the last n, and the losses of these
        infinity = keras.initializers.Constant(float("inf"))
        self.losses = self.add_variable(shape=(1 + self.interval,), initializer=infinity, dtype="float32", name="losses", **once)

    def check(self, loss):
        """Takes the validation loss of a check, and pulls the trigger if it is worse than the best of those before the last n."""
        best, *last = (float(value) for value in keras.ops.convert_to_numpy(self.losses))
        # v > min over l < t - n of logs[l]
        if loss > best:
            self.start_averaging()
        oldest, *last = [*last, float(loss)]
        self.losses.assign([min(best, oldest), *last])

    def start_averaging(self):
        """Pulls the trigger: the mean begins with the present weights. Without effect after the first time."""
        if not self.is_averaging():
            for variable, average in self._pairs():
                average.assign(variable)
            self.averaged.assign(1)

    def is_averaging(self):
        """Says whether the trigger has been pulled."""
        return self.built and int(keras.ops.convert_to_numpy(self.averaged)) > 0

    def show_average(self):
        """Puts the mean in the place of the model's weights, which are kept. Without effect before the trigger, or where it is there already."""
        if self.is_averaging() and not self._is_shown():
            self._swap()

    def hide_average(self):
        """Puts the weights that the descent goes on from back into their place."""
        if self._is_shown():
            self._swap()

    def finalize_variable_values(self, var_list):
        self.show_average()

    def get_config(self):
        config = super().get_config()
        for name in ("use_ema", "ema_momentum", "ema_overwrite_frequency", "gradient_accumulation_steps"):
            del config[name]
        return {**config, "interval": self.interval}

    def _update_model_variables_moving_average(self, trainable_variables):
        count = keras.ops.where(self.averaged > 0, self.averaged + 1, 0)
        for variable, average in zip(trainable_variables, self._model_variables_moving_average):
            # the mean of k numbers, from that of k - 1
            share = 1 / keras.ops.cast(keras.ops.maximum(count, 1), variable.dtype)
            average.assign(average + (variable - average) * share)
        self.averaged.assign(count)

    def _pairs(self):
        return zip(self._trainable_variables, self._model_variables_moving_average)

    def _is_shown(self):
        return self.built and bool(keras.ops.convert_to_numpy(self.shown))

    def _swap(self):
        for variable, average in self._pairs():
            kept = keras.ops.convert_to_numpy(variable).copy()  # on PyTorch it is a view
            variable.assign(average)
            average.assign(kept)
        self.shown.assign(1 - self.shown)
