"""Alignment error rate: links found against links known."""


def alignment_error_rate(predicted, sure, possible=None):
    r"""Compares word alignments with gold ones.

    $$\mathrm{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}$$

    where $A$ are the links found, $S$ the sure ones, all of which should be found, and $P \supseteq S$ the possible ones, outside of which none should be
    found; the counts are summed over all sentence pairs before they are divided. AER is 0 if and only if $S \subseteq A \subseteq P$ in every pair, and 1 if
    and only if no link found is possible. Without possible links, $P = S$, it is one minus the F-measure of $A$.

    Args:
        predicted: list of sets of links `(source_word, target_word)`, one set for each sentence pair, as from `hard_alignment`.
        sure: list of sets of links, as `Pairs.alignments`.
        possible: list of sets of links, or `None` for the sure ones. Sure links count as possible whether they are repeated here or not. Defaults to `None`.

    Returns:
        A float from 0 to 1; 0 if there are no links at all, neither found nor sure.

    Raises:
        TypeError: if one alignment stands where a list of them is due.
        ValueError: if the numbers of alignments differ.

    Example:
        >>> alignment_error_rate([{(0, 0), (1, 1)}], sure=[{(0, 0)}], possible=[{(1, 1)}])
        0.0
        >>> alignment_error_rate([{(0, 0), (1, 1)}], sure=[{(0, 0), (1, 2)}])
        0.5

    References:
        [Och and Ney, 2003](https://aclanthology.org/J03-1002/), equation 19.
    """
    alignments = {"predicted": predicted, "sure": sure, "possible": sure if possible is None else possible}
    for name, links in alignments.items():
        if isinstance(links, set | frozenset):
            raise TypeError(f"alignment_error_rate takes a list of alignments, one for each sentence pair. Received: {name}={links!r}. Put it in a list.")
    predicted, sure, possible = ([set(links) for links in each] for each in alignments.values())
    if not len(predicted) == len(sure) == len(possible):
        raise ValueError(
            f"Each sentence pair needs one alignment of each kind. Received: {len(predicted)} predicted, {len(sure)} sure, {len(possible)} possible ones."
        )
    right = sum(len(a & s) + len(a & (p | s)) for a, s, p in zip(predicted, sure, possible))
    total = sum(len(a) + len(s) for a, s in zip(predicted, sure))
    # AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), written so that nothing wrong is exactly 0
    return (total - right) / total if total else 0.0
