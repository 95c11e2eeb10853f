import math

import keras
import numpy as np
import pytest

from keras_richctx.training import slanted_triangular

pytestmark = pytest.mark.backends


def equation_3(t, peak, steps, cut_fraction, ratio):
    """The rate at step t as the paper prints it."""
    cut = math.floor(steps * cut_fraction)
    p = t / cut if t < cut else 1 - (t - cut) / (cut * (1 / cut_fraction - 1))
    return peak * (1 + p * (ratio - 1)) / ratio


@pytest.mark.parametrize("peak, steps, cut_fraction, ratio", [(0.01, 70, 0.1, 32), (4e-3, 12, 0.25, 8), (30.0, 10, 0.5, 1)])
def test_equals_the_equation_at_every_step(peak, steps, cut_fraction, ratio):
    schedule = slanted_triangular(peak, steps, cut_fraction, ratio)
    rates = [float(keras.ops.convert_to_numpy(schedule(keras.ops.convert_to_tensor(t)))) for t in range(steps + 1)]
    np.testing.assert_allclose(rates, [equation_3(t, peak, steps, cut_fraction, ratio) for t in range(steps + 1)], rtol=1e-5)


@pytest.mark.parametrize("steps", [15, 19, 1234])
def test_it_ends_at_the_lowest_rate_and_stays_there_where_the_rise_is_no_whole_part_of_the_steps(steps):
    schedule = slanted_triangular(3.2, steps)
    rates = np.array([float(keras.ops.convert_to_numpy(schedule(t))) for t in range(steps + 7)])
    np.testing.assert_allclose(rates[steps:], 0.1, rtol=1e-5)
    assert rates.argmax() == steps // 10
    assert rates[1:steps].min() > 0.1


def test_an_optimizer_follows_it_and_saves_it():
    optimizer = keras.optimizers.SGD(slanted_triangular(0.4, 12, cut_fraction=0.25, ratio=8))
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    for made in (optimizer, again):
        weight = keras.Variable(0.0)
        made.build([weight])
        for _ in range(5):
            made.apply([keras.ops.ones(())], [weight])
        np.testing.assert_allclose(-float(keras.ops.convert_to_numpy(weight)), sum(equation_3(t, 0.4, 12, 0.25, 8) for t in range(5)), rtol=1e-5)


def test_a_part_that_is_a_whole_number_of_steps_but_for_rounding_is_that_number():
    assert 100 * 0.29 < 29
    assert float(keras.ops.convert_to_numpy(slanted_triangular(1.0, 100, cut_fraction=0.29)(29))) == 1.0


@pytest.mark.parametrize(
    "arguments, named",
    [
        ({"peak": 0.0}, r"peak=0\.0"),
        ({"cut_fraction": 1.0}, r"cut_fraction=1\.0"),
        ({"ratio": 0.5}, r"ratio=0\.5"),
        ({"steps": 9}, r"steps=9, cut_fraction=0\.1, which is less than one step"),
    ],
)
def test_numbers_out_of_range_are_named(arguments, named):
    with pytest.raises(ValueError, match=f"Received: {named}"):
        slanted_triangular(**{"peak": 1.0, "steps": 50, **arguments})
