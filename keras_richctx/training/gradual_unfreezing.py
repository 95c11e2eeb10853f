"""Fine-tuning from the top down: one more group of layers is trained in each epoch."""

import keras

from keras_richctx.training.discriminative_rates import DiscriminativeRates, discriminative_rates
from keras_richctx.training.layer_groups import layer_groups


class GradualUnfreezing(keras.callbacks.Callback):
    """Trains the highest group of layers alone in the first epoch, and one more group below it in each epoch that follows.

    All at once, a new task would overwrite what the lower layers know before the new head makes sense of it. A frozen group keeps its weights and its moments
    in the optimizer; once all groups are in, training is as without this callback. What is frozen goes by the number of the epoch alone, so that a run that was
    cut short goes on rightly.

    The optimizer does the freezing, and `trainable` is not touched: on every backend the optimizer has the same variables throughout, in a checkpoint too. The
    training step is compiled anew when a group joins. Layers that keep statistics (`BatchNormalization`) go on keeping them in a frozen group.

    Args:
        groups: as in `discriminative_rates`: a built model, or a list of groups, lowest first.

    Raises:
        ValueError: as `discriminative_rates`, when training begins.

    Example:
        >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(1)])
        >>> model.compile("adam", "mse")
        >>> before = model.layers[0].get_weights()[0]
        >>> history = model.fit(np.ones((4, 3)), np.ones((4, 1)), epochs=1, callbacks=[GradualUnfreezing(model)], verbose=0)
        >>> bool((model.layers[0].get_weights()[0] == before).all())
        True

    References:
        [Howard and Ruder, 2018](https://arxiv.org/abs/1801.06146), section 3.3.
    """

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def on_train_begin(self, logs=None):
        self._variables = layer_groups(self.groups)
        optimizer = self.model.optimizer
        self._optimizer = optimizer.inner_optimizer if isinstance(optimizer, keras.optimizers.LossScaleOptimizer) else optimizer
        if not isinstance(self._optimizer, DiscriminativeRates):
            discriminative_rates(self._optimizer, self.groups, decay=1.0)
        if not optimizer.built:
            optimizer.build(self.model.trainable_variables)  # of all groups: those that join later among them
        self._trained = len(self._variables)

    def on_epoch_begin(self, epoch, logs=None):
        self._train(min(epoch + 1, len(self._variables)))

    def on_train_end(self, logs=None):
        self._train(len(self._variables))

    def _train(self, number):
        """Lets the training step update the highest `number` groups."""
        if number != self._trained:
            frozen = self._variables[: len(self._variables) - number]
            self._optimizer.freeze([variable for group in frozen for variable in group])
            self.model.make_train_function(force=True)
            self._trained = number
