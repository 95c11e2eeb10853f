import keras
import pytest

from keras_richctx.datasets import load
from keras_richctx.text import ByteLevelBPETokenizer, WordTokenizer
from keras_richctx.training import step_loop
from keras_richctx.translation import recipe as recipe_module
from keras_richctx.translation.recipe import Recipe

PAIRS = load("phrasebook", size=8, max_words=6)


@pytest.mark.parametrize("name, kind", [("word", WordTokenizer), ("bpe", ByteLevelBPETokenizer)])
def test_the_same_recipe_gives_the_same_tokenizers_and_first_weights(name, kind):
    recipe = Recipe(tokenizer=name, vocab_size=300, units=8, epochs=1)
    first, second = (recipe.build(*recipe.train_tokenizers(PAIRS)) for _ in range(2))
    assert isinstance(first.source_tokenizer, kind)
    assert (first.source_tokenizer, first.target_tokenizer) == (second.source_tokenizer, second.target_tokenizer)
    for ours, theirs in zip(first.get_weights(), second.get_weights(), strict=True):
        assert (ours == theirs).all()


def test_the_learning_rate_is_zero_after_all_epochs():
    recipe = Recipe(tokenizer="word", units=4, batch_size=3, epochs=2)
    model = recipe.build(*recipe.train_tokenizers(PAIRS))
    recipe.fit(model, PAIRS, progress=False)
    assert int(model.optimizer.iterations) == 3 * 2
    assert float(model.optimizer.learning_rate) == pytest.approx(0, abs=1e-9)


def test_the_location_score_knows_as_many_places_as_sentences_may_have_tokens():
    recipe = Recipe(tokenizer="word", units=8, score="location", max_length=11, epochs=1)
    assert recipe.build(*recipe.train_tokenizers(PAIRS)).max_source_length == 11


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="elsewhere XLA is used on a processor too")
def test_on_a_gpu_the_step_is_compiled_for_few_lengths_and_trains_the_same(monkeypatch):
    import tensorflow as tf

    settings = {"tokenizer": "word", "units": 4, "batch_size": len(PAIRS), "dropout": 0.0, "epochs": 2}
    histories = []
    monkeypatch.setattr(Recipe, "_is_long", lambda recipe, pairs: True)
    for devices in ([], [tf.config.LogicalDevice("/device:CPU:0", "CPU")]):
        monkeypatch.setattr(recipe_module, "on_gpu", lambda devices=devices: bool(devices))
        monkeypatch.setattr(step_loop, "gpus", lambda devices=devices: devices)
        recipe = Recipe(**settings)
        model = recipe.build(*recipe.train_tokenizers(PAIRS))
        histories.append(recipe.fit(model, PAIRS, validation=PAIRS, progress=False).history)
        assert model.jit_compile == bool(devices)
    assert len(model.train_function._programs) == 1
    for name, values in histories[0].items():
        assert histories[1][name] == pytest.approx(values, abs=1e-5)


@pytest.mark.parametrize(
    "options, multiple",
    [
        ({"minutes": 10}, 32),
        ({"minutes": 9}, 1),
        ({"epochs": 5999, "batch_size": 4}, 1),
        ({"epochs": 6000, "batch_size": 4}, 32),
        ({"minutes": 10, "score": "location"}, 4),
        ({"minutes": 10, "score": "location", "max_length": 64}, 32),
    ],
    ids=str,
)
def test_lengths_are_padded_where_it_pays_and_never_beyond_what_the_location_score_knows(options, multiple, monkeypatch):
    if keras.backend.backend() != "tensorflow":
        pytest.skip("elsewhere lengths are padded always")
    pairs, recipe = PAIRS[:2], Recipe(tokenizer="word", units=8, **options)
    model = recipe.build(*recipe.train_tokenizers(pairs))
    for is_gpu, expected in ((False, 1), (True, multiple)):
        monkeypatch.setattr(recipe_module, "on_gpu", lambda is_gpu=is_gpu: is_gpu)
        assert recipe._padding(model, pairs) == expected


@pytest.mark.parametrize("end", [{}, {"epochs": 1, "minutes": 1}])
def test_training_has_one_end(end):
    with pytest.raises(ValueError, match=r"give one of the two. Received: epochs=.*, minutes="):
        Recipe(**end)


def test_an_unknown_tokenizer_is_named():
    with pytest.raises(ValueError, match=r"tokenizer='char'. Choose one of word, bpe"):
        Recipe(tokenizer="char", epochs=1)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_learning_rate_that_teaches_nothing_is_refused(rate):
    with pytest.raises(ValueError, match=r"above zero. Received: learning_rate="):
        Recipe(learning_rate=rate, epochs=1)
