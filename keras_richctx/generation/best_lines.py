"""The best line of each row, by greedy or by beam search, and its score."""

from keras_richctx.generation.beam import beam
from keras_richctx.generation.greedy import greedy


def best_lines(model, inputs, max_new_tokens, num_beams=1, length_penalty=1.0):
    """Decodes greedily with one beam, and by beam search with several.

    Args:
        model: as of `greedy`.
        inputs: as of `greedy`.
        max_new_tokens: as of `greedy`.
        num_beams: positive integer. Defaults to `1`.
        length_penalty: as of `beam`. Defaults to `1.0`.

    Returns:
        An integer array of shape `(B, T)`, and a float array of shape `(B,)`: log-probabilities with one beam, else the scores of `beam`.
    """
    if num_beams == 1:
        return greedy(model, inputs, max_new_tokens, return_scores=True)
    lines, scores = beam(model, inputs, max_new_tokens, num_beams, length_penalty, return_all=True)
    return lines[:, 0], scores[:, 0]  # (B, K, T) -> the best line of each row
