import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import keras_richctx as krc

pytestmark = pytest.mark.backends

B, T, S, D, H, K = 3, 7, 5, 10, 3, 4
V = K if keras.backend.backend() == "jax" else 6  # Keras' own layer takes one width only there


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


@pytest.fixture
def both():
    """Keras' layer and ours with the same weights, random biases among them; values of another width than keys."""
    theirs = keras.layers.MultiHeadAttention(H, K, value_dim=V)
    ours = krc.layers.MultiHeadAttention(H, K, value_dim=V)
    for layer in (theirs, ours):
        layer(numbers(B, T, D), numbers(B, S, 8), numbers(B, S, 9))
    weights = [numbers(*w.shape, seed=i) for i, w in enumerate(theirs.get_weights())]
    theirs.set_weights(weights)
    ours.set_weights(theirs.get_weights())
    return theirs, ours


MASKS = {
    "none": {},
    "real keys": {"value_mask": np.arange(S) < np.array([[5], [3], [1]])},
    "keys and values": {"value_mask": np.arange(S) < np.array([[5], [3], [2]]), "key_mask": np.arange(S) > np.array([[-1], [0], [0]])},
    "any": {"attention_mask": np.random.default_rng(3).random((B, T, S)) < 0.6},
    "one for all rows": {"attention_mask": np.arange(S)[None, None] <= np.arange(T)[None, :, None]},
    "each head": {"attention_mask": np.random.default_rng(4).random((B, H, T, S)) < 0.6},
}
for _mask in MASKS.values():
    if "attention_mask" in _mask:
        _mask["attention_mask"][..., 0] = True  # Keras has another answer where a query sees nothing


@pytest.mark.parametrize("name", MASKS)
def test_equals_keras_with_and_without_scores(both, name):
    theirs, ours = both
    x, value, key = numbers(B, T, D), numbers(B, S, 8, seed=1), numbers(B, S, 9, seed=2)
    wanted, wanted_weights = theirs(x, value, key, return_attention_scores=True, **MASKS[name])
    output, weights = ours(x, value, key, return_attention_scores=True, **MASKS[name])
    np.testing.assert_allclose(to_numpy(output), to_numpy(wanted), atol=1e-5)
    np.testing.assert_allclose(to_numpy(weights), to_numpy(wanted_weights), atol=1e-6)
    np.testing.assert_allclose(to_numpy(ours(x, value, key, **MASKS[name])), to_numpy(wanted), atol=1e-5)


@pytest.mark.parametrize("with_scores", [False, True])
def test_gradients_equal_keras(with_scores):
    x, mask = numbers(B, T, D), np.arange(T) < np.array([[7], [4], [1]])
    layers = [keras.layers.MultiHeadAttention(H, K), krc.layers.MultiHeadAttention(H, K)]
    gradients = []
    for layer in layers:
        layer(x, x)
        layer.set_weights(layers[0].get_weights())

        def loss(layer=layer):
            if with_scores:
                output, weights = layer(x, x, value_mask=mask, use_causal_mask=True, return_attention_scores=True)
                return keras.ops.sum(keras.ops.square(output)) + keras.ops.sum(keras.ops.square(weights))
            return keras.ops.sum(keras.ops.square(layer(x, x, value_mask=mask, use_causal_mask=True)))

        gradients.append([to_numpy(g) for g in krc.training.gradients(loss, layer.trainable_variables)])
    for ours, theirs in zip(gradients[1], gradients[0]):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=2e-5)


def test_equals_torch_with_its_gradients():
    torch = pytest.importorskip("torch", reason="the reference is PyTorch's")
    theirs = torch.nn.MultiheadAttention(12, H, batch_first=True)
    ours = krc.layers.MultiHeadAttention(H, 4)
    x, memory, mask = numbers(B, T, 12), numbers(B, S, 12, seed=1), np.arange(S) < np.array([[5], [3], [1]])
    ours.from_torch_weights({name: value.detach().cpu().numpy() for name, value in theirs.state_dict().items()})
    given_x = torch.from_numpy(x).requires_grad_()
    wanted, wanted_weights = theirs(
        given_x, torch.from_numpy(memory), torch.from_numpy(memory), key_padding_mask=torch.from_numpy(~mask), average_attn_weights=False
    )
    wanted.square().sum().backward()
    output, weights = ours(x, memory, value_mask=mask, return_attention_scores=True)
    np.testing.assert_allclose(to_numpy(output), wanted.detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(to_numpy(weights), wanted_weights.detach().numpy(), atol=1e-6)
    variable = keras.Variable(x)
    (gradient,) = krc.training.gradients(lambda: keras.ops.sum(keras.ops.square(ours(variable.value, memory, value_mask=mask))), [variable])
    np.testing.assert_allclose(to_numpy(gradient), given_x.grad.numpy(), rtol=1e-4, atol=1e-5)


@settings(max_examples=3 if keras.backend.backend() == "jax" else 12)  # JAX compiles each shape
@given(seed=st.integers(0, 999), causal=st.booleans())
def test_scores_or_not_one_result_and_rows_sum_to_one_or_zero(seed, causal):
    rng = np.random.default_rng(seed)
    layer = krc.layers.MultiHeadAttention(2, 3)
    x, mask = numbers(2, 5, 6, seed=seed), rng.random((2, 2, 5, 5)) < 0.4  # some queries see nothing
    output, weights = layer(x, attention_mask=mask, use_causal_mask=causal, return_attention_scores=True)
    weights = to_numpy(weights)
    np.testing.assert_allclose(to_numpy(layer(x, attention_mask=mask, use_causal_mask=causal)), to_numpy(output), atol=2e-6)
    seen = mask & np.tril(np.ones((5, 5), bool)) if causal else mask
    assert not weights[~seen].any()
    np.testing.assert_allclose(weights.sum(-1), seen.any(-1), atol=1e-6)


def test_a_query_left_out_has_no_weights_and_the_bias_alone_comes_out():
    layer = krc.layers.MultiHeadAttention(H, K, bias_initializer="ones")
    mask = np.arange(T) < np.array([[7], [4], [0]])
    output, weights = layer(numbers(B, T, D), query_mask=mask, return_attention_scores=True)
    assert not to_numpy(weights)[~np.broadcast_to(mask[:, None, :, None], weights.shape)].any()
    np.testing.assert_array_equal(to_numpy(output)[~mask], 1.0)


def test_what_stands_at_pads_changes_nothing_and_neither_does_more_of_it():
    layer, x, mask = krc.layers.MultiHeadAttention(H, K), numbers(B, T, D), np.arange(T) < np.array([[7], [4], [1]])
    plain = to_numpy(layer(x, value_mask=mask))
    noisy = np.where(mask[..., None], x, 99.0).astype("float32")
    longer = np.concatenate([noisy, numbers(B, 4, D)], axis=1)
    np.testing.assert_allclose(to_numpy(layer(noisy, value_mask=mask))[mask], plain[mask], atol=1e-6)
    np.testing.assert_allclose(to_numpy(layer(longer, value_mask=np.pad(mask, ((0, 0), (0, 4)))))[:, :T][mask], plain[mask], atol=1e-6)


def test_a_batch_equals_its_rows():
    layer, x = krc.layers.MultiHeadAttention(H, K), numbers(B, T, D)
    np.testing.assert_allclose(np.concatenate([to_numpy(layer(row[None])) for row in x]), to_numpy(layer(x)), atol=1e-6)


@pytest.mark.parametrize("pieces", [(7,), (1,) * 7, (3, 1, 3)])
def test_cached_equals_uncached(pieces):
    layer, x = krc.layers.MultiHeadAttention(H, K), numbers(B, T, D)
    mask = np.pad(np.arange(T) > np.array([[-1], [0], [2]]), ((0, 0), (0, 2)))  # pads on the left, and two slots to spare
    wanted, wanted_weights = layer(x, value_mask=mask[:, :T], use_causal_mask=True, return_attention_scores=True)
    cache, outputs, weights, start = layer.empty_cache(B, T + 2), [], [], 0
    for piece in pieces:
        output, scores, cache = layer(x[:, start : start + piece], value_mask=mask, cache=cache, return_attention_scores=True)
        outputs.append(to_numpy(output))
        weights.append(to_numpy(scores))
        start += piece
    np.testing.assert_allclose(np.concatenate(outputs, axis=1), to_numpy(wanted), atol=1e-6)
    np.testing.assert_allclose(np.concatenate(weights, axis=2)[..., :T], to_numpy(wanted_weights), atol=1e-6)
    assert int(cache["index"]) == T


def test_a_projected_source_equals_the_source():
    layer, x, source, mask = krc.layers.MultiHeadAttention(H, K), numbers(B, T, D), numbers(B, S, D, seed=1), np.arange(S) < np.array([[5], [3], [1]])
    wanted = layer(x, source, value_mask=mask)
    np.testing.assert_allclose(to_numpy(layer(x, cache=layer.project(source), value_mask=mask)), to_numpy(wanted), atol=1e-6)


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 5e-3), ("mixed_bfloat16", 5e-2)])
def test_half_precision_stays_close(policy, tolerance):
    exact, half = krc.layers.MultiHeadAttention(H, K), krc.layers.MultiHeadAttention(H, K, dtype=policy)
    x = numbers(B, T, D)
    mask = np.arange(T) < np.array([[7], [4], [0]])
    wanted = to_numpy(exact(x, value_mask=mask))
    half(x)
    half.set_weights(exact.get_weights())
    for scores in (False, True):
        output = half(x, value_mask=mask, return_attention_scores=scores)
        output = output[0] if scores else output
        assert keras.backend.standardize_dtype(output.dtype) == policy.removeprefix("mixed_")
        np.testing.assert_allclose(to_numpy(keras.ops.cast(output, "float32")), wanted, atol=tolerance)


def test_dropout_drops_weights_in_training_and_shows_them_whole():
    layer, x = krc.layers.MultiHeadAttention(H, K, dropout=0.5, seed=1), numbers(B, T, D)
    plain, plain_weights = layer(x, return_attention_scores=True)
    dropped, weights = layer(x, training=True, return_attention_scores=True)
    np.testing.assert_allclose(to_numpy(weights), to_numpy(plain_weights), atol=1e-6)
    assert np.abs(to_numpy(dropped) - to_numpy(plain)).max() > 1e-3
    assert np.abs(to_numpy(layer(x, training=True)) - to_numpy(plain)).max() > 1e-3


def test_a_saved_model_gives_the_same_numbers(tmp_path):
    inputs, source = keras.Input((None, D)), keras.Input((S, 8))
    output, weights = krc.layers.MultiHeadAttention(H, K, value_dim=V, output_shape=9, dropout=0.1, seed=3)(inputs, source, return_attention_scores=True)
    model = keras.Model([inputs, source], [output, weights])
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    given = [numbers(B, T, D), numbers(B, S, 8)]
    for ours, theirs in zip(loaded(given), model(given)):
        np.testing.assert_array_equal(to_numpy(ours), to_numpy(theirs))
    assert loaded.layers[-1].get_config() == model.layers[-1].get_config()


def test_takes_the_mask_that_keras_carries():
    ids = np.array([[3, 4, 0, 0], [5, 6, 7, 0]])
    embedded = keras.layers.Embedding(9, D, mask_zero=True)(ids)
    _, weights = krc.layers.MultiHeadAttention(H, K)(embedded, embedded, return_attention_scores=True)
    assert not to_numpy(weights)[0, :, :, 2:].any()
    assert to_numpy(weights)[0, :, 0, :2].all()


@pytest.mark.parametrize(
    "mask, message",
    [
        ({"attention_mask": np.ones((B, T, S + 1), bool)}, r"6 keys instead of 5"),
        ({"attention_mask": np.ones((B, T - 1, S), bool)}, r"6 queries instead of 7"),
        ({"attention_mask": np.ones((B, H + 1, T, S), bool)}, r"4 heads instead of 3"),
        ({"attention_mask": np.ones((B + 1, T, S), bool)}, r"4 batch instead of 3"),
        ({"attention_mask": np.ones((T, S), bool)}, r"gets a first axis of one"),
        ({"value_mask": np.ones((B, T, S), bool)}, r"value_mask has two axes"),
        ({"value_mask": np.ones((B, T), bool)}, r"7 keys instead of 5"),
        ({"attention_mask": np.zeros((B, T, S), "float32")}, r"attention_mask of dtype float32"),
    ],
)
@pytest.mark.parametrize("scores", [False, True])
def test_a_mask_that_does_not_fit_is_refused_by_its_axis(mask, message, scores):
    with pytest.raises(ValueError, match=message):
        krc.layers.MultiHeadAttention(H, K)(numbers(B, T, D), numbers(B, S, D), return_attention_scores=scores, **mask)


@pytest.mark.parametrize("argument", [{"num_heads": 0}, {"key_dim": 2.5}, {"value_dim": -1}, {"output_shape": 0.5}, {"dropout": 1.0}])
def test_a_number_out_of_range_is_refused_by_name(argument):
    with pytest.raises(ValueError, match=f"Received: {next(iter(argument))}="):
        krc.layers.MultiHeadAttention(**{"num_heads": H, "key_dim": K, **argument})
