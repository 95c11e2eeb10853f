"""From a corpus to batches: what is dropped, what is near, what is drawn."""

import pathlib

import numpy as np
import pytest

from keras_richctx.embeddings import WindowBatches, count_words, hierarchical_softmax, huffman_codes, keep_probabilities, negative_sampling
from keras_richctx.embeddings.corpus import id_blocks
from keras_richctx.embeddings.windows import windows


def test_a_file_and_its_sentences_are_the_same_corpus(corpus, tokenizer, tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_RICHCTX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("keras_richctx.embeddings.corpus.TOKENS", 50)  # many blocks
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(" ".join(sentence) for sentence in [*corpus[:30], ["unheard"], [], *corpus[30:]]), encoding="utf-8")

    def sentences(given):
        found = []
        for ids, numbers in id_blocks(given, tokenizer):
            found += [ids[numbers == number].tolist() for number in np.unique(numbers)]
        return found

    expected = [tokenizer(" ".join(sentence)) for sentence in corpus]
    for given in (corpus, [" ".join(sentence) for sentence in corpus], path, [path], iter_again(corpus)):
        assert sentences(given) == expected
    np.testing.assert_array_equal(count_words(path, tokenizer), np.bincount(np.concatenate(expected), minlength=tokenizer.vocab_size))


class iter_again:
    def __init__(self, corpus):
        self.corpus = corpus

    def __iter__(self):
        return iter(self.corpus)


def test_a_corpus_that_is_gone_through_once_is_refused(corpus, tokenizer):
    with pytest.raises(TypeError, match=r"several times.*Received: a generator"):
        count_words((sentence for sentence in corpus), tokenizer)
    with pytest.raises(TypeError, match=r"lists of words, or strings, and not both"):
        count_words([["cat"], "dog"], tokenizer)
    with pytest.raises(ValueError, match=r"No word of the corpus is in the vocabulary"):
        count_words([["unheard", "of"]], tokenizer)
    with pytest.raises(FileNotFoundError):
        count_words(pathlib.Path("nowhere.txt"), tokenizer)
    for corpus, kind in (
        (3, "Received: a int"),
        ([[b"cat"]], r"Received: b'cat', a bytes"),
        ([[["cat"]]], r"Received: \['cat'\], a list"),
        ([b"cat"], "bytes"),
    ):
        with pytest.raises(TypeError, match=kind):
            count_words(corpus, tokenizer)
    with pytest.raises(ValueError, match="No word of the corpus"):
        count_words([], tokenizer)


def test_the_probability_of_keeping_is_that_of_the_released_code():
    counts = np.array([0, 700, 200, 90, 10])
    share, t = counts / 1000, 0.05
    with np.errstate(divide="ignore"):
        expected = np.minimum((np.sqrt(share / t) + 1) * t / share, 1.0)  # (sqrt(cn / (sample * words)) + 1) * (sample * words) / cn
    np.testing.assert_allclose(keep_probabilities(counts, t)[1:], expected[1:], rtol=1e-6)
    assert (keep_probabilities(counts, 0) == 1).all()


def test_windows_end_where_the_sentence_does():
    ids, sentences = np.arange(10, 17, dtype="int32"), np.array([0, 0, 0, 1, 1, 1, 1])
    around, real = windows(ids, sentences, np.array([0, 2, 4]), 2)
    assert [row[mask].tolist() for row, mask in zip(around, real)] == [[11, 12], [10, 11], [13, 15, 16]]
    assert not around[~real].any()


def batches_of(corpus, tokenizer, counts, **options):
    return WindowBatches(corpus, tokenizer, counts, negative_sampling(counts, 3), batch_size=16, **options)


def test_each_distance_is_seen_as_often_as_a_drawn_size_lets_it(tokenizer, counts):
    line = tokenizer.tokenize("cat dog cow red blue green one two three") * 2000
    corpus = [line[start : start + 900] for start in range(0, len(line), 900)]
    stream = batches_of(corpus, tokenizer, counts, window=4, sample=0)
    place, seen = {word: i for i, word in enumerate(line[:9])}, np.zeros(5)
    for _, batch in zip(range(stream.steps * 3), stream):
        targets = batch["output_ids"][:, 0]
        for target, context, real in zip(targets, batch["context_ids"], batch["context_mask"]):
            distances = np.arange(-len(context) // 2, len(context) // 2)
            distances[len(context) // 2 :] += 1
            for other, distance in zip(context[real], distances[real]):
                assert (place[tokenizer.id_to_token(int(other))] - place[tokenizer.id_to_token(int(target))] - distance) % 9 == 0
                seen[abs(distance)] += 1
    np.testing.assert_allclose(seen[1:] / seen[1], [1, 3 / 4, 2 / 4, 1 / 4], atol=0.03)


def test_a_pass_has_each_word_as_often_as_it_is_kept(corpus, tokenizer, counts):
    stream = batches_of(corpus, tokenizer, counts, sample=0.05)
    passes = 20
    found = np.zeros(tokenizer.vocab_size)
    for _, batch in zip(range(stream.steps * passes), stream):
        assert batch["context_mask"].any(axis=1).all()
        found += np.bincount(batch["output_ids"][:, 0], minlength=len(found))
    ordinary = counts > 0
    np.testing.assert_allclose(found[ordinary] / passes, (counts * stream.keep)[ordinary], rtol=0.1)


def test_the_seed_decides_and_each_pass_draws_anew(corpus, tokenizer, counts):
    def first(seed, skip=0):
        stream = batches_of(corpus, tokenizer, counts, seed=seed)
        return [batch for _, batch in zip(range(skip + 3), stream)][skip:]

    for one, other in zip(first(3), first(3)):
        for name in one:
            np.testing.assert_array_equal(one[name], other[name])
    targets = [np.concatenate([batch["output_ids"][:, 0] for batch in first(seed, skip)]).tolist() for seed, skip in ((3, 0), (4, 0), (3, 150))]
    assert targets[0] != targets[1]
    assert targets[0] != targets[2]


def test_a_corpus_without_neighbours_is_refused(tokenizer, counts):
    with pytest.raises(ValueError, match="two words of the vocabulary"):
        next(iter(batches_of([["cat"], ["unheard", "dog"]], tokenizer, counts)))


def test_negatives_are_drawn_by_frequency_to_the_power_of_three_quarters(counts):
    outputs = negative_sampling(counts, 50)(np.full(2000, 5, "int32"), np.random.default_rng(0))
    drawn = outputs["output_ids"][:, 1:]
    expected = counts**0.75 / (counts**0.75).sum()
    np.testing.assert_allclose(np.bincount(drawn.ravel(), minlength=len(counts)) / drawn.size, expected, atol=0.005)
    assert (outputs["labels"] == np.eye(1, 51)).all()
    np.testing.assert_array_equal(outputs["output_mask"][:, 1:], drawn != 5)


def test_the_tree_is_huffman_s():
    counts = np.array([0, 50, 20, 15, 10, 5])
    nodes, branches, real = huffman_codes(counts)
    lengths = real.sum(axis=1)
    assert lengths.tolist() == [0, 1, 2, 3, 4, 4]
    codes = ["".join(map(str, branch[mask])) for branch, mask in zip(branches, real)][1:]
    assert not any(one != other and other.startswith(one) for one in codes for other in codes)
    assert set(nodes[real].tolist()) == {0, 1, 2, 3}
    entropy = -(counts[1:] / 100) @ np.log2(counts[1:] / 100)
    assert entropy <= counts @ lengths / 100 < entropy + 1
    with pytest.raises(ValueError, match="two words"):
        huffman_codes(np.array([0, 3]))


def test_the_probabilities_of_a_hierarchical_softmax_sum_to_one(counts):
    words = np.flatnonzero(counts).astype("int32")
    path = hierarchical_softmax(counts)(words, None)
    vectors = np.random.default_rng(0).normal(size=(len(counts), 5))
    sign = 2 * path["labels"] - 1
    log_sigma = -np.log1p(np.exp(-sign * (vectors[path["output_ids"]] @ np.random.default_rng(1).normal(size=5))))
    np.testing.assert_allclose(np.exp((log_sigma * path["output_mask"]).sum(axis=1)).sum(), 1.0)


def test_a_word_that_does_not_occur_is_never_drawn_and_one_word_alone_has_no_negatives():
    for power in (0.0, -1.0, 0.75):
        drawn = negative_sampling([0, 3, 0, 1], 50, power)(np.array([1, 3], "int32"), np.random.default_rng(0))["output_ids"]
        assert set(drawn.ravel().tolist()) == {1, 3}
    assert not negative_sampling([0, 3], 50)(np.array([1], "int32"), np.random.default_rng(0))["output_mask"][:, 1:].any()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda c: negative_sampling([-1, 2]), r"Counts are integers.*Received: counts=array\(\[-1,  2\]\)"),
        (lambda c: negative_sampling([0, 0]), "not all zero"),
        (lambda c: negative_sampling([0.5, 1.5]), "Counts are integers"),
        (lambda c: negative_sampling([1, 2], -1), "Received: num_negatives=-1"),
        (lambda c: negative_sampling([1, 2], 5, float("nan")), "Received: power=nan"),
        (lambda c: huffman_codes([[1, 2]]), "one for each word"),
        (lambda c: huffman_codes([1, -2]), "at least zero"),
        (lambda c: keep_probabilities(c, -1), "Received: threshold=-1"),
        (lambda c: keep_probabilities(c, float("nan")), "Received: threshold=nan"),
    ],
)
def test_counts_and_numbers_that_cannot_be_are_refused(counts, call, message):
    with pytest.raises(ValueError, match=message):
        call(counts)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"window": 0}, "Received: window=0"),
        ({"window": 1.5}, r"Received: window=1\.5"),
        ({"seed": -1}, "Received: seed=-1"),
        ({"sample": 1e-12}, r"Of 2,800 words, .* are kept in a pass.*Received: sample=1e-12"),
    ],
)
def test_batches_that_could_not_come_are_refused_at_once(tokenizer, counts, corpus, options, message):
    with pytest.raises(ValueError, match=message):
        batches_of(corpus, tokenizer, counts, **options)
