"""English to French on Tatoeba: BLEU on held-out sentences after minutes of training on this machine, and where a training step's time goes.

Usage: bench_tatoeba.py [MINUTES]     (needs the data, or the network to fetch it)
"""

import sys
import time

import keras
from harness import measure, report

import keras_richctx as krc
from keras_richctx.translation.evaluate import evaluate
from keras_richctx.translation.recipe import Recipe

SENTENCES, MAX_WORDS = 1000, 10


def main(minutes=13.0):
    recipe = Recipe(minutes=minutes)
    start = time.perf_counter()
    train = krc.datasets.load("tatoeba-fra", "train")
    model = recipe.build(*recipe.train_tokenizers(train))
    step_time(model, recipe, train)

    recipe.fit(model, train)
    whole = (time.perf_counter() - start) / 60
    test = krc.datasets.load("tatoeba-fra", "test", max_words=MAX_WORDS, max_sentences=SENTENCES)
    rows = []
    for beams in (1, 4):
        bleu = evaluate(model, test, num_beams=beams)["bleu"]
        rows.append({"decoding": "greedy" if beams == 1 else f"{beams} beams", "BLEU": f"{bleu:.1f}", "steps": int(model.optimizer.iterations)})
    note = (
        f"{len(train):,} pairs, {minutes:g} minutes of training, {whole:.1f} from reading the file to the trained model; {SENTENCES:,} held-out English "
        f"sentences of up to {MAX_WORDS} words with all their {len(test):,} French translations as references."
    )
    report("tatoeba", "Tatoeba, English to French, Bahdanau's attention", rows, note)


def step_time(model, recipe, pairs):
    """Times parts of a training step on one batch of the most usual length; each part holds the one before it."""
    import tensorflow as tf

    model.compile(keras.optimizers.Adam(0.0, global_clipnorm=1.0))  # a rate of zero: measuring leaves the weights as they are
    batches = krc.datasets.translation_batches(pairs, model.source_tokenizer, model.target_tokenizer, recipe.batch_size, shuffle=False, pad_to_multiple=1)
    inputs, labels, weights = next(iter(batches.skip(int(batches.cardinality()) // 2)))

    def forward(part):
        memory, summary, mask = model._read(inputs, training=True)
        if part == "encoder":
            return tf.reduce_sum(memory)
        features, _ = model.decoder(model.target_embedding(inputs["decoder_token_ids"]), memory, summary, memory_mask=mask)
        if part == "decoder":
            return tf.reduce_sum(features)
        return model.loss(labels, model.output_projection(features), sample_weight=weights)

    def with_gradients(part):
        def run():
            with tf.GradientTape() as tape:
                value = forward(part)
            gradients = tape.gradient(value, model.trainable_variables)
            return value, [g for g in gradients if g is not None]

        compiled = tf.function(run)
        return lambda: float(compiled()[0])

    sides = {
        "encoder, forward and backward": with_gradients("encoder"),
        "and the decoder": with_gradients("decoder"),
        "and the output layer and the loss": with_gradients("loss"),
        "and the update: the whole step": lambda: model.train_on_batch(inputs, labels, sample_weight=weights),
    }
    rounds = measure(sides, repeats=9)
    whole = rounds["and the update: the whole step"]
    rows = []
    for side, seconds in rounds.items():
        middle = float(sorted(seconds)[len(seconds) // 2])
        share = float(sorted(seconds / whole)[len(seconds) // 2])
        rows.append({"part": side, "median, ms": f"{middle * 1e3:.0f}", "of the step": f"{share:.0%}"})
    source, target = inputs["encoder_token_ids"].shape[1], labels.shape[1]
    note = f"One batch of {recipe.batch_size} pairs, {int(keras.ops.sum(weights))} target tokens; source and target padded to {source} and {target}."
    report("tatoeba_step", "Where a training step goes", rows, note)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
