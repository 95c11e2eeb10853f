import numpy as np
import pytest

from keras_richctx.datasets import Pairs

SOURCE = ["A cat sleeps.", "I sleep.", "A cat sleeps.", "Go!"]
TARGET = ["Un chat dort.", "Je dors.", "Une chatte dort.", "Va !"]
LINKS = [{(0, 0), (1, 1), (2, 2), (3, 3)}, {(0, 0), (1, 1), (2, 2)}, {(1, 1)}, set()]


@pytest.fixture
def pairs():
    return Pairs(SOURCE, TARGET, LINKS)


def test_behaves_as_the_list_of_its_tuples(pairs):
    expected = list(zip(SOURCE, TARGET))
    assert list(pairs) == expected
    assert (len(pairs), pairs[1], pairs[-1]) == (4, expected[1], expected[-1])
    assert ("I sleep.", "Je dors.") in pairs
    assert pairs.index(("Go!", "Va !")) == 3
    assert list(reversed(pairs)) == expected[::-1]
    with pytest.raises(IndexError):
        pairs[4]


@pytest.mark.parametrize("index", [slice(1, 3), slice(None, None, 2), slice(-1, None), slice(5, 9)])
def test_a_slice_is_pairs_with_its_own_alignments(pairs, index):
    part = pairs[index]
    assert isinstance(part, Pairs)
    assert (part.source, part.target, part.alignments) == (SOURCE[index], TARGET[index], LINKS[index])
    assert Pairs(SOURCE, TARGET)[index].alignments is None


def test_what_is_handed_out_or_was_handed_in_cannot_change_the_pairs():
    source, target, links = list(SOURCE), list(TARGET), [set(each) for each in LINKS]
    pairs = Pairs(source, target, links)
    source[0], links[0] = "changed", set()
    pairs.source.append("more")
    pairs.alignments.clear()
    assert pairs == Pairs(SOURCE, TARGET, LINKS)
    with pytest.raises(AttributeError):
        pairs.source = []
    with pytest.raises(TypeError):
        pairs[0] = ("a", "b")


def test_references_are_all_distinct_translations_in_order():
    pairs = Pairs(["b", "a", "b", "b"], ["1", "2", "3", "1"])
    assert list(pairs.references().items()) == [("b", ["1", "3"]), ("a", ["2"])]


def test_equal_content_is_equal_and_hashes_alike(pairs):
    assert pairs == Pairs(tuple(SOURCE), iter(TARGET), LINKS)
    assert hash(pairs) == hash(Pairs(SOURCE, TARGET, LINKS))
    assert pairs != Pairs(SOURCE, TARGET)
    assert pairs != list(pairs)


def test_the_repr_shows_the_count_and_the_first_pair(pairs):
    assert repr(pairs) == "<Pairs: 4 pairs with alignments, 'A cat sleeps.' -> 'Un chat dort.', …>"
    assert repr(Pairs(["a"], ["b"])) == "<Pairs: 1 pair, 'a' -> 'b'>"
    assert repr(Pairs([], [])) == "<Pairs: 0 pairs>"
    assert repr(Pairs(["a"] * 1234, ["b"] * 1234)).startswith("<Pairs: 1,234 pairs, ")


def test_links_of_numpy_integers_become_plain_ones():
    (links,) = Pairs(["a b"], ["c d"], [np.array([[0, 1], [1, 0]])]).alignments
    assert links == {(0, 1), (1, 0)}
    assert {type(index) for link in links for index in link} == {int}


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((["a"], []), ValueError, r"one target sentence. Received: 1 source and 0 target sentences"),
        ((["a"], ["b"], []), ValueError, r"0 alignments for 1 pairs"),
        (("a", ["b"]), TypeError, r"sequence of sentences, not one. Received: source='a'"),
        ((["a", "b"], ["c", None]), TypeError, r"Received: target\[1\]=None, a NoneType"),
        (([b"a"], ["c"]), TypeError, r"Received: source\[0\]=b'a', a bytes"),
        ((["a"], ["b"], [{(0,)}]), ValueError, r"Received: alignments\[0\]=\{\(0,\)\}"),
        ((["a"], ["b"], [{(0, 0.5)}]), ValueError, r"set of links \(source_word, target_word\)"),
        ((["a"], ["b"], [[(0, 0), (0, -1)]]), ValueError, r"from zero. Received: alignments\[0\]=\[\(0, -1\), \(0, 0\)\]"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(arguments, error, message):
    with pytest.raises(error, match=message):
        Pairs(*arguments)
