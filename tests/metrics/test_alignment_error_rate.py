import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx.metrics import alignment_error_rate

LINKS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)
CORPUS = st.lists(st.tuples(LINKS, LINKS, LINKS), min_size=1, max_size=4)


def columns(corpus):
    return [list(column) for column in zip(*corpus)]


@given(CORPUS)
def test_lies_between_0_and_1(corpus):
    assert 0 <= alignment_error_rate(*columns(corpus)) <= 1


@given(CORPUS)
def test_is_0_if_and_only_if_all_sure_links_and_none_but_possible_ones_are_found(corpus):
    perfect = all(sure <= predicted <= possible | sure for predicted, sure, possible in corpus)
    assert (alignment_error_rate(*columns(corpus)) == 0) == perfect


@given(st.lists(st.tuples(LINKS, LINKS), min_size=1, max_size=4))
def test_everything_between_the_sure_and_the_possible_links_is_perfect(corpus):
    sure, more = columns(corpus)
    between = [s | set(sorted(m)[::2]) for s, m in zip(sure, more)]
    assert alignment_error_rate(between, sure, more) == 0


@given(CORPUS)
def test_is_1_if_and_only_if_there_are_links_and_no_link_found_is_possible(corpus):
    hopeless = any(predicted or sure for predicted, sure, _ in corpus) and not any(predicted & (possible | sure) for predicted, sure, possible in corpus)
    assert (alignment_error_rate(*columns(corpus)) == 1) == hopeless


@given(st.lists(st.tuples(LINKS, LINKS), min_size=1, max_size=4))
def test_without_possible_links_it_is_one_minus_the_f_measure(corpus):
    predicted, sure = ({(pair, *link) for pair, links in enumerate(column) for link in links} for column in columns(corpus))
    if predicted and sure and predicted & sure:
        precision, recall = len(predicted & sure) / len(predicted), len(predicted & sure) / len(sure)
        assert alignment_error_rate(*columns(corpus)) == pytest.approx(1 - 2 * precision * recall / (precision + recall))


@given(CORPUS)
def test_sure_links_are_possible_whether_repeated_or_not(corpus):
    predicted, sure, possible = columns(corpus)
    assert alignment_error_rate(predicted, sure, possible) == alignment_error_rate(predicted, sure, [s | p for s, p in zip(sure, possible)])


@given(CORPUS, st.randoms())
def test_neither_the_order_of_pairs_nor_empty_pairs_matter(corpus, random):
    shuffled = random.sample([*corpus, (set(), set(), set())], len(corpus) + 1)
    assert alignment_error_rate(*columns(corpus)) == alignment_error_rate(*columns(shuffled))


def test_the_counts_of_a_worked_example():
    # A and S share 2 links, A and P 3; |A| = 5, |S| = 3
    predicted = [{(0, 0), (1, 1), (2, 2)}, {(0, 1), (5, 5)}]
    sure = [{(0, 0), (1, 1)}, {(1, 0)}]
    possible = [{(0, 0), (1, 1), (2, 2)}, {(1, 0)}]
    assert alignment_error_rate(predicted, sure, possible) == pytest.approx(1 - (2 + 3) / (5 + 3))


def test_finding_nothing_is_1_and_finding_nothing_where_nothing_is_0():
    assert alignment_error_rate([set()], [{(0, 0)}]) == 1
    assert alignment_error_rate([set()], [set()]) == 0
    assert alignment_error_rate([], []) == 0


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (({(0, 0)}, [{(0, 0)}]), TypeError, r"list of alignments.*Received: predicted=\{\(0, 0\)\}"),
        (([{(0, 0)}], frozenset()), TypeError, r"sure=frozenset"),
        (([set()], [set(), set()]), ValueError, r"Received: 1 predicted, 2 sure, 2 possible"),
        (([set()], [set()], []), ValueError, r"1 sure, 0 possible"),
    ],
)
def test_what_is_no_corpus_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        alignment_error_rate(*arguments)
