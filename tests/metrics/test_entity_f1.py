import json
from pathlib import Path

import pytest

from keras_richctx.metrics import chunks, confusion, entity_f1, token_f1

GOLDEN = json.loads(Path(__file__).parents[1].joinpath("golden", "entity_f1.json").read_text())


@pytest.mark.parametrize("scheme, scorer", [("IOB", "conlleval"), ("IOB", "seqeval"), ("IOBES", "seqeval")])
def test_counts_are_those_of_conlleval_and_seqeval_on_any_tags(scheme, scorer):
    gold, predicted = ([row.split() for row in GOLDEN[scheme][name]] for name in ("gold", "predicted"))
    types = entity_f1(predicted, gold)["types"]
    assert {kind: {name: found[name] for name in ("predicted", "gold", "right")} for kind, found in types.items()} == GOLDEN[scheme][scorer]


@pytest.mark.parametrize(
    "iob1, iob2, iobes",
    [
        ("I-x I-x O I-y", "B-x I-x O B-y", "B-x E-x O S-y"),
        ("I-x B-x B-x I-x", "B-x B-x B-x I-x", "S-x S-x B-x E-x"),
        ("I-x I-y I-y I-x", "B-x B-y I-y B-x", "S-x B-y E-y S-x"),
        ("O O", "O O", "O O"),
        ("I-x I-x I-x", "B-x I-x I-x", "B-x I-x E-x"),
    ],
)
def test_the_three_schemes_say_the_same(iob1, iob2, iobes):
    spans = chunks(iob2.split())
    assert chunks(iob1.split()) == spans
    assert chunks(iobes.split()) == spans
    assert entity_f1([iob1.split()], [iobes.split()])["f1"] == (1.0 if spans else 0.0)


def test_spans_by_hand():
    assert chunks(["B-x", "I-x", "O", "I-y", "I-x"]) == [("x", 0, 2), ("y", 3, 4), ("x", 4, 5)]
    assert chunks(["E-x", "E-x", "I-x", "S-x", "I-x"]) == [("x", 0, 1), ("x", 1, 2), ("x", 2, 3), ("x", 3, 4), ("x", 4, 5)]
    assert chunks(["B-creative-work", "I-creative-work"]) == [("creative-work", 0, 2)]
    assert chunks(["B", "I", "O"]) == [("", 0, 2)]
    assert chunks([]) == []


def test_scores_by_hand():
    gold = [["B-x", "I-x", "O", "B-y"], ["B-y", "O"]]
    predicted = [["B-x", "I-x", "O", "B-x"], ["B-y", "O"]]
    scores = entity_f1(predicted, gold)
    assert (scores["precision"], scores["recall"], scores["f1"]) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert scores["types"]["x"] == pytest.approx({"precision": 0.5, "recall": 1.0, "f1": 2 / 3, "predicted": 2, "gold": 1, "right": 1})
    assert scores["types"]["y"] == pytest.approx({"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "predicted": 1, "gold": 2, "right": 1})
    assert scores["macro"] == pytest.approx({"precision": 0.75, "recall": 0.75, "f1": 2 / 3})


def test_sentences_end_their_entities():
    assert entity_f1([["B-x"], ["I-x"]], [["B-x"], ["I-x"]])["types"]["x"]["gold"] == 2


def test_half_an_entity_counts_for_tokens_and_not_for_entities():
    gold, predicted = [["B-x", "I-x", "O"]], [["B-x", "O", "O"]]
    assert entity_f1(predicted, gold)["f1"] == 0
    assert token_f1(predicted, gold)["f1"] == pytest.approx(2 / 3)
    assert token_f1(predicted, gold, outside=None)["f1"] == pytest.approx(2 / 3)
    assert token_f1(predicted, gold, outside=None)["tags"]["O"] == pytest.approx(
        {"precision": 0.5, "recall": 1, "f1": 2 / 3, "predicted": 2, "gold": 1, "right": 1}
    )


def test_confusion_equals_scikit_learn():
    from sklearn.metrics import confusion_matrix

    gold, predicted = ([row.split() for row in GOLDEN["IOBES"][name]] for name in ("gold", "predicted"))
    labels, counts = confusion(predicted, gold)
    flat = [[tag for row in rows for tag in row] for rows in (gold, predicted)]
    assert (counts == confusion_matrix(*flat, labels=labels)).all()
    assert (confusion(flat[1], flat[0], labels)[1] == counts).all()


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: entity_f1(["O"], [["O"]]), TypeError, "Put the tags of one sentence in a list"),
        (lambda: entity_f1([["O"]], []), ValueError, "1 predicted and 0 gold"),
        (lambda: entity_f1([["O"], ["O"]], [["O"], ["O", "O"]]), ValueError, "1 predicted and 2 gold tags of sentence 1"),
        (lambda: chunks(["O", "person"]), ValueError, r"tags\[1\]='person'"),
        (lambda: chunks(["B-"]), ValueError, r"tags\[0\]='B-'"),
        (lambda: chunks([3]), ValueError, r"tags\[0\]=3"),
        (lambda: confusion(["a"], ["b"], ["a"]), ValueError, r"without \['b'\]"),
        (lambda: confusion(["a"], ["a", "b"]), ValueError, "1 predicted and 2 gold"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()
