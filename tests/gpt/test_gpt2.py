"""GPT-2 against Hugging Face's library: tests/golden/make_gpt2.py says how the answers came about."""

import json
import pathlib
import shutil

import keras
import numpy as np
import pytest

from keras_richctx.checkpoints import read_safetensors, write_safetensors
from keras_richctx.generation import beam, greedy, sample
from keras_richctx.gpt import strided_perplexity
from keras_richctx.models import GPT, GPT2

GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "gpt2"


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


@pytest.fixture(scope="module")
def model():
    return GPT2.from_preset(GOLDEN)


@pytest.fixture(scope="module")
def answers():
    return json.loads((GOLDEN / "answers.json").read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path):
    """A copy of the files that may be damaged."""
    return pathlib.Path(shutil.copytree(GOLDEN, tmp_path / "gpt2"))


def change_config(folder, **words):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **words}))


@pytest.mark.backends
def test_the_logits_are_hugging_face_s(model, answers):
    assert model.tokenizer(answers["texts"]) == answers["ids"]
    with np.load(GOLDEN / "logits.npz") as logits:
        for i, ids in enumerate(answers["ids"]):
            np.testing.assert_allclose(to_numpy(model(np.array([ids])))[0], logits[str(i)], atol=1e-4)


@pytest.mark.backends
def test_greedy_and_beam_texts_are_hugging_face_s_for_all_prompts_in_one_batch(model, answers):
    end, longest = model.eos_id, max(map(len, answers["ids"]))
    ids = greedy(model, answers["ids"], 12)
    lines = beam(model, answers["ids"], 12, num_beams=4, length_penalty=0.0)
    for name, ours in (("greedy", ids), ("beam", lines)):
        for row, prompt, wanted in zip(ours, answers["ids"], answers[name]):
            row = row[longest - len(prompt) :]
            np.testing.assert_array_equal(row[: len(wanted)], wanted)
            assert not (row[len(wanted) :] != end).any()


@pytest.mark.backends
def test_cached_equals_uncached_and_left_padding_equals_none(model, answers):
    prompts = answers["ids"][:3]
    for prompt, row in zip(prompts, greedy(model, prompts, 9)):
        line = list(prompt)
        for _ in range(9):
            line.append(int(to_numpy(model(np.array([line])))[0, -1].argmax()))
            if line[-1] == model.eos_id:
                break
        np.testing.assert_array_equal(row[max(map(len, prompts)) - len(prompt) :][: len(line)], line)
    longest = max(map(len, prompts))
    token_ids = np.array([[7] * (longest - len(p)) + p for p in prompts])
    mask = np.arange(longest) >= np.array([[longest - len(p)] for p in prompts])
    padded = to_numpy(model({"token_ids": token_ids, "padding_mask": mask}))
    for i, prompt in enumerate(prompts):
        np.testing.assert_allclose(padded[i, longest - len(prompt) :], to_numpy(model(np.array([prompt])))[0], atol=1e-4)


def test_pads_at_the_end_change_nothing_before_them(model, answers):
    ids = answers["ids"][4]
    np.testing.assert_allclose(to_numpy(model(np.array([ids + [5] * 9])))[:, : len(ids)], to_numpy(model(np.array([ids]))), atol=1e-5)


def test_pieces_of_a_text_one_after_the_other_are_the_text(model, answers):
    ids = np.array([answers["ids"][17]])
    whole, state, parts = to_numpy(model(ids)), model.initial_state(1, ids.shape[1]), []
    for piece in np.split(ids, [3, 4, 9], axis=1):
        logits, state = model.advance(keras.ops.convert_to_tensor(piece), state)
        parts.append(to_numpy(logits))
    np.testing.assert_allclose(np.concatenate(parts, axis=1), whole, atol=1e-5)


def test_every_head_can_be_seen(model, answers):
    ids = np.array([answers["ids"][0]])
    scores = model.attention_scores(ids)
    assert len(scores) == 3
    for weights in map(to_numpy, scores):
        assert weights.shape == (1, 3, ids.shape[1], ids.shape[1])
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
        assert not np.triu(weights, 1).any()


def test_sampling_with_one_candidate_is_greedy_and_text_can_be_watched(model, answers):
    text, pieces = answers["texts"][3], []
    written = model.generate(text, max_new_tokens=9, top_k=1, on_text=pieces.append)
    assert written == model.tokenizer.decode(answers["greedy"][3][: len(answers["ids"][3]) + 9])
    assert written.startswith(text + "".join(pieces))
    np.testing.assert_array_equal(sample(model, [answers["ids"][3]], 9, top_k=1), greedy(model, [answers["ids"][3]], 9))


def test_what_is_saved_is_what_was_loaded(model, tmp_path, answers):
    model.save_to_preset(tmp_path)
    again, theirs, ours = GPT2.from_preset(tmp_path), read_safetensors(GOLDEN), read_safetensors(tmp_path)
    assert set(theirs) == set(ours)
    for name in theirs:
        np.testing.assert_array_equal(ours[name], theirs[name])
    assert again.tokenizer(answers["texts"]) == answers["ids"]
    config = {name: value for name, value in again.get_config().items() if name not in ("name", "tokenizer")}
    assert config == {name: value for name, value in model.get_config().items() if name not in ("name", "tokenizer")}


def test_a_keras_file_keeps_it_whole(model, tmp_path, answers):
    model.save(tmp_path / "m.keras")
    loaded, ids = keras.saving.load_model(tmp_path / "m.keras"), np.array([answers["ids"][0]])
    np.testing.assert_array_equal(to_numpy(loaded(ids)), to_numpy(model(ids)))
    assert loaded.eos_id == model.eos_id == 299


def test_openai_s_files_give_the_same_model(model, tmp_path, answers):
    tf = pytest.importorskip("tensorflow", reason="their files are TensorFlow's")
    names = {"wte.weight": "model/wte", "wpe.weight": "model/wpe"}
    arrays = {}
    for name, array in read_safetensors(GOLDEN).items():
        name = name.removeprefix("transformer.")
        parts = name.split(".")
        if name not in names:
            suffix = {"weight": "g", "bias": "b"} if parts[-2].startswith("ln") else {"weight": "w", "bias": "b"}
            path = ["model", *([f"h{parts[1]}", *parts[2:-1]] if parts[0] == "h" else parts[:-1]), suffix[parts[-1]]]
            names[name] = "/".join(path)
        arrays[names[name]] = array[None] if names[name].endswith("/w") else array
    prefix = str(tmp_path / "model.ckpt")
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=list(arrays), shape_and_slices=[""] * len(arrays), tensors=[tf.constant(a) for a in arrays.values()])
    (tmp_path / "hparams.json").write_text(json.dumps({"n_vocab": 300, "n_ctx": 61, "n_embd": 21, "n_head": 3, "n_layer": 3}))
    shutil.copy(GOLDEN / "vocab.json", tmp_path / "encoder.json")
    shutil.copy(GOLDEN / "merges.txt", tmp_path / "vocab.bpe")
    with pytest.raises(ValueError, match=r"does not fit|do not fit"):
        GPT2.from_preset(tmp_path)  # its feed-forward layers are not four times as wide, and the file has no word for that
    loaded, ids = GPT2.from_preset(tmp_path, intermediate_dim=37), np.array([answers["ids"][0]])
    np.testing.assert_array_equal(to_numpy(loaded(ids)), to_numpy(model(ids)))


@pytest.mark.parametrize(
    "preset, millions",
    [("gpt2", 124), ("gpt2-medium", 355), ("gpt2-large", 774), ("gpt2-xl", 1558)],
)
def test_the_official_sizes_have_as_many_weights(preset, millions, monkeypatch, model):
    monkeypatch.setattr(keras.initializers.RandomNormal, "__call__", lambda self, shape, dtype=None: np.broadcast_to(np.float32(0), shape))
    from keras_richctx.gpt.gpt2 import SIZES

    # without making 6 GB of weights: of one layer and of two, and the rest by arithmetic
    sizes = {**SIZES[preset], "vocab_size": 50257}
    layers = sizes.pop("num_layers")
    one, two = (_count(model.tokenizer, num_layers=n, **sizes) for n in (1, 2))
    assert round((one + (layers - 1) * (two - one)) / 1e6) == millions


def _count(tokenizer, num_layers, width, num_heads, vocab_size):
    """Counts the weights of a model of a tenth of the vocabulary, and adds the others."""
    small = GPT2(tokenizer, num_layers=num_layers, width=width, num_heads=num_heads, vocab_size=300)
    return small.count_params() + (vocab_size - 300) * width


def test_gpt_normalises_after_each_sub_layer_and_goes_through_its_files(tmp_path, model, answers):
    first = GPT(model.tokenizer, num_layers=2, width=12, num_heads=3, max_length=40)
    random = np.random.default_rng(0)
    first.set_weights([random.normal(scale=0.3, size=w.shape) for w in first.get_weights()])
    first.save_to_preset(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["afn"] == "gelu"
    again, ids = GPT.from_preset(tmp_path), np.array([answers["ids"][0]])
    np.testing.assert_array_equal(to_numpy(again(ids)), to_numpy(first(ids)))
    features = to_numpy(first.features(ids))
    block = first.decoder.blocks[-1].feed_forward_norm
    gamma, beta = map(to_numpy, (block.gamma, block.beta))
    np.testing.assert_allclose(((features - beta) / gamma).std(-1), 1, atol=1e-2)
    with pytest.raises(ValueError, match=r"GPT2 reads models of the type 'gpt2'\. Received: model_type='openai-gpt'"):
        GPT2.from_preset(tmp_path)


def test_it_learns_a_text_by_heart(model):
    keras.utils.set_random_seed(0)
    small = GPT2(model.tokenizer, num_layers=2, width=24, num_heads=3, max_length=32, dropout=0.0, attention_dropout=0.0)
    ids = np.array([model.tokenizer("to be or not to be, that is the question")])[:, :30]
    small.compile(keras.optimizers.Adam(0.01))
    small.fit(ids[:, :-1].repeat(4, 0), ids[:, 1:].repeat(4, 0), epochs=60, verbose=0)
    np.testing.assert_array_equal(greedy(small, ids[:, :4], 20)[0], ids[0, :24])


@pytest.mark.parametrize("stride", [1, 7, 30, 61])
def test_the_perplexity_of_a_long_text_is_that_of_its_windows(model, stride):
    ids = np.random.default_rng(0).integers(299, size=151)
    losses, window = {}, 61
    starts = [*range(0, len(ids) - window - 1, stride), len(ids) - window - 1]
    for start in starts:
        logits = to_numpy(model(ids[None, start : start + window]))[0].astype("float64")
        log = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        for j in range(window):
            losses.setdefault(start + j + 1, -log[j, ids[start + j + 1]])
    assert len(losses) == len(ids) - 1
    expected = np.exp(np.mean(list(losses.values())))
    assert strided_perplexity(model, ids, stride=stride, batch_size=5) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    "words, message",
    [
        ({"activation_function": "mish"}, "activation_function='mish'"),
        ({"scale_attn_by_inverse_layer_idx": True}, "not computed here.*scale_attn_by_inverse_layer_idx"),
        ({"model_type": "bert"}, "model_type='bert'"),
        ({"embd_pdrop": 0.3}, "one dropout here"),
        ({"n_embd": 24}, "none was assigned"),
        ({"n_head": 4}, "num_heads=4, inputs of width 21"),
        ({"n_layer": 2}, "neither used nor ignored"),
        ({"n_layer": 4}, "missing in the source"),
        ({"vocab_size": 299}, "The tokenizer has ids that the model does not know"),
    ],
)
def test_a_config_that_does_not_fit_is_refused(folder, words, message):
    change_config(folder, **words)
    with pytest.raises(ValueError, match=message):
        GPT2.from_preset(folder)


def test_files_that_are_not_whole_are_refused(folder):
    weights = folder / "model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="only half of one"):
        GPT2.from_preset(folder)
    weights.unlink()
    index = {"weight_map": {"transformer.wte.weight": "model-00001-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(FileNotFoundError, match=r"model-00001-of-00002\.safetensors"):
        GPT2.from_preset(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(ValueError, match=r"config\.json is damaged"):
        GPT2.from_preset(folder)
    with pytest.raises(FileNotFoundError, match=r"A preset is a directory, .* or the name of an official size"):
        GPT2.from_preset(folder / "nowhere")


def test_an_output_layer_of_its_own_is_refused_and_one_that_is_tied_is_not(folder):
    arrays = dict(read_safetensors(folder))
    words = arrays["transformer.wte.weight"]
    write_safetensors(folder / "model.safetensors", {**arrays, "lm_head.weight": words, "transformer.h.0.attn.bias": np.ones((1, 1, 61, 61), bool)})
    GPT2.from_preset(folder)
    write_safetensors(folder / "model.safetensors", {**arrays, "lm_head.weight": words + 1})
    with pytest.raises(ValueError, match="is not their embedding"):
        GPT2.from_preset(folder)


def test_a_prompt_that_leaves_no_room_and_a_text_that_is_too_long_are_refused(model):
    with pytest.raises(ValueError, match=r"reads 61 tokens.*a prompt of 50 tokens and max_new_tokens=12"):
        model.generate(model.tokenizer.decode([65] * 50), max_new_tokens=12)
    with pytest.raises(ValueError, match=r"There are 61 positions\. Received: inputs of 62"):
        model(np.ones((1, 62), "int32"))
    with pytest.raises(ValueError, match=r"reads 61 tokens\. Received: token_ids of 62"):
        model({"token_ids": np.ones((1, 62), "int32"), "padding_mask": np.ones((1, 62), bool)})


def test_a_prompt_that_fits_is_read_though_its_padding_does_not(model):
    small = GPT2(model.tokenizer, num_layers=1, width=6, num_heads=1, max_length=9)  # prompts are padded to 16
    line = greedy(small, [[3, 4, 5]], 6)[0]
    for t in range(3, 9):
        assert line[t] == to_numpy(small(line[None, :t]))[0, -1].argmax() or small.eos_id in line[3:t]
