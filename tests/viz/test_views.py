"""Views as documents: numbers kept to what is promised, tokens never markup, small files, and errors that name what does not fit."""

import base64
import html.parser
import io
import json
import re
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from keras_richctx.viz import alignment_view, attention_distance, attention_entropy, caption_view, head_view, model_view, neuron_view, token_view
from keras_richctx.viz.views.page import as_json
from keras_richctx.viz.views.quantise import pack_codes, quantise, quantise_signed
from keras_richctx.viz.views.words import frames_text, join_words

HOSTILE = ["<script>alert(1)</script>", "&amp;", "</script><img src=x onerror=alert(1)>", "<!--", "{{script}}", "\u2028", '"', "'", "$&", "\x00"]


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def weights(rng):
    return {f"encoder/block_{k}/attention": softmax(2 * rng.normal(size=(3, 7, 7))) for k in range(2)}


class Page(html.parser.HTMLParser):
    """The scripts of a document, and its elements, as a browser's parser finds them."""

    def __init__(self, view):
        super().__init__()
        self.elements, self.scripts = [], []
        self.feed(view.html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] == "script" and self.lasttag == "script":
            self.scripts[-1] += data

    @property
    def data(self):
        return json.loads(self.scripts[0])


def unpack(layer):
    """The bytes of a layer, by another way than the page's script."""
    codes = np.frombuffer(zlib.decompress(base64.b64decode(layer["codes"])), "uint8")
    if "large" in layer:
        codes = ((codes[:, None] >> np.array([0, 2, 4, 6], "uint8")) & 3).ravel()[: np.prod(layer["shape"])].copy()
        codes[codes == 3] = np.frombuffer(zlib.decompress(base64.b64decode(layer["large"])), "uint8")
    return codes.reshape(layer["shape"]) * np.array(layer["steps"])[:, None, None]


@given(hnp.arrays("float64", hnp.array_shapes(min_dims=3, max_dims=3, max_side=7), elements=st.floats(0, 1)), st.booleans())
def test_no_weight_is_further_from_its_code_than_half_a_step_of_1_in_255(weights, fine):
    codes, steps = quantise(weights, fine)
    assert codes.dtype == np.uint8
    assert np.abs(codes * steps[:, None, None] - weights).max() <= 1 / 510 + 1e-12
    if fine:
        assert (np.abs(codes * steps[:, None, None] - weights) <= weights.max(axis=(1, 2), keepdims=True) / 510 + 1e-12).all()


def test_attention_that_is_spread_evenly_over_many_keys_is_exact_and_not_nothing():
    weights = np.full((2, 512, 512), 1 / 512)
    codes, steps = quantise(weights, fine=False)
    np.testing.assert_allclose(codes * steps[:, None, None], weights, rtol=1e-12)


@given(hnp.arrays("uint8", st.integers(1, 37), elements=st.integers(0, 5)))
def test_four_codes_in_a_byte_come_back(codes):
    layer = {**pack_codes(codes), "shape": [1, 1, codes.size], "steps": [1.0]}
    assert ("large" in layer) == (np.mean(codes > 2) <= 1 / 8)
    np.testing.assert_array_equal(unpack(layer).ravel(), codes)


def test_vectors_are_kept_to_two_bytes(rng):
    values = 5 * rng.normal(size=(2, 3, 7))
    codes, step = quantise_signed(values)
    assert np.abs(codes * step - values).max() <= np.abs(values).max() / 65534 * (1 + 1e-9)
    assert quantise_signed(np.zeros(3))[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("view", [head_view, model_view])
def test_a_page_holds_the_weights_the_measures_and_the_tokens(view, weights):
    tokens = ["[CLS]", "un", "##known", "words", "[SEP]", "too", "[SEP]"]
    data = Page(view(weights, tokens, segments=[0] * 5 + [1] * 2)).data
    assert [layer["name"] for layer in data["layers"]] == ["block_0", "block_1"]
    for layer, values in zip(data["layers"], weights.values()):
        np.testing.assert_allclose(unpack(layer), values, atol=1 / 510)
        np.testing.assert_allclose(layer["entropy"], attention_entropy(values), rtol=1e-5)
        np.testing.assert_allclose(layer["distance"], attention_distance(values), rtol=1e-5)
        assert layer["queries"] == layer["keys"] == 0
    (side,) = data["sides"]
    assert (side["labels"], side["frames"], side["segments"]) == (tokens, [0, 4, 6], [0] * 5 + [1] * 2)
    assert side["words"] == [["[CLS]", 1], ["unknown", 2], ["words", 1], ["[SEP]", 1], ["too", 1], ["[SEP]", 1]]


def test_each_layer_has_the_tokens_that_its_shape_or_its_name_says(rng):
    source, target = list("abcde"), list("xyz")
    shapes = {"within": (5, 5), "across": (3, 5), "written": (3, 3)}
    weights = {name: softmax(rng.normal(size=(2, *shape))) for name, shape in shapes.items()}

    def sides(data):
        labels = ["".join(side["labels"]) for side in data["sides"]]
        return [(labels[layer["queries"]], labels[layer["keys"]]) for layer in data["layers"]]

    expected = [("abcde", "abcde"), ("xyz", "abcde"), ("xyz", "xyz")]
    data = Page(head_view(weights, source, target)).data
    assert sides(data) == expected
    assert [layer["distance"] is None for layer in data["layers"]] == [False, True, False]
    by_name = {"within": source, "across": source, "written": target}, {"within": None, "across": target, "written": None}
    assert sides(Page(head_view(weights, *by_name)).data) == expected
    assert sides(Page(head_view(weights)).data) == [("01234", "01234"), ("012", "01234"), ("012", "012")]


@pytest.mark.parametrize("token", HOSTILE)
def test_a_token_is_text_and_never_markup(token, rng):
    tokens = [token, "b"]
    weights = softmax(rng.normal(size=(2, 2, 2)))
    views = [
        head_view({token: weights}, tokens, title=token),
        model_view({token: weights}, tokens, title=token),
        neuron_view({token: weights}, {token: weights}, {token: weights}, tokens, title=token),
        alignment_view(weights[0], tokens, tokens, title=token),
        token_view(tokens, {token: [1.0, -1.0]}, title=token),
        caption_view(np.zeros((2, 2), "uint8"), tokens, weights, title=token),
    ]
    for view in views:
        page = Page(view)
        assert [tag for tag, _ in page.elements] == ["html", "head", "meta", "meta", "meta", "title", "style", "body", "noscript", "script", "script"]
        assert page.elements[-2][1] == {"type": "application/json", "id": "data"}
        assert not re.search("[<>&\u2028\u2029]", page.scripts[0])
        shown = ascii(token)[1:-1] if token in ("\u2028", "\x00") else token
        assert page.data["sides"][0]["labels"] == [shown, "b"]
        assert page.data["title"] == token
        frame = Page(type(view)(view._repr_html_(), ""))  # the frame is one element, its document an attribute of it
        assert [tag for tag, _ in frame.elements] == ["iframe"]
        assert frame.elements[0][1]["srcdoc"] == view.html
        assert frame.elements[0][1]["sandbox"] == "allow-scripts"
        assert frame.elements[0][1]["title"] == token


def test_json_comes_back_and_holds_no_markup():
    content = {"key": HOSTILE, "number": 1.5}
    assert json.loads(as_json(content)) == content
    with pytest.raises(ValueError):
        as_json([float("nan")])


def test_the_page_allows_its_own_script_and_style_and_no_network(weights):
    view = head_view(weights)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', view.html)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    assert re.fullmatch(r"'sha256-[\w+/]+='", rules["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/]+='", rules["style-src"])
    addresses = re.findall(r"https?://[^\s\"'<)]+", view.html)
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}  # a name, not a place


def test_512_tokens_of_12_layers_and_12_heads_stay_below_8_mb(rng):
    layer = softmax(rng.normal(size=(12, 512, 512)).astype("float32"))  # noise, which compresses worst; what is learnt is smaller
    view = head_view({f"layer {k}": layer for k in range(12)}, [f"token{k}" for k in range(512)])
    assert len(view.html.encode()) < 8e6
    np.testing.assert_allclose(unpack(Page(view).data["layers"][7]), layer, atol=1 / 510 + 1e-6)


@pytest.mark.parametrize(
    "tokens, words",
    [
        (["play", "##ing", "##s", "[MASK]", "##x", "##"], [("playings", 3), ("[MASK]", 1), ("##x", 1), ("##", 1)]),
        (
            ["<s>", "Don", "'t", "Ġgo", ",", "Ġ10", ".", "5", "</s>"],
            [("<s>", 1), ("Don't", 2), ("go", 1), (",", 1), ("10", 1), (".", 1), ("5", 1), ("</s>", 1)],
        ),
        (["ĠæĹ¥", "æľ¬", "èªŀ"], [("日本語", 3)]),
        (["▁un", "able", "▁to", "."], [("unable", 2), ("to", 1), (".", 1)]),
        ([" low", "est", " price"], [("lowest", 2), ("price", 1)]),
        (["ĠðŁ", "ĻĤ", "Ġok"], [("🙂", 2), ("ok", 1)]),
        (["a", "b"], None),
        (["##"], None),
    ],
)
def test_words_are_joined_from_their_parts(tokens, words):
    assert join_words(tokens) == words
    assert words is None or sum(count for _, count in words) == len(tokens)


def test_frames_are_what_holds_no_text():
    frames = ["[CLS]", "[SEP]", "[PAD]", "</s>"]
    assert [token for token in (*frames, "[MASK]", "[UNK]", "<unk>", "<b>", "sep") if frames_text(token)] == frames


def test_a_view_is_saved_as_html_and_says_how_large_it_is(tmp_path, weights):
    view = head_view(weights, title="Été")
    path = view.save(tmp_path / "view.html")
    assert path.read_text(encoding="utf-8") == view.html
    assert re.fullmatch(r"View\('Été', 0\.0\d MB of HTML\)", repr(view))
    with pytest.raises(ValueError, match=r"saved as \.html; PNG and SVG are drawn by viz\.heads.*Received: path='.*view\.png'"):
        view.save(tmp_path / "view.png")


@pytest.mark.parametrize("dark, theme", [(None, "auto"), (True, "dark"), (False, "light")])
def test_the_page_is_as_dark_as_asked(dark, theme, weights):
    assert Page(head_view(weights, dark=dark)).elements[0] == ("html", {"lang": "en", "data-theme": theme})


def test_the_softmax_of_the_products_is_compared_with_the_weights(rng):
    queries, keys = rng.normal(size=(2, 4, 7, 8))
    scores = queries @ keys.swapaxes(1, 2) / np.sqrt(8)

    def off(weights, **options):
        (layer,) = Page(neuron_view({"a": weights}, {"a": queries}, {"a": keys}, **options)).data["layers"]
        return layer["off"]

    assert off(softmax(scores)) < 1e-12
    assert off(softmax(np.where(np.tri(7, dtype=bool), scores, -np.inf))) < 1e-12  # keys that are masked have no weight
    assert off(softmax(scores + np.arange(7))) > 0.1
    assert off(softmax(scores * np.sqrt(8)), scale=1.0) < 1e-12
    expected = np.abs(softmax(scores) - softmax(2 * scores)).max()
    np.testing.assert_allclose(off(softmax(2 * scores)), expected)


def test_vectors_come_back_and_fewer_heads_of_keys_serve_several_of_queries(rng):
    queries, keys = rng.normal(size=(4, 3, 6)), rng.normal(size=(2, 5, 6))
    weights = softmax(queries @ np.repeat(keys, 2, axis=0).swapaxes(1, 2) / np.sqrt(6))
    (layer,) = Page(neuron_view({"a": weights, "b": weights}, {"a": queries}, {"a": keys})).data["layers"]
    assert layer["off"] < 1e-12
    for name, expected in (("query", queries), ("key", np.repeat(keys, 2, axis=0))):
        vectors = layer["vectors"][name]
        numbers = np.frombuffer(zlib.decompress(base64.b64decode(vectors["codes"])), "<i2").reshape(vectors["shape"]) * vectors["step"]
        np.testing.assert_allclose(numbers, expected, atol=np.abs(expected).max() / 65000)


def test_a_picture_is_kept_point_by_point(rng):
    pixels = rng.integers(0, 256, size=(5, 7, 3), dtype="uint8")
    words, weights = ["a", "b"], np.full((2, 2, 3), 1 / 6)
    for image, expected in ((pixels, pixels), (pixels / 255, pixels), (pixels[..., 0], pixels[..., :1]), (pixels[..., :1], pixels[..., :1])):
        data = Page(caption_view(image, words, weights)).data["image"]
        assert (data["height"], data["width"]) == (5, 7)
        decoded = Image.open(io.BytesIO(base64.b64decode(data["source"].removeprefix("data:image/png;base64,"))))
        np.testing.assert_array_equal(np.asarray(decoded.convert("RGB")), np.broadcast_to(expected, (5, 7, 3)))


@pytest.mark.parametrize("view", [head_view, model_view])
def test_what_does_not_fit_is_refused_by_name(view, weights):
    tokens = list("abcdefg")
    with pytest.raises(TypeError, match=r"tokens must be a list of strings\. Received: tokens='abcdefg'"):
        view(weights, "abcdefg")
    with pytest.raises(TypeError, match="target_tokens must be a list of strings"):
        view(weights, tokens, [1] * 7)
    with pytest.raises(TypeError, match=r"title is a string or None\. Received: title=3"):
        view(weights, tokens, title=3)
    with pytest.raises(ValueError, match=r"the last two are \(6, 6\)\. Received: 'encoder/block_0/attention' of shape \(3, 7, 7\)"):
        view(weights, tokens[:6])
    with pytest.raises(ValueError, match=r"are \(5, 7\) or \(7, 7\) or \(5, 5\)"):
        view({"a": np.full((2, 5, 6), 1 / 6)}, tokens, tokens[:5])
    with pytest.raises(ValueError, match=r"none for 'encoder/block_1/attention'\. Received: tokens of \['encoder/block_0/attention'\]"):
        view(weights, {"encoder/block_0/attention": tokens})
    with pytest.raises(ValueError, match=r"segments are a 0 \(sentence A\) or 1 \(sentence B\) for each of the 7 tokens\. Received: segments=\[0, 1\]"):
        view(weights, tokens, segments=[0, 1])
    with pytest.raises(ValueError, match="Received: segments="):
        view(weights, tokens, segments=[0, 1, 2, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="no layer here attends within one"):
        view({"a": np.full((2, 5, 7), 1 / 7)}, tokens, tokens[:5], segments=[0] * 7)
    with pytest.raises(ValueError, match=r"weights must lie in 0 \.\.\. 1\. Received: 1\.5 in 'a' at \(head, query, key\) = \(0, 1, 0\)"):
        view({"a": np.array([[[1.0, 0.0], [1.5, 0.0]]])})
    with pytest.raises(ValueError, match="Received: nan in 'a'"):
        view({"a": np.full((1, 2, 2), np.nan)})
    with pytest.raises(ValueError, match="Received: weights without an array"):
        view({})
    with pytest.raises(ValueError, match="Received: a batch of 2"):
        view({"a": np.full((2, 1, 3, 3), 1 / 3)})


def test_what_does_not_fit_the_other_views_is_refused_by_name(rng):
    weights = np.full((2, 3), 1 / 3)
    with pytest.raises(ValueError, match=r"= \(2, 3\)\. Transpose them\. Received: weights of shape \(3, 2\)"):
        alignment_view(weights.T, list("abc"), list("xy"))
    with pytest.raises(ValueError, match=r"below \(3, 2\)\. Received: \(0, 2\)"):
        alignment_view(weights, list("abc"), list("xy"), gold={(0, 2)})
    with pytest.raises(ValueError, match=r"of shape \(3,\)\. Received: scores 'a' of shape \(2,\)"):
        token_view(list("abc"), {"a": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"scores must be finite\. Received: inf at token 1 \('b'\)"):
        token_view(list("abc"), [0.0, np.inf, 0.0])
    with pytest.raises(ValueError, match="Received: 0 tokens, 1 rows of scores"):
        token_view([], [])
    with pytest.raises(ValueError, match=r"here \(2, rows, columns\)\. Received: weights of shape \(3, 2, 2\)"):
        caption_view(np.zeros((4, 4)), list("ab"), np.full((3, 2, 2), 0.25))
    with pytest.raises(ValueError, match=r"Received: 2\.0 in 'weights' at \(word, row, column\) = \(0, 0, 0\)"):
        caption_view(np.zeros((4, 4)), ["a"], np.full((1, 2, 2), 2.0))
    with pytest.raises(ValueError, match=r"1, 3 or 4 channels\. Received: image of shape \(4, 4, 2\)"):
        caption_view(np.zeros((4, 4, 2)), ["a"], np.full((1, 2, 2), 0.25))
    with pytest.raises(ValueError, match=r"Received: image of dtype float64, from -1\.0 to 1\.0\. Undo what prepared it"):
        caption_view(np.linspace(-1, 1, 16).reshape(4, 4), ["a"], np.full((1, 2, 2), 0.25))
    square = softmax(rng.normal(size=(2, 3, 3)))
    with pytest.raises(ValueError, match=r"No layer has weights, queries and keys\. Received: weights of \['a'\], queries of \['b'\], keys of \[\]"):
        neuron_view({"a": square}, {"b": square}, {})
    with pytest.raises(ValueError, match=r"queries are of shape \(2, 3, K\).*Received: 'a' with queries of shape \(2, 3, 4\), keys of shape \(2, 3, 5\)"):
        neuron_view({"a": square}, {"a": np.zeros((2, 3, 4))}, {"a": np.zeros((2, 3, 5))})
    with pytest.raises(ValueError, match="must be finite"):
        neuron_view({"a": square}, {"a": np.full((2, 3, 4), np.nan)}, {"a": np.zeros((2, 3, 4))})
