"""`richctx translate evaluate`."""

from typing import Annotated

import typer

from richctx.console import results
from richctx.options import BeamsOption, DataOption, DirArgument, LengthPenaltyOption, PairsOption, SkipEmptyOption, TargetOption
from richctx.quiet import import_quietly


def evaluate(
    directory: DirArgument,
    pairs: PairsOption = None,
    target: TargetOption = None,
    data: DataOption = None,
    split: Annotated[str, typer.Option(help="Which split of --data: train, validation or test.")] = "test",
    skip_empty: SkipEmptyOption = False,
    max_words: Annotated[int | None, typer.Option(min=1, help="Leave out source sentences of more words.", show_default="none")] = None,
    sentences: Annotated[int, typer.Option(min=1, help="How many different source sentences to translate, the first ones.")] = 1000,
    beams: BeamsOption = 1,
    length_penalty: LengthPenaltyOption = 1.0,
):
    """Measure a trained model on sentence pairs that it was not trained on.

    BLEU is sacrebleu's, with all translations of a source sentence as its references. Where gold alignments are known, the alignment error rate of the
    attention is given too.
    """
    import_quietly()
    from rich.table import Table

    from keras_richctx.translation.evaluate import evaluate
    from richctx.data import read, select
    from richctx.model_directory import ModelDirectory

    chosen = select(read(pairs, target, data, split, skip_empty), max_words, sentences)
    model = ModelDirectory(directory).load()
    measures = evaluate(model, chosen, num_beams=beams, length_penalty=length_penalty)
    table = Table(box=None, show_header=False)
    table.add_row("BLEU", f"{measures['bleu']:.2f}", "from 0 to 100")
    table.add_row("exactly right", f"{measures['exact']:.1%}", "of the sentences")
    if measures["aer"] is not None:
        table.add_row("AER", f"{measures['aer']:.3f}", "alignment error rate, 0 is without error")
    table.add_row("sentences", f"{len(measures['translations']):,}", f"with {len(chosen):,} reference translations")
    results.print(table)
