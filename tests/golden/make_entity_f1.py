"""Writes entity_f1.json: random tags, well-formed and not, with the counts of seqeval 1.2.2 and of the conlleval package 0.2.

Run with a Python that has both: `python tests/golden/make_entity_f1.py`.
"""

import json
import random
from pathlib import Path

from conlleval import evaluate
from seqeval.metrics.sequence_labeling import get_entities

LETTERS = {"IOB": "BIO", "IOBES": "BIESO"}


def sentences(letters, rng, count=60):
    tags = [f"{letter}-{kind}" if letter != "O" else "O" for letter in letters for kind in "xyz"]
    gold = [[rng.choice(tags) for _ in range(rng.randint(1, 9))] for _ in range(count)]
    return gold, [[tag if rng.random() < 0.7 else rng.choice(tags) for tag in row] for row in gold]


def counted_by_seqeval(gold, predicted):
    gold, predicted = set(get_entities(gold)), set(get_entities(predicted))
    return {k: {"predicted": _count(predicted, k), "gold": _count(gold, k), "right": _count(gold & predicted, k)} for k in "xyz"}


def counted_by_conlleval(gold, predicted):
    lines = [line for pair in zip(gold, predicted) for line in [*(f"w {a} {b}" for a, b in zip(*pair)), ""]]
    slots = evaluate(lines)["slots"]["chunks"]
    return {k: {"predicted": s["stats"]["pred"], "gold": s["stats"]["gold"], "right": s["stats"]["correct"]} for k, s in slots.items()}


def _count(entities, kind):
    return sum(entity[0] == kind for entity in entities)


if __name__ == "__main__":
    rng, golden = random.Random(0), {}
    for name, letters in LETTERS.items():
        gold, predicted = sentences(letters, rng)
        golden[name] = {
            "gold": [" ".join(row) for row in gold],
            "predicted": [" ".join(row) for row in predicted],
            "seqeval": counted_by_seqeval(gold, predicted),
        }
        if name == "IOB":  # the package knows no S
            golden[name]["conlleval"] = counted_by_conlleval(gold, predicted)
    Path(__file__).with_suffix("").with_name("entity_f1.json").write_text(json.dumps(golden, indent=0) + "\n")
