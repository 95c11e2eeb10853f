"""The attention of all layers in one form, whatever it came in."""

import numpy as np
import pytest

from keras_richctx.viz.attention_layers import attention_layers, check_weights, mean_over_queries, short_names

B, H, T, S = 2, 3, 5, 7


@pytest.fixture
def layers():
    weights = np.random.default_rng(0).random((2, B, H, T, S)).astype("float32")
    return list(weights / weights.sum(-1, keepdims=True))


def test_lists_and_mappings_of_batches_and_of_examples_become_one_form(layers):
    for weights, names in (
        (layers, ["layer 1", "layer 2"]),
        (np.stack(layers), ["layer 1", "layer 2"]),
        ({"m/b_0/a": layers[0], "m/b_1/a": layers[1]}, ["b_0", "b_1"]),
    ):
        got = attention_layers(weights)
        assert list(got) == names
        for values, layer in zip(got.values(), layers):
            assert values.dtype == np.float64
            np.testing.assert_array_equal(values, layer.astype("float64"))
    assert attention_layers([layers[0][0]])["layer 1"].shape == (1, H, T, S)
    np.testing.assert_array_equal(attention_layers([layers[0][:1]], one=True)["layer 1"], attention_layers([layers[0][0]], one=True)["layer 1"])


@pytest.mark.parametrize(
    "names, short",
    [
        (["attention"], ["attention"]),
        (["bert/encoder/block_0/attention"], ["attention"]),
        (["t/encoder/b_0/a", "t/decoder/b_0/a"], ["encoder", "decoder"]),
        (["t/d/b_0/self", "t/d/b_0/cross", "t/d/b_1/self"], ["b_0/self", "b_0/cross", "b_1/self"]),
        (["a", "a/b"], ["a", "a/b"]),
        (["x/a", "x/a"], ["x/a", "x/a"]),
        (["first", "second"], ["first", "second"]),
    ],
)
def test_names_lose_what_all_have_in_common_and_stay_different(names, short):
    assert short_names(names) == short


def test_what_is_no_attention_is_refused_with_what_to_do(layers):
    with pytest.raises(ValueError, match=r"There is no layer"):
        attention_layers({})
    with pytest.raises(ValueError, match=r"Put that of one layer into a list, \[weights\]\. Received: 'layer 1' of shape \(5, 7\)"):
        attention_layers(layers[0][0])
    with pytest.raises(ValueError, match=r"'a' of shape \(0, 3, 5, 7\)"):
        attention_layers({"a": layers[0][:0]})
    with pytest.raises(ValueError, match=r"one batch\. Received: batches of \[1, 2\] examples"):
        attention_layers([layers[0], layers[1][:1]])
    with pytest.raises(ValueError, match=r"of one example\. Pass those of one row.*Received: a batch of 2"):
        attention_layers(layers, one=True)


def test_what_stands_at_masked_queries_does_not_matter_and_elsewhere_it_must_be_a_weight(layers):
    mask = np.arange(T) < np.array([5, 2])[:, None]
    noise = np.where(mask[:, None, :, None], layers[0], np.nan)
    weights, real = check_weights(noise, mask)
    np.testing.assert_array_equal(real, mask)
    assert not weights[1, :, 2:].any()
    for bad in (np.nan, -0.1, 1.5, np.inf):
        broken = layers[0].copy()
        broken[1, 2, 1, 3] = bad
        with pytest.raises(ValueError, match=r"lie in 0 \.\.\. 1\. Received: .* at \(row, head, query, key\) = \(1, 2, 1, 3\)"):
            check_weights(broken, mask)
    with pytest.raises(ValueError, match=r"\(batch, queries\) = \(2, 5\)\. Received: mask of shape \(1, 7\)"):
        check_weights(layers[0], np.ones(S))
    with pytest.raises(ValueError, match=r"Received: weights of shape \(5, 7\)"):
        check_weights(layers[0][0, 0])


def test_the_mean_is_over_the_queries_that_count_and_nan_without_one():
    values = np.arange(12.0).reshape(2, 2, 3)
    counts = np.array([[True, False, True], [False, True, False]])[:, None]
    np.testing.assert_allclose(mean_over_queries(values, counts), [(0 + 2 + 7) / 3, (3 + 5 + 10) / 3])
    assert np.isnan(mean_over_queries(values, counts & False)).all()
