"""A text is written on as the model foretells it, whatever stands beside it in the batch."""

import keras
import numpy as np
import pytest

from keras_richctx.generation import greedy, sample
from keras_richctx.language_models import CharRNN
from keras_richctx.text import CodePointTokenizer
from keras_richctx.training import truncated_bptt

pytestmark = pytest.mark.backends

TEXT = "the cat sat on the mat.\n"


@pytest.fixture(scope="module")
def trained():
    """A model that knows one sentence by heart."""
    keras.utils.set_random_seed(0)
    tokenizer = CodePointTokenizer.train([TEXT])
    model = CharRNN(tokenizer, units=48, cell="gru")
    model.compile(keras.optimizers.Adam(0.02))
    truncated_bptt(model, tokenizer(TEXT * 40), chunk=12, batch_size=8, epochs=12, progress=False)
    return model


def test_it_says_what_it_was_taught(trained):
    assert trained.generate("the cat ", max_new_tokens=len(TEXT), top_k=1) == "the cat " + (TEXT * 2)[8 : 8 + len(TEXT)]


def test_texts_of_different_lengths_are_written_on_as_each_alone(make, trained):
    texts = ["t", "the cat sat", "the cat sat on the mat.\nthe ca"]  # the longest needs more than one bucket
    together = trained.generate(texts, max_new_tokens=9, top_k=1)
    assert together == [trained.generate(text, max_new_tokens=9, top_k=1) for text in texts]
    assert [text[: -len(new)] for text, new in zip(together, ["x" * 9] * 3)] == texts
    assert trained.generate([]) == []


def test_the_continuation_is_the_most_probable_one_by_whole_passes(trained):
    """Without a state: the model reads the whole text again for each character."""
    ids = trained.tokenizer("on ")
    for _ in range(6):
        logits = keras.ops.convert_to_numpy(trained(np.array([ids])))[0, -1]
        logits[trained.pad_id] = -np.inf
        ids.append(int(logits.argmax()))
    assert trained.generate("on ", max_new_tokens=6, top_k=1) == trained.tokenizer.decode(ids)
    prompt = {"token_ids": np.array([trained.tokenizer("on ")])}
    np.testing.assert_array_equal(greedy(trained, prompt, 6)[0], ids)
    np.testing.assert_array_equal(sample(trained, prompt, 6, top_k=1)[0], ids)


def test_a_seed_gives_the_same_text_again(trained):
    texts = [trained.generate("the", max_new_tokens=40, temperature=2.0, seed=seed) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_unknown_characters_show_and_may_begin_a_text(trained):
    assert trained.generate("Zé", max_new_tokens=3, top_k=1).startswith("[UNK][UNK]")


@pytest.mark.parametrize(
    "texts, message",
    [
        ("", r"needs a token to go on from\. Received: texts\[0\]=''"),
        (["a", ""], r"Received: texts\[1\]=''"),
        ([b"a"], r"a string or a list of strings\. Received: texts\[0\]=b'a' of type bytes"),
    ],
)
def test_what_cannot_be_written_on_is_refused(trained, texts, message):
    with pytest.raises(ValueError, match=message):
        trained.generate(texts)
