import keras
import numpy as np
import pytest

from keras_richctx.ops import loop

pytestmark = pytest.mark.backends

B, T, D = 3, 5, 2
X = np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")
ZERO = np.zeros((B, D), "float32")
MASK = np.array([[1, 1, 1, 1, 1], [0, 1, 0, 1, 0], [0, 0, 0, 0, 0]], bool)

to_numpy = keras.ops.convert_to_numpy


def running_sum(x, state):
    total = state[0] + x
    return total, [total]


def test_a_running_sum_is_a_running_sum():
    outputs, (final,) = loop(running_sum, X, [ZERO])
    np.testing.assert_allclose(to_numpy(outputs), X.cumsum(axis=1), atol=1e-6)
    np.testing.assert_allclose(to_numpy(final), X.sum(axis=1), atol=1e-6)


def test_in_reverse_the_outputs_come_in_the_order_of_the_run():
    outputs, (final,) = loop(running_sum, X, [ZERO], reverse=True)
    np.testing.assert_allclose(to_numpy(outputs), X[:, ::-1].cumsum(axis=1), atol=1e-6)
    np.testing.assert_allclose(to_numpy(final), X.sum(axis=1), atol=1e-6)


@pytest.mark.parametrize("noise", [7.0, np.nan])
def test_masked_positions_leave_the_state_and_repeat_the_output(noise):
    outputs, (final,) = loop(running_sum, np.where(MASK[..., None], X, np.float32(noise)), [ZERO], MASK)
    real = np.where(MASK[..., None], X, 0.0)
    np.testing.assert_allclose(to_numpy(outputs), real.cumsum(axis=1), atol=1e-6)
    np.testing.assert_allclose(to_numpy(final), real.sum(axis=1), atol=1e-6)


def test_masked_positions_can_put_out_zeros():
    outputs, (final,) = loop(running_sum, X, [ZERO], MASK, zero_output_for_mask=True)
    real = np.where(MASK[..., None], X, 0.0)
    np.testing.assert_allclose(to_numpy(outputs), np.where(MASK[..., None], real.cumsum(axis=1), 0.0), atol=1e-6)
    np.testing.assert_allclose(to_numpy(final), real.sum(axis=1), atol=1e-6)


def test_outputs_and_states_come_in_several_parts():
    def step(x, state):
        total, count = state
        total, count = total + x, count + 1.0
        return (total, keras.ops.sum(total / count, axis=-1)), [total, count]

    (totals, means), (total, count) = loop(step, X, [ZERO, np.zeros((B, 1), "float32")])
    expected = X.cumsum(axis=1)
    np.testing.assert_allclose(to_numpy(totals), expected, atol=1e-5)
    np.testing.assert_allclose(to_numpy(means), (expected / np.arange(1, T + 1)[:, None]).sum(axis=-1), atol=1e-5)
    np.testing.assert_allclose(to_numpy(total), expected[:, -1], atol=1e-5)
    np.testing.assert_array_equal(to_numpy(count), T)


def test_what_the_step_closes_over_receives_its_gradient(gradients):
    # y_t = w y_{t-1} + x_t, so the last one is a polynomial in w
    w = keras.Variable(np.float32(0.5))

    def last():
        outputs, _ = loop(lambda x, state: (w.value * state[0] + x, [w.value * state[0] + x]), X, [ZERO])
        return keras.ops.sum(outputs[:, -1])

    (gradient,) = gradients(last, [w])
    powers = np.array([(T - 1 - t) * 0.5 ** max(T - 2 - t, 0) for t in range(T)])
    np.testing.assert_allclose(gradient, (X * powers[:, None]).sum(), rtol=1e-5)


def test_inputs_and_first_state_receive_their_gradients_through_a_mask(gradients):
    x, first = keras.Variable(X), keras.Variable(ZERO)
    by_input, by_state = gradients(lambda: keras.ops.sum(loop(running_sum, x.value, [first.value], MASK)[1][0]), [x, first])
    np.testing.assert_allclose(by_input, np.broadcast_to(MASK[..., None], X.shape), atol=1e-6)
    np.testing.assert_allclose(by_state, np.ones((B, D)), atol=1e-6)


def test_a_mask_of_floats_is_refused():
    with pytest.raises(ValueError, match=r"A mask is boolean here.*Received: mask of dtype float32"):
        loop(running_sum, X, [ZERO], MASK.astype("float32"))
