"""The six alignment scores: the same model trained on the same phrasebook with each, and what comes out on held-out sentences."""

from harness import report

import keras_richctx as krc
from keras_richctx.attention.alignment import SCORES
from keras_richctx.translation.evaluate import evaluate
from keras_richctx.translation.recipe import Recipe
from richctx.demo import MAX_WORDS, PAIRS, RECIPE


def main():
    train = krc.datasets.load("phrasebook", "train", size=PAIRS, max_words=MAX_WORDS)
    test = krc.datasets.load("phrasebook", "test", size=500, max_words=MAX_WORDS)
    rows = []
    for score in SCORES:
        recipe = Recipe(**RECIPE, score=score)
        model = recipe.build(*recipe.train_tokenizers(train))
        recipe.fit(model, train)
        measures = evaluate(model, test)
        rows.append(
            {
                "score": f"`{score}`",
                "BLEU": f"{measures['bleu']:.1f}",
                "whole sentences right": f"{measures['exact']:.0%}",
                "alignment error rate": f"{measures['aer']:.3f}",
            }
        )
    note = f"Bahdanau's decoder, one run each; {len(train):,} pairs of up to {MAX_WORDS} words, {len(test)} held out; the settings of `richctx demo`."
    report("scores", "Six scores on the phrasebook", rows, note)


if __name__ == "__main__":
    main()
