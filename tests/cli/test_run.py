import functools

import keras
import numpy as np
import pytest

from keras_richctx.datasets import read_pairs
from keras_richctx.translation.recipe import Recipe
from richctx.model_directory import ModelDirectory


@pytest.fixture(autouse=True, scope="module")
def _load_once():
    """Loads each model once, with the searches that TensorFlow has compiled for it."""
    from_file = ModelDirectory.load
    load = functools.cache(lambda path: from_file(ModelDirectory(path)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelDirectory, "load", lambda directory: load(directory.path))
        yield


@pytest.fixture(scope="module")
def sentence(pairs_file):
    return read_pairs(pairs_file).source[0]


@pytest.fixture(scope="module")
def without_attention(pairs_file, tmp_path_factory):
    """A model with one fixed context, as it comes from its seed."""
    recipe = Recipe(tokenizer="word", units=8, attention="fixed", epochs=1)
    directory = ModelDirectory(tmp_path_factory.mktemp("fixed"))
    directory.save(recipe.build(*recipe.train_tokenizers(read_pairs(pairs_file))))
    return directory.path


def test_a_line_of_output_for_each_sentence(cli, trained, sentence):
    result = cli("translate", "run", trained, sentence, "", sentence)
    assert result.exit_code == 0, result.output
    lines = result.stdout.split("\n")
    assert len(lines) == 4
    assert lines[0] == lines[2]
    assert lines[1] == lines[3] == ""


def test_sentences_come_from_a_file_or_the_standard_input_as_from_the_command_line(cli, trained, sentence, tmp_path):
    text = f"{sentence}\n\nwho sleeps ?\n"
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    expected = cli("translate", "run", trained, sentence, "", "who sleeps ?").stdout
    assert cli("translate", "run", trained, "--file", tmp_path / "text.txt").stdout == expected
    assert cli("translate", "run", trained, "--file", "-", input=text).stdout == expected


def test_a_saved_model_translates_and_attends_as_before(pairs_file, tmp_path):
    recipe = Recipe(tokenizer="bpe", vocab_size=300, units=8, epochs=1)
    pairs = read_pairs(pairs_file)
    model = recipe.build(*recipe.train_tokenizers(pairs))
    ModelDirectory(tmp_path).save(model)
    for before, after in zip(model.translate(pairs.source[:3]), ModelDirectory(tmp_path).load().translate(pairs.source[:3])):
        assert (before.text, before.source_tokens) == (after.text, after.source_tokens)
        np.testing.assert_array_equal(before.alignment, after.alignment)


def test_a_sentence_of_2000_words_is_read_whole(cli, pairs_file, tmp_path):
    recipe = Recipe(tokenizer="word", units=8, cell="rnn", attention="fixed", epochs=1)
    model = recipe.build(*recipe.train_tokenizers(read_pairs(pairs_file)))
    model.output_projection.bias.assign(99.0 * (np.arange(model.target_tokenizer.vocab_size) == model.eos_id))  # and answered with nothing
    ModelDirectory(tmp_path).save(model)
    result = cli("translate", "run", tmp_path, "the cat " * 1000)
    assert (result.exit_code, result.stdout) == (0, "\n")


def test_unknown_words_are_named_and_may_be_replaced(cli, trained):
    result = cli("translate", "run", trained, "Xylophones yodel", "--replace-unknown")
    assert result.exit_code == 0
    assert "words that the model does not know: Xylophones, yodel" in result.stderr
    assert "[UNK]" not in result.stdout


def test_beams_translate_too(cli, trained, sentence):
    assert cli("translate", "run", trained, sentence, "--beams", "3", "--length-penalty", "0.6").exit_code == 0


def test_a_map_is_drawn_for_each_sentence(cli, trained, sentence, tmp_path):
    assert cli("translate", "run", trained, sentence, "--map", tmp_path / "one.png").exit_code == 0
    result = cli("translate", "run", trained, sentence, "", sentence, "--map", tmp_path / "many.png")
    assert result.exit_code == 0
    assert "nothing to draw for ''" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many-1.png", "many-3.png", "one.png"]
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "many-1.png").read_bytes()
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "name, code, message", [("a.xyz", 2, "ends in .png, .svg, .pdf"), ("a", 2, "ends in"), (".", 2, "ends in"), ("nowhere/a.png", 2, "There is no directory")]
)
def test_a_map_that_cannot_be_drawn_is_named(cli, trained, sentence, tmp_path, name, code, message):
    result = cli("translate", "run", trained, sentence, "--map", tmp_path / name)
    assert result.exit_code == code
    assert message in result.stderr.replace("\n", " ")
    assert not list(tmp_path.iterdir())


def test_a_model_without_attention_translates_and_says_that_it_has_no_map(cli, without_attention, sentence, tmp_path):
    assert cli("translate", "run", without_attention, sentence).exit_code == 0
    for option in (["--map", tmp_path / "a.png"], ["--replace-unknown"]):
        result = cli("translate", "run", without_attention, sentence, *option)
        assert result.exit_code == 1
        assert "attention" in result.stderr
        assert result.stdout == ""


@pytest.mark.parametrize("arguments", [[], ["A cat.", "--file", "-"]], ids=["nothing", "two sources"])
def test_sentences_come_from_one_place(cli, trained, arguments):
    result = cli("translate", "run", trained, *arguments)
    assert result.exit_code == 2
    assert "one of the two" in result.stderr


@pytest.mark.parametrize("content, message", [(b"", "is empty"), ("été".encode("latin-1"), "line 1: byte 0xe9"), (b"a\0b", "a NUL byte")])
def test_a_bad_file_is_named(cli, trained, tmp_path, content, message):
    (tmp_path / "text.txt").write_bytes(content)
    result = cli("translate", "run", trained, "--file", tmp_path / "text.txt")
    assert result.exit_code == 1
    assert message in result.stderr


def test_a_training_that_has_not_ended_is_told_from_no_training(cli, trained, tmp_path):
    (tmp_path / "checkpoint").mkdir()
    result = cli("translate", "run", tmp_path, "A cat.")
    assert result.exit_code == 1
    assert "has not ended. Run its `richctx translate train` again" in result.stderr


def test_a_damaged_model_is_named(cli, trained, tmp_path):
    content = (trained / "model.keras").read_bytes()
    (tmp_path / "model.keras").write_bytes(content[: len(content) // 2])
    result = cli("translate", "run", tmp_path, "A cat.")
    assert result.exit_code == 1
    assert "model.keras is damaged" in result.stderr


def test_another_kind_of_model_is_named(cli, tmp_path):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.save(tmp_path / "model.keras")
    result = cli("translate", "run", tmp_path, "A cat.")
    assert result.exit_code == 1
    assert "is not a translation model. Received: a Sequential" in result.stderr
