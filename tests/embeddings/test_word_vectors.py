"""Neighbours, analogies and the tests of them, beside sums written out."""

import sys

import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.embeddings import WordVectors, analogy_accuracy, similarity_correlation

V, D = 37, 7


@pytest.fixture
def vectors():
    return WordVectors([f"w{i}" for i in range(V)], np.random.default_rng(0).normal(size=(V, D)).astype("float32"))


def cosine(x, y):
    return x @ y / (np.linalg.norm(x) * np.linalg.norm(y))


def test_the_example_of_the_lectures():
    vectors = WordVectors(["king", "man", "woman", "queen"], np.array([[0.3, 0.7], [0.2, 0.2], [0.6, 0.3], [0.7, 0.8]]))
    np.testing.assert_allclose(vectors["king"] - vectors["man"] + vectors["woman"], vectors["queen"])
    for method in ("add", "mul"):
        assert vectors.analogy("man", "woman", "king", method=method)[0][0] == "queen"


def test_neighbours_are_those_of_all_cosines(vectors):
    found = vectors.most_similar("w3", n=5)
    cosines = {word: cosine(vectors["w3"], vectors[word]) for word in vectors if word != "w3"}
    expected = sorted(cosines, key=cosines.get, reverse=True)[:5]
    assert [word for word, _ in found] == expected
    np.testing.assert_allclose([score for _, score in found], [cosines[word] for word in expected], rtol=1e-5)
    assert vectors.similarity("w3", expected[0]) == pytest.approx(cosines[expected[0]], rel=1e-5)
    assert vectors.most_similar(vectors["w3"], n=1)[0][0] == "w3"
    assert all(int(word[1:]) < 10 for word, _ in vectors.most_similar("w3", n=50, restrict=10))
    assert len(vectors.most_similar("w3", n=50)) == V - 1


@pytest.mark.parametrize("method", ["add", "mul"])
def test_analogies_are_those_of_the_formula(vectors, method):
    unit = {word: vectors[word] / np.linalg.norm(vectors[word]) for word in vectors}

    def score(x, a, b, c):
        if method == "add":
            return cosine(unit[b] - unit[a] + unit[c], unit[x])
        near_a, near_b, near_c = ((cosine(unit[x], unit[word]) + 1) / 2 for word in (a, b, c))
        return near_b * near_c / (near_a + 0.001)

    for a, b, c in (("w0", "w1", "w2"), ("w5", "w30", "w9")):
        for exclude in (True, False):
            scores = {x: score(x, a, b, c) for x in vectors if not exclude or x not in (a, b, c)}
            best = max(scores, key=scores.get)
            ((found, value),) = vectors.analogy(a, b, c, method=method, exclude=exclude)
            assert found == best
            assert value == pytest.approx(scores[best], rel=1e-4)


@pytest.mark.parametrize("method", ["add", "mul"])
def test_the_accuracy_is_that_of_one_question_after_the_other(vectors, method, monkeypatch):
    for name, size in (("QUESTIONS", 3), ("WORDS", 10)):  # many blocks
        monkeypatch.setattr(sys.modules["keras_richctx.embeddings.analogy_accuracy"], name, size)
    rng = np.random.default_rng(1)
    sections = {"family": [], "gram1": [], "none": [("w1", "w2", "w3", "unheard")]}
    for k in range(20):
        a, b, c = (f"W{i}" for i in rng.choice(V, 3, replace=False))
        right = vectors.analogy(a.lower(), b.lower(), c.lower(), method=method)[0][0]
        sections["family" if k % 2 else "gram1"].append((a, b, c, right if k % 3 else "w0"))
    expected = {
        name: sum(vectors.analogy(*(word.lower() for word in question[:3]), method=method)[0][0] == question[3] for question in questions)
        for name, questions in sections.items()
        if name != "none"
    }
    rows = {row["section"]: row for row in analogy_accuracy(vectors, krc.datasets.Analogies(sections), method, lowercase=True)}
    assert {name: rows[name]["right"] for name in expected} == expected
    assert (rows["none"]["asked"], rows["none"]["left_out"]) == (0, 1)
    assert np.isnan(rows["none"]["accuracy"])
    assert rows["all"]["right"] == sum(expected.values())
    assert rows["all"]["asked"] == 20
    assert rows["semantic"]["right"] == expected["family"]
    assert rows["syntactic"]["right"] == expected["gram1"]


@pytest.mark.parametrize("scale, dtype", [(1e30, "float32"), (1e-30, "float32"), (1e200, "float64"), (300, "float16"), (1, "int8")])
def test_lengths_of_any_size_leave_the_cosines(scale, dtype):
    matrix = (np.array([[1, 2, 2], [2, 1, 2], [-3, 1, 0]]) * scale).astype(dtype)
    vectors, plain = WordVectors(["a", "b", "c"], matrix), matrix.astype("float64") / scale
    for i, word in enumerate("ab"):
        assert vectors.similarity("c", word) == pytest.approx(cosine(plain[2], plain[i]), abs=2e-3 if dtype == "float16" else 1e-6)
    (found, score), *_ = vectors.most_similar(matrix[0].astype("float64") * 3)
    assert found == "a"
    assert score == pytest.approx(1, abs=1e-3)


def test_integers_do_not_wrap_around():
    vectors = WordVectors(["a", "b"], np.array([[1, 1], [3, 2]], "uint8"))
    np.testing.assert_array_equal(vectors["a"] - vectors["b"], [-2, -1])


def test_an_embedding_of_half_precision_vectors_is_finite():
    tokenizer = krc.text.WordTokenizer.train(["a b unheard"], vocab_size=9)
    layer, _ = WordVectors(["a", "b"], np.array([[60000, 1], [-60000, 2]], "float16")).embedding_layer(tokenizer)
    assert np.isfinite(layer.get_weights()[0]).all()


def test_fewer_words_than_asked_for_are_all_words(vectors):
    assert vectors.most_similar("w3", n=0) == []
    assert len(vectors.analogy("w0", "w1", "w2", n=99)) == V - 3
    assert vectors.most_similar("w3", restrict=0) == []
    sections = {"s": [("w0", "w1", "w2", "w3")]}
    assert repr(analogy_accuracy(vectors, sections, restrict=10**5)) == repr(analogy_accuracy(vectors, sections))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda v: v.most_similar("w1", n=-1), ValueError, "Received: n=-1"),
        (lambda v: v.most_similar("w1", n=1.5), ValueError, r"Received: n=1\.5"),
        (lambda v: v.most_similar("w1", restrict=-1), ValueError, "Received: restrict=-1"),
        (lambda v: v.analogy("w1", "w2", "w3", n=-1), ValueError, "Received: n=-1"),
        (lambda v: v.analogy("w1", "w2", "w3", restrict=-1), ValueError, "Received: restrict=-1"),
        (lambda v: v.most_similar("w1", exclude="w2"), TypeError, "several words.*Received: exclude='w2'"),
        (lambda v: v.coverage("w2"), TypeError, "Received: words='w2'"),
        (lambda v: v.most_similar(np.ones(D - 1)), ValueError, r"a vector of 7 finite numbers.*shape \(6,\)"),
        (lambda v: v.most_similar(np.full(D, np.nan)), ValueError, "7 finite numbers"),
        (lambda v: v.most_similar(["w1", "w2"]), ValueError, r"Received: \['w1', 'w2'\]"),
        (lambda v: v[3], TypeError, "by its word, a string. Received: 3"),
        (lambda v: v[["w1", 3]], TypeError, "Received: 3"),
        (lambda v: v.similarity(["w1"], ["w2"]), TypeError, r"Received: \['w1'\]"),
        (lambda v: v.analogy("w1", "w2", ["w3"]), TypeError, r"Received: \['w3'\]"),
        (lambda v: WordVectors(["a", "b"], [[1, 2], [np.inf, 3]]), ValueError, "Vectors are finite. Received: 'b'"),
        (lambda v: WordVectors(["a"], [["1", "2"]]), ValueError, "real numbers. Received: a matrix of type <U1"),
        (lambda v: WordVectors(["a"], np.ones((1, 2)) * 1j), ValueError, "type complex128"),
        (lambda v: analogy_accuracy(v, {"s": [("w1", "w2", "w3")] * 4}), ValueError, r"four words.*Received: \('w1', 'w2', 'w3'\) in section 's'"),
        (lambda v: analogy_accuracy(v, {"s": []}, method="sub"), ValueError, "Received: method='sub'"),
        (lambda v: analogy_accuracy(v, {}, restrict=-1), ValueError, "Received: restrict=-1"),
        (lambda v: v.embedding_layer(krc.text.WordTokenizer.train(["w1"], vocab_size=8), seed=-1), ValueError, "Received: seed=-1"),
    ],
)
def test_what_cannot_be_meant_is_refused(vectors, call, error, message):
    with pytest.raises(error, match=message):
        call(vectors)


def test_a_mapped_matrix_is_checked_where_it_is_read(tmp_path):
    np.save(tmp_path / "m.npy", np.array([[1, 2], [np.nan, 3]], "float32"))
    vectors = WordVectors(["a", "b"], np.load(tmp_path / "m.npy", mmap_mode="r"))
    with pytest.raises(ValueError, match="Received: 'b'"):
        vectors.most_similar("a")


def test_a_word_that_is_not_there_is_named(vectors):
    with pytest.raises(KeyError, match=r"no vector among the 37\. Received: 'unheard'"):
        vectors["unheard"]
    with pytest.raises(ValueError, match="Received: method='sub'"):
        vectors.analogy("w0", "w1", "w2", method="sub")
    with pytest.raises(ValueError, match="no word twice"):
        WordVectors(["a", "a"], np.eye(2))
    assert vectors.coverage(["w1", "no", "w1", "no"]) == {"share": 0.5, "missing": ["no"]}


def test_an_embedding_layer_holds_the_vectors_of_its_words(vectors):
    tokenizer = krc.text.WordTokenizer.train(["w1 W2 w3 unheard"], vocab_size=8)
    layer, report = vectors.embedding_layer(tokenizer, trainable=False, lowercase=True)
    assert not layer.trainable
    matrix = layer.get_weights()[0]
    assert matrix.shape == (8, D)
    for token, word in (("w1", "w1"), ("W2", "w2"), ("w3", "w3")):
        np.testing.assert_array_equal(matrix[tokenizer.token_to_id(token)], vectors[word])
    assert not matrix[tokenizer.pad_id].any()
    assert matrix[tokenizer.token_to_id("unheard")].any()
    assert report == {"share": 0.75, "missing": ["unheard"]}
    with pytest.raises(ValueError, match="No token has a vector"):
        vectors.embedding_layer(krc.text.WordTokenizer.train(["nothing known"], vocab_size=8))


def test_correlation_leaves_out_what_it_does_not_know(vectors):
    pairs = krc.datasets.WordPairs(["W1", "w2", "w3", "unheard"], ["w4", "w5", "w6", "w7"], [3.0, 1.0, 2.0, 9.0])
    found = similarity_correlation(vectors, pairs, lowercase=True)
    cosines = [cosine(vectors[f"w{i}"], vectors[f"w{i + 3}"]) for i in (1, 2, 3)]
    assert found["spearman"] == pytest.approx(krc.metrics.spearman(cosines, [3, 1, 2]))
    assert (found["asked"], found["left_out"]) == (3, 1)


def test_vectors_travel_through_files(vectors, tmp_path):
    vectors.save(tmp_path / "v.bin", "word2vec-binary")
    loaded = WordVectors.load(tmp_path / "v.bin", mapped=True)
    assert loaded.words == vectors.words
    np.testing.assert_array_equal(loaded.matrix, vectors.matrix)
