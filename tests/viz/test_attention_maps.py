"""Maps of any model: what NumPy computes from the weights, with everything else as it was before."""

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.viz import attention_maps

pytestmark = pytest.mark.backends

B, T, S, D, H, K = 3, 5, 7, 6, 2, 4
LENGTHS = np.array([7, 4, 1])
REAL = np.arange(S) < LENGTHS[:, None]  # (B, S)
CAUSAL = np.tril(np.ones((S, S), bool))[None]


def array(tensor):
    return keras.ops.convert_to_numpy(keras.ops.cast(tensor, "float32"))


def softmax(scores, mask=None):
    """The softmax over the last axis where the mask is true; zeros in rows without such a place."""
    scores = scores.astype("float64")
    mask = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    e = np.where(mask, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0.0)
    total = e.sum(axis=-1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


def of_heads(query, key, query_weights, key_weights, mask=None):
    """Scaled dot products of projections `(D, H, K)` with biases `(H, K)`: weights `(B, H, T, S)`; fewer heads of keys each serve several of queries."""
    (w_q, b_q), (w_k, b_k) = ([array(w) for w in weights] for weights in (query_weights, key_weights))
    q, k = np.einsum("btd,dhk->bhtk", array(query), w_q) + b_q[:, None], np.einsum("bsd,dhk->bhsk", array(key), w_k) + b_k[:, None]
    k = np.repeat(k, q.shape[1] // k.shape[1], axis=1)
    return softmax(np.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(q.shape[-1]), None if mask is None else mask[:, None])


def of_keras(layer, query, key, mask=None):
    dense = layer._query_dense, layer._key_dense
    return of_heads(query, key, *((d.kernel, d.bias) for d in dense), mask)


def of_ours(layer, query, key, mask=None):
    return of_heads(query, key, (layer.query_kernel, layer.query_bias), (layer.key_kernel, layer.key_bias), mask)


def vectors(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def disturb(model):
    """Gives every weight, biases too, a value that matters."""
    rng = np.random.default_rng(7)
    model.set_weights([w + rng.normal(scale=0.3, size=w.shape).astype(w.dtype) if w.dtype.kind == "f" else w for w in model.get_weights()])
    return model


def ids(vocabulary=19):
    return np.where(REAL, np.random.default_rng(1).integers(4, vocabulary, REAL.shape), 0)


# Each case makes a model, its inputs, and a function that computes the maps anew.


def bert():
    model = disturb(krc.models.Bert(num_layers=2, width=D, num_heads=H, vocab_size=19))

    def maps():
        states = array(model.layer_outputs({"token_ids": ids()}))
        mask = REAL[:, None, :] & REAL[:, :, None]
        return {f"block_{i}/attention": of_ours(block.attention, states[:, i], states[:, i], mask) for i, block in enumerate(model.encoder.blocks)}

    return model, {"token_ids": ids()}, maps


def classifier():
    model, inputs, maps = bert()
    head = krc.models.TextClassifier(model, num_classes=2)
    return head, inputs, maps


def gpt2():
    tokenizer = krc.text.ByteLevelBPETokenizer.train(["to be or not to be"], vocab_size=270)
    model = disturb(krc.models.GPT2(tokenizer, num_layers=2, width=D, num_heads=H, max_length=20))
    inputs = np.random.default_rng(0).integers(5, 265, (B, S))

    def maps():
        x, found = model._embed(inputs), {}
        for i, block in enumerate(model.decoder.blocks):
            seen = block.self_attention_norm(x)
            found[f"block_{i}/self_attention"] = of_ours(block.self_attention, seen, seen, CAUSAL)
            x = block(x)
        return found

    return model, inputs, maps


def languages():
    tokenizer = krc.text.WordTokenizer.train(["the cat sleeps on a mat", "le chat dort sur un tapis"], vocab_size=19)
    source = np.where(REAL, np.random.default_rng(1).integers(4, tokenizer.vocab_size, REAL.shape), tokenizer.pad_id)
    target = np.random.default_rng(2).integers(4, tokenizer.vocab_size, (B, T))
    return tokenizer, {"encoder_token_ids": source, "decoder_token_ids": target}


def transformer():
    tokenizer, inputs = languages()
    model = disturb(krc.models.Transformer(tokenizer, tokenizer, num_layers=2, width=D, num_heads=H))

    def maps():
        found, x = {}, model._embed(model.source_embedding, inputs["encoder_token_ids"])
        for i, block in enumerate(model.encoder.blocks):
            found[f"encoder/block_{i}/attention"] = of_ours(block.attention, x, x, REAL[:, None, :] & REAL[:, :, None])
            x = block(x, mask=REAL)
        memory, y = x, model._embed(model.target_embedding, inputs["decoder_token_ids"])
        for i, block in enumerate(model.decoder.blocks):
            found[f"decoder/block_{i}/self_attention"] = of_ours(block.self_attention, y, y, CAUSAL[:, :T, :T])
            own = block.self_attention_norm(y + block.self_attention(y, use_causal_mask=True))
            found[f"decoder/block_{i}/source_attention"] = of_ours(block.source_attention, own, memory, REAL[:, None, :])
            y = block(y, memory, memory_mask=REAL)
        return found

    return model, inputs, maps


def recurrent(attention):
    tokenizer, inputs = languages()
    model = disturb(krc.models.Seq2Seq(tokenizer, tokenizer, units=D, attention=attention))

    def maps():
        alignment = model.decoder.alignment
        memory, summary, _ = model._read(inputs)
        constant, state = model.decoder.start(memory, summary, REAL)
        rows = []
        for t in range(T):
            before = array(state[0])
            _, _, state = model.decoder.step(model.target_embedding(inputs["decoder_token_ids"][:, t]), state, constant)
            if attention == "bahdanau":  # v tanh(W1 s_{t-1} + W2 h)
                hidden = np.tanh((before @ array(alignment.w1))[:, None] + array(memory) @ array(alignment.w2))
                rows.append(softmax(hidden @ array(alignment.v), REAL))
            else:  # s_t W h
                rows.append(softmax(np.einsum("bu,bsu->bs", array(state[0]), array(memory) @ array(alignment.w)), REAL))
        return {"decoder": np.stack(rows, axis=1)[:, None]}

    return model, inputs, maps


def bahdanau():
    return recurrent("bahdanau")


def luong():
    return recurrent("luong")


def functional():
    """Keras' layer in a functional model, masked by an embedding, seeing none behind."""
    tokens = keras.Input((S,), dtype="int32")
    x = keras.layers.Embedding(19, D, mask_zero=True, name="embedding")(tokens)
    y = keras.layers.MultiHeadAttention(H, K, name="look")(x, x, use_causal_mask=True)
    model = disturb(keras.Model(tokens, keras.layers.Dense(3)(y)))

    def maps():
        x = model.get_layer("embedding")(ids())
        return {"look": of_keras(model.get_layer("look"), x, x, CAUSAL & REAL[:, None, :] & REAL[:, :, None])}

    return model, ids(), maps


def fitted():
    """Keras' layer with dropout, after training under XLA."""
    inputs = keras.Input((S, D))
    x = keras.layers.MultiHeadAttention(H, K, dropout=0.3, name="look")(inputs, inputs)
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Dropout(0.5)(x)))
    model.compile("adam", "mse", jit_compile=keras.backend.backend() != "torch")
    model.fit(vectors(B, S, D), vectors(B, S, 1), epochs=2, verbose=0)
    return model, vectors(B, S, D), lambda: {"look": of_keras(model.get_layer("look"), vectors(B, S, D), vectors(B, S, D))}


@keras.saving.register_keras_serializable("tests")
class Grouped(keras.Model):
    """A subclassed model with its layers in a list, inside of a layer."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.looks = [keras.layers.GroupQueryAttention(K, 4, 2, name="look") for _ in range(2)]

    def build(self, input_shape):
        for look in self.looks:
            look.build(input_shape, input_shape)
        self.built = True

    def call(self, inputs):
        x, mask = inputs["x"], inputs["mask"]
        for look in self.looks:
            x = x + look(x, x, attention_mask=mask[:, None, :])
        return x


def subclassed():
    model, inputs = Grouped(), {"x": vectors(B, S, D), "mask": REAL}
    model.build((None, S, D))
    disturb(model)

    def maps():
        x, found = inputs["x"], {}
        for name, look in zip(("look", "look_2"), model.looks):
            found[name] = of_keras(look, x, x, REAL[:, None, :])
            x = array(x + look(x, x, attention_mask=REAL[:, None, :]))
        return found

    return model, inputs, maps


def single_headed(layer_class):
    query, value = keras.Input((T, D)), keras.Input((S,), dtype="int32")
    embedded = keras.layers.Embedding(19, D, mask_zero=True, name="embedding")(value)
    model = disturb(keras.Model([query, value], layer_class(use_scale=True, name="look")([query, embedded])))
    inputs = [vectors(B, T, D), ids()]

    def maps():
        look, keys = model.get_layer("look"), array(model.get_layer("embedding")(ids()))
        if layer_class is keras.layers.Attention:
            scores = np.einsum("btd,bsd->bts", inputs[0], keys) * array(look.scale)
        else:
            scores = (array(look.scale) * np.tanh(inputs[0][:, :, None] + keys[:, None])).sum(-1)
        return {"look": softmax(scores, REAL[:, None, :])[:, None]}

    return model, inputs, maps


def dot():
    return single_headed(keras.layers.Attention)


def additive():
    return single_headed(keras.layers.AdditiveAttention)


def aligned():
    """A layer of this library in a model that another one calls twice."""
    inner = keras.Input((S, D))
    context, _ = krc.layers.Alignment("scaled_dot", name="look")(inner, inner)
    nested = keras.Model(inner, context, name="nested")
    outer = keras.Input((S, D))
    model = keras.Model(outer, nested(nested(keras.layers.Dense(D, name="first")(outer))))

    def maps():
        found, x = {}, array(model.get_layer("first")(vectors(B, S, D)))
        for name in ("look", "look 2"):
            weights = softmax(x @ x.swapaxes(1, 2) / np.sqrt(D))
            found[name], x = weights[:, None], weights @ x
        return found

    return model, vectors(B, S, D), maps


def keras_hub_encoder():
    modeling = pytest.importorskip("keras_hub").layers
    inputs = keras.Input((S, D))
    model = keras.Model(inputs, modeling.TransformerEncoder(8, H, dropout=0.1, name="block")(inputs))
    disturb(model)
    return model, vectors(B, S, D), lambda: {"self_attention_layer": of_keras(model.get_layer("block")._self_attention_layer, *[vectors(B, S, D)] * 2)}


def keras_hub_decoder():
    modeling = pytest.importorskip("keras_hub").layers
    target, source = keras.Input((T, D)), keras.Input((S, D))
    block = modeling.TransformerDecoder(8, H, name="block")
    model = disturb(keras.Model([target, source], block(target, source)))
    inputs = [vectors(B, T, D), vectors(B, S, D, seed=1)]

    def maps():
        own = block._self_attention_layer
        y = block._self_attention_layer_norm(inputs[0] + own(inputs[0], inputs[0], attention_mask=np.tile(CAUSAL[:, :T, :T], (B, 1, 1))))
        return {
            "self_attention": of_keras(own, inputs[0], inputs[0], CAUSAL[:, :T, :T]),
            "cross_attention": of_keras(block._cross_attention_layer, y, inputs[1]),
        }

    return model, inputs, maps


CASES = [
    bert, classifier, gpt2, transformer, bahdanau, luong, functional, fitted, subclassed, dot, additive, aligned, keras_hub_encoder, keras_hub_decoder,
]  # fmt: skip


def outputs(model, inputs):
    return [keras.ops.convert_to_numpy(x) for x in keras.tree.flatten(model(keras.tree.map_structure(keras.ops.convert_to_tensor, inputs)))]


def equal(ones, others):
    assert len(ones) == len(others)
    for one, other in zip(ones, others):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("case", CASES)
def test_maps_are_what_numpy_computes_and_nothing_else_changes(case):
    model, inputs, maps = case()
    predicted, called, weights = keras.tree.flatten(model.predict(inputs, verbose=0)), outputs(model, inputs), model.get_weights()
    state = [array(v) for v in model.variables]
    found = attention_maps(model, inputs)
    for name, expected in maps().items():
        np.testing.assert_allclose(found[name], expected, atol=1e-5, err_msg=name)
    assert list(found) == list(maps())  # in the order of the calls
    assert all(weights.dtype == np.float32 for weights in found.values())
    equal(called, outputs(model, inputs))
    equal(predicted, keras.tree.flatten(model.predict(inputs, verbose=0)))
    equal(weights, model.get_weights())
    equal(state, [array(v) for v in model.variables])
    assert not any({"call", "attend", "_compute_attention", "_apply_scores"} & set(vars(layer)) for layer in model._flatten_layers())


@pytest.mark.parametrize("case", [case for case in CASES if case is not fitted])
def test_a_loaded_model_has_the_same_maps(case, tmp_path):
    model, inputs, _ = case()
    model(keras.tree.map_structure(keras.ops.convert_to_tensor, inputs))
    model.save(tmp_path / "model.keras")
    before, after = (attention_maps(m, inputs) for m in (model, keras.saving.load_model(tmp_path / "model.keras")))
    assert list(before) == list(after)
    for name in before:
        np.testing.assert_allclose(before[name], after[name], atol=1e-6)
