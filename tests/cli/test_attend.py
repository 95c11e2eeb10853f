import re

import pytest

import keras_richctx as krc


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    path = tmp_path_factory.mktemp("bert")
    tokenizer = krc.text.WordPieceTokenizer.train(["the cat sat on the mat"] * 3, vocab_size=40)
    krc.models.Bert(tokenizer, num_layers=2, width=6, num_heads=2, vocab_size=tokenizer.vocab_size, max_length=12).save_to_preset(path)
    return path


def test_a_pair_is_shown_with_its_tokens(cli, bert, tmp_path):
    out = tmp_path / "map.html"
    result = cli("attend", "--model", bert, "--text", "the cat", "--pair", "sat on", "--out", out)
    assert result.exit_code == 0, result.output
    assert "block_0/attention (2), block_1/attention (2)" in result.stdout
    html = out.read_text(encoding="utf-8")
    maps = krc.attention_maps(krc.models.Bert.from_preset(bert), ("the cat", "sat on"))
    assert html == maps.lines().html
    assert "[CLS]" in html


@pytest.mark.parametrize("show", ["grid", "neurons"])
def test_other_views_of_some_layers(cli, bert, tmp_path, show):
    out = tmp_path / "map.html"
    result = cli("attend", "--model", bert, "--text", "the cat", "--out", out, "--show", show, "--layers", "block_1/*")
    assert result.exit_code == 0, result.output
    maps = krc.attention_maps(krc.models.Bert.from_preset(bert), "the cat", layers="block_1/*")
    assert out.read_text(encoding="utf-8") == getattr(maps, show)().html


def test_a_translation_model_translates_and_a_picture_is_drawn(cli, trained, tmp_path):
    for name, pair in (("a.png", []), ("b.svg", ["--pair", "le chat"])):
        result = cli("attend", "--model", trained, "--text", "the cat", "--out", tmp_path / name, *pair)
        assert result.exit_code == 0, result.output
        assert "decoder (1)" in result.stdout
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "b.svg").read_text(encoding="utf-8")


def test_what_cannot_be_shown_is_said_and_nothing_is_written(cli, bert, tmp_path):
    there = tmp_path / "there.html"
    there.write_text("mine", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/config.json").write_text("{", encoding="utf-8")
    for options, message in (
        (["--model", bert, "--out", there], "is there already"),
        (["--model", bert, "--out", tmp_path / "a.gif"], r"written as \.html"),
        (["--model", bert, "--out", tmp_path / "a.png", "--show", "grid"], "A picture shows all heads"),
        (["--model", tmp_path / "empty", "--out", tmp_path / "a.html"], "holds no model that attends"),
        (["--model", tmp_path / "broken", "--out", tmp_path / "a.html"], "is damaged"),
        (["--model", bert, "--out", tmp_path / "a.html", "--layers", "middle"], "No map has such a name"),
        (["--model", bert, "--out", tmp_path / "a.html", "--pair", "the cat " * 9], "The model reads 12 tokens"),
    ):
        result = cli("attend", "--text", "the cat", *options)
        assert result.exit_code == 1, (options, result.output)
        assert re.search(message, result.stderr), (options, result.stderr)
    assert there.read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken", "empty", "there.html"]
