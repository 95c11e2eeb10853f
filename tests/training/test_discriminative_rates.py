import keras
import numpy as np
import pytest

from keras_richctx.training import discriminative_rates

pytestmark = pytest.mark.backends

SHAPES = [(3, 4), (4,), (4, 2), (2, 2), (2,)]
GROUPS = [[0, 1], [2], [3, 4]]  # lowest first
OPTIMIZERS = {
    "adadelta": keras.optimizers.Adadelta(0.3),
    "adafactor": keras.optimizers.Adafactor(0.3),
    "adagrad": keras.optimizers.Adagrad(0.3),
    "adam": keras.optimizers.Adam(0.3, weight_decay=0.02, use_ema=True, ema_momentum=0.7),
    "adam_clipped": keras.optimizers.Adam(0.3, clipnorm=0.5, amsgrad=True),
    "adamw": keras.optimizers.AdamW(0.3, weight_decay=0.1, gradient_accumulation_steps=2),
    "adamax": keras.optimizers.Adamax(0.3),
    "ftrl": keras.optimizers.Ftrl(0.3, l2_regularization_strength=0.1),
    "lamb": keras.optimizers.Lamb(0.3, weight_decay=0.1),
    "lion": keras.optimizers.Lion(0.3),
    "muon": keras.optimizers.Muon(0.3, weight_decay=0.1),
    "nadam": keras.optimizers.Nadam(0.3),
    "rmsprop": keras.optimizers.RMSprop(0.3, momentum=0.5, centered=True),
    "schedule_free": keras.optimizers.ScheduleFreeAdamW(0.3, warmup_steps=3),
    "sgd": keras.optimizers.SGD(0.3, momentum=0.5, nesterov=True, weight_decay=0.1, ema_overwrite_frequency=3, use_ema=True),
}


def numbers(seed):
    return [np.random.default_rng(seed).normal(size=shape).astype("float32") for shape in SHAPES]


def make_variables():
    return [keras.Variable(value, name=f"v{i}") for i, value in enumerate(numbers(0))]


def make(optimizer, rate=None):
    """A new optimizer like this one, at another rate."""
    config = optimizer.get_config()
    return type(optimizer).from_config({**config, **({} if rate is None else {"learning_rate": rate})})


def descend(optimizer, variables, places=range(5), steps=range(1, 8), scale=1.0):
    """Takes steps along the same gradients whatever the variables are; of those in these places."""
    optimizer.build(variables)
    for step in steps:
        optimizer.apply([keras.ops.convert_to_tensor(numbers(step)[place] * scale) for place in places], variables)
    return [keras.ops.convert_to_numpy(variable) for variable in variables]


def grouped(optimizer, decay):
    variables = make_variables()
    return discriminative_rates(optimizer, [[variables[place] for place in group] for group in GROUPS], decay), variables


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_each_group_is_updated_as_by_an_optimizer_of_its_rate(name):
    values = descend(*grouped(make(OPTIMIZERS[name]), decay=4.0))
    for group, rate in zip(GROUPS, [0.3 / 16, 0.3 / 4, 0.3]):
        variables = make_variables()
        expected = descend(make(OPTIMIZERS[name], rate), [variables[place] for place in group], group)
        for place, value in zip(group, expected, strict=True):
            np.testing.assert_allclose(values[place], value, rtol=1e-5, atol=1e-6)
            assert (value != numbers(0)[place]).all()


def test_a_global_norm_is_over_all_groups():
    values = descend(*grouped(keras.optimizers.SGD(1.0, global_clipnorm=0.5), decay=2.0), steps=[1])
    gradients = numbers(1)
    norm = np.sqrt(sum((gradient**2).sum() for gradient in gradients))
    assert norm > 0.5
    for group, rate in zip(GROUPS, [0.25, 0.5, 1.0]):
        for place in group:
            np.testing.assert_allclose(values[place], numbers(0)[place] - rate * gradients[place] * 0.5 / norm, rtol=1e-5, atol=1e-6)


def test_the_averages_at_the_end_are_those_of_the_groups():
    optimizer, variables = grouped(make(OPTIMIZERS["adam"]), decay=4.0)
    descend(optimizer, variables)
    optimizer.finalize_variable_values(variables)
    own = make_variables()[2:3]
    alone = make(OPTIMIZERS["adam"], 0.3 / 4)
    descend(alone, own, [2])
    alone.finalize_variable_values(own)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(variables[2]), keras.ops.convert_to_numpy(own[0]), rtol=1e-5, atol=1e-6)


def test_variables_left_out_of_weight_decay_stay_left_out():
    optimizer = keras.optimizers.SGD(0.5, weight_decay=0.1)
    optimizer.exclude_from_weight_decay(var_names=["v2"])  # the whole of the second group
    values = descend(*grouped(optimizer, decay=2.0), steps=[1], scale=0.0)
    for place, factor in enumerate([0.9875, 0.9875, 1.0, 0.95, 0.95]):
        np.testing.assert_allclose(values[place], factor * numbers(0)[place], rtol=1e-6)


def test_the_rates_follow_a_schedule_and_an_assignment():
    schedule = keras.optimizers.schedules.PiecewiseConstantDecay([0, 1], [1.0, 10.0, 100.0])
    changed = keras.optimizers.SGD(1.0)
    for optimizer, assigned in ((keras.optimizers.SGD(schedule), []), (changed, [1.0, 10.0, 100.0])):
        optimizer, variables = grouped(optimizer, decay=2.0)
        optimizer.build(variables)
        for step in range(3):
            if assigned:
                optimizer.learning_rate = assigned[step]
            optimizer.apply([keras.ops.ones(shape) for shape in SHAPES], variables)
        moved = [float(np.mean(before - keras.ops.convert_to_numpy(variable))) for before, variable in zip(numbers(0), variables)]
        np.testing.assert_allclose(moved, [111 / 4, 111 / 4, 111 / 2, 111, 111], rtol=1e-5)


class Unnamed(keras.Model):
    """A model whose layers Keras numbers anew each time."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.first, self.second, self.third = keras.layers.Dense(4), keras.layers.Dense(4), keras.layers.Dense(1)
        self.first.build((None, 4))
        self.second.build((None, 4))
        self.third.build((None, 4))
        self.built = True

    def call(self, x):
        return self.third(self.second(self.first(x)))

    def layer_groups(self):
        return [self.first, self.second, self.third]


def sequential():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(4), keras.layers.ReLU(), keras.layers.Dense(4), keras.layers.Dense(1)])


X, Y = np.random.default_rng(0).normal(size=(8, 4)).astype("float32"), np.ones((8, 1), "float32")


@pytest.mark.parametrize("make_model", [sequential, Unnamed])
def test_a_saved_model_goes_on_at_the_same_rates(make_model, tmp_path):
    model = make_model()
    model.compile(discriminative_rates(keras.optimizers.Adam(0.05, weight_decay=0.1), model, decay=3.0), "mse", run_eagerly=True)
    model.fit(X, Y, epochs=2, verbose=0)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras", custom_objects={"Unnamed": Unnamed})
    assert isinstance(loaded.optimizer, keras.optimizers.Adam)
    assert list(loaded.optimizer._multipliers) == pytest.approx([1 / 9, 1 / 9, 1 / 3, 1 / 3, 1, 1])
    state = [[keras.ops.convert_to_numpy(v) for v in m.optimizer.variables] for m in (model, loaded)]
    for ours, theirs in zip(*state, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    before = model.get_weights()
    for m in (model, loaded):
        m.fit(X, Y, epochs=1, verbose=0)
    for was, ours, theirs in zip(before, model.get_weights(), loaded.get_weights()):
        np.testing.assert_allclose(theirs, ours, rtol=1e-5, atol=1e-6)
        assert np.abs(ours - was).max() > 1e-4


@pytest.mark.skipif(keras.backend.backend() == "torch", reason="XLA compiles for TensorFlow and JAX")
def test_a_compiled_step_equals_an_eager_one():
    weights = []
    for how in ({"jit_compile": True}, {"run_eagerly": True}):
        keras.utils.set_random_seed(1)
        model = sequential()
        model.compile(discriminative_rates(keras.optimizers.AdamW(0.1), model), "mse", **how)
        model.train_on_batch(X, Y)
        weights.append(model.get_weights())
    for compiled, eager in zip(*weights):
        np.testing.assert_allclose(compiled, eager, atol=1e-6)


def test_a_config_makes_the_same_optimizer():
    optimizer, variables = grouped(keras.optimizers.RMSprop(0.1, rho=0.7), decay=2.0)
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert again.get_config() == optimizer.get_config()
    np.testing.assert_array_equal(descend(again, make_variables())[0], descend(optimizer, variables)[0])


def test_mixed_float16_scales_its_loss_around_the_rates():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, dtype="mixed_float16"), keras.layers.Dense(1, dtype="mixed_float16")])
    model.dtype_policy = keras.dtype_policies.DTypePolicy("mixed_float16")
    model.compile(discriminative_rates(keras.optimizers.SGD(0.1), model, decay=1e6), "mse", jit_compile=False)
    before = model.get_weights()
    model.fit(X, Y, epochs=3, verbose=0)
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    lower, _, upper, _ = (np.abs(a - b).max() for a, b in zip(model.get_weights(), before))
    assert lower < 1e-5 < 1e-2 < upper


def test_a_model_without_groups_of_its_own_has_its_layers_for_groups():
    model = sequential()
    rates = discriminative_rates(keras.optimizers.SGD(0.1), model).get_config()["rates"]
    assert [round(1 / rate, 4) for rate in rates.values()] == [6.76, 6.76, 2.6, 2.6, 1, 1]


def test_a_variable_in_no_group_or_in_two_is_named():
    variables = make_variables()
    with pytest.raises(ValueError, match=r"is in two groups\. Received: 'v1' in groups\[0\] and groups\[1\]"):
        discriminative_rates(keras.optimizers.SGD(0.1), [variables[:2], variables[1:]])
    with pytest.raises(ValueError, match=r"Received: 'v4', which is in none"):
        discriminative_rates(keras.optimizers.SGD(0.1), [variables[:2], variables[2:4]]).build(variables)


def test_what_has_no_variables_yet_is_named():
    layer = keras.layers.Dense(3, name="young")
    with pytest.raises(ValueError, match=r"groups\[1\]=<Dense name=young, built=False>"):
        discriminative_rates(keras.optimizers.SGD(0.1), [make_variables(), layer])
    with pytest.raises(ValueError, match="Call the model on a batch"):
        discriminative_rates(keras.optimizers.SGD(0.1), keras.Sequential([layer]))


@pytest.mark.parametrize("optimizer", ["adam", keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1))])
def test_what_is_no_optimizer_of_weights_is_refused(optimizer):
    with pytest.raises(TypeError, match="Pass the one inside it"):
        discriminative_rates(optimizer, make_variables())


@pytest.mark.parametrize("decay", [0, -2.6, float("nan")])
def test_a_decay_that_is_not_positive_is_named(decay):
    with pytest.raises(ValueError, match=f"Received: decay={decay}"):
        discriminative_rates(keras.optimizers.SGD(0.1), make_variables(), decay)
