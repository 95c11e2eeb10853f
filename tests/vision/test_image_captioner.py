"""The captioner: its equations in NumPy, its decoding, its attention, and that a saved one is the same."""

import json

import keras
import numpy as np
import pytest

from keras_richctx.datasets import CaptionedImages, scenes
from keras_richctx.generation import greedy
from keras_richctx.text import WordTokenizer
from keras_richctx.vision import ConvGrid, ImageCaptioner, ImageDecoder

pytestmark = pytest.mark.backends

CAPTIONS = ["a red ring", "a blue cross left of a red ring", "the ring"]
SHAPE = (17, 23, 3)  # a grid of 4 x 5 with two convolutions

injections = pytest.mark.parametrize("inject", ["initial", "every_step", "attention"])
cells = pytest.mark.parametrize("cell", ["gru", "lstm", "rnn"])

to_numpy = keras.ops.convert_to_numpy


@pytest.fixture(scope="module")
def tokenizer():
    return WordTokenizer.train(CAPTIONS, vocab_size=50)


@pytest.fixture(scope="module")
def make(tokenizer):
    """`make(**options)` gives a tiny model with weights large enough to have opinions; the same options, the same weights."""

    def make(seed=0, **options):
        model = ImageCaptioner(tokenizer, SHAPE, ConvGrid((3, 4)), **{"units": 6, "embedding_dim": 5, **options})
        random = np.random.default_rng(seed)
        model.set_weights([random.normal(scale=0.5, size=w.shape) for w in model.get_weights()])
        return model

    return make


@pytest.fixture(scope="module")
def images():
    return np.random.default_rng(1).integers(0, 256, size=(3, *SHAPE)).astype("uint8")


@pytest.fixture(scope="module")
def batch(make, images):
    return make().prepare(images, CAPTIONS)


@injections
@cells
def test_the_known_caption_at_once_equals_one_word_at_a_time(inject, cell, make, batch):
    model = make(inject=inject, cell=cell)
    together = to_numpy(model(batch))
    first, state, memory = model.start({"images": batch["images"]}, together.shape[1])
    np.testing.assert_array_equal(to_numpy(first), batch["token_ids"][:, 0])
    for t in range(together.shape[1]):
        logits, state = model.step(batch["token_ids"][:, t], state, memory)
        np.testing.assert_allclose(to_numpy(logits), together[:, t], rtol=1e-5, atol=1e-5)


def weights_of(model):
    return {"/".join(w.path.split("/")[-2:]): to_numpy(w).astype("float64") for w in model.weights}


def see(model, w, images):
    """The cells `(B, S, U)` in NumPy, from what the encoder makes of the images."""
    features = to_numpy(model.encoder(images)).astype("float64")
    rows, columns = np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 5), indexing="ij")
    places = np.broadcast_to(np.stack([rows, columns], axis=-1), (len(images), 4, 5, 2))
    features = np.concatenate([features, places], axis=-1).reshape(len(images), 20, -1)
    return np.maximum(features @ w["cells/kernel"] + w["cells/bias"], 0)


def test_the_picture_added_at_each_step_is_the_equation_of_the_lecture(make, batch):
    model = make(inject="every_step", cell="rnn")
    w = weights_of(model)
    v = see(model, w, batch["images"]).mean(axis=1)
    words = w["embedding/embeddings"][batch["token_ids"]]
    h, expected = np.zeros((3, 6)), []
    for t in range(words.shape[1]):
        # h = tanh(W_xh x + W_hh h + W_ih v + b)
        h = np.tanh(words[:, t] @ w["cell/kernel"] + h @ w["cell/recurrent_kernel"] + v @ w["context_to_cell/kernel"] + w["cell/bias"])
        expected.append(h @ w["output_projection/kernel"] + w["output_projection/bias"])
    np.testing.assert_allclose(to_numpy(model(batch)), np.stack(expected, axis=1), atol=1e-5)


def test_the_picture_in_the_first_state_is_its_equation(make, batch):
    model = make(inject="initial", cell="rnn")
    w = weights_of(model)
    h = np.tanh(see(model, w, batch["images"]).mean(axis=1) @ w["initial_0/kernel"] + w["initial_0/bias"])
    words, expected = w["embedding/embeddings"][batch["token_ids"]], []
    for t in range(words.shape[1]):
        h = np.tanh(words[:, t] @ w["cell/kernel"] + h @ w["cell/recurrent_kernel"] + w["cell/bias"])
        expected.append(h @ w["output_projection/kernel"] + w["output_projection/bias"])
    np.testing.assert_allclose(to_numpy(model(batch)), np.stack(expected, axis=1), atol=1e-5)


def test_the_encoder_keeps_the_places(images):
    """What moves in the picture moves in the grid."""
    encoder = ConvGrid((3, 4))
    image = np.full((1, 32, 32, 3), 90, "uint8")
    image[0, 12:16, 12:16] = 250
    moved = np.roll(image, (4, 8), axis=(1, 2))
    np.testing.assert_allclose(to_numpy(encoder(moved))[0, 3:6, 4:7], to_numpy(encoder(image))[0, 2:5, 2:5], atol=1e-6)
    assert encoder.compute_output_shape((None, *SHAPE)) == (None, *encoder(images).shape[1:]) == (None, 4, 5, 4)


@injections
def test_a_batch_is_its_pictures_one_by_one_and_pads_change_nothing(inject, make, batch):
    model = make(inject=inject)
    logits, real = to_numpy(model(batch)), batch["padding_mask"]
    for b in range(3):
        alone = {"images": batch["images"][b : b + 1], "token_ids": batch["token_ids"][b : b + 1, : real[b].sum()]}
        np.testing.assert_allclose(to_numpy(model(alone))[0], logits[b][real[b]], atol=1e-5)
    wide = {"images": batch["images"], "token_ids": np.pad(batch["token_ids"], ((0, 0), (0, 5)))}
    np.testing.assert_allclose(to_numpy(model(wide))[:, : real.shape[1]][real], logits[real], atol=1e-5)


def test_attention_is_spread_over_the_grid(make, batch):
    weights = to_numpy(make().attention_weights(batch))
    assert weights.shape == (*batch["token_ids"].shape, 4, 5)
    np.testing.assert_allclose(weights.sum(axis=(2, 3)), 1.0, atol=1e-6)


def test_a_map_goes_by_the_word_before(make, batch):
    model, other = make(), {**batch, "token_ids": batch["token_ids"].copy()}
    other["token_ids"][:, 2] = 1
    before, after = to_numpy(model.attention_weights(batch)), to_numpy(model.attention_weights(other))
    np.testing.assert_allclose(after[:, :2], before[:, :2], atol=1e-6)
    assert (np.abs(after[:, 2] - before[:, 2]).max(axis=(1, 2)) > 1e-4).all()


@injections
def test_captions_are_those_of_the_search_one_by_one(inject, make, images):
    model = make(inject=inject)
    together = model.caption(images, max_new_tokens=6)
    ids, scores = greedy(model, {"images": images}, 6, return_scores=True)
    for b, caption in enumerate(together):
        alone = model.caption(images[b], max_new_tokens=6)
        assert (alone.text, alone.tokens) == (caption.text, caption.tokens)
        np.testing.assert_allclose([alone.score, scores[b]], caption.score, rtol=1e-4)
        assert model.tokenizer.pieces(ids[b, 1 : 1 + len(caption.tokens)]) == caption.tokens
        if inject == "attention":
            assert caption.maps.shape == (len(caption.tokens), 4, 5)
            np.testing.assert_allclose(alone.maps, caption.maps, atol=1e-5)
        else:
            assert caption.maps is None


def test_more_beams_find_no_worse_captions(make, images):
    model = make()
    one, four = (model.caption(images, num_beams=beams, length_penalty=0.0, max_new_tokens=6) for beams in (1, 16))
    assert all(wide.score >= narrow.score - 1e-5 for narrow, wide in zip(one, four))


def test_the_penalty_is_that_of_doubly_stochastic_attention(make, batch):
    model = make(coverage=0.3)
    model(batch, training=True)
    received = (to_numpy(model.attention_weights(batch)) * batch["padding_mask"][:, :, None, None]).sum(axis=1)
    np.testing.assert_allclose(to_numpy(model.losses[0]), 0.3 * np.mean((1 - received) ** 2), rtol=1e-4)


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 3e-2), ("mixed_bfloat16", 3e-1)])
@injections
def test_half_precision_stays_close(inject, policy, tolerance, tokenizer, make, batch):
    exact = make(inject=inject)
    encoder = ConvGrid((3, 4), dtype=policy)
    half = ImageCaptioner(tokenizer, SHAPE, encoder, inject=inject, units=6, embedding_dim=5, dtype=policy)
    half.set_weights(exact.get_weights())
    logits = half(batch)
    assert keras.backend.standardize_dtype(logits.dtype) == policy.removeprefix("mixed_")
    assert {w.dtype for w in half.weights} == {"float32"}
    np.testing.assert_allclose(to_numpy(keras.ops.cast(logits, "float32")), to_numpy(exact(batch)), atol=tolerance)
    assert len(half.caption(batch["images"], max_new_tokens=3)) == 3


@pytest.mark.parametrize(
    "options", [{"inject": "initial", "cell": "lstm"}, {"inject": "every_step"}, {"score": "location", "dropout": 0.2, "coverage": 0.1, "fine_tune": False}]
)
def test_a_saved_model_captions_the_same_and_has_the_same_config(options, make, images, tmp_path):
    model = make(**options)
    config = json.dumps(model.get_config())
    assert json.dumps(ImageCaptioner.from_config(json.loads(config)).get_config()) == config
    model.compile("sgd")
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert again.tokenizer == model.tokenizer
    assert [str(c) for c in again.caption(images, max_new_tokens=5)] == [str(c) for c in model.caption(images, max_new_tokens=5)]


def test_any_network_that_makes_a_grid_is_an_encoder(tokenizer, images):
    functional = keras.Sequential([keras.Input(SHAPE), keras.layers.Rescaling(1 / 255), keras.layers.Conv2D(3, 5, strides=4)])
    assert ImageCaptioner(tokenizer, SHAPE, functional, units=4)({"images": images, "token_ids": np.ones((3, 2), "int32")}).shape[:2] == (3, 2)
    features = np.random.default_rng(0).normal(size=(2, 3, 5, 7)).astype("float32")
    stored = ImageCaptioner(tokenizer, (3, 5, 7), keras.layers.Identity(), units=4)
    assert stored.caption(features, max_new_tokens=2)[1].maps.shape[1:] == (3, 5)
    inputs, _, _ = next(iter(stored.batches(CaptionedImages(features, [["a ring"], ["a cross"]]), shuffle=False)))
    np.testing.assert_array_equal(inputs["images"], features)


@pytest.mark.parametrize("fine_tune", [True, False])
def test_a_frozen_encoder_is_neither_trained_nor_in_training_mode(fine_tune, tokenizer, images):
    encoder = keras.Sequential([keras.Input(SHAPE), keras.layers.Conv2D(3, 4, strides=4), keras.layers.BatchNormalization(), keras.layers.Dropout(0.5)])
    model = ImageCaptioner(tokenizer, SHAPE, encoder, units=4, fine_tune=fine_tune)
    model.compile(keras.optimizers.SGD(0.1))
    before = [w.copy() for w in encoder.get_weights()]
    inputs = model.prepare(images, CAPTIONS)
    model.fit(inputs, inputs["token_ids"], sample_weight=inputs["padding_mask"].astype("float32"), verbose=0)
    changed = [not np.array_equal(a, b) for a, b in zip(before, encoder.get_weights())]
    assert all(changed) if fine_tune else not any(changed)


def test_it_learns_what_it_is_shown():
    keras.utils.set_random_seed(0)
    shown = scenes(5, seed=3, side=32)
    shown = CaptionedImages(shown.images, [captions[:1] for captions in shown.captions])
    tokenizer = WordTokenizer.train([captions[0] for captions in shown.captions], vocab_size=50)
    model = ImageCaptioner(tokenizer, (32, 32, 3), ConvGrid((8, 8, 8)), units=24)
    model.compile(keras.optimizers.Adam(0.01))
    model.fit(model.batches(shown, pad_to_multiple=8).repeat(60), epochs=1, verbose=0)
    assert [str(caption) for caption in model.caption(shown.images)] == [captions[0] for captions in shown.captions]
    assert [str(caption) for caption in model.caption(shown.images, num_beams=3)] == [captions[0] for captions in shown.captions]


def test_pictures_of_other_sizes_are_stretched(make, images):
    model = make()
    y, x = np.mgrid[:34, :46]
    large = np.stack([5 * y, 3 * x, y + x], axis=-1)  # even slopes, of which any two pixels have their mean between them
    small = large.reshape(17, 2, 23, 2, 3).mean(axis=(1, 3))
    np.testing.assert_allclose(model.prepare([large])["images"][0, 1:-1, 1:-1], small[1:-1, 1:-1], atol=1e-3)
    assert model.prepare(images)["images"].dtype == "uint8"
    with pytest.raises(ValueError, match=r"from 0 to 255\. Received: images\[0\] with values up to 1"):
        model.prepare(images / 255)
    with pytest.raises(ValueError, match=r"Received: images\[0\] of shape \(17, 23\)"):
        model.prepare(images[..., 0])


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda x: np.where(x > 250, np.nan, x), r"from 0 to 255\. Received: images\[\d\] with values from nan"),
        (lambda x: np.where(x > 250, np.inf, x), "to inf"),
        (lambda x: x.astype("int32") * 3, r"to 7\d\d"),
        (lambda x: x.astype("float32") - 100, r"from -\d"),
        (lambda x: x > 100, "of type bool"),
        (lambda x: x[:, :0], r"shape \(0, 23, 3\)"),
        (lambda x: np.moveaxis(x, -1, 1), r"shape \(3, 17, 23\)"),
        (lambda x: np.concatenate([x, x[..., :1]], axis=-1), r"shape \(17, 23, 4\)"),
        (lambda x: "picture.jpg", r"Received: a str"),
    ],
)
def test_what_is_no_picture_is_refused(make, images, wrong, message):
    with pytest.raises(ValueError, match=message):
        make().caption(wrong(images), max_new_tokens=2)


@pytest.mark.parametrize("options", [{"num_beams": 0}, {"num_beams": 1.5}, {"max_new_tokens": 0}, {"batch_size": 0}, {"length_penalty": float("nan")}])
def test_a_search_that_cannot_be_is_refused(make, images, options):
    ((name, value),) = options.items()
    with pytest.raises(ValueError, match=f"Received: {name}={value}"):
        make().caption(images, **options)


def test_more_beams_than_words_find_the_best_captions_and_none_that_cannot_be(make, images):
    model = make()
    assert model.tokenizer.vocab_size < 40
    many, few = (model.caption(images, num_beams=beams, length_penalty=0.0, max_new_tokens=2) for beams in (40, 16))
    for wide, narrow in zip(many, few):
        assert np.isfinite(wide.score)
        assert 1 <= len(wide.tokens) <= 2
        assert wide.score >= narrow.score - 1e-5


def test_an_empty_caption_is_a_beginning_and_nothing_else(make, images):
    batch = make().prepare(images, ["", "a red ring", ""])
    assert batch["padding_mask"].sum(axis=1).tolist() == [1, 4, 1]
    logits = to_numpy(make()(batch))
    np.testing.assert_allclose(logits[0, :1], to_numpy(make()(make().prepare(images[:1], [""])))[0], atol=1e-5)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"images": np.zeros((3, 34, 23, 3))}, r"of shape \(17, 23, 3\); prepare makes them\. Received: images of shape \(3, 34, 23, 3\)"),
        ({"images": np.zeros((3, 17, 23, 1))}, r"Received: images of shape \(3, 17, 23, 1\)"),
        ({"images": np.zeros((2, *SHAPE))}, r"a row of token_ids for each picture.*\(2, 17, 23, 3\) and token_ids of shape \(3, "),
        ({"token_ids": np.ones(3, "int32")}, r"token_ids of shape \(3,\)"),
        ({"token_ids": None}, r"Received: a dict of \['images', 'padding_mask'\], without token_ids"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(make, batch, change, message):
    inputs = {name: value for name, value in {**batch, **change}.items() if value is not None}
    with pytest.raises(ValueError, match=message):
        make()(inputs)


def test_captions_and_pictures_that_do_not_fit_are_refused(make, images):
    for captions in (CAPTIONS[:2], "ab", ["a", None, "b"]):
        with pytest.raises(ValueError, match="a caption, a string, for each of 3 pictures"):
            make().prepare(images, captions)
    with pytest.raises(ValueError, match=r"trained on pictures of shape \(17, 23, 3\)\. Received: pictures of shape \(32, 32, 3\)"):
        make().batches(scenes(1, side=32))


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"inject": "late"}, r"Received: inject='late'\. Choose one of initial, every_step, attention"),
        ({"cell": "elman"}, r"Received: cell='elman'"),
        ({"score": "adaptive"}, r"Received: score='adaptive'"),
        ({"inject": "initial", "score": "dot"}, r"neither a score nor a coverage\. Received: inject='initial', score='dot'"),
        ({"inject": "every_step", "coverage": 0.1}, r"neither a score nor a coverage.*coverage=0\.1"),
        ({"coverage": float("nan")}, r"Received: coverage=nan"),
        ({"units": 0}, r"Received: units=0"),
        ({"embedding_dim": 2.5}, r"Received: embedding_dim=2\.5"),
        ({"image_shape": (48, 48)}, r"Received: image_shape=\(48, 48\)"),
        ({"image_shape": (4, 48, 3)}, r"makes a grid.*Received: one that makes \(None, 0, 6, 96\)"),
        ({"encoder": keras.layers.GlobalAveragePooling2D()}, r"makes a grid.*Received: one that makes \(None, 3\)"),
        ({"tokenizer": "words"}, r"Received: tokenizer='words'"),
        ({"encoder": "resnet"}, r"a Keras layer or model\. Received: encoder='resnet'"),
        ({"image_shape": 16}, r"Received: image_shape=16"),
    ],
    ids=lambda x: next(iter(x)) if isinstance(x, dict) else "",
)
def test_a_wrong_argument_is_named(wrong, message, tokenizer):
    with pytest.raises(ValueError, match=message):
        ImageCaptioner(**{"tokenizer": tokenizer, "units": 6, **wrong})


def test_what_it_cannot_do_is_said(make, batch):
    with pytest.raises(ValueError, match=r"one vector.*Received: inject='initial'"):
        make(inject="initial").attention_weights(batch)
    with pytest.raises(ValueError, match=r"Received: a dict of \['token_ids'\], without images"):
        make()({"token_ids": batch["token_ids"]})
    with pytest.raises(ValueError, match=r"Received: inject='never'"):
        ImageDecoder(4, inject="never")
    with pytest.raises(ValueError, match=r"Received: filters=\(3, 0\)"):
        ConvGrid((3, 0))
