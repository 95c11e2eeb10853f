"""A learning rate of its own for each group of layers: the lower the group, the smaller the rate."""

import collections
import functools
import itertools
import math
import re

import keras

from keras_richctx.training.layer_groups import layer_groups


class DiscriminativeRates:
    """What `discriminative_rates` adds to an optimizer: a multiplier of the learning rate for each variable, and variables that are frozen.

    It stands before the optimizer's own class, and scales the rate where that class uses it: in the update of a variable and in its weight decay.
    """

    def build(self, variables):
        super().build(variables)
        self._multipliers = _multipliers(self._rates, [variable.path for variable in self._trainable_variables])

    def freeze(self, variables):
        """Leaves these variables out of all updates from now on, and takes up those that were frozen before.

        A frozen variable keeps its value and its moments, and its gradient does not count in a global norm. A training step that is compiled already
        goes on as before: call `model.make_train_function(force=True)`.
        """
        self._frozen = [self._get_variable_index(variable) for variable in variables]

    def apply(self, grads, trainable_variables=None):
        if self._frozen:
            variables = self._trainable_variables if trainable_variables is None else trainable_variables
            kept = [(gradient, variable) for gradient, variable in zip(grads, variables) if self._get_variable_index(variable) not in self._frozen]
            grads, trainable_variables = zip(*kept)
        super().apply(grads, trainable_variables)

    def update_step(self, gradient, variable, learning_rate):
        # eta^l
        super().update_step(gradient, variable, learning_rate * self._multipliers[self._get_variable_index(variable)])

    def _apply_weight_decay(self, variables):
        for variable in variables:
            if keras.backend.backend() == "torch" and not self._use_weight_decay(variable):
                continue  # Keras' own takes no empty list there
            self._multiplier = self._multipliers[self._get_variable_index(variable)]
            super()._apply_weight_decay([variable])
        self._multiplier = 1.0

    def _get_current_learning_rate(self):
        rate = super()._get_current_learning_rate()
        return rate if self._multiplier == 1.0 else rate * self._multiplier

    def get_config(self):
        return {"optimizer": {**self._description, "config": super().get_config()}, "rates": dict(self._rates)}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return _take_over(keras.optimizers.deserialize(config["optimizer"], custom_objects=custom_objects), config["rates"])


def discriminative_rates(optimizer, groups, decay=2.6):
    r"""Gives each group of layers its own learning rate: the optimizer's own for the highest, and a smaller one from group to group below it.

    $$\theta^l_t = \theta^l_{t-1} - \eta^l \, \nabla_{\theta^l} J(\theta), \qquad \eta^{l-1} = \eta^l / 2.6$$

    Lower layers hold what is more general, and are to change less. The optimizer may be any of Keras, or of your own: each group is updated as by an optimizer
    of that rate, in decoupled weight decay too, whereas a gradient is clipped to a global norm over all groups. A schedule, a callback or an assignment to
    `learning_rate` sets the rate of the highest group, and the others follow.

    The optimizer is saved with the model, and loads with the same rates. The variables are known by their paths then; where Keras has numbered layers anew, by
    the order of those of the same name.

    Args:
        optimizer: a `keras.optimizers.Optimizer`; it is changed, and returned.
        groups: a built model, whose groups are what its `layer_groups()` gives or, where it has no such method, its layers; or a list of groups, lowest first,
            each of them a layer, a variable or a list of them. Every variable that is trained is in one of them.
        decay: number, how many times the rate of a group goes into the rate of the one above it. Defaults to `2.6`.

    Returns:
        The optimizer.

    Raises:
        ValueError: if `decay` is not above zero, or a group has no variables or shares one with another; when training begins, if a variable is in no group.
        TypeError: if `optimizer` is one that wraps others, or none.

    Example:
        >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(2), keras.layers.Dense(1)])
        >>> optimizer = discriminative_rates(keras.optimizers.AdamW(0.01), model)
        >>> [round(rate, 3) for rate in optimizer.get_config()["rates"].values()]
        [0.148, 0.148, 0.385, 0.385, 1.0, 1.0]
        >>> model.compile(optimizer, "mse")

    References:
        [Howard and Ruder, 2018](https://arxiv.org/abs/1801.06146), equation 2.
    """
    if not isinstance(optimizer, keras.optimizers.Optimizer) or hasattr(optimizer, "inner_optimizer") or hasattr(optimizer, "optimizers"):
        raise TypeError(f"Discriminative rates are for an optimizer that updates weights itself. Received: optimizer={optimizer!r}. Pass the one inside it.")
    if not 0 < decay < math.inf:
        raise ValueError(f"decay is a number above zero, by which the rate is divided from group to group. Received: decay={decay!r}")
    variables = layer_groups(groups)
    top = len(variables) - 1
    # eta^{l-1} = eta^l / 2.6
    return _take_over(optimizer, {variable.path: decay ** (number - top) for number, group in enumerate(variables) for variable in group})


def _take_over(optimizer, rates):
    """Puts `DiscriminativeRates` before the class of an optimizer, and gives it the rates by path."""
    if not isinstance(optimizer, DiscriminativeRates):
        # PyTorch's own classes update all variables at once, at one rate; Keras' class of the same name has the same state, and updates them one by one.
        optimizer.__class__ = next(base for base in type(optimizer).__mro__ if not base.__module__.startswith("keras.src.backend"))
        optimizer._description = keras.optimizers.serialize(optimizer)
        optimizer.__class__ = _discriminative(type(optimizer))
        optimizer._multiplier = 1.0
    optimizer._rates = dict(rates)
    optimizer._frozen = []
    if optimizer.built:
        optimizer._multipliers = _multipliers(rates, [variable.path for variable in optimizer._trainable_variables])
    return optimizer


@functools.cache
def _discriminative(base):
    """Makes the class for optimizers of class `base`; all of them are saved under one name, and `from_config` finds the base again."""
    made = type(f"Discriminative{base.__name__}", (DiscriminativeRates, base), {"__module__": __name__})
    return keras.saving.register_keras_serializable("keras_richctx", "DiscriminativeRates")(made)


_discriminative(keras.optimizers.SGD)  # one has to be registered before a saved optimizer of any base can be loaded


def _multipliers(rates, paths):
    """Returns the multiplier for each path, in their order."""
    ours, theirs = _ranked(paths), _ranked(rates)
    if not all(path in rates for path in paths) and ours.keys() == theirs.keys():
        rates = {path: rates[theirs[rank]] for rank, path in ours.items()}
    if missing := [path for path in paths if path not in rates]:
        raise ValueError(f"Every variable that is trained needs to be in a group of discriminative_rates. Received: {missing[0]!r}, which is in none")
    return [rates[path] for path in paths]


def _ranked(paths):
    """Returns the paths by what stays of them when a model is made anew: not what all begin with, nor the numbers that Keras appends, but their order."""
    parts = {path: path.split("/") for path in paths}
    shared = sum(1 for _ in itertools.takewhile(lambda part: len(set(part)) == 1, zip(*parts.values())))
    same = collections.defaultdict(list)
    for path in paths:
        same[tuple(re.sub(r"_\d+$", "", part) for part in parts[path][shared:])].append(path)
    return {(name, rank): path for name, alike in same.items() for rank, path in enumerate(sorted(alike, key=_numbers))}


def _numbers(path):
    """The number at the end of each part of a path; none comes before 0."""
    return [int(match[1]) if (match := re.search(r"_(\d+)$", part)) else -1 for part in path.split("/")]
