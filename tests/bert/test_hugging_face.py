"""BERT, RoBERTa and DistilBERT against Hugging Face's library: tests/golden/make_bert.py says how the answers came about."""

import json
import warnings

import keras
import numpy as np
import pytest

from keras_richctx.bert.names import ENCODERS, HEADS, encoder_places, pooler_places, spell
from keras_richctx.checkpoints import read_safetensors
from keras_richctx.checkpoints.matrices import matrix_shape

ON_ALL_BACKENDS = {("bert", "lm"), ("roberta", "classifier"), ("distilbert", "span")}  # which have all that there is between them
EVERY = [
    pytest.param(kind, head, marks=[pytest.mark.backends] * ((kind, head) in ON_ALL_BACKENDS))
    for kind in ("bert", "roberta", "distilbert")
    for head in ("lm", "classifier", "span", "tokens")
]


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


def as_theirs(outputs, kind):
    """Returns what a model gave under the names of Hugging Face."""
    if isinstance(outputs, dict):
        names = {"nsp_logits": "seq_relationship_logits", "mlm_logits": "prediction_logits" if kind == "bert" else "logits"}
        return {names[name]: value for name, value in outputs.items()}
    is_span = len(outputs.shape) == 3 and outputs.shape[1] == 2
    return {"start_logits": outputs[:, 0], "end_logits": outputs[:, 1]} if is_span else {"logits": outputs}


@pytest.mark.parametrize("kind, head", EVERY)
def test_outputs_and_gradients_are_hugging_face_s(kind, head, load, inputs_of, answers, gradients):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is new
        model = load(kind, head)
    inputs, name = inputs_of(kind), f"{kind}_{head}"
    wanted = {key.split("/")[1]: value for key, value in answers.items() if key.startswith(f"{name}/") and key.count("/") == 1}
    outputs = as_theirs(model(inputs), kind)
    assert outputs.keys() == wanted.keys()
    for key, value in outputs.items():
        seen = answers[f"{name}/weights/{key}"] != 0  # pads apart
        np.testing.assert_allclose(to_numpy(value)[seen], wanted[key][seen], atol=1e-5)

    def loss():
        weights = {key: keras.ops.convert_to_tensor(answers[f"{name}/weights/{key}"]) for key in outputs}
        products = (keras.ops.where(weights[key] != 0, weights[key] * value, 0.0) for key, value in as_theirs(model(inputs), kind).items())
        return sum(map(keras.ops.sum, products))

    bert = model.bert
    places = [(f"{kind}.{spell(place, kind, ENCODERS[kind])}", place, variable) for place, variable in encoder_places(bert)]
    places += [] if bert.pooler is None else [(f"{kind}.{spell(place, kind)}", place, variable) for place, variable in pooler_places(bert)]
    places += [(spell(place, kind, HEADS[kind]), place, variable) for group in model.head_groups() for place, variable in group]
    assert len(places) == len(model.weights)
    for (theirs, place, variable), gradient in zip(places, gradients(loss, [variable for *_, variable in places])):
        gradient = gradient.reshape(matrix_shape(variable))
        np.testing.assert_allclose(gradient.T if place.endswith("kernel") else gradient, answers[f"{name}/gradients/{theirs}"], atol=1e-4, err_msg=theirs)


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert"])
def test_all_layers_and_all_maps_are_hugging_face_s(kind, load, inputs_of, answers):
    bert, inputs, real = load(kind, "lm").bert, inputs_of(kind), answers["padding_mask"]
    layers = to_numpy(bert.layer_outputs(inputs))
    np.testing.assert_allclose(layers.swapaxes(1, 2)[real], answers[f"{kind}/layer_outputs"].swapaxes(1, 2)[real], atol=1e-5)
    np.testing.assert_allclose(layers[:, -1], to_numpy(bert(inputs)["sequence_output"]), atol=1e-6)
    maps = np.stack([to_numpy(scores) for scores in load(kind, "lm").attention_scores(inputs)], axis=1)  # (B, L, H, T, T)
    theirs = answers[f"{kind}/attention_scores"]
    np.testing.assert_allclose(maps.transpose(0, 3, 1, 2, 4)[real], theirs.transpose(0, 3, 1, 2, 4)[real], atol=1e-5)
    assert not maps.transpose(0, 3, 1, 2, 4)[~real].any()


@pytest.mark.parametrize("kind, head", EVERY)
def test_what_is_saved_is_what_was_loaded(kind, head, load, golden, tmp_path):
    model = load(kind, head)
    model.save_to_preset(tmp_path)
    theirs, ours = read_safetensors(golden / f"{kind}_{head}"), read_safetensors(tmp_path)
    assert set(theirs) == set(ours)
    for name in theirs:
        np.testing.assert_array_equal(ours[name], theirs[name])
    words, written = (json.loads((folder / "config.json").read_text()) for folder in (golden / f"{kind}_{head}", tmp_path))
    same = {word for word in words if words[word] == written.get(word)}
    assert {"architectures", "model_type", "vocab_size", "max_position_embeddings", "pad_token_id"} <= same
    assert {"hidden_act", "layer_norm_eps", "type_vocab_size"} <= same or kind == "distilbert"
