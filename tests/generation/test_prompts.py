"""What a line begins from, what ends it, and seeing it as it grows; on a language model in a table."""

import keras
import numpy as np
import pytest

from keras_richctx.generation import beam, greedy, sample
from keras_richctx.generation.compiled import _program
from keras_richctx.generation.prompts import read_prompts
from keras_richctx.language_models import LanguageModel

pytestmark = pytest.mark.backends

V, PAD, EOS = 7, 0, 2


class TableLanguageModel(LanguageModel):
    """The logits of the next token hang on the last two."""

    def __init__(self, tokenizer, max_length=None, **kwargs):
        super().__init__(tokenizer, **kwargs)
        self.max_length = max_length
        self.table = self.add_weight(shape=(V, V, V), initializer="zeros", name="table")
        self.table.assign(np.random.default_rng(6).normal(scale=2.0, size=(V, V, V)))  # its greedy line after 3, 4, 5 is long, and ends
        self.built = True

    def advance(self, token_ids, state, training=False):
        before = keras.ops.concatenate([state[0][:, None], token_ids[:, :-1]], axis=1)
        logits = keras.ops.take(keras.ops.reshape(self.table, (V * V, V)), before * V + token_ids, axis=0)
        return logits, [token_ids[:, -1]]

    def read(self, token_ids, mask, max_new_tokens):
        places = keras.ops.where(mask, keras.ops.arange(keras.ops.shape(token_ids)[1], dtype="int32") + 1, 0)
        last = keras.ops.max(places, axis=1, keepdims=True)
        return [keras.ops.sum(keras.ops.where(places == last, token_ids * keras.ops.cast(mask, "int32"), 0), axis=1)]


class Symbols:
    """The ids of a vocabulary without words."""

    vocab_size, pad_id, eos_id = V, PAD, EOS


@pytest.fixture(scope="module")
def model():
    return TableLanguageModel(Symbols())


def follow(model, prompt, steps):
    """Greedy decoding by hand."""
    table, line = keras.ops.convert_to_numpy(model.table), list(prompt)
    for _ in range(steps):
        logits = table[line[-2] if len(line) > 1 else 0, line[-1]].copy()
        logits[PAD] = -np.inf
        line.append(int(logits.argmax()))
        if line[-1] == EOS:
            break
    return line


PROMPTS = [[3, 4, 5], [6], [1, 5, 3, 3, 4]]


def padded(side):
    rows = [[PAD] * (5 - len(p)) + p if side == "left" else p + [PAD] * (5 - len(p)) for p in PROMPTS]
    return np.array(rows)


@pytest.mark.parametrize(
    "given",
    [
        PROMPTS,
        tuple(map(np.array, PROMPTS)),
        padded("left"),
        padded("right"),
        {"token_ids": padded("left")},
        {"token_ids": np.where(padded("right") == PAD, 6, padded("right")), "padding_mask": padded("right") != PAD},
        {"token_ids": PROMPTS},
    ],
)
def test_prompts_come_in_any_shape_and_new_tokens_begin_in_one_column(model, given):
    ids = greedy(model, given, 6)
    assert ids.shape == (3, 11)
    for row, prompt in zip(ids, PROMPTS):
        line = follow(model, prompt, 6)
        np.testing.assert_array_equal(row, [PAD] * (5 - len(prompt)) + line + [PAD] * (6 + len(prompt) - len(line)))


def test_a_batch_equals_its_rows(model):
    together, scores = greedy(model, PROMPTS, 9, return_scores=True)
    for i, prompt in enumerate(PROMPTS):
        alone, score = greedy(model, [prompt], 9, return_scores=True)
        np.testing.assert_array_equal(together[i, 5 - len(prompt) :], alone[0])
        np.testing.assert_allclose(scores[i], score[0], rtol=1e-5)


def test_one_program_serves_all_lengths_of_a_bucket(model):
    greedy(model, PROMPTS, 5)
    before = len(vars(model)["_searches"].by_key)
    shapes = {tuple(read_prompts(model, [[1] * length], 5).inputs["token_ids"].shape) for length in range(1, 17)}
    assert shapes == {(1, 16)}
    for length, limit in ((1, 1), (7, 16), (16, 9)):
        greedy(model, [[3] * length], limit)
    assert len(vars(model)["_searches"].by_key) == before


@pytest.mark.parametrize("search", [greedy, lambda *a, **k: beam(*a, num_beams=1, length_penalty=0.0, **k), lambda *a, **k: sample(*a, top_k=1, **k)])
def test_a_line_ends_with_the_first_stop_sequence(model, search):
    line = follow(model, [3, 4, 5], 12)
    assert len(line) > 8
    stop = [line[6:8], [line[9]]]
    first = min(t for t in range(4, len(line) + 1) if (line[:t][-2:] == stop[0] and t > 4) or line[t - 1] == stop[1][0])
    ids = search(model, [[3, 4, 5]], 12, stop=stop)
    np.testing.assert_array_equal(ids[0][ids[0] != PAD], line[:first])


def test_the_prompt_completes_no_stop_sequence(model):
    line = follow(model, [3, 4, 5], 6)
    ids = greedy(model, [[3, 4, 5]], 6, stop=[[5, line[3]]])  # half of it is in the prompt
    np.testing.assert_array_equal(ids[0][ids[0] != PAD], line)


@pytest.mark.parametrize("search", [greedy, sample])
def test_tokens_can_be_watched_and_are_those_that_come_back(model, search):
    options, seen = {} if search is greedy else {"seed": 3, "top_p": 0.9}, []
    ids, scores = search(model, PROMPTS, 9, on_token=seen.append, return_scores=True, **options)
    plain, plain_scores = search(model, PROMPTS, 9, return_scores=True, **options)
    np.testing.assert_array_equal(ids, plain)
    np.testing.assert_allclose(scores, plain_scores, rtol=1e-5)
    seen = np.stack(seen, axis=1)
    np.testing.assert_array_equal(seen, ids[:, 5 : 5 + seen.shape[1]])
    assert not (ids[:, 5 + seen.shape[1] :] != PAD).any()


def test_a_program_is_made_once(model):
    strategy = object()
    with pytest.raises(AttributeError):
        _program(model, strategy, 16, "search")({"strategy": {}, "max_new_tokens": np.array([1]), "token_ids": np.array([[1]])})
    assert (strategy, 16, "search") in vars(model)["_searches"].by_key
    del vars(model)["_searches"].by_key[strategy, 16, "search"]


@pytest.mark.parametrize(
    "prompts, message",
    [
        ([[3], []], "none in row 1"),
        (np.array([[3, 4], [PAD, PAD]]), "none in row 1"),
        ([[3, 7]], "from 0 to 6. Received: 7 in row 0"),
        ([[-1]], "Received: -1 in row 0"),
        ([3, 4], "put one prompt in a list"),
        (["to be"], "tokenize texts first"),
        ([[3.5]], "integers. Received: row 0 of dtype float64"),
        (np.array([3, 4]), r"an array of shape \(2,\)"),
        ({"token_ids": [[3, 4]], "padding_mask": [[True]]}, "padding_mask has the shape of token_ids"),
    ],
)
def test_what_is_no_prompt_is_refused_by_its_row(model, prompts, message):
    with pytest.raises(ValueError, match=message):
        greedy(model, prompts, 3)


def test_a_prompt_that_leaves_no_room_is_refused(model):
    short = TableLanguageModel(Symbols(), max_length=8)
    assert greedy(short, [[3] * 5], 3).shape == (1, 8)
    with pytest.raises(ValueError, match=r"reads 8 tokens.*a prompt of 6 tokens and max_new_tokens=3"):
        greedy(short, [[3] * 6], 3)


@pytest.mark.parametrize("stop", [[[]], [["a"]], ["ab"], [[-1]], [[2.0]]])
def test_what_is_no_stop_sequence_is_refused(model, stop):
    with pytest.raises(ValueError, match="stop is a list of sequences of token ids"):
        greedy(model, PROMPTS, 3, stop=stop)
