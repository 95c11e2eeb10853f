"""What holds for every `Bert`."""

import subprocess
import sys

import keras
import numpy as np
import pytest

from keras_richctx.bert import combine_layers
from keras_richctx.bert.presets import PRESETS
from keras_richctx.models import Bert, BertForPretraining, SpanAnswerer, TextClassifier

SMALL = {"num_layers": 2, "width": 12, "num_heads": 3, "intermediate_dim": 17, "max_length": 16, "vocab_size": 37}


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


@pytest.mark.parametrize("kind", ["bert", pytest.param("roberta", marks=pytest.mark.backends), "distilbert"])
def test_pads_and_the_other_rows_change_nothing(kind, load, inputs_of, answers):
    bert, inputs, lengths = load(kind, "lm").bert, inputs_of(kind), answers["padding_mask"].sum(axis=1)
    whole = to_numpy(bert(inputs)["sequence_output"])
    noise = {**inputs, "token_ids": np.where(inputs["padding_mask"], inputs["token_ids"], 29)}
    longer = {name: np.pad(array, ((0, 0), (0, 2))) for name, array in inputs.items()}
    padded, noisy = (to_numpy(bert(batch)["sequence_output"]) for batch in (longer, noise))
    for i, length in enumerate(lengths):
        alone = {name: array[i : i + 1, :length] for name, array in inputs.items() if name != "padding_mask"}
        for other in (padded[i], noisy[i], to_numpy(bert(alone)["sequence_output"])[0]):
            np.testing.assert_allclose(other[:length], whole[i, :length], atol=1e-5)


def test_pads_are_told_by_their_id_and_segments_are_zero_unless_said(load, inputs_of):
    bert, inputs = load("bert", "lm").bert, inputs_of("bert")
    said = bert({**inputs, "segment_ids": np.zeros_like(inputs["token_ids"])})["pooled_output"]
    np.testing.assert_allclose(to_numpy(bert(inputs["token_ids"])["pooled_output"]), to_numpy(said), atol=1e-6)
    assert np.abs(to_numpy(said) - to_numpy(bert(inputs)["pooled_output"])).max() > 0.01


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_with_positions_said_pads_may_stand_on_the_left(kind, load, inputs_of):
    bert, row = load(kind, "lm").bert, inputs_of(kind)["token_ids"][:1, :6]
    left = {
        "token_ids": np.pad(row, ((0, 0), (3, 0)), constant_values=bert.pad_id),
        "position_ids": np.array([[0, 0, 0, 0, 1, 2, 3, 4, 5]]),
    }
    np.testing.assert_allclose(to_numpy(bert(left)["sequence_output"])[:, 3:], to_numpy(bert(row)["sequence_output"]), atol=1e-5)


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 3e-2), pytest.param("mixed_bfloat16", 2e-1, marks=pytest.mark.backends)])
def test_half_precision_stays_close(policy, tolerance):
    ids = np.random.default_rng(0).integers(1, 37, size=(2, 7))
    exact = BertForPretraining(Bert(**SMALL))
    half = BertForPretraining(Bert(**SMALL, dtype=policy))
    half.set_weights(exact.get_weights())
    assert half.bert.encoder.compute_dtype == policy.removeprefix("mixed_")
    for name, value in exact({"token_ids": ids}).items():
        np.testing.assert_allclose(to_numpy(keras.ops.cast(half({"token_ids": ids})[name], "float32")), to_numpy(value), atol=tolerance)


@pytest.mark.backends
def test_compiled_equals_eager_and_a_functional_model_can_hold_it():
    bert, ids = Bert(**SMALL), np.random.default_rng(0).integers(1, 37, size=(2, 7))
    inputs = {name: keras.Input((None,), dtype=dtype, name=name) for name, dtype in (("token_ids", "int32"), ("padding_mask", "bool"))}
    model = keras.Model(inputs, bert(inputs)["sequence_output"])
    batch = {"token_ids": ids, "padding_mask": ids > 5}
    eager = to_numpy(bert(batch)["sequence_output"])
    model.compile(jit_compile=keras.backend.backend() != "torch")
    np.testing.assert_allclose(model.predict_on_batch(batch)[ids > 5], eager[ids > 5], atol=1e-5)


@pytest.mark.backends
def test_a_saved_model_is_the_model_in_a_new_process(tmp_path, tokenizer):
    bert = Bert(tokenizer, **{**SMALL, "vocab_size": 61}, activation="relu", model_type="roberta", num_segments=1, pooler=False, pad_id=1)
    ids = np.random.default_rng(0).integers(2, 37, size=(2, 7))
    for i, model in enumerate([bert, BertForPretraining(Bert(**SMALL)), TextClassifier(bert, labels=["a", "b"]), SpanAnswerer(Bert(**SMALL))]):
        model.save(tmp_path / f"{i}.keras")
        outputs = model({"token_ids": ids})
        np.savez(tmp_path / f"{i}.npz", *[to_numpy(value) for value in (outputs.values() if isinstance(outputs, dict) else [outputs])])
    np.save(tmp_path / "ids.npy", ids)
    code = """
import sys, pathlib, keras, numpy as np, keras_richctx
folder = pathlib.Path(sys.argv[1])
for i in range(4):
    model = keras.saving.load_model(folder / f"{i}.keras")
    outputs = model({"token_ids": np.load(folder / "ids.npy")})
    outputs = list(outputs.values()) if isinstance(outputs, dict) else [outputs]
    wanted = np.load(folder / f"{i}.npz")
    for value, name in zip(outputs, wanted, strict=True):
        np.testing.assert_allclose(keras.ops.convert_to_numpy(value), wanted[name], atol=1e-6)
    if i == 2:
        assert model.labels == ["a", "b"] and model.bert.first_position == 2 and model.bert.activation is keras.activations.relu
        assert model.tokenizer.vocab_size == int(sys.argv[2])
"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path, str(tokenizer.vocab_size)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


# what Hugging Face's models have, without the heads
WEIGHTS = {
    "bert_tiny": 4_385_920, "bert_mini": 11_170_560, "bert_small": 28_763_648, "bert_medium": 41_373_184, "bert_base": 109_482_240, "bert_large": 335_141_888,
    "bert_l2_h128": 4_385_920, "bert_l2_h256": 9_591_040, "bert_l2_h512": 22_458_880, "bert_l2_h768": 38_603_520,
    "bert_l4_h128": 4_782_464, "bert_l4_h256": 11_170_560, "bert_l4_h512": 28_763_648, "bert_l4_h768": 52_779_264,
    "bert_l6_h128": 5_179_008, "bert_l6_h256": 12_750_080, "bert_l6_h512": 35_068_416, "bert_l6_h768": 66_955_008,
    "bert_l8_h128": 5_575_552, "bert_l8_h256": 14_329_600, "bert_l8_h512": 41_373_184, "bert_l8_h768": 81_130_752,
    "bert_l10_h128": 5_972_096, "bert_l10_h256": 15_909_120, "bert_l10_h512": 47_677_952, "bert_l10_h768": 95_306_496,
    "bert_l12_h128": 6_368_640, "bert_l12_h256": 17_488_640, "bert_l12_h512": 53_982_720, "bert_l12_h768": 109_482_240,
    "roberta_base": 124_645_632, "roberta_large": 355_359_744, "distilbert_base": 66_362_880,
}  # fmt: skip


def test_the_published_sizes_have_as_many_weights():
    assert WEIGHTS.keys() == PRESETS.keys()
    counts = {}
    for preset, wanted in WEIGHTS.items():
        sizes = dict(PRESETS[preset])
        layers, width = sizes.pop("num_layers"), sizes["width"]
        vocab_size = 50265 if preset.startswith("roberta") else 30522
        options = tuple(sorted(sizes.items()))
        if options not in counts:  # of one layer and of two with a small vocabulary, and the rest by arithmetic
            counts[options] = [_count(num_layers=n, vocab_size=30, **sizes) for n in (1, 2)]
        one, two = counts[options]
        assert one + (layers - 1) * (two - one) + (vocab_size - 30) * width == wanted, preset


def _count(**options):
    class Zeros(Bert):
        initializer = staticmethod(keras.initializers.Zeros)  # drawing numbers takes longer than the rest

    return Zeros(**options).count_params()


def test_layers_are_combined_as_numpy_combines_them():
    outputs = np.random.default_rng(0).normal(size=(2, 6, 3, 5)).astype("float32")
    ways = {
        "first": outputs[:, 0],
        "second_to_last": outputs[:, 4],
        "last": outputs[:, 5],
        "sum_last_four": outputs[:, 2:].sum(1),
        "sum_all": outputs[:, 1:].sum(1),
        "concat_last_four": outputs[:, 2:].transpose(0, 2, 1, 3).reshape(2, 3, 20),
    }
    for how, wanted in ways.items():
        np.testing.assert_allclose(to_numpy(combine_layers(outputs, how)), wanted, atol=1e-6)
    with pytest.raises(ValueError, match=r"how='mean'"):
        combine_layers(outputs, "mean")
    with pytest.raises(ValueError, match=r"fewer than four layers.*outputs of 3 layers"):
        combine_layers(outputs[:, :4], "sum_last_four")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"model_type": "albert"}, "model_type='albert'"),
        ({"vocab_size": None}, "the number of tokens has to be said"),
        ({"num_segments": -1}, "num_segments is an integer of at least 0. Received: num_segments=-1"),
        ({"num_heads": 5}, "num_heads=5, inputs of width 12"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        Bert(**{**SMALL, **options})


def test_inputs_that_do_not_fit_are_refused_by_name(tokenizer):
    bert = Bert(**SMALL)
    with pytest.raises(ValueError, match=r"The model reads 16 tokens\. Received: token_ids of 17"):
        bert(np.ones((1, 17), "int32"))
    with pytest.raises(ValueError, match=r"without token_ids"):
        bert({"ids": np.ones((1, 3), "int32")})
    with pytest.raises(ValueError, match=r"padding_mask of dtype float32"):
        bert({"token_ids": np.ones((1, 3), "int32"), "padding_mask": np.ones((1, 3), "float32")})
    with pytest.raises(ValueError, match=r"has ids that the model does not know"):
        Bert(tokenizer, **SMALL)
    with pytest.raises(ValueError, match=r"tokenizer=None"):
        bert.embed("a")
