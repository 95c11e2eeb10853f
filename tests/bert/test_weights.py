"""Files: all of them, or an error that says what is wrong."""

import importlib.util
import json
import pathlib
import shutil
import sys
import types
import warnings

import keras
import numpy as np
import pytest

from keras_richctx.checkpoints import read_safetensors, read_tf_checkpoint, write_safetensors
from keras_richctx.models import Bert, BertForPretraining, SpanAnswerer, TextClassifier
from keras_richctx.ops import gelu_tanh

IDS = np.array([[5, 9, 17, 6, 2], [5, 30, 11, 6, 0]])


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


@pytest.fixture(autouse=True)
def _nothing_is_new():
    """A warning is an error where a test does not wait for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        yield


@pytest.fixture
def folder(golden, tmp_path):
    """A copy of the files of a BERT with both heads of pre-training, that may be changed."""
    return pathlib.Path(shutil.copytree(golden / "bert_lm", tmp_path / "bert"))


@pytest.fixture
def arrays(folder):
    return dict(read_safetensors(folder))


@pytest.fixture
def same(load, folder):
    """Whether the files in the folder give the model that they gave before they were changed."""

    def same(**options):
        model = BertForPretraining.from_preset(folder, tokenizer=None, **options)
        for name, value in load("bert", "lm")(IDS).items():
            np.testing.assert_allclose(to_numpy(model(IDS)[name]), to_numpy(value), atol=1e-6)

    return same


def old(name):
    return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


def test_old_names_and_the_names_of_the_bare_encoder_are_read(folder, arrays, same):
    write_safetensors(folder / "model.safetensors", {old(name): array for name, array in arrays.items()})
    same()
    write_safetensors(folder / "model.safetensors", {name.removeprefix("bert."): array for name, array in arrays.items()})
    same()
    buffers = {"bert.embeddings.position_ids": np.arange(13)[None]}
    write_safetensors(folder / "model.safetensors", {**arrays, **buffers})
    same()


def test_copies_of_tied_weights_are_read_where_the_weights_are_not_and_must_be_equal_where_they_are(folder, arrays, same):
    words, copy = "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"
    bias, bias_copy = "cls.predictions.bias", "cls.predictions.decoder.bias"
    write_safetensors(folder / "model.safetensors", {**arrays, copy: arrays[words], bias_copy: arrays[bias]})
    same()
    moved = {{words: copy, bias: bias_copy}.get(name, name): array for name, array in arrays.items()}
    write_safetensors(folder / "model.safetensors", moved)
    same()
    write_safetensors(folder / "model.safetensors", {**arrays, copy: arrays[words] + 1})
    with pytest.raises(ValueError, match=r"is not their embedding.*decoder\.weight"):
        same()


def test_shards_and_a_pickle_of_tensors_are_read(folder, arrays, same):
    names = sorted(arrays)
    shards = {"model-00001-of-00002.safetensors": names[:20], "model-00002-of-00002.safetensors": names[20:]}
    for shard, part in shards.items():
        write_safetensors(folder / shard, {name: arrays[name] for name in part})
    index = {"weight_map": {name: shard for shard, part in shards.items() for name in part}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model.safetensors").unlink()
    same()
    (folder / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"model-00002-of-00002"):
        same()
    for file in folder.glob("model*"):
        file.unlink()
    torch = pytest.importorskip("torch", reason="its pickles are PyTorch's")
    torch.save({name: torch.tensor(array) for name, array in arrays.items()}, folder / "pytorch_model.bin")
    same()
    torch.save({"model": print}, folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"something else than tensors.*pytorch_model\.bin"):
        same()


def test_without_pytorch_its_pickle_is_refused(folder, monkeypatch, same):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else find_spec(name))
    with pytest.raises(ValueError, match="A pickle can run any code"):
        same()


def test_a_head_that_is_not_in_the_files_is_named_and_another_one_is_left_out(folder, golden):
    with pytest.warns(UserWarning, match=r"no weights for classifier/kernel, classifier/bias \(looked for classifier\.weight"):
        model = TextClassifier.from_preset(folder, tokenizer=None, num_classes=5)
    assert model(IDS).shape == (2, 5)
    with pytest.warns(UserWarning, match=r"span_head"):
        SpanAnswerer.from_preset(folder, tokenizer=None)
    with pytest.warns(UserWarning, match=r"pooler/kernel.*looked for .*pooler\.dense\.weight"):
        TextClassifier.from_preset(golden / "bert_span", tokenizer=None)
    bert = Bert.from_preset(golden / "bert_span", tokenizer=None)  # without a pooler, and without a warning
    assert set(bert(IDS)) == {"sequence_output"}
    assert Bert.from_preset(folder, tokenizer=None).pooler is not None
    with pytest.warns(UserWarning, match="mlm_head"):
        model = BertForPretraining.from_preset(golden / "bert_span", tokenizer=None)
    assert set(model(IDS)) == {"mlm_logits"}


def test_what_is_missing_left_over_or_of_another_shape_is_an_error(folder, arrays, same, golden):
    write_safetensors(folder / "model.safetensors", {name: array for name, array in arrays.items() if name != "cls.predictions.transform.dense.bias"})
    with pytest.raises(ValueError, match=r"1 missing in the source: cls\.predictions\.transform\.dense\.bias"):
        same()
    write_safetensors(folder / "model.safetensors", {**arrays, "bert.encoder.layer.0.adapter.weight": np.ones(3)})
    with pytest.raises(ValueError, match=r"neither used nor ignored: bert\.encoder\.layer\.0\.adapter\.weight"):
        same()
    write_safetensors(folder / "model.safetensors", {**arrays, "cls.extra": np.ones(3)})
    with pytest.raises(ValueError, match=r"neither used nor ignored: cls\.extra"):
        same()
    Bert.from_preset(folder, tokenizer=None)  # of which it is no part
    name = "bert.encoder.layer.1.intermediate.dense.weight"
    write_safetensors(folder / "model.safetensors", {**arrays, name: arrays[name].T})
    with pytest.raises(ValueError, match=r"intermediate\.dense\.weight .*cannot be turned into"):
        same()
    with pytest.raises(ValueError, match=r"of a shape or type that does not fit"):
        TextClassifier.from_preset(golden / "bert_classifier", tokenizer=None, num_classes=2)


@pytest.mark.parametrize(
    "words, message",
    [
        ({"hidden_act": "mish"}, "hidden_act='mish'"),
        ({"model_type": "albert"}, "model_type='albert'"),
        ({"position_embedding_type": "relative_key"}, "not computed here.*relative_key"),
        ({"is_decoder": True}, "not computed here.*is_decoder"),
        ({"tie_word_embeddings": False}, "not computed here.*tie_word_embeddings"),
        ({"type_vocab_size": 2}, "none was assigned"),
        ({"num_hidden_layers": 1}, "neither used nor ignored"),
        ({"num_hidden_layers": 3}, "missing in the source"),
    ],
)
def test_a_config_that_does_not_fit_is_refused(folder, words, message, change_config, same):
    change_config(folder, **words)
    with pytest.raises(ValueError, match=message):
        same()


def test_the_words_of_a_config_are_honoured(folder, change_config, golden, tmp_path):
    change_config(folder, hidden_act="gelu_new", layer_norm_eps=0.1, hidden_dropout_prob=0.25, attention_probs_dropout_prob=0.3)
    bert = Bert.from_preset(folder, tokenizer=None, dropout=0.5)
    assert (bert.activation, bert.layer_norm_epsilon, bert.dropout_rate, bert.attention_dropout) == (gelu_tanh, 0.1, 0.5, 0.3)
    assert (bert.num_segments, bert.max_length, bert.intermediate_dim) == (3, 13, 11)
    labels = {"id2label": {"0": "no", "1": "yes", "2": "maybe"}, "classifier_dropout": 0.4}
    shutil.copytree(golden / "bert_classifier", tmp_path / "labels")
    change_config(tmp_path / "labels", **labels)
    model = TextClassifier.from_preset(tmp_path / "labels", tokenizer=None)
    assert (model.labels, model.head_dropout) == (["no", "yes", "maybe"], 0.4)
    model.save_to_preset(tmp_path / "again")
    assert TextClassifier.from_preset(tmp_path / "again", tokenizer=None).labels == ["no", "yes", "maybe"]
    change_config(tmp_path / "labels", problem_type="multi_label_classification")
    with pytest.raises(ValueError, match="multi_label_classification"):
        TextClassifier.from_preset(tmp_path / "labels", tokenizer=None)


def google_config(**words):
    names = {"hidden_size": 9, "num_attention_heads": 3, "num_hidden_layers": 2, "intermediate_size": 11, "vocab_size": 31, "max_position_embeddings": 13}
    return json.dumps({**names, "type_vocab_size": 3, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, **words})


def write_tf(prefix, arrays):
    tf = pytest.importorskip("tensorflow", reason="the files are TensorFlow's")
    tensors = [tf.constant(array) for array in arrays.values()]
    tf.raw_ops.SaveV2(prefix=str(prefix), tensor_names=list(arrays), shape_and_slices=[""] * len(arrays), tensors=tensors)


def to_google(name, array):
    """Names an array of Hugging Face's as Google's converter expects it, the other way round."""
    special = {"cls.predictions.bias": "output_bias", "cls.seq_relationship.weight": "output_weights", "cls.seq_relationship.bias": "output_bias"}
    *path, leaf = name.replace("layer.", "layer_").split(".")
    if name in special:
        return "/".join([*path, special[name]]), array
    if path[-1] == "LayerNorm":
        return "/".join([*path, {"weight": "gamma", "bias": "beta"}[leaf]]), array
    if path[-1].endswith("_embeddings"):
        return "/".join(path), array
    return "/".join([*path, {"weight": "kernel", "bias": "bias"}[leaf]]), array.T if leaf == "weight" else array


def test_google_s_files_of_tensorflow_1_give_the_same_model(tmp_path, arrays, load):
    (tmp_path / "bert_config.json").write_text(google_config())
    named = dict(to_google(name, array) for name, array in arrays.items())
    slots = {f"{name}/{slot}": array for name, array in named.items() for slot in ("adam_m", "adam_v")}
    write_tf(tmp_path / "bert_model.ckpt", {**named, **slots, "global_step": np.array(7)})
    model = BertForPretraining.from_preset(tmp_path, tokenizer=None)
    assert model.bert.activation is gelu_tanh  # what Google calls gelu
    theirs = load("bert", "lm").get_weights()
    for ours, wanted in zip(model.get_weights(), theirs, strict=True):
        np.testing.assert_array_equal(ours, wanted)
    write_tf(tmp_path / "bert_model.ckpt", {**named, "bert/encoder/layer_0/extra": np.ones(3)})
    with pytest.raises(ValueError, match="neither used nor ignored: bert/encoder/layer_0/extra"):
        BertForPretraining.from_preset(tmp_path, tokenizer=None)


@pytest.mark.parametrize("generation", ["model/", "encoder/"])
def test_google_s_files_of_tensorflow_2_give_the_same_encoder(generation, tmp_path, arrays, load):
    parts = {"query": "_attention_layer/_query_dense", "key": "_attention_layer/_key_dense", "value": "_attention_layer/_value_dense"}
    output = "_attention_output_dense" if generation == "model/" else "_attention_layer/_output_dense"
    named = {"save_counter/.ATTRIBUTES/VARIABLE_VALUE": np.array(1), "optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE": np.array(7)}
    pooler = "layer_with_weights-6" if generation == "model/" else "pooler_layer"
    for name, array in ((name.removeprefix("bert."), array) for name, array in arrays.items() if name.startswith("bert.")):
        *path, leaf = name.split(".")
        place, leaf = ".".join(path), {"weight": "kernel"}.get(leaf, leaf)
        if place.startswith("embeddings"):
            number = ["word_embeddings", "position_embeddings", "token_type_embeddings", "LayerNorm"].index(path[1])
            new = f"layer_with_weights-{number}/{ {'kernel': 'gamma', 'bias': 'beta'}[leaf] if number == 3 else 'embeddings' }"
        elif place.startswith("pooler"):
            new, array = f"{pooler}/{leaf}", array.T
        else:
            layer, place = int(path[2]) + 4, ".".join(path[3:])
            if place.endswith("LayerNorm"):
                norm = "_attention_layer_norm" if "attention" in place else "_output_layer_norm"
                new = f"layer_with_weights-{layer}/{norm}/{ {'kernel': 'gamma', 'bias': 'beta'}[leaf] }"
            else:
                names = {"attention.output.dense": output, "intermediate.dense": "_intermediate_dense", "output.dense": "_output_dense"}
                new = f"layer_with_weights-{layer}/{names.get(place) or parts[path[-1]]}/{leaf}"
                if path[-1] in parts:
                    array = array.T.reshape(9, 3, 3) if leaf == "kernel" else array.reshape(3, 3)  # heads apart
                elif leaf == "kernel":
                    array = array.T.reshape(3, 3, 9) if place == "attention.output.dense" else array.T
        named[f"{generation}{new}/.ATTRIBUTES/VARIABLE_VALUE"] = array
    write_tf(tmp_path / "bert_model.ckpt", named)
    (tmp_path / "bert_config.json").write_text(google_config())
    bert = Bert.from_preset(tmp_path, tokenizer=None)
    for ours, wanted in zip(bert.get_weights(), load("bert", "lm").bert.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, wanted)


def test_a_published_checkpoint_of_tensorflow_1_loads_strictly(fixtures_dir):
    folder = fixtures_dir / "keras_bert_tiny_ckpt"
    model, source = BertForPretraining.from_preset(folder), read_tf_checkpoint(folder)
    assert model.tokenizer.vocab_size <= model.bert.vocab_size == 15
    assert len(model.weights) == sum(not name.endswith(("adam_m", "adam_v", "global_step")) for name in source)
    block = model.bert.encoder.blocks[1]
    np.testing.assert_array_equal(to_numpy(block.output_dense.kernel), source["bert/encoder/layer_1/output/dense/kernel"])
    np.testing.assert_array_equal(to_numpy(model.nsp_head.kernel), source["cls/seq_relationship/output_weights"].T)


def test_a_model_on_the_hub_is_fetched_by_the_hub_s_own_library(golden, monkeypatch):
    calls = []

    def snapshot_download(name, revision, allow_patterns):
        calls.append((name, revision))
        assert "model.safetensors" in allow_patterns
        assert not any("*.py" in pattern for pattern in allow_patterns)
        return str(golden / "bert_lm")

    monkeypatch.setitem(sys.modules, "huggingface_hub", types.SimpleNamespace(snapshot_download=snapshot_download, __spec__=object()))
    Bert.from_preset("hf://someone/tiny@v2", tokenizer=None)
    assert calls == [("someone/tiny", "v2")]
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install huggingface_hub"):
        Bert.from_preset("hf://someone/tiny")
    with pytest.raises(FileNotFoundError, match=r"A preset is a directory, hf://OWNER/NAME"):
        Bert.from_preset("nowhere")
