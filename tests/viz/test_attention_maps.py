"""Maps of any model: what NumPy computes from the weights, with everything else as it was before."""

import keras
import numpy as np
import pytest

import keras_richctx as krc
from keras_richctx.viz import attention_maps
from keras_richctx.viz.watching import find_attention, watching

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
            x = x + array(look(*[keras.ops.convert_to_tensor(x)] * 2, attention_mask=keras.ops.convert_to_tensor(REAL[:, None, :])))
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


def keras_hub_llama():
    """A layer of its own, not built on Keras', with fewer heads of keys and rotated vectors."""
    models = pytest.importorskip("keras_hub").models
    model = disturb(models.LlamaBackbone(19, 2, 4, D * 4, 8, 2))
    inputs = {"token_ids": np.maximum(ids(), 1), "padding_mask": REAL}

    def maps():
        x, found = model.token_embedding(inputs["token_ids"]), {}
        for i, block in enumerate(model.transformer_layers):
            look = block._self_attention_layer
            y = block._self_attention_layernorm(x)
            q, k = (array(look.rotary_embedding_layer(dense(y))).swapaxes(1, 2) for dense in (look._query_dense, look._key_dense))
            scores = np.einsum("bhtk,bhsk->bhts", q, np.repeat(k, 2, axis=1)) / np.sqrt(q.shape[-1])
            found[f"transformer_layer_{i}/self_attention"] = softmax(scores, (CAUSAL & REAL[:, None, :])[:, None])
            x = block(x, decoder_padding_mask=REAL)
        return found

    return model, inputs, maps


CASES = [
    bert, classifier, gpt2, transformer, bahdanau, luong, functional, fitted, subclassed, dot, additive, aligned, keras_hub_encoder, keras_hub_decoder,
    keras_hub_llama,
]  # fmt: skip


def outputs(model, inputs):
    return [keras.ops.convert_to_numpy(x) for x in keras.tree.flatten(model(keras.tree.map_structure(keras.ops.convert_to_tensor, inputs)))]


def equal(ones, others):
    assert len(ones) == len(others)
    for one, other in zip(ones, others):
        np.testing.assert_array_equal(one, other)


@pytest.mark.backends
@pytest.mark.parametrize("case", CASES)
def test_maps_are_what_numpy_computes_and_nothing_else_changes(case):
    model, inputs, maps = case()
    called = outputs(model, inputs)
    state = [array(v) for v in model.variables]
    found, expected = attention_maps(model, inputs), maps()
    assert list(found) == list(expected)  # in the order of the calls
    for name, weights in expected.items():
        np.testing.assert_allclose(found[name], weights, atol=1e-5, err_msg=name)
        assert found[name].dtype == np.float32
    equal(called, outputs(model, inputs))
    equal(state, [array(v) for v in model.variables])
    assert not any({"call", "attend", "_compute_attention", "_apply_scores"} & set(vars(layer)) for layer in model._flatten_layers())


@pytest.mark.backends
@pytest.mark.parametrize("case", [functional, fitted, subclassed])
def test_what_was_compiled_goes_on_as_it_was(case):
    model, inputs, _ = case()
    before, compiled = keras.tree.flatten(model.predict(inputs, verbose=0)), model.predict_function
    attention_maps(model, inputs)
    equal(before, keras.tree.flatten(model.predict(inputs, verbose=0)))
    assert model.predict_function is compiled


@pytest.mark.parametrize("case", [bert, transformer, bahdanau, functional, subclassed, dot, aligned, keras_hub_decoder])
def test_a_loaded_model_has_the_same_maps(case, tmp_path):
    model, inputs, _ = case()
    model(keras.tree.map_structure(keras.ops.convert_to_tensor, inputs))
    model.save(tmp_path / "model.keras")
    before, after = (attention_maps(m, inputs) for m in (model, keras.saving.load_model(tmp_path / "model.keras")))
    assert list(before) == list(after)
    for name in before:
        np.testing.assert_allclose(before[name], after[name], atol=1e-6)


@pytest.mark.backends
@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 5e-3), ("mixed_bfloat16", 3e-2)])
def test_half_precision_gives_float32_maps_that_are_near(policy, tolerance):
    inputs = keras.Input((S, D))
    x = keras.layers.MultiHeadAttention(H, K, name="look", dtype=policy)(inputs, inputs)
    model = keras.Model(inputs, krc.layers.MultiHeadAttention(H, K, name="our", dtype=policy)(x))
    maps = attention_maps(model, vectors(B, S, D))
    np.testing.assert_allclose(maps["look"], of_keras(model.get_layer("look"), *[vectors(B, S, D)] * 2), atol=tolerance)
    np.testing.assert_allclose(maps["our"].sum(axis=-1), 1, atol=tolerance)
    assert maps["our"].dtype == np.float32


@pytest.mark.backends
@pytest.mark.parametrize("layer_class", [keras.layers.MultiHeadAttention, krc.layers.MultiHeadAttention])
def test_rows_that_see_nothing_are_zero_and_the_output_there_is_what_it_was(layer_class):
    inputs, mask = keras.Input((S, D)), keras.Input((S, S), dtype="bool")
    model = keras.Model([inputs, mask], layer_class(H, K, name="look")(inputs, inputs, attention_mask=mask))
    seen = np.tril(np.ones((S, S), bool), -1)  # the first position sees nothing
    given = [vectors(B, S, D), np.tile(seen, (B, 1, 1))]
    before = outputs(model, given)
    maps = attention_maps(model, given)
    assert not maps["look"][:, :, 0].any()
    np.testing.assert_allclose(maps["look"][:, :, 1:].sum(axis=-1), 1, atol=1e-6)
    assert not (maps["look"] * ~seen).any()
    equal(before, outputs(model, given))


class Restless(keras.Model):
    """Drops out always, and counts its calls."""

    def __init__(self):
        super().__init__()
        self.look = keras.layers.MultiHeadAttention(H, K, dropout=0.5, name="look")
        self.score = keras.layers.Attention(dropout=0.5, seed=3, name="score")
        self.noise = keras.layers.Dropout(0.5, seed=1)
        self.rnn = krc.layers.LSTM(D, stateful=True, return_sequences=True)
        self.calls = self.add_weight(shape=(), initializer="zeros", trainable=False, name="calls")

    def call(self, inputs):
        self.calls.assign(self.calls + 1)
        x = self.look(inputs, inputs, training=True)
        return self.rnn(self.score([x, self.noise(inputs, training=True)], training=True))


@pytest.mark.backends
def test_states_and_seeds_are_as_they_were_and_weights_those_before_dropout():
    model, x = Restless(), vectors(B, S, D)
    model(x)
    state = [array(v) for v in model.variables]
    maps = attention_maps(model, x)
    equal(state, [array(v) for v in model.variables])
    for weights in maps.values():
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
    np.testing.assert_allclose(maps["look"], of_keras(model.look, x, x), atol=1e-5)
    equal(list(maps.values()), list(attention_maps(model, x).values()))  # the same draws again
    fresh = Restless()
    assert list(attention_maps(fresh, x)) == ["look", "score"]  # of a model that was not built before


@pytest.mark.backends
def test_attention_over_several_axes_is_one_map_of_all_places():
    grid = vectors(B, 2, 3, D)
    inputs = keras.Input((2, 3, D))
    layers = [keras.layers.MultiHeadAttention(H, K, attention_axes=axes, name=name) for axes, name in ((None, "all"), (2, "rows"))]
    model = keras.Model(inputs, [layer(inputs, inputs) for layer in layers])
    maps = attention_maps(model, grid)
    every = layers[0]
    np.testing.assert_allclose(maps["all"], of_heads(grid.reshape(B, 6, D), grid.reshape(B, 6, D), *_projections(every)), atol=1e-5)
    rows = np.stack([of_heads(grid[:, i], grid[:, i], *_projections(layers[1])) for i in range(2)], axis=1)  # (B, 2, H, 3, 3)
    np.testing.assert_allclose(maps["rows"], rows.reshape(B, 2 * H, 3, 3), atol=1e-5)


def _projections(layer):
    return [(dense.kernel, dense.bias) for dense in (layer._query_dense, layer._key_dense)]


@pytest.mark.backends
def test_what_a_layer_hides_is_computed_again_and_said():
    hidden = attention_maps(*functional()[:2])
    assert "computed again" in hidden.notes["look"]
    assert not attention_maps(*fitted()[:2]).notes  # with dropout the layer has its weights


def test_batches_are_the_whole_and_datasets_too():
    model, _, _ = bert()
    rows = {"token_ids": np.concatenate([ids(), ids() * 0 + 5])}
    whole = attention_maps(model, rows)
    parts = attention_maps(model, rows, batch_size=4)
    batches = attention_maps(model, iter([({"token_ids": row[None]}, np.zeros(1)) for row in rows["token_ids"]]))
    for name in whole:
        np.testing.assert_allclose(whole[name], parts[name], atol=1e-6)
        np.testing.assert_allclose(whole[name], batches[name], atol=1e-6)
    with pytest.raises(ValueError, match=r"batches of its own\. Received: batch_size=2"):
        attention_maps(model, iter([rows]), batch_size=2)
    with pytest.raises(ValueError, match="nothing to read"):
        attention_maps(model, iter([]))


def test_some_layers_alone():
    model, inputs, _ = transformer()
    assert list(attention_maps(model, inputs, layers="*/source_attention")) == ["decoder/block_0/source_attention", "decoder/block_1/source_attention"]
    assert list(attention_maps(model, inputs, layers=["encoder/*", "decoder/block_1/self*"])) == [
        "encoder/block_0/attention",
        "encoder/block_1/attention",
        "decoder/block_1/self_attention",
    ]
    with pytest.raises(ValueError, match=r"Received: layers='middle/\*'\. The attention layers are encoder/block_0/attention"):
        attention_maps(model, inputs, layers="middle/*")


class Looped(keras.layers.Layer):
    """Attends inside of a loop of the backend."""

    def __init__(self):
        super().__init__()
        self.look = keras.layers.MultiHeadAttention(H, K, name="look")

    def build(self, shape):
        self.look.build(shape, shape)

    def call(self, x):
        return keras.ops.fori_loop(0, 2, lambda i, y: self.look(y, y), x)


class Shown(Looped):
    """The same, which says itself what it looked at: in the state before each step."""

    attends_in = "call"

    def attention_of(self, result, x):
        weights = []
        for _ in range(2):
            y, once = self.look(x, x, return_attention_scores=True)
            weights.append(once)
            x = y
        return {"weights": keras.ops.concatenate(weights, axis=1), "note": "two steps"}


@pytest.mark.backends
def test_what_is_compiled_away_is_an_error_and_a_layer_may_speak_for_itself():
    layer, x = Looped(), vectors(B, S, D)
    if keras.backend.backend() == "jax":
        with pytest.raises(ValueError, match=r"look is called inside a compiled .*`attends_in`"):
            attention_maps(layer, x)
    else:  # these take the steps of an eager loop one by one
        assert list(attention_maps(layer, x)) == ["look", "look 2"]
    layer = Shown()
    maps = attention_maps(layer, x)
    (weights,) = maps.values()
    assert weights.shape == (B, 2 * H, S, S)
    np.testing.assert_allclose(weights[:, :H], of_keras(layer.look, x, x), atol=1e-5)
    assert list(maps.notes.values()) == ["two steps"]


def test_a_model_without_attention_is_told_so():
    model = keras.Sequential([keras.Input((S, D)), keras.layers.Dense(3)], name="plain")
    with pytest.raises(ValueError, match=r"There is no attention layer in the model\. Received: model=plain"):
        attention_maps(model, vectors(B, S, D))
    with pytest.raises(ValueError, match="does not read texts"):
        attention_maps(functional()[0], ["a text"])


def test_texts_and_pairs_have_their_tokens_and_segments():
    tokenizer = krc.text.WordPieceTokenizer.train(["the cat sat on the mat"] * 3, vocab_size=40)
    model = krc.models.Bert(tokenizer, num_layers=1, width=D, num_heads=H)
    maps = attention_maps(model, [("the cat", "sat"), ("the cat sat", "on the mat")])
    assert maps.tokens[0][:6] == ["[CLS]", "the", "cat", "[SEP]", "sat", "[SEP]"]
    assert maps.segments[0][:7] == [0, 0, 0, 0, 1, 1, 0]
    example = maps.example(0)
    assert example["tokens"] == ["[CLS]", "the", "cat", "[SEP]", "sat", "[SEP]"]
    assert example["segments"] == [0, 0, 0, 0, 1, 1]
    assert example["weights"]["attention"].shape == (H, 6, 6)
    assert example["queries"]["attention"].shape == example["keys"]["attention"].shape == (H, 6, D // H)
    alone = attention_maps(model, "the cat sat")
    assert (alone.segments, alone.tokens) == (None, [["[CLS]", "the", "cat", "sat", "[SEP]"]])
    equal([attention_maps(model, {"token_ids": np.array([tokenizer("the cat sat", bos=True, eos=True)])})["attention"]], [alone["attention"]])
    with pytest.raises(ValueError, match=r"all are pairs of texts or none\. Received: 1 pairs among 2"):
        attention_maps(model, ["the cat", ("the cat", "sat")])


def test_the_two_texts_of_a_pair_are_told_apart_where_the_model_has_one_segment():
    tokenizer = krc.text.ByteLevelBPETokenizer.train(["the cat sat on the mat"] * 3, vocab_size=270, special_tokens=["<s>", "<pad>", "</s>"])
    model = krc.models.Bert(tokenizer, num_layers=1, width=D, num_heads=H, num_segments=1, model_type="roberta")
    maps = attention_maps(model, ("the", "cat sat"))
    second = maps.tokens[0].index(tokenizer.pieces([tokenizer.eos_id])[0]) + 2
    assert maps.segments[0] == [0] * second + [1] * (len(maps.tokens[0]) - second)


def test_a_translation_shows_where_each_written_word_looked():
    for model in (bahdanau()[0], transformer()[0]):
        translation = model.translate("the cat sleeps", max_new_tokens=None)
        maps = attention_maps(model, "the cat sleeps")
        assert maps.tokens == [translation.source_tokens]
        assert maps.target_tokens[0][: len(translation.target_tokens)] == translation.target_tokens
        across = "decoder" if "decoder" in maps else "decoder/block_0/source_attention"  # the last layer but one
        np.testing.assert_allclose(maps.example()["weights"][across].mean(axis=0), translation.alignment, atol=1e-5)
        pair = attention_maps(model, [("the cat sleeps", "le chat dort")])
        assert pair.target_tokens == [["le", "chat", "dort", "[EOS]"]]
        given = {"encoder_token_ids": [model.source_tokenizer("the cat sleeps", eos=True)], "decoder_token_ids": [model.target_tokenizer("le chat", bos=True)]}
        assert attention_maps(model, {name: np.array(rows) for name, rows in given.items()}).target_tokens == [["le", "chat", "…"]]


def test_the_maps_of_steps_are_the_rows_of_those_of_the_whole():
    model, inputs, _ = gpt2()
    whole, state = attention_maps(model, inputs), model.initial_state(B, S)
    for t in range(S):
        with watching(find_attention(model)) as seen:
            _, state = model.advance(keras.ops.convert_to_tensor(inputs[:, t : t + 1]), state)
        for name, step in seen.items():
            np.testing.assert_allclose(step["weights"][:, :, 0], whole[name][:, :, t], atol=1e-5)


def test_a_task_of_keras_hub_reads_texts_by_its_preprocessor():
    models = pytest.importorskip("keras_hub").models
    tokenizer = models.BertTokenizer(vocabulary=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat"])
    preprocessor = models.BertTextClassifierPreprocessor(tokenizer, sequence_length=9)
    model = models.BertTextClassifier(models.BertBackbone(8, 1, H, D, 8, max_sequence_length=9), 2, preprocessor)
    example = attention_maps(model, [("the cat", "sat")]).example()
    assert example["tokens"] == ["[CLS]", "the", "cat", "[SEP]", "sat", "[SEP]"]
    assert example["segments"] == [0, 0, 0, 0, 1, 1]
    assert attention_maps(model, "the cat").example()["tokens"] == ["[CLS]", "the", "cat", "[SEP]"]


def test_a_caption_looks_at_the_cells_of_its_picture():
    tokenizer = krc.text.WordTokenizer.train(["a red square left of a circle"], vocab_size=40)
    model = krc.models.ImageCaptioner(tokenizer, image_shape=(48, 48, 3), units=8)
    inputs = model.prepare(np.random.default_rng(0).integers(0, 256, (2, 48, 48, 3)), ["a red square", "a circle"])
    maps = attention_maps(model, inputs)
    expected = array(model.attention_weights(inputs))  # (B, T, h, w)
    np.testing.assert_allclose(maps["decoder"][:, 0], expected.reshape(*expected.shape[:2], -1), atol=1e-6)


def test_tokens_are_given_for_any_model():
    model, inputs, _ = dot()
    maps = attention_maps(model, inputs, tokens=list("abcdefg"), target_tokens=list("stuvw"))
    example = maps.example(1)
    assert (example["tokens"], example["target_tokens"]) == (list("abcdefg"), list("stuvw"))
    with pytest.raises(ValueError, match=r"as many tokens as positions.*Received: \[2\] tokens for \[5, 7\]"):
        attention_maps(model, inputs, tokens=["a", "b"])
