import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.generation import beam, greedy
from keras_richctx.text import WordTokenizer

SIZES = {"num_layers": 3, "width": 12, "num_heads": 3, "intermediate_dim": 20}


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


@pytest.fixture(scope="module", params=["post", "pre"])
def model(request, english, french):
    model = krc.models.Transformer(english, french, norm=request.param, **SIZES)
    random = np.random.default_rng(0)
    model.set_weights([random.normal(scale=0.5, size=w.shape) for w in model.get_weights()])
    return model


def test_the_known_target_at_once_equals_one_word_at_a_time(model, batch):
    inputs, _, real = batch
    together = to_numpy(model(inputs))
    first, state, memory = model.start(inputs, together.shape[1])
    np.testing.assert_array_equal(to_numpy(first), inputs["decoder_token_ids"][:, 0])
    for t in range(together.shape[1]):
        logits, state = model.step(inputs["decoder_token_ids"][:, t], state, memory)
        here = real[:, t] > 0
        np.testing.assert_allclose(to_numpy(logits)[here], together[here, t], rtol=1e-4, atol=1e-4)


def test_more_padding_changes_no_real_position(model, batch, widen):
    inputs, _, real = batch
    logits, wide = to_numpy(model(inputs)), to_numpy(model(widen(inputs, source=5, target=4)))
    np.testing.assert_allclose(wide[:, : logits.shape[1]][real > 0], logits[real > 0], atol=1e-4)


def test_a_batch_equals_its_rows(model, batch):
    inputs, _, _ = batch
    together = to_numpy(model(inputs))
    for row in range(3):
        alone = to_numpy(model({name: array[row : row + 1] for name, array in inputs.items()}))[0]
        np.testing.assert_allclose(together[row], alone, atol=1e-4)


def test_no_word_depends_on_what_comes_after_it(model, batch):
    inputs, _, _ = batch
    changed = {**inputs, "decoder_token_ids": inputs["decoder_token_ids"].copy()}
    changed["decoder_token_ids"][:, 2:] = 5
    np.testing.assert_allclose(to_numpy(model(changed))[:, :2], to_numpy(model(inputs))[:, :2], atol=1e-5)


def test_every_head_of_every_layer_can_be_seen(model, batch):
    inputs, _, real = batch
    scores, source = model.attention_scores(inputs), inputs["encoder_padding_mask"]
    assert {name: len(maps) for name, maps in scores.items()} == {"encoder": 3, "decoder": 3, "cross": 3}
    rows = {"encoder": source, "decoder": real > 0, "cross": real > 0}
    columns = {"encoder": source, "decoder": real > 0, "cross": source}
    for name, maps in scores.items():
        for weights in map(to_numpy, maps):
            assert weights.shape[1] == 3
            np.testing.assert_allclose(weights.sum(-1)[np.broadcast_to(rows[name][:, None], weights.shape[:3])], 1, atol=1e-5)
            assert not (weights * ~columns[name][:, None, None]).any()
    np.testing.assert_allclose(to_numpy(model.attention_weights(inputs)), to_numpy(scores["cross"][1]).mean(1), atol=1e-6)


def test_beams_and_a_coverage_penalty_use_its_steps(model, batch):
    inputs, _, _ = batch
    source = {name: array for name, array in inputs.items() if name.startswith("encoder")}
    ids = greedy(model, source, 6)
    np.testing.assert_array_equal(beam(model, source, 6, num_beams=1, length_penalty=0.0), ids)
    lines, scores = beam(model, source, 6, num_beams=3, coverage_penalty=0.4, return_all=True)
    assert lines.shape[:2] == (3, 3)
    assert (scores[:, :-1] >= scores[:, 1:]).all()


def test_equal_tokenizers_share_one_matrix_for_reading_writing_and_saying():
    tokenizer = WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=20)
    shared = krc.models.Transformer(tokenizer, WordTokenizer(tokenizer.get_config()["spec"]), **SIZES)
    embeddings = [w.path for w in shared.weights if w.shape == (tokenizer.vocab_size, SIZES["width"])]
    assert len(embeddings) == 1
    assert shared.source_embedding is shared.target_embedding


def test_a_saved_model_translates_the_same(model, tmp_path):
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    texts = ["the cat sleeps", "a dog", ""]
    for ours, theirs in zip(loaded.translate(texts, max_new_tokens=5), model.translate(texts, max_new_tokens=5)):
        assert ours.text == theirs.text
        np.testing.assert_allclose(ours.alignment, theirs.alignment, atol=1e-6)


def test_it_learns_its_pairs_by_heart(english, french, pairs):
    keras.utils.set_random_seed(0)
    known = [(a, b) for a, b in pairs if "black" not in a]
    model = krc.models.Transformer(english, french, norm="pre", dropout=0.0, **{**SIZES, "num_layers": 1})
    batches = krc.datasets.translation_batches(krc.datasets.Pairs(*map(list, zip(*known))), english, french, batch_size=len(known))
    model.compile(keras.optimizers.Adam(0.01))
    krc.training.fit(model, batches.repeat(), epochs=1, steps_per_epoch=120, progress=False)
    assert [t.text for t in model.translate([a for a, _ in known])] == [b for _, b in known]


def test_the_paper_s_sizes(english, french):
    base = krc.models.Transformer.from_preset("base", english, french, num_layers=1)
    block = 4 * 512**2 + 4 * 512 + 2 * 512 * 2048 + 2048 + 512 + 4 * 512  # attention, feed-forward, two normalisations
    cross = 4 * 512**2 + 4 * 512 + 2 * 512
    words = 512 * (english.vocab_size + french.vocab_size) + french.vocab_size
    assert base.count_params() == 2 * block + cross + words
    with pytest.raises(ValueError, match=r"presets of a Transformer are base, big. Received: preset='small'"):
        krc.models.Transformer.from_preset("small", english, french)


def test_what_does_not_fit_is_refused(english, french):
    for options, message in (({"width": 10}, "num_heads=3, inputs of width 10"), ({"width": 0}, "width=0"), ({"norm": "no"}, "norm='no'")):
        with pytest.raises(ValueError, match=message):
            krc.models.Transformer(english, french, **{**SIZES, **options})
    with pytest.raises(ValueError, match="A Transformer takes a dict"):
        krc.models.Transformer(english, french, **SIZES)({"token_ids": np.ones((1, 2))})
