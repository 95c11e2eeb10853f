"""Views in a browser: what is drawn, said and marked is what the arrays hold, without a network, by mouse and by keyboard."""

import os
import re
import shutil
import statistics

import numpy as np
import pytest
from matplotlib import colormaps

from keras_richctx.viz import alignment_view, attention_distance, attention_entropy, caption_view, head_view, model_view, neuron_view, token_view
from keras_richctx.viz.style import DARK, LIGHT
from keras_richctx.viz.views.quantise import quantise

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: it drives the browser, and is in the dev extra")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt install chromium")

TOKENS = ["[CLS]", "the", "ani", "##mal", "it", "[SEP]", "<script>document.title='run'</script>", "&amp;", "it", "[SEP]"]
SEGMENTS = [0] * 6 + [1] * 4
H, T = 3, len(TOKENS)


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def kept(weights):
    """What a page keeps of weights."""
    codes, steps = quantise(weights)
    return codes * steps[:, None, None]


@pytest.fixture(scope="module")
def weights():
    rng = np.random.default_rng(0)
    return {f"block {k}": softmax(2 * rng.normal(size=(H, T, T))) for k in range(3)}


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a view with the network off, and fails where the page asks for anything or complains."""
    contexts, complaints = [], []

    def open_page(view, size=(900, 700), before=None, **options):
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: request.url.startswith(("file:", "data:")) or complaints.append(request.url))
        if before:
            page.add_init_script(before)
        path = tmp_path / f"{len(contexts)}.html"
        path.write_text(view if isinstance(view, str) else view.html, encoding="utf-8")
        page.goto(path.as_uri())
        if not isinstance(view, str):
            page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def said(page):
    """The sentence for screen readers, without the signs that keep words of two directions apart."""
    return re.sub("[\u2068\u2069]", "", page.locator("[aria-live=polite]").first.inner_text())


def labels(page, side):
    return page.locator(f".{side} li").all_text_contents()


def marked(page, side):
    """The weights that stand at the tokens of one side, 0 where none does."""
    return np.array(page.eval_on_selector_all(f".{side} li", "items => items.map((item) => Number(item.dataset.weight ?? 0))"))


def drawn(page):
    """How many lines belong to the token that is pointed at, after the next frame."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return int(page.locator(".between canvas").nth(1).get_attribute("data-lines"))


def looks(names, weights, name, verb="looks at"):
    order = np.argsort(-weights, kind="stable")
    order = order[weights[order] >= 0.01]
    sentence = f"{name} {verb} " + ", ".join(f"{names[k]} {weights[k]:.2f}" for k in order[:3])
    return sentence + (f", and {len(order) - 3} more by 0.01 or more" if len(order) > 3 else "")


NAMES = [f"'{token}'" if TOKENS.count(token) == 1 else f"'{token}' (token {k})" for k, token in enumerate(TOKENS)]


@pytest.fixture(scope="module")
def views(weights):
    first = weights["block 0"]
    return {
        "head": head_view(weights, TOKENS, segments=SEGMENTS),
        "model": model_view(weights, TOKENS, segments=SEGMENTS),
        "neuron": neuron_view(weights, weights, weights, TOKENS),
        "alignment": alignment_view(first[0], TOKENS, TOKENS, gold={(1, 1)}),
        "caption": caption_view(np.zeros((30, 40, 3)), TOKENS, np.full((T, 3, 4), 1 / 12)),
        "token": token_view(TOKENS, np.linspace(-1, 1, T)),
    }


@pytest.mark.parametrize("name", ["head", "model", "neuron", "alignment", "caption", "token"])
def test_a_page_opens_without_a_network_or_a_complaint_and_runs_no_token(name, views, opened):
    page = opened(views[name])
    assert page.locator("[role=alert]").count() == 0
    shown = page.locator("li, .word").all_text_contents()
    if name in ("head", "neuron", "caption", "token"):
        assert shown[:T] == TOKENS
    assert page.title() != "run"
    page.locator("[name=theme]").click()
    page.set_viewport_size({"width": 420, "height": 500})
    assert page.title() != "run"


def test_pointing_at_a_query_marks_says_and_draws_where_it_looks(weights, opened):
    page, values = opened(head_view(weights, TOKENS)), kept(weights["block 0"])
    assert page.locator(".view").get_attribute("data-layer") == "block 0"
    page.hover(".from li >> nth=2")
    mean = values[:, 2].mean(axis=0)
    np.testing.assert_allclose(marked(page, "to"), np.where(mean >= 0.005, mean, 0), atol=6e-4)
    assert marked(page, "from").sum() == 0
    assert said(page) == looks(NAMES, mean, "'ani'") + " (mean of 3 heads)"
    assert drawn(page) == np.sum(values[:, 2] >= 0.01)
    # the lines begin at the token and nowhere else
    alphas = page.evaluate(
        """() => {
          const canvas = document.querySelectorAll(".between canvas")[1], ratio = window.devicePixelRatio;
          const column = canvas.getContext("2d").getImageData(0, 0, 1, canvas.height).data;
          return Array.from({length: 10}, (_, row) => column[4 * Math.round((22 * row + 11) * ratio) + 3]);
        }"""
    )
    assert [row for row, alpha in enumerate(alphas) if alpha] == [2]
    page.mouse.move(1, 1)
    assert said(page) == ""
    assert marked(page, "to").sum() == drawn(page) == 0


def test_pointing_at_a_key_says_what_looks_at_it(weights, opened):
    page, values = opened(head_view(weights, TOKENS)), kept(weights["block 0"])
    page.hover(".to li >> nth=8")
    mean = values[:, :, 8].mean(axis=0)
    np.testing.assert_allclose(marked(page, "from"), np.where(mean >= 0.005, mean, 0), atol=6e-4)
    assert said(page) == looks(NAMES, mean, "'it' (token 8)", "is looked at by") + " (mean of 3 heads)"
    assert drawn(page) == np.sum(values[:, :, 8] >= 0.01)


def test_layers_and_heads_are_switched(weights, opened):
    page, values = opened(head_view(weights, TOKENS)), kept(weights["block 2"])
    page.select_option("[name=layer]", label="block 2")
    page.wait_for_selector(".view[data-layer='block 2']")
    page.uncheck("[name=head] >> nth=0")
    page.uncheck("[name=head] >> nth=2")
    assert page.locator(".view").get_attribute("data-heads") == "1"
    page.hover(".from li >> nth=4")
    np.testing.assert_allclose(marked(page, "to"), np.where(values[1, 4] >= 0.005, values[1, 4], 0), atol=6e-4)
    assert said(page) == looks(NAMES, values[1, 4], "'it' (token 4)") + " (head 2)"
    assert drawn(page) == np.sum(values[1, 4] >= 0.01)
    page.click("[name=none]")
    page.hover(".from li >> nth=4")
    assert said(page) == "No head is ticked."
    assert drawn(page) == 0
    page.click("[name=all]")
    assert page.locator(".view").get_attribute("data-heads") == "0 1 2"
    page.dblclick(".chip >> nth=2")
    assert page.locator(".view").get_attribute("data-heads") == "2"


def test_of_two_sentences_one_direction_is_shown(weights, views, opened):
    page, values, part = opened(views["head"]), kept(weights["block 0"]), np.array(SEGMENTS)
    for pair in ("0 0", "0 1", "1 0", "1 1", "all"):
        page.select_option("[name=pair]", pair)
        rows, columns = (np.arange(T), np.arange(T)) if pair == "all" else (np.flatnonzero(part == int(wanted)) for wanted in pair.split())
        assert labels(page, "from") == [TOKENS[k] for k in rows]
        assert labels(page, "to") == [TOKENS[k] for k in columns]
        page.hover(".from li >> nth=1")
        mean = values[:, rows[1]][:, columns].mean(axis=0)
        np.testing.assert_allclose(marked(page, "to"), np.where(mean >= 0.005, mean, 0), atol=6e-4)
        assert drawn(page) == np.sum(values[:, rows[1]][:, columns] >= 0.01)
        page.mouse.move(1, 1)


def test_special_tokens_are_hidden_and_sub_words_joined_by_sum_and_mean(weights, opened):
    page, values = opened(head_view(weights, TOKENS)), kept(weights["block 0"])
    page.check("[name=hide]")
    assert labels(page, "from") == labels(page, "to") == [token for token in TOKENS if token not in ("[CLS]", "[SEP]")]
    page.check("[name=join]")
    assert labels(page, "to") == ["the", "animal", "it", *TOKENS[6:9]]
    joined = np.stack([values[..., 1], values[..., 2] + values[..., 3], *(values[..., k] for k in (4, 6, 7, 8))], axis=-1)  # sum over keys
    page.hover(".from li >> nth=1")
    mean = (joined[:, 2] + joined[:, 3]).mean(axis=0) / 2  # mean over queries
    np.testing.assert_allclose(marked(page, "to"), np.where(mean >= 0.005, mean, 0), atol=6e-4)
    page.uncheck("[name=hide]")
    assert labels(page, "to")[:3] == ["[CLS]", "the", "animal"]


def test_heads_are_sorted_by_measure_and_by_the_token(weights, opened):
    page, values = opened(head_view(weights, TOKENS)), weights["block 0"]

    def order():
        return [int(head) for head in page.eval_on_selector_all(".chip", "chips => chips.map((chip) => chip.dataset.head)")]

    for by, measure in (("entropy", attention_entropy(values)), ("distance", attention_distance(values))):
        page.select_option("[name=sort]", by)
        assert order() == np.argsort(measure).tolist()
        shown = page.locator(".measure").all_text_contents()
        np.testing.assert_allclose([float(text) for text in shown], np.sort(measure), atol=0.006)
    page.select_option("[name=sort]", "token")
    for side in ("to", "from"):  # in self-attention a token is a key on either side
        page.hover(f".{side} li >> nth=7")
        assert order() == np.argsort(-values[:, :, 7].mean(axis=1)).tolist()
    page.select_option("[name=sort]", "number")
    assert order() == [0, 1, 2]


def test_all_is_reached_by_the_keyboard_and_a_token_is_held(weights, opened):
    page = opened(head_view(weights, TOKENS))
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.name ?? document.activeElement.textContent"))
    assert reached == ["theme", "layer", "hide", "join", "sort", "head", "head", "head", "all", "none", "[CLS]", "[CLS]"]
    page.focus(".from li >> nth=0")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert said(page).startswith("'ani' looks at ")
    page.keyboard.press("ArrowRight")
    assert said(page).startswith("'ani' is looked at by ")
    page.keyboard.press("End")
    assert said(page).startswith("'[SEP]' (token 9) is looked at by ")
    page.keyboard.press("Enter")
    page.evaluate("document.activeElement.blur()")
    assert page.locator(".to li[aria-selected=true]").all_text_contents() == ["[SEP]"]
    assert said(page).startswith("'[SEP]' (token 9) is looked at by ")
    page.focus(".to li >> nth=9")
    page.keyboard.press("Escape")
    assert page.locator("li[aria-selected=true]").count() == 0


def test_all_heads_are_drawn_small_and_one_large(weights, opened):
    page = opened(model_view(weights, TOKENS, segments=SEGMENTS))
    page.wait_for_selector(".view[data-drawn=all]")
    largest = page.eval_on_selector_all(".grid canvas", "all => all.map((canvas) => Number(canvas.dataset.largest))")
    np.testing.assert_allclose(np.reshape(largest, (3, H)), [values.max(axis=(1, 2)) for values in weights.values()], atol=6e-4)
    page.focus("[data-layer='0'][data-head='0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    entropy, distance = attention_entropy(weights["block 1"])[1], attention_distance(weights["block 1"])[1]
    assert said(page) == f"block 1, head 2: entropy {entropy:.2f} bits, mean distance {distance:.1f}"
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    page.focus("dialog .map canvas")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    row, column, weight = map(float, page.locator("dialog .map canvas").get_attribute("data-cell").split())
    assert (row, column) == (1, 2)
    np.testing.assert_allclose(weight, weights["block 1"][1, 1, 2], atol=1 / 510 + 5e-4)
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    assert page.evaluate("document.activeElement.dataset.layer + document.activeElement.dataset.head") == "11"
    page.select_option("[name=pair]", "0 1")
    page.wait_for_selector(".view[data-drawn=all]")
    largest = page.eval_on_selector_all(".grid canvas", "all => all.map((canvas) => Number(canvas.dataset.largest))")
    np.testing.assert_allclose(np.reshape(largest, (3, H)), [values[:, :6, 6:].max(axis=(1, 2)) for values in weights.values()], atol=1 / 510 + 5e-4)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_colours_of_a_map_are_those_of_matplotlib(theme, weights, opened):
    page, values = opened(model_view(weights, TOKENS, dark=theme is DARK)), kept(weights["block 1"])[2]
    page.wait_for_selector(".view[data-drawn=all]")
    points = page.evaluate(
        """() => {
          const canvas = document.querySelector("[data-layer='1'][data-head='2'] canvas"), size = canvas.width;
          const pixels = canvas.getContext("2d").getImageData(0, 0, size, size).data, middle = (k) => Math.floor((k + 0.5) * size / 10);
          return Array.from({length: 100}, (_, k) => [...pixels.slice(4 * (middle(Math.floor(k / 10)) * size + middle(k % 10))).slice(0, 4)]);
        }"""
    )
    expected = np.round(255 * colormaps[theme["map"]](np.rint(255 * values).astype(int)))  # (T, T, 4)
    np.testing.assert_allclose(np.reshape(points, (T, T, 4)), expected, atol=8)  # a step of the map at most


def test_an_alignment_is_a_matrix_or_lines(weights, opened):
    values = kept(weights["block 0"][:1])[0]
    page = opened(alignment_view(weights["block 0"][0], TOKENS, [f"t{k}" for k in range(T)], gold={(1, 0)}))
    page.focus(".map canvas")
    page.keyboard.press("ArrowRight")
    assert said(page) == f"'t0' looks at 'the' {values[0, 1]:.{2 if values[0, 1] >= 0.01 else 4}f}, a gold link"
    page.click("[name=lines]")
    page.hover(".from li >> nth=3")
    assert said(page) == looks(NAMES, values[3], "'t3'")
    np.testing.assert_allclose(marked(page, "to"), np.where(values[3] >= 0.005, values[3], 0), atol=6e-4)


def test_a_source_from_right_to_left_runs_so(opened):
    page = opened(alignment_view(np.array([[0.9, 0.1, 0.0]]), ["שלום", "לכל", "העולם"], ["hello"]))
    page.focus(".map canvas")
    page.keyboard.press("ArrowLeft")  # the next word stands at the left
    assert said(page) == "'hello' looks at 'לכל' 0.10"
    page = opened(token_view(["שלום", "לכל"], [1.0, -1.0]))
    first, second = (page.locator(".word").nth(k).bounding_box()["x"] for k in (0, 1))
    assert first > second


def test_scores_products_and_weights_of_a_head_are_those_of_the_vectors(opened):
    rng = np.random.default_rng(1)
    queries, keys = rng.normal(size=(2, H, T, 8))
    scores = queries @ keys.swapaxes(1, 2) / np.sqrt(8)
    page = opened(neuron_view({"a": softmax(scores)}, {"a": queries}, {"a": keys}, TOKENS))
    page.select_option("[name=head]", label="3")
    page.hover(".from li >> nth=4")

    def read(what):
        return page.eval_on_selector_all(".to li", f"items => items.map((item) => Number(item.dataset.{what}))")

    np.testing.assert_allclose(read("score"), scores[2, 4], atol=2e-3)
    np.testing.assert_allclose(read("weight"), softmax(scores)[2, 4], atol=1 / 510 + 5e-4)
    np.testing.assert_allclose(softmax(np.array(read("score"))), read("weight"), atol=1 / 510 + 2e-3)
    page.hover(".to li >> nth=3")
    products = queries[2, 4] * keys[2, 3]
    largest = np.argsort(-np.abs(products))[0]
    sign = "−" if products[largest] < 0 else "+"
    assert re.search(rf"^'it' \(token 4\) with '##mal': score .*; the largest products are {re.escape(sign)}[\d.]+ at {largest},", said(page))
    assert page.locator(".note").text_content() == ""


def test_a_softmax_that_is_not_the_weights_is_said(opened):
    rng = np.random.default_rng(1)
    queries, keys = rng.normal(size=(2, H, T, 8))
    page = opened(neuron_view({"a": np.full((H, T, T), 1 / T)}, {"a": queries}, {"a": keys}, TOKENS))
    off = np.abs(softmax(queries @ keys.swapaxes(1, 2) / np.sqrt(8)) - 1 / T).max()
    assert f"up to {off:.2f} away" in page.locator(".note").text_content()


def test_a_word_of_a_caption_says_where_it_looks_and_a_place_which_words(opened):
    rng = np.random.default_rng(1)
    weights = softmax(2 * rng.normal(size=(3, 12))).reshape(3, 3, 4)
    page = opened(caption_view(np.full((30, 40, 3), 200, "uint8"), ["a", "red", "square"], weights))
    page.hover(".word >> nth=1")
    row, column = np.unravel_index(weights[1].argmax(), (3, 4))
    assert said(page) == f"'red' looks most at row {row + 1} of 3, column {column + 1} of 4: {weights[1].max():.2f}; spread evenly it would be 0.083"
    brightness = page.evaluate(
        """() => {
          const canvas = document.querySelector("main canvas"), {width, height} = canvas, middle = (k, count, size) => Math.floor((k + 0.5) * size / count);
          const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
          return Array.from({length: 12}, (_, k) => pixels[4 * (middle(Math.floor(k / 4), 3, height) * width + middle(k % 4, 4, width))]);
        }"""
    )
    assert np.argmax(brightness) == weights[1].argmax()  # the light falls where the word looks
    np.testing.assert_allclose(brightness, 200 * (1 - 0.85 * (1 - weights[1].ravel() / weights[1].max())), atol=5)
    box = page.locator("main canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.1)  # row 1, column 4
    assert said(page) == looks(["'a'", "'red'", "'square'"], weights[:, 0, 3], "Row 1, column 4", "is looked at by")
    page.focus(".word >> nth=0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.mouse.move(1, 1)
    assert page.locator("main canvas").get_attribute("data-word") == "1"


def test_scores_colour_their_tokens_and_are_summed_over_a_word(opened):
    scores = np.array([0.1, 0.25, -0.5, 0.2, 1.0, 0.0, -0.1, 0.3, 0.4, -0.05])
    page = opened(token_view(TOKENS, {"one": scores, "two": -scores}))
    shown = page.eval_on_selector_all(".word", "words => words.map((word) => Number(word.dataset.score))")
    np.testing.assert_allclose(shown, [*scores, *-scores], rtol=1e-3)
    assert page.locator(".scale").inner_text().split() == ["−1.00", "+1.00"]
    page.check("[name=join]")
    page.hover(".word >> nth=2")
    total = np.abs(scores).sum() - 0.5 - 0.2 + 0.3
    assert said(page) == f"one: 'animal' −0.300, {round(30 / total)} % of the sizes of all"
    page.focus(".word >> nth=2")
    page.keyboard.press("ArrowRight")
    assert said(page).startswith("one: 'it' (token 4) +1.00")
    colours = page.eval_on_selector_all(".word", "words => words.map((word) => word.style.background)")
    assert colours[0] != colours[3]


@pytest.mark.parametrize("scheme, page_colour", [("light", LIGHT["page"]), ("dark", DARK["page"])])
def test_the_page_follows_the_system_and_the_switch(scheme, page_colour, weights, opened):
    def background(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    def rgb(colour):
        return f"rgb({int(colour[1:3], 16)}, {int(colour[3:5], 16)}, {int(colour[5:], 16)})"

    page = opened(head_view(weights, TOKENS), color_scheme=scheme)
    assert background(page) == rgb(page_colour)
    page.click("[name=theme]")
    assert background(page) == rgb(({LIGHT["page"], DARK["page"]} - {page_colour}).pop())
    page = opened(head_view(weights, TOKENS, dark=scheme == "light"), color_scheme=scheme)
    assert background(page) != rgb(page_colour)


def test_an_old_browser_inflates_by_hand_to_the_same(opened):
    rng = np.random.default_rng(2)
    large = {"noise": softmax(rng.normal(size=(2, 99, 99))), "even": np.full((2, 99, 99), 1 / 99), "sharp": np.stack([np.eye(99)] * 2)}
    small = {"one": np.ones((1, 1, 1))}
    for view in (model_view(large), model_view(small)):
        read = []
        for before in (None, "delete window.DecompressionStream"):
            page = opened(view, before=before)
            page.wait_for_selector(".view[data-drawn=all]")
            assert page.evaluate("typeof DecompressionStream") == ("undefined" if before else "function")
            read.append(page.eval_on_selector_all(".grid canvas", "all => all.map((canvas) => canvas.toDataURL())"))
        assert read[0] == read[1]
        assert len(read[0]) > 0


def test_several_views_live_on_one_page_and_touch_nothing_of_it(weights, opened):
    views = [head_view(weights, TOKENS, title="first"), head_view(weights, TOKENS[::-1], title="second"), model_view(weights, TOKENS, title="third")]
    frames = "".join(view._repr_html_() for view in views).replace('loading="lazy"', "")
    page = opened(
        f"<!doctype html><meta charset=utf-8><title>notebook</title><style>li {{ color: red }}</style><div id=data>mine</div>{frames}", size=(900, 1800)
    )
    first, second, third = (page.frame_locator(f"iframe >> nth={k}") for k in range(3))
    for frame in (first, second, third):
        frame.locator("html[data-ready]").wait_for()
    first.locator(".from li").nth(1).hover()
    assert first.locator("[aria-live=polite]").inner_text().startswith("'\u2068the\u2069' looks at ")
    assert second.locator("[aria-live=polite]").inner_text() == ""
    second.locator(".from li").nth(2).hover()
    assert second.locator("[aria-live=polite]").inner_text().startswith("'\u2068&amp;\u2069' looks at ")
    third.locator(".grid button").nth(4).click()
    assert third.locator("dialog[open]").count() == 1
    assert page.locator("#data").inner_text() == "mine"
    assert page.title() == "notebook"


def test_512_tokens_of_12_layers_open_within_2_seconds_and_answer_within_100_ms(opened):
    rng = np.random.default_rng(0)
    layer = softmax(2 * rng.normal(size=(12, 512, 512)).astype("float32"))
    view = head_view({f"layer {k}": layer for k in range(12)}, [f"token{k}" for k in range(512)])
    codes, steps = quantise(layer.astype("float64"), fine=False)
    values = codes * steps[:, None, None]
    # how many programs share a core: with so many, all takes so many times as long
    share = max(1.0, os.getloadavg()[0] / os.cpu_count()) if hasattr(os, "getloadavg") else 1.0
    times, answers = [], []
    while len(times) < 4 and min(times, default=np.inf) >= 2000:  # again where the machine had other things to do
        page = opened(view)
        times.append(page.evaluate("performance.getEntriesByName('ready')[0].startTime"))  # since the page was asked for
    assert min(times) < 2000 * share
    for row in (3, 9, 15, 5, 11, 2, 8):
        page.hover(f".from li >> nth={row + 1}")
        page.wait_for_timeout(50)
        answers.append(
            page.evaluate(
                """async (row) => {
                  const item = document.querySelectorAll(".from li")[row], start = performance.now();
                  item.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
                  await new Promise((done) => requestAnimationFrame(() => setTimeout(done))); // drawn
                  return performance.now() - start;
                }""",
                row,
            )
        )
        assert said(page).startswith(f"'token{row}' looks at ")
        mean = values[:, row].mean(axis=0)
        np.testing.assert_allclose(marked(page, "to"), np.where(mean >= 0.005, mean, 0), atol=6e-4)
    assert statistics.median(answers) < 100 * share
    page.evaluate("document.querySelector('main').scrollTo(0, 22 * 300)")
    page.hover(".to li >> nth=305")
    assert drawn(page) == np.sum(values[:, :, 305] >= 0.01)
