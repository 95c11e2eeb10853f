"""Labels: nothing unseen, nothing garbled, no silent boxes."""

import io
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.image import imread

from keras_richctx.viz import alignment
from keras_richctx.viz.labels import BASE_FAMILY, drawable, is_right_to_left, visible
from keras_richctx.viz.layout import text_widths

TELEPHONE_RECORDER = "\u2315"  # not in DejaVu Sans, but in STIXGeneral, which comes with matplotlib as well
UNASSIGNED = "\U000e1fff"


@pytest.mark.parametrize(
    "token, label",
    [
        ("été", "été"),
        (" the ", "␣the␣"),
        ("  ", "␣␣"),
        ("a b", "a b"),
        ("a\nb\t\x00", "a\\nb\\t\\x00"),
        ("\u202eabc", "\\u202eabc"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("", ""),
        ("x" * 40, "x" * 40),
        ("a" * 30 + "b" * 30, "a" * 20 + "…" + "b" * 19),
    ],
)
def test_what_cannot_be_seen_is_spelled(token, label):
    assert visible(token) == label


@given(st.text(st.characters(exclude_categories=["Co", "Cn"])))
def test_any_token_becomes_one_short_line_that_stays_as_it_is(token):
    label = visible(token)
    assert len(label) <= 40
    assert len(label.splitlines()) <= 1
    assert visible(label) == label


def picture(text, families=(BASE_FAMILY,)):
    """Returns the pixels of a line of text, without the blank around it."""
    figure = Figure(figsize=(4, 1), dpi=100)
    figure.text(0.1, 0.5, text, fontsize=30, family=list(families), parse_math=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    buffer.seek(0)
    ink = imread(buffer)[..., 0] < 1
    return ink[:, np.flatnonzero(ink.any(0))[0] : np.flatnonzero(ink.any(0))[-1] + 1]


def test_hebrew_is_drawn_from_right_to_left():
    word, mirrored = picture("שג"), picture("גש")
    first = picture("ש")
    np.testing.assert_array_equal(word[:, -first.shape[1] :], first)
    assert not np.array_equal(mirrored[:, -first.shape[1] :], first)


def test_arabic_letters_are_joined():
    (word,), letters = text_widths(["سلام"], [BASE_FAMILY], 30), text_widths(list("سلام"), [BASE_FAMILY], 30)
    assert word < 0.75 * sum(letters)


def test_a_combining_accent_stands_on_its_letter():
    np.testing.assert_array_equal(picture("e\u0301"), picture("é"))


def test_the_direction_is_that_of_most_letters():
    assert is_right_to_left(["שלום", "1992", "."])
    assert is_right_to_left(["وقعت", "EU", "الاتفاقية"])
    assert not is_right_to_left(["the", "word", "שלום"])
    assert not is_right_to_left(["1992", "."])


def test_a_character_is_found_in_another_font():
    labels, families = drawable([f"a{TELEPHONE_RECORDER}", "b"])
    assert labels == [f"a{TELEPHONE_RECORDER}", "b"]
    assert families[0] == BASE_FAMILY
    assert len(families) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of a glyph that it lacks
        assert not np.array_equal(picture(labels[0], families), picture("a", families))


def test_a_character_that_no_font_has_is_a_box_and_one_warning_that_says_what_to_install():
    with pytest.warns(UserWarning, match=f"No installed font has {UNASSIGNED}: boxes are drawn instead. Install .*apt install fonts-") as record:
        axes = alignment([[0.5, 0.5]], [f"a{UNASSIGNED}", UNASSIGNED], ["b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # and matplotlib has nothing to add
        axes.figure.savefig(io.BytesIO())
    assert len(record) == 1
    assert record[0].filename == __file__
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a□", "□"]


@pytest.mark.parametrize("token, package", [("日本語", "fonts-noto-cjk"), ("한국어", "fonts-noto-cjk"), ("ไทย", "fonts-noto-core"), ("👍", "fonts-symbola")])
def test_the_package_is_that_of_the_script(token, package, monkeypatch):
    monkeypatch.setattr("keras_richctx.viz.labels._family_of", lambda character: None)
    with pytest.warns(UserWarning, match=f"apt install {package}"):
        drawable([token])


@pytest.mark.parametrize("token", ["日本語", "한국어"])
def test_east_asian_tokens_are_drawn_where_a_font_has_them(token):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels, families = drawable([token])
    if caught:
        pytest.skip(str(caught[0].message))
    assert labels == [token]
    assert len({picture(character, families).tobytes() for character in token}) == len(token)
