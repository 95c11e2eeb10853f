import json

import keras
import numpy as np
import pytest

from keras_richctx.finetuning import Features, FineTuning, task
from keras_richctx.finetuning.squad_task import span_targets
from keras_richctx.models import FeatureClassifier
from keras_richctx.text import WordPieceTokenizer, pack_windows

RECIPE = FineTuning(epochs=1, batch_size=4, learning_rate=0.01)


def trained(name, weights, official, features=Features(), recipe=RECIPE):  # noqa: B008
    """Trains for a task, and returns it, the model, the examples, and what it predicts of them."""
    wanted = task(name)
    examples = wanted.read(wanted.sets[0], "train", official)
    model = wanted.make_model(weights, examples, features, 32)
    batches, groups = wanted.batches(model, examples, 32, recipe.batch_size, 0), wanted.layer_groups(model) if recipe.layer_decay else None
    history = recipe.fit(model, batches, groups, progress=False)
    assert np.isfinite(history.history["loss"]).all()
    return wanted, model, examples, wanted.predict(model, examples, 32)


def test_glue_classes_are_learnt_and_written_for_the_server(weights, official, tmp_path):
    wanted, _, examples, predictions = trained("cola", weights, official, recipe=FineTuning(epochs=15, batch_size=6, learning_rate=0.03))
    assert wanted.scores(predictions, examples) == {"matthews": 1.0}
    wanted.write(predictions, examples, "cola", tmp_path)
    lines = (tmp_path / "CoLA.tsv").read_text().splitlines()
    assert lines == ["index\tprediction", "0\t1", "1\t0", "2\t1", "3\t0", "4\t1", "5\t0"]


def test_mnli_is_measured_on_both_sets_and_named_in_full(weights, official, tmp_path):
    wanted = task("mnli")
    examples = wanted.read("mnli-mm", "validation", official)
    assert wanted.sets == ("mnli-m", "mnli-mm")
    wanted.write(np.array([2, 1, 0, 0, 0, 0]), examples, "mnli-mm", tmp_path)
    assert (tmp_path / "MNLI-mm.tsv").read_text().splitlines()[1:4] == ["0\tcontradiction", "1\tneutral", "2\tentailment"]
    assert wanted.scores(np.array([0, 1, 2, 0, 1, 0]), examples) == {"accuracy": pytest.approx(5 / 6)}


def test_sts_b_gives_numbers_within_its_range(weights, official, tmp_path):
    wanted, model, examples, predictions = trained("sts-b", weights, official)
    assert model.num_classes == 1
    np.testing.assert_array_equal(wanted.decide(np.array([[-1.0], [7.0], [2.5]])), [0, 5, 2.5])
    wanted.write(predictions, examples, "sts-b", tmp_path)
    assert len((tmp_path / "STS-B.tsv").read_text().splitlines()) == 7


def test_answers_are_spans_of_their_text_and_written_as_the_official_script_reads_them(weights, official, tmp_path):
    wanted, _, examples, predictions = trained("squad-1.1", weights, official)
    assert all(predictions["answers"][each.id] in each.context for each in examples)
    right = {"answers": {each.id: each.answers[0] for each in examples}}
    assert wanted.scores(right, examples) == {"f1": 1.0, "exact_match": 1.0}
    wanted.write(right, examples, "squad-1.1", tmp_path)
    assert json.loads((tmp_path / "predictions.json").read_text()) == {"q0": "the cat", "q1": "the dog", "q2": "Paris"}


def test_version_2_takes_an_answer_for_none_where_the_odds_say_so(official, tmp_path):
    from keras_richctx.bert import Answer

    wanted, examples = task("squad-2.0"), task("squad-2.0").read("squad-2.0", "validation", official)
    found = [([Answer(each.answers[0] if each.answers else "mat", 0, 1, 5.0)], null) for each, null in zip(examples, (1.0, 3.0, 4.0, 4.5))]
    predictions = wanted.decide(found, examples)
    assert predictions["answers"] == {"q0": "the cat", "q1": "the dog", "q2": "Paris", "q9": ""}
    assert predictions["null_odds"]["q9"] == -0.5
    assert wanted.scores(predictions, examples)["f1"] == 1.0
    wanted.write(predictions, examples, "squad-2.0", tmp_path)
    assert json.loads((tmp_path / "null_odds.json").read_text())["q0"] == -4.0


def test_the_tokens_of_an_answer_spell_it_in_each_window_that_holds_it(official):
    examples = task("squad-2.0").read("squad-2.0", "train", official)
    contexts = [each.context for each in examples]
    tokenizer = WordPieceTokenizer.train([*contexts, *(each.question for each in examples)] * 2, vocab_size=60)
    inputs, windows = pack_windows(tokenizer, [each.question for each in examples], contexts, length=16, stride=2, max_question=4)
    held = {}
    for row, (first, last) in enumerate(span_targets(windows, examples)):
        example = examples[windows["example"][row]]
        if first == 0:
            assert last == 0
            continue
        start, end = windows["spans"][row, first, 0], windows["spans"][row, last, 1]
        assert example.context[start:end] == example.answers[0]
        assert start == example.starts[0]
        held[example.id] = held.get(example.id, 0) + 1
    assert held.keys() == {"q0", "q1", "q2"}
    assert len(inputs["token_ids"]) > sum(held.values())  # some windows do not hold it


@pytest.mark.parametrize("head", ["linear", "crf"])
def test_entities_are_in_bio_and_written_for_conlleval(weights, official, tmp_path, head):
    wanted, model, examples, predictions = trained("conll2003", weights, official, Features(head=head), FineTuning(epochs=1, batch_size=4, layer_decay=0.9))
    assert model.tags == ["B-LOC", "B-PER", "O"]
    assert wanted.scores(predictions, examples).keys() == {"f1", "precision", "recall"}
    wanted.write(predictions, examples, "conll2003", tmp_path)
    first = (tmp_path / "conll2003.conll").read_text().splitlines()
    assert first[:3] == [f"Ada B-PER {predictions[0][0]}", f"codes O {predictions[0][1]}", ""]


@pytest.mark.parametrize("layers, head", [("last", "linear"), ("mix", "bilstm")])
def test_a_frozen_encoder_stays_as_it_is(weights, official, layers, head):
    features = Features(frozen=True, layers=layers, head=head, units=6)
    wanted, model, _, before = trained("cola", weights, official, features)
    fresh = wanted.make_model(weights, wanted.read("cola", "train", official), features, 32)
    for ours, theirs in zip(model.bert.get_weights(), fresh.bert.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert not model.bert.trainable_variables
    assert len(before) == 6


def test_a_classifier_of_features_is_saved_whole_and_pads_change_nothing(weights, official, tmp_path):
    wanted = task("cola")
    examples = wanted.read("cola", "train", official)
    model = wanted.make_model(weights, examples, Features(frozen=True, layers="mix", head="bilstm", units=6), 32)
    rows = wanted.rows(model, examples, 32)
    logits = keras.ops.convert_to_numpy(model(rows))
    padded = {name: np.pad(array, ((0, 0), (0, 5))) for name, array in rows.items()}
    np.testing.assert_allclose(keras.ops.convert_to_numpy(model(padded)), logits, atol=1e-5)
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    assert isinstance(loaded, FeatureClassifier)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(loaded(rows)), logits, atol=1e-6)


def test_what_a_task_has_no_use_for_is_refused(weights, official):
    cola, squad = task("cola"), task("squad-1.1")
    with pytest.raises(ValueError, match=r"pooled output. Received: layers='mix'"):
        cola.make_model(weights, cola.read("cola", "train", official), Features(layers="mix"), 32)
    with pytest.raises(ValueError, match=r"last layer. Received: .*head='crf'"):
        squad.make_model(weights, None, Features(head="crf"), 32)
    with pytest.raises(ValueError, match=r"The tasks are cola, .*Received: 'glue'"):
        task("glue")
