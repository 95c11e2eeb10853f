"""BLEU, as sacrebleu computes it."""

from itertools import zip_longest


def bleu(hypotheses, references, return_signature=False):
    r"""Scores translations by the n-grams that they share with human ones.

    $$\mathrm{BLEU} = 100 \cdot \min\bigl(1, e^{1 - r/c}\bigr) \cdot \exp\Bigl(\frac14 \sum_{n=1}^{4} \log p_n\Bigr)$$

    where $p_n$ is the share of the n-grams of all hypotheses that occur in their references, each no more often than there, $c$ the number of words in the
    hypotheses and $r$ that in the references of closest length. Counts are summed over the corpus before they are divided: BLEU is no mean over sentences.
    sacrebleu does it all, with its defaults (its tokenizer `13a`, case kept, exponential smoothing), so that figures compare with published ones.

    Args:
        hypotheses: list of strings, the translations.
        references: list, for each hypothesis a string or a list of strings, the references. Their number may differ from one hypothesis to the next.
        return_signature: boolean, whether to return sacrebleu's signature too, the settings and the version, to quote with the figure. Defaults to `False`.

    Returns:
        A float from 0 to 100, or a tuple of it and the signature, a string.

    Raises:
        TypeError: if a hypothesis or a reference is not a string, or if one string stands where a list is due.
        ValueError: if there are no hypotheses, if the lengths differ, or if a hypothesis has no reference.

    Example:
        >>> round(bleu(["Le chat dort sur le lit ."], [["Le chat dort sur le lit .", "Le chat dort au lit ."]]), 1)
        100.0
        >>> bleu(["Un chien court."], ["Le chat dort."], return_signature=True)[1].split("|version")[0]
        'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'

    References:
        [Papineni et al., 2002](https://aclanthology.org/P02-1040/); [Post, 2018](https://aclanthology.org/W18-6319/).
    """
    from sacrebleu.metrics import BLEU  # takes a moment to import

    if isinstance(hypotheses, str) or isinstance(references, str):
        raise TypeError(f"bleu takes lists. Received: hypotheses={hypotheses!r}, references={references!r}. Put each string in a list.")
    hypotheses, references = list(hypotheses), [[each] if isinstance(each, str) else list(each) for each in references]
    if len(hypotheses) != len(references) or not hypotheses:
        raise ValueError(f"Each hypothesis needs its references. Received: {len(hypotheses)} hypotheses, references for {len(references)}.")
    for index, (hypothesis, its_references) in enumerate(zip(hypotheses, references)):
        if not its_references:
            raise ValueError(f"Each hypothesis needs a reference. Received: references[{index}]=[], for {hypothesis!r}.")
        for name, text in (("hypotheses", hypothesis), *(("references", reference) for reference in its_references)):
            if not isinstance(text, str):
                raise TypeError(f"bleu compares strings. Received: {name}[{index}] holds {text!r}, a {type(text).__name__}.")
    metric = BLEU()
    # sacrebleu wants the first reference of all, then the second of all, …; None where a hypothesis has fewer
    score = metric.corpus_score(hypotheses, [list(stream) for stream in zip_longest(*references)]).score
    return (score, str(metric.get_signature())) if return_signature else score
