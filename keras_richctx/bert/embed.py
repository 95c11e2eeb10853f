"""One vector for each text."""

import numpy as np

from keras_richctx.bert.run import run


def embed(bert, texts, batch_size=32, normalize=True, max_length=None):
    r"""Makes a vector of each text: the mean of the last layer over its real positions, of length one.

    $$u = \frac{1}{n} \sum_{t=1}^{n} h^L_t, \qquad v = \frac{u}{\lVert u \rVert_2}$$

    so that the cosine of two texts is the product of their vectors. Beginning and end symbols count, as in Sentence-BERT. It takes weights that were trained
    for it, such as MiniLM's, to make near what is alike: BERT's own do it poorly.

    Args:
        bert: a `Bert` with a tokenizer.
        texts: a string or a list of strings.
        batch_size: integer, how many texts to read at once. Defaults to `32`.
        normalize: boolean, whether to divide by the length. Defaults to `True`.
        max_length: integer, the most tokens of a text to read, both symbols included; what is behind them is cut off. Without it, a text that is longer than
            the model can read is an error.

    Returns:
        A float32 array of shape `(D,)`, or `(N, D)` for a list.

    Raises:
        ValueError: if there is no tokenizer, or a text is too long.

    References:
        [Reimers and Gurevych, 2019](https://arxiv.org/abs/1908.10084), section 3.
    """
    lines = [texts] if isinstance(texts, str) else list(texts)

    def pool(outputs, mask):
        states = np.asarray(outputs["sequence_output"], "float32")  # (B, T, D)
        return np.where(mask[..., None], states, 0).sum(axis=1) / mask.sum(axis=1, keepdims=True, dtype="float32")  # (B, D)

    rows = run(bert, bert, lines, None, pool, batch_size=batch_size, max_length=max_length)
    vectors = np.stack(rows) if rows else np.zeros((0, bert.width), "float32")
    if normalize:
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return vectors[0] if isinstance(texts, str) else vectors
