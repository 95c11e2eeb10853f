"""A language model in a table, small enough that every sequence can be written down."""

import itertools

import keras
import numpy as np
import pytest

VOCABULARY, PAD, BOS, EOS = 5, 0, 1, 2  # and two more words; bos may be predicted, like any other word, and a pad may not
ROWS = 5


class TableModel(keras.Model):
    """A model with a step: the logits of the next word hang on the row and on the last two words."""

    eos_id, pad_id = EOS, PAD

    def __init__(self, table, **kwargs):
        super().__init__(**kwargs)
        # (rows, V, V, V): row, word before the last, last word, next word
        self.table = self.add_weight(shape=table.shape, name="table", initializer=keras.initializers.Constant(0.0))
        self.table.assign(table)
        self.built = True

    def start(self, inputs, max_new_tokens):
        rows = keras.ops.cast(inputs["row"], "int32")
        first = keras.ops.full_like(rows, BOS)
        return first, {"before": first}, {"table": keras.ops.take(self.table, rows, axis=0)}

    def step(self, token_ids, state, memory):
        flat = keras.ops.reshape(memory["table"], (-1, VOCABULARY * VOCABULARY, VOCABULARY))
        place = (state["before"] * VOCABULARY + token_ids)[:, None, None]
        return keras.ops.take_along_axis(flat, place, axis=1)[:, 0], {"before": token_ids}


class Lines:
    """All that the table says, in plain Python: the reference."""

    def __init__(self, table):
        table = np.asarray(table, "float64")  # a logit of minus infinity forbids a word
        self.log = table - np.log(np.exp(table).sum(axis=-1, keepdims=True))
        self.log[..., PAD] = -np.inf  # a pad is no word

    def next(self, row, line):
        """The log-probabilities of the word after a line, which begins with BOS."""
        return self.log[row, ([BOS, *line])[-2], line[-1]]

    def score(self, row, line):
        return sum(self.next(row, line[:t])[line[t]] for t in range(1, len(line)))

    def ended(self, limit):
        """Every line that ends, of up to `limit` words after BOS, the end symbol counted."""
        others = [w for w in range(VOCABULARY) if w not in (PAD, EOS)]
        for length in range(limit):
            for words in itertools.product(others, repeat=length):
                yield (BOS, *words, EOS)

    def greedy(self, row, limit):
        line = [BOS]
        while len(line) <= limit and (len(line) == 1 or line[-1] != EOS):
            line.append(int(self.next(row, line).argmax()))
        return line

    def best(self, row, limit, alpha):
        """The line that ends with the best score of all, and its score."""
        scored = [(line, self.score(row, line) / ((4 + len(line)) / 6) ** alpha) for line in self.ended(limit)]
        return max(scored, key=lambda x: x[1])

    def beam(self, row, limit, num_beams, alpha):
        """Beam search without any shortcut: up to K lines, with their scores, best first. A line ends where that is among the best K ways to go on."""
        alive, ended = [((BOS,), 0.0)], []
        for length in range(1, limit + 1):
            longer = [((*line, w), score + self.next(row, line)[w]) for line, score in alive for w in range(VOCABULARY)]
            longer = sorted((x for x in longer if x[1] > -np.inf), key=lambda x: -x[1])
            ended += [(line, score / ((5 + length) / 6) ** alpha) for line, score in longer[:num_beams] if line[-1] == EOS]
            alive = [x for x in longer if x[0][-1] != EOS][:num_beams]
        alive = [(line, score / ((5 + limit) / 6) ** alpha) for line, score in alive]
        return sorted(ended or alive, key=lambda x: -x[1])[:num_beams]


@pytest.fixture(scope="session")
def tables():
    """Draws tables of logits: `tables(seed)`."""
    return lambda seed: np.random.default_rng(seed).normal(scale=2.0, size=(ROWS, VOCABULARY, VOCABULARY, VOCABULARY)).astype("float32")


@pytest.fixture(scope="session")
def make_model():
    return TableModel


@pytest.fixture(scope="session")
def make_lines():
    return Lines


@pytest.fixture(scope="session")
def table(tables):
    return tables(7)  # greedy lines of different lengths, and one that does not end


@pytest.fixture(scope="session")
def model(table):
    return TableModel(table)


@pytest.fixture(scope="session")
def lines(table):
    return Lines(table)


@pytest.fixture(scope="session")
def inputs():
    return {"row": np.arange(ROWS)}


@pytest.fixture(scope="session")
def pad():
    """`pad(lines, limit)` fills up lines to one array, the first word not counted in the limit."""
    return lambda lines, limit: np.array([[*line, *[PAD] * (1 + limit - len(line))] for line in lines])
