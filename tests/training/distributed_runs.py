"""Trains models on one device and on two or four parts of the processor, and writes how far apart they end: `python distributed_runs.py OUT.json`."""

import contextlib
import json
import pathlib
import sys
import tempfile
import traceback
from unittest import mock

import keras
import numpy as np

import keras_richctx as krc
from keras_richctx.training.distributed_step import DistributedStep, from_buckets

random = np.random.default_rng(0)
PLACES = {}  # made in main, since TensorFlow lays out its devices once, and the most first


def apart(make, x, y, sample_weight=None, replicas=(2,), batch_size=10, epochs=2):
    """Returns the largest differences of weights, history and evaluation between one device and several."""
    found = {}
    runs = {}
    for places in (1, *(count for count in replicas if count in PLACES)):
        with (PLACES[places] if places > 1 else krc.training.strategy("one")).scope():
            keras.utils.set_random_seed(0)
            model = make()
            validation = (x, y) if sample_weight is None else (x, y, sample_weight)
            options = {"batch_size": batch_size, "epochs": epochs, "shuffle": False, "validation_data": validation, "progress": False}
            history = krc.training.fit(model, x, y, sample_weight=sample_weight, **options)
        runs[places] = model.get_weights(), history.history
        if places > 1:
            found[places] = {
                "weights": max(float(np.abs(a - b).max()) for a, b in zip(runs[1][0], runs[places][0], strict=True)),
                "history": {name: max(abs(a - b) for a, b in zip(values, runs[places][1][name], strict=True)) for name, values in runs[1][1].items()},
            }
    return found


def descent():
    """Descent with momentum; not Adam: Keras' squares the sparse gradient of an embedding before it has added what is for one row."""
    return keras.optimizers.SGD(0.1, momentum=0.9)


def tokens(rows=37, length=7, vocab=11):
    """Rows of token ids whose numbers of real ones differ: the later rows are the shorter ones."""
    lengths = np.linspace(length, 1, rows).astype(int)
    return np.where(np.arange(length) < lengths[:, None], random.integers(1, vocab, (rows, length)), 0)


def two_outputs(optimizer=None, recurrent=True, **options):
    """A model of two outputs and what it is trained on; one that is not recurrent is traced in half the time."""

    def make():
        ids = keras.Input((None,), dtype="int32")
        h = keras.layers.Embedding(11, 8, mask_zero=True)(ids)
        h = krc.layers.LSTM(6, return_sequences=True)(h) if recurrent else keras.layers.Dense(6, "tanh")(h)
        each = keras.layers.Dense(11, kernel_regularizer="l2", name="each")(h)
        whole = keras.layers.Dense(1, name="whole")(keras.layers.GlobalAveragePooling1D()(h))
        model = keras.Model(ids, {"each": each, "whole": whole})
        model.compile(
            optimizer() if optimizer else descent(),
            loss={"each": keras.losses.SparseCategoricalCrossentropy(from_logits=True), "whole": keras.losses.MeanSquaredError("mean_with_sample_weight")},
            loss_weights={"each": 1.0, "whole": 0.5},
            metrics={"each": ["sparse_categorical_accuracy"], "whole": ["mae"]},
            weighted_metrics={"whole": ["mse"]},
            **options,
        )
        return model

    x = tokens()
    y = {"each": tokens(), "whole": random.normal(size=(37, 1))}
    weights = {"each": random.uniform(size=(37, 7)), "whole": random.uniform(size=37)}
    return make, x, y, weights


def everything_of_the_optimizer():
    return keras.optimizers.AdamW(0.01, global_clipnorm=0.1, use_ema=True, ema_overwrite_frequency=3, gradient_accumulation_steps=2)


def few():
    make, x, y, weights = two_outputs(recurrent=False)
    return make, *keras.tree.map_structure(lambda array: array[:21], (x, y, weights))  # the last batch is one example


def pairs():
    lines = [(f"a {a} b {b}", f"{b} x {a} y") for a in ["red", "green", "blue"] for b in ["cat", "dog", "bird", "fish"]]
    return krc.datasets.Pairs([a for a, _ in lines], [b for _, b in lines])


def translator(kind, **options):
    known = pairs()
    source, target = krc.text.WordTokenizer.train([a for a, _ in known], 30), krc.text.WordTokenizer.train([b for _, b in known], 30)

    def make():
        model = getattr(krc.models, kind)(source, target, **options)
        model.compile(descent())
        return model

    (batch,) = krc.datasets.translation_batches(known, source, target, batch_size=12)
    x, y, weights = keras.tree.map_structure(lambda tensor: tensor.numpy(), batch)
    return apart(make, x, y, weights, batch_size=5)


def language_model(make, vocab=11, rows=13):
    x = tokens(rows, 6, vocab)
    return apart(make, {"token_ids": x}, np.roll(x, -1, 1), (x > 0).astype("float32"), batch_size=5)


class Vocabulary:
    vocab_size, pad_id, bos_id, eos_id = 11, 0, 1, 2


def gpt(num_layers=2, **options):
    def make():
        model = krc.models.GPT2(Vocabulary(), num_layers=num_layers, width=8, num_heads=2, max_length=16, dropout=0.0, attention_dropout=0.0)
        model.compile(descent(), **options)
        return model

    return make


def dense(optimizer=descent, loss="mse", **options):
    def make():
        model = keras.Sequential([keras.layers.Dense(5, activation="relu"), keras.layers.Dense(2, kernel_constraint="unit_norm")])
        model.compile(optimizer(), loss, metrics=["mae"], **options)
        return model

    return apart(make, random.normal(size=(21, 3)).astype("float32"), random.normal(size=(21, 2)).astype("float32"), batch_size=4)


def float16():
    keras.config.set_dtype_policy("mixed_float16")
    try:
        return dense(lambda: keras.optimizers.Adam(0.01))  # within a loss scale that begins too high, and is lowered by all alike
    finally:
        keras.config.set_dtype_policy("float32")


def tagger():
    words = [["a", "cat", "sees"], ["dogs", "run"], ["the", "old", "dog", "sees", "a", "cat"], ["cats"], ["it", "runs"]]
    names, tags = ["O", "B-A", "I-A"], [[0, 1, 0], [1, 0], [0, 0, 1, 0, 0, 1], [1], [0, 2]]

    def make():
        features = krc.layers.WordFeatures.from_sentences(words, embedding_dim=4, unknown_rate=0.0)
        model = krc.models.TokenTagger(features, names, head="crf", dropout=0.0)
        model.compile(descent())
        return model

    x = make().prepare(words)
    y = np.array([row + [-1] * (x["word_mask"].shape[1] - len(row)) for row in tags])
    return apart(make, x, y, batch_size=3)


def bert():
    sizes = {"vocab_size": 11, "num_layers": 1, "width": 8, "num_heads": 2, "intermediate_dim": 12, "max_length": 16}

    def make():
        encoder = krc.models.Bert(None, dropout=0.0, attention_dropout=0.0, **sizes)
        model = krc.models.BertForPretraining(encoder)
        model.compile(descent())
        return model

    rows = tokens(13, 6)
    x = {"token_ids": rows, "segment_ids": np.zeros_like(rows), "padding_mask": rows > 0, "mask_positions": np.tile([0, 1, 2], (13, 1))}
    y = {"mlm_logits": random.integers(1, 11, (13, 3)), "nsp_logits": random.integers(0, 2, 13)}
    weights = {"mlm_logits": (random.uniform(size=(13, 3)) > 0.4).astype("float32"), "nsp_logits": np.ones(13, "float32")}
    return apart(make, x, y, weights, batch_size=5)


def one_program():
    """One program of two steps on each device beside three for each step, both without what XLA has for GPUs alone: sums over the devices."""
    _, x, y, weights = two_outputs()
    ends = []
    with mock.patch.object(DistributedStep, "_sum_over_replicas", lambda self, tensors: [2 * tensor for tensor in tensors]):
        for steps in (1, 2):
            make, *_ = two_outputs(everything_of_the_optimizer, jit_compile=True, steps_per_execution=steps)
            one = mock.patch("keras_richctx.training.distributed_step.are_gpus", lambda devices, one=steps == 2: one)
            with PLACES[2].scope(), one, mock.patch("keras_richctx.training.distributed_step.from_buckets", wraps=from_buckets) as traced:
                keras.utils.set_random_seed(0)
                model = make()
                held_out = {"validation_data": (x, y, weights), "validation_batch_size": 10}
                history = krc.training.fit(model, x, y, sample_weight=weights, batch_size=10, epochs=2, shuffle=False, progress=False, **held_out)
            copies = [np.concatenate([np.ravel(copy) for copy in PLACES[2].experimental_local_results(weight.value)]) for weight in model.trainable_variables]
            ends.append((copies, history.history, traced.call_count))
    (copies, history, _), (of_one, history_of_one, calls) = ends
    assert calls == 2, f"one loop on each device, traced once; not {calls}"
    return {
        2: {
            "weights": max(float(np.abs(a - b).max()) for a, b in zip(copies, of_one, strict=True)),
            "history": {name: max(abs(a - b) for a, b in zip(values, history_of_one[name], strict=True)) for name, values in history.items()},
        }
    }


def of_different_lengths():
    """Batches whose length is not known beforehand, as those of sentences are."""
    import tensorflow as tf

    def batches():
        for length in (7, 4, 5):
            rows = tokens(6, length)
            yield rows, np.roll(rows, -1, 1)

    known = list(batches())
    shapes = (tf.TensorSpec((None, None), "int32"),) * 2

    def run():
        model = keras.Sequential([keras.layers.Embedding(11, 8, mask_zero=True), keras.layers.Dense(11)])
        model.compile(descent(), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        dataset = tf.data.Dataset.from_generator(lambda: iter(known), output_signature=shapes)
        return model, krc.training.fit(model, dataset, epochs=2, steps_per_epoch=3, progress=False)

    return on_one_and_two(run)


def gradually_unfrozen():
    x = random.normal(size=(11, 3)).astype("float32")

    def run():
        model = keras.Sequential([keras.Input((3,)), *(keras.layers.Dense(units) for units in (4, 4, 1))])
        model.compile(keras.optimizers.Adam(0.01), "mse")
        callbacks = [krc.training.GradualUnfreezing(model.layers)]
        return model, krc.training.fit(model, x, x[:, :1], batch_size=4, epochs=3, shuffle=False, callbacks=callbacks, progress=False)

    return on_one_and_two(run)


def on_one_and_two(run):
    """Calls a function that trains a model, on one device and on two."""
    ends = []
    for place in (krc.training.strategy("one"), PLACES[2]):
        with place.scope():
            keras.utils.set_random_seed(0)
            model, history = run()
        ends.append((model.get_weights(), history.history["loss"]))
    (alone, loss), (shared, loss_too) = ends
    weights = max(float(np.abs(a - b).max()) for a, b in zip(alone, shared, strict=True))
    return {2: {"weights": weights, "history": {"loss": max(abs(a - b) for a, b in zip(loss, loss_too, strict=True))}}}


class Crash(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        if int(keras.ops.convert_to_numpy(self.model.optimizer.iterations)) == 4:
            raise InterruptedError


def interrupted():
    x, y = random.normal(size=(11, 3)).astype("float32"), random.normal(size=(11, 2)).astype("float32")

    def run(directory, callbacks=()):
        with PLACES[2].scope():
            keras.utils.set_random_seed(0)
            model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(5), keras.layers.Dropout(0.5, seed=1), keras.layers.Dense(2)])
            model.compile("adam", "mse", metrics=["mae"])
            options = {"validation_data": (x, y), "callbacks": callbacks, "save_every_steps": 1, "progress": False}
            history = krc.training.fit(model, x, y, batch_size=4, epochs=3, checkpoint_dir=directory, **options)
        return model.get_weights(), history.history

    with tempfile.TemporaryDirectory() as root:
        whole, expected = run(root + "/whole")
        with contextlib.suppress(InterruptedError):
            run(root + "/cut", [Crash()])
        resumed, history = run(root + "/cut")
    return {
        "weights": max(float(np.abs(a - b).max()) for a, b in zip(whole, resumed, strict=True)),
        "history": max(abs(a - b) for name in expected for a, b in zip(expected[name], history[name], strict=True)),
    }


CASES = {
    "two outputs, masks, weights, penalties, an uneven last batch": lambda: apart(*two_outputs(), replicas=(2, 4)),
    "the same under XLA": lambda: apart(*two_outputs(jit_compile=True), epochs=1),
    "clipping, averaging, accumulation, decay": lambda: apart(*two_outputs(everything_of_the_optimizer, recurrent=False)),
    "clipping by value": lambda: dense(lambda: keras.optimizers.Adam(0.01, clipvalue=0.01)),
    "sums": lambda: dense(loss=keras.losses.MeanSquaredError("sum")),
    "a last batch of one": lambda: apart(*few(), replicas=(4,)),
    "several steps at once": lambda: dense(steps_per_execution=2),
    "several steps at once under XLA": lambda: language_model(gpt(num_layers=1, jit_compile=True, steps_per_execution=2), rows=19),
    "one program": one_program,
    "batches of different lengths": of_different_lengths,
    "gradually unfrozen": gradually_unfrozen,
    "float16": float16,
    "Bahdanau's": lambda: translator("Seq2Seq", units=6, coverage=0.3),
    "Transformer": lambda: translator("Transformer", num_layers=1, width=8, num_heads=2, intermediate_dim=12, dropout=0.0),
    "GPT-2": lambda: language_model(gpt()),
    "a tagger with a CRF": tagger,
    "BERT": bert,
    "interrupted": interrupted,
}


def main(out, *names):
    import tensorflow as tf

    gpus = len(tf.config.list_physical_devices("GPU"))
    tf.config.experimental.enable_tensor_float_32_execution(False)
    PLACES.update({replicas: krc.training.strategy("mirrored", devices=replicas) for replicas in (4, 2) if not gpus or gpus >= replicas})
    found = {}
    for name in names or CASES:
        try:
            found[name] = CASES[name]()
        except Exception:
            found[name] = traceback.format_exc()
    pathlib.Path(out).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
