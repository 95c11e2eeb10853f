"""What goes to tokens that are no words: the shares against loops, and the picture."""

import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from keras_richctx.viz import special_kinds, special_tokens, token_shares
from keras_richctx.viz.style import DARK, LIGHT

TOKENS = [["[CLS]", "yes", ",", "no", ".", "[SEP]"], ["[CLS]", "no", "yes", "[SEP]", "[PAD]", "[PAD]"]]
MASK = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]], bool)
B, H, T = 2, 3, 6


@pytest.fixture
def layers():
    weights = np.random.default_rng(0).random((2, B, H, T, T)) * MASK[:, None, None]  # pads are no keys
    return {"block_0": weights[0] / weights[0].sum(-1, keepdims=True), "block_1": weights[1, :, :2] / weights[1, :, :2].sum(-1, keepdims=True)}


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_kinds_are_found_as_several_models_spell_them():
    assert special_kinds(TOKENS) == {"[CLS]": ["[CLS]"], "[SEP]": ["[SEP]"], "marks": [",", "."]}
    assert special_kinds(["<s>", "Ġyes", "Ġ,", "##.", "…", "don't", "##", "Ġ", "</s>"]) == {"[CLS]": ["<s>"], "[SEP]": ["</s>"], "marks": ["##.", "Ġ,", "…"]}
    assert special_kinds(["a", "b"]) == {}


def test_shares_are_means_over_all_real_queries(layers):
    kinds = special_kinds(TOKENS)
    shares = token_shares(layers, TOKENS, kinds, MASK)
    for kind, wanted in kinds.items():
        for values, of_layer in zip(layers.values(), shares[kind]):
            for head in range(values.shape[1]):
                given = [sum(values[b, head, t, s] for s in range(T) if TOKENS[b][s] in wanted) for b in range(B) for t in range(T) if MASK[b, t]]
                assert of_layer[head] == pytest.approx(np.mean(given))  # the second text has no mark, and its queries count
    words = token_shares(layers, TOKENS, {"words": ["yes", "no"]}, MASK)["words"]
    for k in range(2):
        np.testing.assert_allclose(words[k] + sum(shares[kind][k] for kind in kinds), 1)


def test_one_list_of_tokens_serves_a_whole_batch(layers):
    one = token_shares(layers, TOKENS[0], {"a": [","]})
    np.testing.assert_allclose(one["a"][0], token_shares(layers, [TOKENS[0]] * 2, {"a": [","]})["a"][0])


def test_what_stands_at_masked_queries_does_not_matter(layers):
    noise = {name: np.where(MASK[:, None, :, None], values, np.nan) for name, values in layers.items()}
    np.testing.assert_array_equal(token_shares(noise, TOKENS, {"a": [","]}, MASK)["a"][0], token_shares(layers, TOKENS, {"a": [","]}, MASK)["a"][0])


def test_the_picture_holds_heads_means_and_even_attention(layers):
    picture = special_tokens(layers, TOKENS, mask=MASK, title="$\\frac{$")
    picture.draw_without_rendering()
    (ax,) = picture.axes
    shares = token_shares(layers, TOKENS, special_kinds(TOKENS), MASK)
    for k, kind in enumerate(shares):
        dots, means, even = ax.lines[3 * k : 3 * k + 3]
        np.testing.assert_allclose(dots.get_ydata(), np.concatenate(shares[kind]))
        np.testing.assert_allclose(means.get_ydata(), [np.mean(heads) for heads in shares[kind]])
        spread = [np.isin(row, special_kinds(TOKENS)[kind])[:n].mean() for row, n in zip(TOKENS, (6, 4))]
        np.testing.assert_allclose(even.get_ydata(), np.average(spread, weights=[6, 4]))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["[CLS]", "[SEP]", "marks", "spread evenly"]
    assert ax.get_ylim() == (-0.02, 1.02)


def test_kinds_of_ones_own_are_drawn_as_they_are_named(layers):
    picture = special_tokens(layers, TOKENS, {"$a$": ["yes"]}, mask=MASK)
    picture.draw_without_rendering()
    assert picture.axes[0].get_legend().get_texts()[0].get_text() == "$a$"


def test_dark_and_light_follow_the_argument_and_pyplot_hears_nothing(layers):
    pages = {dark: special_tokens(layers, TOKENS, dark=dark) for dark in (False, True)}
    assert {dark: matplotlib.colors.to_hex(picture.get_facecolor()) for dark, picture in pages.items()} == {False: LIGHT["page"], True: DARK["page"]}
    assert {picture.axes[0].lines[1].get_color() for picture in pages.values()} == {"#0072b2", "#56b4e9"}
    assert plt.get_fignums() == []


def test_what_does_not_fit_is_refused(layers):
    with pytest.raises(ValueError, match=r"a token for each key of 'block_0', 6\. Received: 2 rows of \[5, 6\]"):
        special_tokens(layers, [TOKENS[0], TOKENS[1][:5]])
    with pytest.raises(ValueError, match=r"no special token among the tokens"):
        special_tokens(layers, ["a"] * T)
