import itertools
import json
from pathlib import Path

import pytest

from keras_richctx.metrics import chunks
from keras_richctx.tagging import allowed_transitions, convert_tags

GOLDEN = json.loads(Path(__file__).parents[1].joinpath("golden", "entity_f1.json").read_text())


@pytest.mark.parametrize("scheme, letters", [("IOB1", "BI"), ("BIO", "BI"), ("BIOES", "BIES")])
def test_any_tags_become_well_formed_and_mean_the_same(scheme, letters):
    names = ["O", *(f"{letter}-{kind}" for letter in letters for kind in "xyz")]
    follow, start, end = allowed_transitions(names, scheme)
    for row in [*GOLDEN["IOB"]["gold"], *GOLDEN["IOBES"]["gold"]]:
        converted = convert_tags(row.split(), scheme)
        assert chunks(converted) == chunks(row.split())
        ids = [names.index(tag) for tag in converted]
        assert start[ids[0]] & end[ids[-1]]
        assert all(follow[i, j] for i, j in itertools.pairwise(ids))


def test_known_conversions():
    assert convert_tags(["B-x", "B-x", "I-x", "B-y"], "IOB1") == ["I-x", "B-x", "I-x", "I-y"]
    assert convert_tags(["S-x", "B-x", "E-x", "O"], "BIO") == ["B-x", "B-x", "I-x", "O"]
    assert convert_tags(["B", "I", "O"], "BIOES") == ["B", "E", "O"]
    with pytest.raises(ValueError, match="scheme='BILOU'"):
        convert_tags(["O"], "BILOU")
