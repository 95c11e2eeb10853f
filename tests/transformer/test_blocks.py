import keras
import numpy as np
import pytest

import keras_richctx as krc

pytestmark = pytest.mark.backends

B, T, S, D, H, F = 3, 7, 5, 12, 3, 20


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def to_numpy(x):
    return keras.ops.convert_to_numpy(x)


def real(lengths, size):
    return np.arange(size) < np.array(lengths)[:, None]


MASK, SOURCE_MASK = real([7, 4, 1], T), real([5, 3, 2], S)


def take_over(block, state):
    """Gives one of our blocks the weights of one of PyTorch's."""
    attentions = {"attention": "self_attn", "self_attention": "self_attn", "source_attention": "multihead_attn"}
    names = [name for name in attentions if hasattr(block, name)]
    for name in names:
        prefix = f"{attentions[name]}."
        getattr(block, name).from_torch_weights({k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)})
    for dense, other in ((block.intermediate, "linear1"), (block.output_dense, "linear2")):
        dense.set_weights([state[f"{other}.weight"].T, state[f"{other}.bias"]])
    for i, norm in enumerate([*(getattr(block, f"{name}_norm") for name in names), block.feed_forward_norm], start=1):
        norm.set_weights([state[f"norm{i}.weight"], state[f"norm{i}.bias"]])


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_equals_torch_with_its_gradient(kind, norm):
    torch = pytest.importorskip("torch", reason="the reference is PyTorch's")
    options = {"activation": "gelu", "batch_first": True, "norm_first": norm == "pre", "dropout": 0.0}
    theirs = {"encoder": torch.nn.TransformerEncoderLayer, "decoder": torch.nn.TransformerDecoderLayer}[kind](D, H, F, **options).train()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    ours = {"encoder": krc.layers.EncoderBlock, "decoder": krc.layers.DecoderBlock}[kind](H, F, norm=norm, activation="gelu")
    x, source = numbers(B, T, D), numbers(B, S, D, seed=1)
    given, pads, source_pads = torch.from_numpy(x).requires_grad_(), torch.from_numpy(~MASK), torch.from_numpy(~SOURCE_MASK)
    if kind == "encoder":
        run = lambda x: ours(x, mask=MASK)  # noqa: E731
        wanted = theirs(given, src_key_padding_mask=pads)
    else:
        run = lambda x: ours(x, source, mask=MASK, memory_mask=SOURCE_MASK)  # noqa: E731
        ahead = torch.from_numpy(~np.tril(np.ones((T, T), bool)))
        wanted = theirs(given, torch.from_numpy(source), tgt_mask=ahead, tgt_key_padding_mask=pads, memory_key_padding_mask=source_pads)
    run(x)
    take_over(ours, {name: value.detach().cpu().numpy() for name, value in theirs.state_dict().items()})
    np.testing.assert_allclose(to_numpy(run(x))[MASK], wanted.detach().numpy()[MASK], atol=2e-5)
    wanted[torch.from_numpy(MASK)].square().sum().backward()
    variable = keras.Variable(x)
    (gradient,) = krc.training.gradients(lambda: keras.ops.sum(keras.ops.where(MASK[..., None], keras.ops.square(run(variable.value)), 0.0)), [variable])
    np.testing.assert_allclose(to_numpy(gradient)[MASK], given.grad.numpy()[MASK], rtol=1e-3, atol=1e-4)


@pytest.fixture(scope="module", params=["post", "pre"])
def stacks(request):
    encoder = krc.layers.TransformerEncoder(2, H, F, norm=request.param)
    decoder = krc.layers.TransformerDecoder(2, H, F, norm=request.param)
    return encoder, decoder


def test_scores_change_no_output_and_sum_to_one(stacks):
    encoder, decoder = stacks
    x, y = numbers(B, S, D), numbers(B, T, D, seed=1)
    memory, weights = encoder(x, mask=SOURCE_MASK, return_attention_scores=True)
    output, itself, across = decoder(y, memory, mask=MASK, memory_mask=SOURCE_MASK, return_attention_scores=True)
    np.testing.assert_allclose(to_numpy(encoder(x, mask=SOURCE_MASK)), to_numpy(memory), atol=1e-5)
    np.testing.assert_allclose(to_numpy(decoder(y, memory, mask=MASK, memory_mask=SOURCE_MASK)), to_numpy(output), atol=1e-5)
    for maps, mask in ((weights, SOURCE_MASK), (itself, MASK), (across, SOURCE_MASK)):
        assert len(maps) == 2
        for scores in map(to_numpy, maps):
            rows = np.broadcast_to((MASK if maps is across else mask)[:, None], scores.shape[:3])
            np.testing.assert_allclose(scores.sum(-1)[rows], 1, atol=1e-5)
            assert not (scores * ~mask[:, None, None]).any()
            assert maps is across or not scores[~rows].any()  # a pad looks nowhere


def test_pads_change_no_real_position(stacks):
    encoder, decoder = stacks
    x, y = numbers(B, S, D), numbers(B, T, D, seed=1)
    wide_x, wide_y = np.pad(x, ((0, 0), (0, 4), (0, 0)), constant_values=9), np.pad(y, ((0, 0), (0, 2), (0, 0)), constant_values=9)
    wide_source, wide_mask = np.pad(SOURCE_MASK, ((0, 0), (0, 4))), np.pad(MASK, ((0, 0), (0, 2)))
    memory, wide_memory = encoder(x, mask=SOURCE_MASK), encoder(wide_x, mask=wide_source)
    np.testing.assert_allclose(to_numpy(wide_memory)[:, :S][SOURCE_MASK], to_numpy(memory)[SOURCE_MASK], atol=1e-5)
    output = decoder(y, memory, mask=MASK, memory_mask=SOURCE_MASK)
    wide = decoder(wide_y, wide_memory, mask=wide_mask, memory_mask=wide_source)
    np.testing.assert_allclose(to_numpy(wide)[:, :T][MASK], to_numpy(output)[MASK], atol=1e-5)


def test_cached_equals_uncached_and_no_position_sees_ahead(stacks):
    _, decoder = stacks
    y, memory = numbers(B, T, D), numbers(B, S, D, seed=1)
    wanted = to_numpy(decoder(y, memory, memory_mask=SOURCE_MASK))
    source, cache, outputs = decoder.project_memory(keras.ops.convert_to_tensor(memory)), decoder.empty_cache(B, T), []
    for t in range(T):
        output, cache = decoder(y[:, t : t + 1], source, memory_mask=SOURCE_MASK, cache=cache)
        outputs.append(to_numpy(output))
    np.testing.assert_allclose(np.concatenate(outputs, axis=1), wanted, atol=1e-5)
    unmasked, _ = decoder(y[:, :1], source, cache=decoder.empty_cache(B, T))
    np.testing.assert_allclose(to_numpy(unmasked), to_numpy(decoder(y, memory))[:, :1], atol=1e-5)
    changed = y.copy()
    changed[:, 4:] += 1
    np.testing.assert_allclose(to_numpy(decoder(changed, memory, memory_mask=SOURCE_MASK))[:, :4], wanted[:, :4], atol=1e-5)


def test_self_attention_alone_does_not_know_the_order_and_positions_tell_it():
    encoder, order = krc.layers.TransformerEncoder(2, H, F), np.random.default_rng(0).permutation(T)
    x = numbers(B, T, D)
    np.testing.assert_allclose(to_numpy(encoder(x[:, order])), to_numpy(encoder(x))[:, order], atol=1e-5)
    positions = krc.layers.SinusoidalPositions()
    placed = to_numpy(encoder(positions(x[:, order]))) - to_numpy(encoder(positions(x)))[:, order]
    assert np.abs(placed).max() > 0.1


@pytest.mark.parametrize("policy, tolerance", [("mixed_float16", 2e-2), ("mixed_bfloat16", 0.15)])
def test_half_precision_stays_close(policy, tolerance):
    exact, half = krc.layers.TransformerEncoder(2, H, F), krc.layers.TransformerEncoder(2, H, F, dtype=policy)
    x = numbers(B, T, D)
    wanted = to_numpy(exact(x, mask=MASK))
    half(x)
    half.set_weights(exact.get_weights())
    np.testing.assert_allclose(to_numpy(keras.ops.cast(half(x, mask=MASK), "float32")), wanted, atol=tolerance)


def test_no_two_layers_begin_alike():
    encoder = krc.layers.TransformerEncoder(2, H, F, dropout=0.1, kernel_initializer=keras.initializers.RandomNormal(stddev=0.02))
    encoder.build((None, None, D))
    matrices = [to_numpy(w) for w in encoder.weights if w.path.endswith("kernel")]
    assert len({m.tobytes() for m in matrices}) == len(matrices)


def test_a_saved_model_gives_the_same_numbers(tmp_path):
    source, target = keras.Input((None, D)), keras.Input((None, D))
    memory = krc.layers.TransformerEncoder(2, H, F, norm="pre", activation=krc.ops.gelu_tanh, dropout=0.1)(source)
    model = keras.Model([source, target], krc.layers.TransformerDecoder(1, H, F, key_dim=5, layer_norm_epsilon=1e-6)(target, memory))
    model.save(tmp_path / "m.keras")
    loaded = keras.saving.load_model(tmp_path / "m.keras")
    given = [numbers(B, S, D), numbers(B, T, D, seed=1)]
    np.testing.assert_array_equal(to_numpy(loaded(given)), to_numpy(model(given)))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: krc.layers.EncoderBlock(5, F)(numbers(B, T, D)), "num_heads=5, inputs of width 12"),
        (lambda: krc.layers.EncoderBlock(H, F, norm="both"), "norm='both'"),
        (lambda: krc.layers.EncoderBlock(H, 0), "intermediate_dim=0"),
        (lambda: krc.layers.TransformerEncoder(0, H, F), "num_layers=0"),
        (lambda: krc.layers.DecoderBlock(H, F)(numbers(B, T, D)), "memory=None"),
        (lambda: krc.layers.DecoderBlock(H, F, cross_attention=False)(numbers(B, T, D), numbers(B, S, D)), "takes no memory"),
        (lambda: krc.layers.LearnedPositions(6)(numbers(B, T, D)), "There are 6 positions. Received: inputs of 7"),
        (lambda: krc.layers.LearnedPositions(0), "max_length=0"),
        (lambda: krc.layers.SinusoidalPositions(-1), "max_wavelength=-1"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
