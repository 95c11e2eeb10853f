import keras
import numpy as np
import pytest

from keras_richctx.training import GradualUnfreezing, discriminative_rates

pytestmark = pytest.mark.backends

X, Y = np.random.default_rng(0).normal(size=(8, 4)).astype("float32"), np.ones((8, 1), "float32")
COMPILED = {"jit_compile": keras.backend.backend() == "jax"}


def make_model():
    keras.utils.set_random_seed(2)
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(4), keras.layers.Dense(4), keras.layers.Dense(1)])


class Weights(keras.callbacks.Callback):
    """Notes the weights at each epoch's end."""

    def on_train_begin(self, logs=None):
        self.seen = [self.model.get_weights()]

    def on_epoch_end(self, epoch, logs=None):
        self.seen.append(self.model.get_weights())

    def moved(self):
        """For each epoch, which of the three layers moved; of each, both kernel and bias or neither."""
        moves = []
        for before, after in zip(self.seen, self.seen[1:]):
            changed = [bool((a != b).any()) for a, b in zip(before, after)]
            assert changed[::2] == changed[1::2]
            moves.append(changed[::2])
        return moves


def train(model, optimizer, epochs, callbacks, how=None, **options):
    weights = Weights()
    model.compile(optimizer, "mse", **(how or {"run_eagerly": True}))
    model.fit(X, Y, batch_size=4, epochs=epochs, shuffle=False, verbose=0, callbacks=[*callbacks, weights], **options)
    return weights


@pytest.mark.parametrize("how", [COMPILED, {"run_eagerly": True}], ids=str)
def test_one_more_group_moves_in_each_epoch_and_the_others_stand_still(how):
    model = make_model()
    moved = train(model, keras.optimizers.AdamW(0.01, weight_decay=0.1), 4, [GradualUnfreezing(model)], how).moved()
    assert moved == [[False, False, True], [False, True, True], [True, True, True], [True, True, True]]
    assert all(layer.trainable for layer in model.layers)


def test_a_frozen_group_is_as_if_its_layers_were_not_trainable():
    def optimizer():
        return keras.optimizers.Adam(0.01, global_clipnorm=0.1, weight_decay=0.1)

    model, by_keras = make_model(), make_model()
    by_keras.layers[0].trainable = False
    train(model, optimizer(), 1, [GradualUnfreezing([model.layers[0], model.layers[1:]])])
    train(by_keras, optimizer(), 1, [])
    assert [w.shape for w in by_keras.trainable_weights] == [(4, 4), (4,), (4, 1), (1,)]
    for ours, theirs in zip(model.get_weights(), by_keras.weights):
        np.testing.assert_allclose(ours, keras.ops.convert_to_numpy(theirs), atol=1e-6)


def test_moments_of_a_frozen_group_stay_zero_and_are_there_from_the_beginning():
    model = make_model()
    optimizer = keras.optimizers.Adam(0.01)
    train(model, optimizer, 1, [GradualUnfreezing(model)])
    moments = {variable.path: np.abs(keras.ops.convert_to_numpy(variable)).max() for variable in optimizer.variables if "momentum" in variable.path}
    assert len(moments) == len(model.weights)
    assert [value > 0 for value in moments.values()] == [False] * 4 + [True] * 2


def test_averages_at_the_end_are_right_where_groups_were_frozen_to_the_last():
    model = make_model()
    weights = train(model, keras.optimizers.SGD(0.01, use_ema=True, ema_momentum=0.5), 1, [GradualUnfreezing(model)])
    for before, after in zip(weights.seen[0][:4], model.get_weights()[:4]):
        np.testing.assert_allclose(after, before, atol=1e-7)


def test_it_goes_with_discriminative_rates():
    model = make_model()
    optimizer = discriminative_rates(keras.optimizers.SGD(0.01), model, decay=1e2)
    weights = train(model, optimizer, 3, [GradualUnfreezing(model)])
    assert weights.moved()[1] == [False, True, True]
    middle, top = (np.abs(weights.seen[2][place] - weights.seen[1][place]).max() for place in (2, 4))
    assert 0 < middle < 0.1 * top


def test_it_goes_by_the_number_of_the_epoch_alone():
    model = make_model()
    assert train(model, keras.optimizers.SGD(0.01), 3, [GradualUnfreezing(model)], initial_epoch=1).moved() == [[False, True, True], [True, True, True]]


def test_after_training_nothing_is_frozen():
    model = make_model()
    train(model, "sgd", 1, [GradualUnfreezing(model)], how=COMPILED)
    before = model.get_weights()
    model.fit(X, Y, verbose=0)
    assert all((a != b).any() for a, b in zip(before, model.get_weights()))


def test_a_model_saved_in_between_loads_with_nothing_frozen(tmp_path):
    model = make_model()
    train(model, keras.optimizers.Adam(0.01), 1, [GradualUnfreezing(model), keras.callbacks.ModelCheckpoint(tmp_path / "model.keras")])
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    before = loaded.get_weights()
    loaded.fit(X, Y, verbose=0)
    assert all((a != b).any() for a, b in zip(before, loaded.get_weights()))


def test_under_mixed_float16_too():
    model = make_model()
    model.dtype_policy = keras.dtype_policies.DTypePolicy("mixed_float16")
    moved = train(model, keras.optimizers.SGD(0.01), 3, [GradualUnfreezing(model)], how=COMPILED).moved()
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    assert moved == [[False, False, True], [False, True, True], [True, True, True]]
