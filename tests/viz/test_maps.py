"""Maps to look at: the right numbers with the right tokens, without pads, in each way of showing them."""

import numpy as np
import pytest

from keras_richctx.viz import AttentionMaps

B, H, T, S, K = 2, 3, 3, 5, 4


def weights(*shape, seed=0):
    values = np.random.default_rng(seed).random(shape)
    return values / values.sum(axis=-1, keepdims=True)


@pytest.fixture
def maps():
    return AttentionMaps(
        {"low": weights(B, H, S, S), "high": weights(B, H, S, S, seed=1)},
        tokens=[["[CLS]", "the", "cat", "[SEP]", "[PAD]"], ["[CLS]", "a", "<b>", "&amp;", "[SEP]"]],
        masks={"source": np.arange(S) < np.array([[4], [5]])},
        query_vectors={"low": np.zeros((B, H, S, K))},
        key_vectors={"low": np.zeros((B, H, S, K))},
    )


def test_it_is_a_mapping(maps):
    assert list(maps) == ["low", "high"]
    assert dict(maps).keys() == maps.keys() == {"low", "high"}
    assert maps["low"].shape == (B, H, S, S)
    assert maps["low"].dtype == np.float32
    assert repr(maps) == "AttentionMaps('low': (2, 3, 5, 5), 'high': (2, 3, 5, 5))"


def test_an_example_has_no_pads(maps):
    example = maps.example(0)
    assert example["tokens"] == ["[CLS]", "the", "cat", "[SEP]"]
    assert example["target_tokens"] is None
    np.testing.assert_array_equal(example["weights"]["high"], maps["high"][0, :, :4, :4])
    assert example["queries"]["low"].shape == (H, 4, K)
    with pytest.raises(ValueError, match=r"examples 0 to 1\. Received: row=2"):
        maps.example(2)


def test_maps_over_different_sequences_have_their_own_tokens():
    across = AttentionMaps(
        {"own": weights(1, H, T, T), "across": weights(1, H, T, S), "source": weights(1, H, S, S)},
        tokens=list("abcde"),
        target_tokens=list("xyz"),
        streams={"read": [["[BOS]", "x", "y"]]},
        sides={"own": ("read", "read"), "across": ("written", "source"), "source": ("source", "source")},
    )
    example = across.example()
    assert example["tokens"] == {"own": ["[BOS]", "x", "y"], "across": list("abcde"), "source": list("abcde")}
    assert example["target_tokens"] == {"own": None, "across": list("xyz"), "source": None}
    assert "[BOS]" in across.lines().html
    assert [label.get_text() for label in across.heatmap("across").get_yticklabels()] == list("xyz")


def test_without_tokens_positions_are_numbered():
    maps = AttentionMaps({"look": weights(1, H, T, S)})
    assert (maps.example()["tokens"], maps.example()["target_tokens"]) == (list("01234"), list("012"))


def test_pictures_are_of_the_layer_head_and_row_that_were_asked_for(maps):
    axes = maps.heatmap("low", head=2, row=1)
    np.testing.assert_allclose(axes.images[0].get_array(), maps["low"][1, 2])
    assert axes.get_title(loc="left") == "low, head 3"
    np.testing.assert_allclose(maps.heatmap().images[0].get_array(), maps["high"][0, :, :4, :4].mean(axis=0), rtol=1e-6)
    drawn = [ax.images[0].get_array() for ax in maps.heads("low").axes if ax.images and ax.get_title(loc="left")]
    np.testing.assert_allclose(drawn, maps["low"][0, :, :4, :4])
    with pytest.raises(ValueError, match=r"heads 0 to 2\. Received: head=3"):
        maps.heatmap("low", head=3)
    with pytest.raises(ValueError, match=r"Received: layer='middle'\. There are low, high"):
        maps.heads("middle")


def test_views_hold_the_tokens_as_text(maps):
    for view in (maps.lines(1), maps.grid(1), maps.neurons(1)):
        assert "<b>" not in view.html.split("<body", 1)[1].replace("<b></b>", "")
        assert "amp;" in view.html
    assert maps._repr_html_().startswith("<iframe")


def test_files_are_of_the_kind_that_they_say(maps, tmp_path):
    assert maps.save(tmp_path / "a.html", row=1).read_text(encoding="utf-8").startswith("<!doctype html>")
    assert maps.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in maps.save(tmp_path / "a.svg").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"saved as \.html, \.png, \.svg or \.pdf\. Received: path="):
        maps.save(tmp_path / "a.gif")


def test_some_of_the_maps(maps):
    assert list(maps.select("h*")) == ["high"]
    assert list(maps.select(lambda name: name == "low").query_vectors) == ["low"]
    with pytest.raises(ValueError, match=r"Received: layers='x'\. There are low, high"):
        maps.select("x")


def test_what_is_no_map_is_refused():
    with pytest.raises(ValueError, match=r"four axes.*Received: 'a' of shape \(3, 3\)"):
        AttentionMaps({"a": np.eye(3)})
    with pytest.raises(ValueError, match="Received: no map"):
        AttentionMaps({})
    with pytest.raises(ValueError, match=r"Received: 1 lists for 2 examples"):
        AttentionMaps({"a": weights(2, H, S, S)}, tokens=[list("abcde")])
    with pytest.raises(TypeError, match="tokens must be a list of strings"):
        AttentionMaps({"a": weights(1, H, 2, 2)}, tokens=[1, 2])
