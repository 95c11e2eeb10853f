import keras
import numpy as np
import pytest

from keras_richctx.finetuning import FineTuning
from keras_richctx.models import Bert, TextClassifier


@pytest.fixture(scope="module")
def model():
    return TextClassifier(Bert(num_layers=2, width=12, num_heads=2, vocab_size=37), num_classes=2)


def test_the_rate_rises_over_a_tenth_and_falls_to_zero():
    rate = FineTuning(learning_rate=2e-5).optimizer(200)._learning_rate
    # BERT's own: peak * step / warm-up, then peak * (steps - step) / (steps - warm-up)
    expected = [2e-5 * min(step / 20, (200 - step) / 180) for step in (0, 1, 10, 20, 110, 199, 200)]
    np.testing.assert_allclose([float(rate(step)) for step in (0, 1, 10, 20, 110, 199, 200)], expected, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_training_of_few_steps_has_a_rate_too(steps):
    assert 0 <= float(FineTuning().optimizer(steps)._learning_rate(1)) <= 2e-5


def test_biases_and_normalisations_are_not_decayed(model):
    optimizer = FineTuning(weight_decay=0.5, layer_decay=1).optimizer(10)
    optimizer.build(model.trainable_variables)
    decayed = {variable.path.rsplit("/", 1)[1] for variable in model.trainable_variables if optimizer._use_weight_decay(variable)}
    kept = {variable.path.rsplit("/", 1)[1] for variable in model.trainable_variables} - decayed
    assert decayed == {"embeddings", "query_kernel", "key_kernel", "value_kernel", "output_kernel", "kernel"}
    assert kept == {"query_bias", "key_bias", "value_bias", "output_bias", "bias", "gamma", "beta"}


def test_the_rate_of_a_layer_is_a_part_of_that_above_it(model):
    optimizer = FineTuning(layer_decay=0.5).optimizer(10, model.layer_groups())
    rates = optimizer.get_config()["rates"]
    levels = [{rates[variable.path] for layer in group for variable in layer.trainable_variables} for group in model.layer_groups()]
    assert levels == [{0.125}, {0.25}, {0.5}, {1.0}]


def test_a_step_is_that_of_adam_with_decoupled_decay():
    variable, bias = (keras.Variable(np.full(3, 2.0, "float32"), name=name) for name in ("kernel", "bias"))
    optimizer = FineTuning(learning_rate=0.1, weight_decay=0.5).optimizer(10)
    optimizer.build([variable, bias])
    optimizer.iterations.assign(1)  # the peak of ten steps
    optimizer.apply([keras.ops.convert_to_tensor(np.full(3, 1e-3, "float32"))] * 2)
    # of a first gradient Adam makes a step of the rate, but for its second-step correction, which is the same for both
    decayed, plain = (keras.ops.convert_to_numpy(each) for each in (variable, bias))
    np.testing.assert_allclose(plain - decayed, 2.0 * 0.5 * 0.1, rtol=1e-4)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"learning_rate": 0.0}, "learning_rate=0.0"),
        ({"epochs": 0}, "epochs=0"),
        ({"layer_decay": 1.5}, "up to one"),
        ({"warmup": 1.0}, "warmup=1.0"),
    ],
)
def test_numbers_out_of_range_are_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        FineTuning(**wrong)
