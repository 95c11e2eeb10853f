"""Batches to pre-train on: what they hold, that nothing is lost or seen twice, and that a run goes on exactly."""

import collections
import itertools

import keras
import numpy as np
import pytest

pytest.importorskip("tensorflow")

import keras_richctx as krc
from keras_richctx.datasets import masked_lm_pairs
from keras_richctx.datasets.chunks import Chunks
from keras_richctx.datasets.token_store import token_store
from keras_richctx.text import ByteLevelBPETokenizer, WordPieceTokenizer
from keras_richctx.text.word_piece_vocabulary import SPECIAL_TOKENS, make_spec

T = 37


def word(number):
    """A word of three letters, another for each number below 17,576."""
    return "".join(chr(97 + number // 26**k % 26) for k in range(3))


def corpus(documents=23, seed=0, longest=12):
    """Documents of sentences, all words of which occur once."""
    rng, numbers = np.random.default_rng(seed), itertools.count()
    return [[[word(next(numbers)) for _ in range(rng.integers(1, longest))] for _ in range(rng.integers(1, 15))] for _ in range(documents)]


def write(path, documents):
    path.write_text("\n\n".join("\n".join(" ".join(sentence) for sentence in document) for document in documents), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def text():
    return corpus()


@pytest.fixture(scope="module")
def tokenizer(text):
    """Each word is a token."""
    words = [word for document in text for sentence in document for word in sentence]
    return WordPieceTokenizer(make_spec([*SPECIAL_TOKENS, *words]))


@pytest.fixture(scope="module")
def files(text, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    return [write(folder / "one.txt", text[:10]), write(folder / "two.txt", text[10:])]


@pytest.fixture(scope="module")
def make(files, tokenizer):
    def make(paths=files, **options):
        options = {"batch_size": 8, "length": T, "cache_dir": files[0].parent / "cache", **options}
        return masked_lm_pairs(paths, options.pop("tokenizer", tokenizer), **options)

    return make


def as_lists(dataset):
    return [[{name: values.tolist() for name, values in part.items()} for part in batch] for batch in dataset.as_numpy_iterator()]


def unmasked(batch):
    """The token ids of a batch before masking."""
    x, y, weights = batch
    ids = np.array(x["token_ids"])
    for row, (positions, labels, real) in enumerate(zip(x["mask_positions"], y["mlm_logits"], weights["mlm_logits"])):
        for position, label, there in zip(positions, labels, real):
            if there:
                ids[row, position] = label
    return ids


def texts_in(batches, tokenizer, next_sentence=True):
    """The rows of batches as pairs of lists of words, with their labels."""
    rows = []
    for batch in batches:
        labels = batch[1]["nsp_logits"] if next_sentence else [None] * len(batch[0]["token_ids"])
        for ids, segments, mask, label in zip(unmasked(batch), batch[0]["segment_ids"], batch[0]["padding_mask"], labels):
            assert ids[0] == tokenizer.cls_id
            assert ids[sum(mask) - 1] == tokenizer.sep_id
            parts = [[i for i, s, m in zip(ids[1:], segments[1:], mask[1:]) if m and s == part] for part in (0, 1)]
            rows.append(tuple(tokenizer.pieces(part[:-1]) for part in parts) + (label,))
    return rows


def homes(text):
    """The document and the place in it of each word."""
    return {word: (i, j) for i, document in enumerate(text) for j, word in enumerate(itertools.chain(*document))}


def test_a_batch_is_ready_for_fit(make):
    dataset = make()
    x, y, weights = dataset.element_spec
    assert {name: (spec.shape.as_list(), spec.dtype.name) for part in (x, y) for name, spec in part.items()} == {
        "token_ids": ([None, T], "int32"),
        "segment_ids": ([None, T], "int32"),
        "padding_mask": ([None, T], "bool"),
        "mask_positions": ([None, 6], "int32"),
        "mlm_logits": ([None, 6], "int32"),
        "nsp_logits": ([None], "int32"),
    }
    assert {name: spec.dtype.name for name, spec in weights.items()} == {"mlm_logits": "float32", "nsp_logits": "float32"}
    batches = list(dataset)
    assert len(batches) == int(dataset.cardinality())
    for x, y, weights in batches:
        assert set(np.unique(y["nsp_logits"])) <= {0, 1}
        assert (weights["nsp_logits"].numpy() == 1).all()
        lengths = x["padding_mask"].numpy().sum(1)
        np.testing.assert_array_equal(x["padding_mask"], np.arange(T) < lengths[:, None])
    plain = make(next_sentence=False).element_spec
    assert set(plain[1]) == set(plain[2]) == {"mlm_logits"}


def test_the_second_text_follows_or_is_of_another_document(make, text, tokenizer):
    home, labels = homes(text), []
    for first, second, label in texts_in(as_lists(make().repeat(20)), tokenizer):
        assert first
        assert second
        for part in (first, second):  # each is one piece of one document
            places = [home[word] for word in part]
            assert places == [(places[0][0], places[0][1] + k) for k in range(len(part))]
        if label == 0:
            assert home[second[0]] == (home[first[-1]][0], home[first[-1]][1] + 1)
        else:
            assert home[second[0]][0] != home[first[0]][0]
        labels.append(label)
    chunks = len(labels) / 20
    assert abs(np.mean(labels) - 0.5) < 0.15 + 4 * 0.5 / np.sqrt(chunks * 20)  # chunks of one sentence are always random


def test_the_coin_is_fair_where_there_is_one(tokenizer, tmp_path):
    documents = [[[word(100 * i + j)] for j in range(20)] for i in range(20)]
    words = WordPieceTokenizer(tokenizer.get_config()["spec"])
    write(tmp_path / "a.txt", documents)
    dataset = masked_lm_pairs([tmp_path / "a.txt"], words, batch_size=10, length=16, short_rate=0, cache_dir=tmp_path)
    labels = np.concatenate([y["nsp_logits"] for _, y, _ in dataset.repeat(60)])
    assert abs(labels.mean() - 0.5) < 4 * 0.5 / np.sqrt(len(labels))


def test_every_sentence_is_in_a_pass_once_without_pairs(make, text, tokenizer):
    words = [word for document in text for sentence in document for word in sentence]
    for batches in (as_lists(make(next_sentence=False)), as_lists(make(next_sentence=False, batch_size=3, short_rate=0, shuffle=False))):
        seen = [word for first, _, _ in texts_in(batches, tokenizer, next_sentence=False) for word in first if word != "[SEP]"]
        assert collections.Counter(seen) == collections.Counter(words)
    assert seen == words  # unshuffled they come in their order
    rows = texts_in(batches, tokenizer, next_sentence=False)
    assert sum("[SEP]" in first for first, _, _ in rows) > 10  # rows go on from document to document
    assert all(first[0] != "[SEP]" for first, _, _ in rows)


def test_exchanged_ends_lose_and_repeat_little(make, text, tokenizer):
    words = collections.Counter(word for document in text for sentence in document for word in sentence)
    rows = texts_in(as_lists(make(batch_size=64)), tokenizer)
    seen = collections.Counter(word for first, second, _ in rows for word in first + second)
    assert sum(min(seen[word], 1) for word in words) > 0.9 * len(words)
    firsts = collections.Counter(word for first, _, _ in rows for word in first)
    assert max(firsts.values()) == 1  # no first text comes twice


@pytest.mark.parametrize("num_shards, next_sentence", [(2, True), (5, False)])
def test_workers_share_the_corpus(make, tokenizer, num_shards, next_sentence):
    def begins(batches):  # the first word of a row names its chunk
        return [first[0] for first, _, _ in texts_in(batches, tokenizer, next_sentence)]

    options = {"next_sentence": next_sentence, "batch_size": 4}
    whole = begins(as_lists(make(**options)))
    shares = [begins(as_lists(make(**options, num_shards=num_shards, index=i).repeat(2))) for i in range(num_shards)]
    passes = [share[: len(share) // 2] for share in shares], [share[len(share) // 2 :] for share in shares]
    for parts in passes:
        assert sorted(itertools.chain(*parts)) == sorted(whole)
    assert set(passes[0][0]) != set(passes[1][0])  # a worker has other chunks in the next pass
    assert len(set(whole)) == len(whole)
    assert max(map(len, shares)) - min(map(len, shares)) <= 2


def test_workers_have_as_many_batches_where_the_rest_is_left_out(make):
    even = [make(batch_size=4, num_shards=3, index=i, drop_remainder=True) for i in range(3)]
    assert len({int(dataset.cardinality()) for dataset in even}) == 1
    assert {len(labels["nsp_logits"]) for dataset in even for _, labels, _ in dataset} == {4}
    whole = make(batch_size=4)
    assert 0 <= int(whole.cardinality()) - 3 * int(even[0].cardinality()) <= 3


@pytest.mark.parametrize("next_sentence", [True, False])
def test_passes_differ_and_two_builds_agree_whatever_the_global_seed(make, next_sentence):
    two = as_lists(make(next_sentence=next_sentence, seed=5).repeat(2))
    count = len(two) // 2
    assert two[:count] != two[count:]
    keras.utils.set_random_seed(99)
    dataset = make(next_sentence=next_sentence, seed=5)
    assert as_lists(dataset.repeat(2)) == two
    assert as_lists(dataset) + as_lists(dataset) == two  # iterating again is the next pass
    assert as_lists(make(next_sentence=next_sentence, seed=6)) != two[:count]


def test_masks_are_fresh_each_pass_or_come_again(make, tokenizer):
    def masks(batches):
        return {tuple(ids): tuple(masked) for batch in batches for ids, masked in zip(unmasked(batch).tolist(), batch[0]["token_ids"])}

    options = {"next_sentence": False, "batch_size": 8}
    steps = int(make(**options).cardinality())
    dynamic, static = (as_lists(make(**options, masking=masking, duplicates=3).repeat(7)) for masking in ("dynamic", "static"))
    passes = [masks(dynamic[k * steps : (k + 1) * steps]) for k in range(7)]
    for k in range(1, 7):
        assert passes[0].keys() == passes[k].keys()  # the same rows, masked in another way
        assert sum(passes[0][ids] == passes[k][ids] for ids in passes[0]) < 0.2 * len(passes[0])
    assert static[: 3 * steps] == static[3 * steps : 6 * steps]
    assert static[6 * steps :] == static[:steps] == dynamic[:steps]
    assert static[steps : 2 * steps] == dynamic[steps : 2 * steps]


def test_a_stopped_run_goes_on_exactly_and_at_once(make, monkeypatch):
    dataset = make()
    steps = int(dataset.cardinality())
    whole = as_lists(dataset.repeat(3))
    for n in (0, steps - 1, steps + 2, 3 * steps):
        rest = dataset.repeat(3).skip(n)
        assert int(rest.cardinality()) == 3 * steps - n
        assert as_lists(rest) == whole[n:]
    assert as_lists(dataset.repeat().skip(steps + 1).take(3)) == whole[steps + 1 : steps + 4]
    made = []
    pairs = Chunks.pairs
    monkeypatch.setattr(Chunks, "pairs", lambda *arguments: made.append(1) or pairs(*arguments))
    next(iter(make().repeat().skip(10**9)))
    assert len(made) < 100


def test_krc_fit_goes_on_where_a_run_was_stopped(make, tokenizer):
    from keras_richctx.training.dataset_source import DatasetSource

    dataset = make()
    source = DatasetSource(dataset)
    start = type("Start", (), {"epoch": 2, "step": 1})
    stream = source.arguments(start)["x"]
    assert as_lists(stream.take(2)) == as_lists(make().repeat().skip(2 * int(dataset.cardinality()) + 1).take(2))


def test_long_sentences_are_cut_into_several_and_lose_nothing(make, tokenizer, text, tmp_path):
    words = [word for document in text for sentence in document for word in sentence][:300]
    write(tmp_path / "long.txt", [[words[:200]], [words[200:201], words[201:300]]])
    batches = as_lists(make([tmp_path / "long.txt"], next_sentence=False))
    seen = [word for first, _, _ in texts_in(batches, tokenizer, next_sentence=False) for word in first if word != "[SEP]"]
    assert sorted(seen) == sorted(words)


def test_short_rows_are_as_rare_as_asked(files, tokenizer, tmp_path):
    documents = [[[word((i * 40 + j) % 1000)] for j in range(400)] for i in range(60)]
    store = token_store([write(tmp_path / "a.txt", documents)], tokenizer, tmp_path)
    assert (Chunks(store, 30, False, 0, 0).whole(np.arange(13))[1] == 30).all()
    chunks = Chunks(store, 30, False, 0.1, 0)
    _, counts = chunks.whole(np.arange(len(chunks)))
    assert abs(np.mean(counts < 30) - 0.1 * 28 / 29 - 60 / len(chunks)) < 4 * 0.3 / np.sqrt(len(chunks)) + 0.02  # and the end of each document
    assert counts.sum() == 60 * 400


def test_the_store_is_made_once_and_again_when_a_file_changes(tokenizer, tmp_path, monkeypatch):
    path = write(tmp_path / "a.txt", [[[word(1), word(2)], [word(3)]], [[word(4)]]])
    store = token_store([path], tokenizer, tmp_path)
    ids = [tokenizer(word(i))[0] for i in range(1, 5)]
    assert store.ids.tolist() == [*ids[:3], tokenizer.sep_id, ids[3], tokenizer.sep_id]
    assert (store.starts.tolist(), store.ends.tolist(), store.documents.tolist()) == ([0, 2, 4], [2, 3, 5], [0, 2, 3])
    assert store.ids.dtype == "uint16"
    monkeypatch.setattr("keras_richctx.datasets.token_store._write", lambda *arguments: pytest.fail("written again"))
    token_store([path], tokenizer, tmp_path)
    monkeypatch.undo()
    write(path, [[[word(5)]]])
    assert token_store([path], tokenizer, tmp_path).ids.tolist() == [tokenizer(word(5))[0], tokenizer.sep_id]


def test_a_store_that_failed_leaves_nothing_behind(tokenizer, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"aba\n\xff\n")
    with pytest.raises(ValueError, match=r"must be UTF-8.*line 2"):
        token_store([tmp_path / "a.txt"], tokenizer, tmp_path / "cache")
    (tmp_path / "a.txt").write_text(f"{word(1)}\n")
    assert len(token_store([tmp_path / "a.txt"], tokenizer, tmp_path / "cache")) == 2


def test_byte_level_rows_have_roberta_s_layout(files, text, tmp_path):
    lines = [" ".join(sentence) for document in text for sentence in document]
    roberta = ByteLevelBPETokenizer.train(lines, vocab_size=300, special_tokens=("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
    for next_sentence, unit in ((False, "word"), (True, "span")):
        dataset = masked_lm_pairs(files, roberta, length=64, next_sentence=next_sentence, unit=unit, cache_dir=tmp_path)
        for batch in as_lists(dataset.take(2)):
            ids = unmasked(batch)
            assert (ids[:, 0] == 0).all()
            assert not np.array(batch[0]["segment_ids"]).any()
            assert (ids[~np.array(batch[0]["padding_mask"])] == 1).all()
            pairs = sum(2 in row[:-1] and 2 in row[row.tolist().index(2) + 1 :][:1] for row in ids)
            assert pairs == (len(ids) if next_sentence else pairs)


def test_a_model_is_fitted_on_the_batches(make, tokenizer):
    ids, positions = keras.Input((T,), dtype="int32", name="token_ids"), keras.Input((6,), dtype="int32", name="mask_positions")
    x = keras.layers.Embedding(tokenizer.vocab_size, 8)(ids)
    at = keras.layers.Lambda(lambda inputs: keras.ops.take_along_axis(inputs[0], inputs[1][..., None], axis=1), output_shape=(6, 8))([x, positions])
    outputs = {
        "mlm_logits": keras.layers.Dense(tokenizer.vocab_size, name="mlm_logits")(at),
        "nsp_logits": keras.layers.Dense(2, name="nsp_logits")(x[:, 0]),
    }
    model = keras.Model({"token_ids": ids, "mask_positions": positions}, outputs)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", {"mlm_logits": loss, "nsp_logits": loss})
    history = krc.training.fit(model, make(), epochs=2, progress=False)
    assert np.isfinite(history.history["loss"]).all()


@pytest.mark.parametrize(
    "options, complaint",
    [
        ({"batch_size": 0}, r"Received: batch_size=0"),
        ({"length": 4}, r"Received: length=4"),
        ({"masking": "never"}, r"Received: masking='never'"),
        ({"short_rate": 2}, r"Received: short_rate=2"),
        ({"num_shards": 2, "index": 2}, r"Received: index=2, num_shards=2"),
        ({"unit": "line"}, r"Received: unit='line'"),
        ({"batch_size": 10**6, "drop_remainder": True}, r"too small for a batch\. Received: \d+ chunks, batch_size=1000000"),
    ],
)
def test_an_argument_out_of_its_range_is_named(make, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        make(**options)


def test_a_corpus_that_will_not_do_is_named(make, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such file\. Received: .*nowhere"):
        make([tmp_path / "nowhere.txt"])
    (tmp_path / "a.txt").write_text("\n \n\n")
    with pytest.raises(ValueError, match=r"holds a token at least\. Received: none in .*a\.txt"):
        make([tmp_path / "a.txt"])
    (tmp_path / "b.txt").write_text(f"{word(1)}\n{word(2)}\n")
    with pytest.raises(ValueError, match=r"Received: a corpus of one document"):
        make([tmp_path / "b.txt"])
