import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.tagging import Task, WordFeatures

pytestmark = pytest.mark.backends


def texts(n, seed):
    """The first eight words of argued texts, so that the tests are fast."""
    layers = krc.datasets.argued_texts(n, seed).items()
    words = [words[:8] for words in next(iter(layers))[1].words]
    return {name: krc.datasets.TaggedSentences(words, [tags[:8] for tags in tagged.tags]) for name, tagged in layers}


TEXTS, OTHERS = texts(24, seed=1), texts(9, seed=2)
COMPONENTS, KEYPHRASES, PARTS = (TEXTS[name] for name in ("components", "keyphrases", "parts_of_speech"))
WORDS = COMPONENTS.words
VOCABULARY = krc.datasets.frequent_words(WORDS, 20)
NEXT = krc.datasets.next_words(WORDS, VOCABULARY)


def to_numpy(x):
    return keras.ops.convert_to_numpy(keras.ops.cast(x, "float32"))


def tasks(**weights):
    return {
        "components": Task(COMPONENTS.names, weights.get("components", 1.0), crf=True, scheme="BIO"),
        "parts": {"tags": PARTS.names, "weight": weights.get("parts", 0.3), "layer": 1},
        "next": Task(NEXT.names, 0.2, layer=1, direction="forward"),
    }


def build(**options):
    words = WordFeatures.from_sentences(WORDS, embedding_dim=7, filters=[(3, 5)], seed=0)
    return krc.models.MultiTask(words, **{"tasks": tasks(), "units": 6, "dropout": 0.0, **options})


@pytest.fixture(scope="module")
def model():
    return build()


def test_the_loss_is_the_weighted_sum_of_each_task_s_mean_over_its_words(model):
    inputs, y = model.batches({"components": COMPONENTS[:3], "parts": PARTS[:3], "next": NEXT[:3]}, shuffle=False)[0]
    emissions = model(inputs)
    losses = model.task_losses(y, emissions)
    # the softmax by hand, word by word
    e = to_numpy(emissions["parts"]).astype("float64")
    log_p = e - np.log(np.exp(e).sum(-1, keepdims=True))
    real = y["parts"] >= 0
    assert real.sum() == sum(map(len, WORDS[:3]))
    assert float(losses["parts"]) == pytest.approx(-np.take_along_axis(log_p, np.maximum(y["parts"], 0)[..., None], -1)[real].mean(), rel=1e-5)
    likelihood = model.heads["components"].crf.log_likelihood(emissions["components"], np.maximum(y["components"], 0), real)
    assert float(losses["components"]) == pytest.approx(-to_numpy(likelihood).sum() / real.sum(), rel=1e-5)
    total = float(losses["components"]) + 0.3 * float(losses["parts"]) + 0.2 * float(losses["next"])
    assert float(model.compute_loss(None, y, emissions)) == pytest.approx(total, rel=1e-5)


def test_tasks_of_other_sentences_take_turns_and_count_for_nothing_elsewhere(model):
    batches = model.batches({"components": COMPONENTS, "next": NEXT, "parts": OTHERS["parts_of_speech"]}, batch_size=4)
    seen = {"components": 0, "parts": 0}
    for i in range(len(batches)):
        inputs, y = batches[i]
        here = {name for name, ids in y.items() if (ids >= 0).any()}
        assert here in ({"components", "next"}, {"parts"})
        for name in here & set(seen):
            assert ((y[name] >= 0) == inputs["word_mask"]).all()
            seen[name] += len(y[name])
        losses = model.task_losses(y, model(inputs))
        assert {name for name, loss in losses.items() if float(loss) > 0} == here
        assert np.isfinite([float(loss) for loss in losses.values()]).all()
    assert seen == {"components": 24, "parts": 9}


def test_the_sampler_decides_and_a_pass_hangs_on_its_number_alone(model):
    data = {"components": COMPONENTS, "parts": OTHERS["parts_of_speech"]}

    def passes(seed):
        batches = model.batches(data, batch_size=3, sampler=krc.datasets.TaskSampler("round_robin"), seed=seed)
        result = []
        for _ in range(2):
            result.append([batches[i] for i in range(len(batches))])
            batches.on_epoch_end()
        return result

    first, second = passes(0)
    assert [bool((y["parts"] >= 0).any()) for _, y in first] == [False, True] * 5 + [False]
    again = passes(0)[1]
    assert all(np.array_equal(a["word_ids"], b["word_ids"]) for (a, _), (b, _) in zip(second, again))
    assert not all(np.array_equal(a["word_ids"], b["word_ids"]) for (a, _), (b, _) in zip(first, second))


def test_a_task_on_a_low_layer_moves_what_is_below_it_and_nothing_else(model):
    inputs, y = model.batches({"parts": PARTS[:4]})[0]
    gradients = krc.training.gradients(lambda: model.compute_loss(None, y, model(inputs)), model.trainable_variables)
    moved = {variable.path for variable, gradient in zip(model.trainable_variables, gradients) if np.abs(gradient).max() > 0}
    for part in ("bilstm_1", "embedding", "parts_head"):
        assert any(part in path for path in moved)
    assert not [path for path in moved if "bilstm_2" in path or "components_head" in path or "next_head" in path]


def test_a_language_model_hears_nothing_of_what_it_foretells(model):
    words = WORDS[0]
    changed = [*words[:4], "python", "never-seen", *words[6:]]
    before, after = (to_numpy(model(model.prepare([each]))["next"])[0] for each in (words, changed))
    np.testing.assert_allclose(before[:4], after[:4], atol=1e-6)
    assert np.abs(before[4:6] - after[4:6]).max() > 1e-4


def test_a_batch_is_its_sentences_one_by_one(model):
    together = model(model.prepare(WORDS[:3]))
    for i, sentence in enumerate(WORDS[:3]):
        alone = model(model.prepare([sentence]))
        for name in model.tasks:
            np.testing.assert_allclose(to_numpy(alone[name])[0, : len(sentence)], to_numpy(together[name])[i, : len(sentence)], atol=1e-5)


def test_it_learns_all_of_its_tasks_is_saved_and_goes_on(tmp_path):
    model = build(units=16, tasks={**tasks(parts=1.0), "components": Task(COMPONENTS.names)})
    model.compile(keras.optimizers.Adam(0.04))
    data = {"components": COMPONENTS, "parts": PARTS, "next": krc.datasets.next_words(OTHERS["components"].words, VOCABULARY)}
    history = krc.training.fit(model, model.batches(data, batch_size=8), epochs=14, progress=False).history
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    assert {"components_token_accuracy", "parts_token_accuracy", "next_token_accuracy"} <= set(history)
    assert history["parts_token_accuracy"][-1] > 0.85 > history["parts_token_accuracy"][0]
    assert krc.metrics.token_f1(model.predict_tags(WORDS, "parts"), PARTS.tags, outside=None)["f1"] > 0.9
    assert history["components_token_accuracy"][-1] > history["components_token_accuracy"][0]
    assert [len(tags) for tags in model.predict_tags(WORDS[:5])] == [8] * 5
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    inputs = model.prepare(WORDS[:3])
    for name, emissions in model(inputs).items():
        np.testing.assert_allclose(to_numpy(loaded(inputs)[name]), to_numpy(emissions), atol=1e-6)
    assert (loaded.compiled, dict(loaded.tasks), int(loaded.optimizer.iterations)) == (True, dict(model.tasks), int(model.optimizer.iterations))
    scores = loaded.evaluate(loaded.batches(data, batch_size=8, shuffle=False), verbose=0, return_dict=True)
    assert scores["parts_token_accuracy"] > 0.9


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision_stays_close(model, policy):
    half = build(dtype=keras.dtype_policies.DTypePolicy(policy))
    half.set_weights(model.get_weights())
    inputs, y = model.batches({"components": COMPONENTS[:3], "parts": PARTS[:3]})[0]
    losses, halves = model.task_losses(y, model(inputs)), half.task_losses(y, half(inputs))
    for name in losses:
        assert float(halves[name]) == pytest.approx(float(losses[name]), abs=0.05)


@pytest.mark.parametrize(
    "wrong, match",
    [
        ({"tasks": {}}, "one at least"),
        ({"tasks": {"a": {"tags": ["x"], "layer": 3}}}, r"layers 0 to 2\. Received: layer=3 of task 'a'"),
        ({"tasks": {"a": {"tags": ["x", "x"]}}}, "different strings"),
    ],
)
def test_what_cannot_be_is_refused(wrong, match):
    with pytest.raises(ValueError, match=match):
        build(**wrong)


def test_tasks_that_cannot_be_are_refused(model):
    with pytest.raises(ValueError, match=r"layer=2\. Pass layer=1"):
        Task(["x"], layer=2, direction="backward")
    with pytest.raises(ValueError, match="weight=-1"):
        Task(["x"], weight=-1)
    elmo = krc.models.ELMo(filters=[(1, 4)], embedding_dim=3, num_highways=1, units=6, projection_dim=5, num_layers=1, max_characters=9)
    with pytest.raises(ValueError, match=r"ELMoWords have seen the whole sentence.*task 'next'"):
        krc.models.MultiTask(elmo, tasks(), units=4)
    with pytest.raises(ValueError, match="data of chunks"):
        model.batches({"chunks": PARTS})
    with pytest.raises(ValueError, match=r"Task 'parts': \d+ tags are known.* in sentence \d"):
        model.batches({"parts": COMPONENTS})
    with pytest.raises(ValueError, match="task='chunks'"):
        model.predict_tags(WORDS, "chunks")
    with pytest.raises(ValueError, match="Leave it out"):
        model.compile(loss="mse")
