import itertools

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from keras_richctx.metrics import bleu

WORDS = st.lists(st.sampled_from(["le", "la", "un", "chat", "chien", "dort", "vite", ".", ","]), min_size=1, max_size=9).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=6))
def test_equals_sacrebleu_with_one_and_with_two_references(rows):
    hypotheses, first, second = (list(column) for column in zip(*rows))
    assert bleu(hypotheses, first) == sacrebleu.corpus_bleu(hypotheses, [first]).score
    assert bleu(hypotheses, list(zip(first, second))) == sacrebleu.corpus_bleu(hypotheses, [first, second]).score


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=4)), min_size=1, max_size=6))
def test_a_reference_given_twice_changes_nothing_however_many_the_others_have(rows):
    hypotheses, references = zip(*rows)
    most = max(map(len, references))
    rectangular = [list(itertools.islice(itertools.cycle(each), most)) for each in references]  # repeated, not padded
    assert bleu(hypotheses, references) == pytest.approx(sacrebleu.corpus_bleu(list(hypotheses), list(map(list, zip(*rectangular)))).score)


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=6), st.randoms())
def test_the_order_of_sentences_and_of_references_does_not_matter(rows, random):
    shuffled = [(hypothesis, random.sample(references, len(references))) for hypothesis, references in random.sample(rows, len(rows))]
    assert bleu(*zip(*rows)) == pytest.approx(bleu(*zip(*shuffled)))


def test_a_reference_itself_scores_100_and_nothing_in_common_next_to_nothing():
    references = [["Le chat dort sur le lit.", "Le chat dort au lit."], ["Il y a un chien dans le jardin."]]
    assert bleu(["Le chat dort au lit.", "Il y a un chien dans le jardin."], references) == pytest.approx(100)
    assert bleu(["abc def ghi jkl", "mno pqr stu vwx"], references) < 5


def test_the_signature_says_that_the_number_of_references_varies():
    score, signature = bleu(["a b c d e", "f"], [["a b c d e", "a b"], "f"], return_signature=True)
    assert score == bleu(["a b c d e", "f"], [["a b c d e", "a b"], ["f"]])
    assert signature == f"nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:{sacrebleu.__version__}"


@pytest.mark.parametrize(
    "hypotheses, references, error, message",
    [
        ("a b", ["a b"], TypeError, r"takes lists. Received: hypotheses='a b'"),
        (["a b"], "a b", TypeError, r"references='a b'"),
        ([], [], ValueError, r"Received: 0 hypotheses, references for 0"),
        (["a", "b"], [["a"]], ValueError, r"Received: 2 hypotheses, references for 1"),
        (["a", "b"], [["a"], []], ValueError, r"Received: references\[1\]=\[\], for 'b'"),
        (["a", None], ["a", "b"], TypeError, r"Received: hypotheses\[1\] holds None, a NoneType"),
        (["a"], [["a", 3]], TypeError, r"Received: references\[0\] holds 3, a int"),
    ],
)
def test_what_cannot_be_compared_is_refused(hypotheses, references, error, message):
    with pytest.raises(error, match=message):
        bleu(hypotheses, references)
