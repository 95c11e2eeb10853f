"""The perplexity of a text that is longer than the model can read."""

import math

import keras
import numpy as np

from keras_richctx.metrics import perplexity
from keras_richctx.training.varied_shapes import VariedShapes


class _TokenLosses(VariedShapes):
    """A model as a function of windows of a text, so that Keras compiles it."""

    def __init__(self, model):
        super().__init__(name="token_losses", dtype=model.dtype_policy)
        self.model = model
        self.built = True
        self.compile()

    def call(self, token_ids):
        logits = keras.ops.cast(self.model(token_ids[:, :-1]), "float32")
        return keras.ops.sparse_categorical_crossentropy(token_ids[:, 1:], logits, from_logits=True)  # (B, T - 1)


def strided_perplexity(model, ids, stride=None, batch_size=1):
    r"""Measures the perplexity of a long text by windows that overlap.

    $$\mathrm{PPL} = \exp\left(-\frac{1}{N - 1} \sum_{t=2}^{N} \log p(x_t \mid x_{s(t)}, \dots, x_{t-1})\right)$$

    where $s(t)$ is the first token of the window that foretells $x_t$. Each window is as long as the model can read and begins `stride` tokens behind the one
    before it; it foretells the tokens that no window before it has reached. Each token but the first is foretold once, from at least a window less a stride of
    tokens before it (the first window apart). A smaller stride gives more context, a lower perplexity, and more work.

    Args:
        model: a `GPT2`, or another language model with a `max_length`.
        ids: integer array of shape `(N,)`, the ids of the text, at least two.
        stride: integer, from one to `model.max_length`. Defaults to half of that.
        batch_size: integer, how many windows to read at once. Defaults to `1`.

    Returns:
        A float.

    Raises:
        ValueError: if the text is too short, or `stride` is out of its range.

    Example:
        >>> tokenizer = krc.text.ByteLevelBPETokenizer.train(["to be or not to be"], vocab_size=270)
        >>> model = krc.models.GPT2(tokenizer, num_layers=1, width=12, num_heads=3, max_length=8)
        >>> model.set_weights([0 * weight for weight in model.get_weights()])  # every token is as likely as any other
        >>> round(strided_perplexity(model, tokenizer("to be or not to be " * 9)), 1) == tokenizer.vocab_size
        True
    """
    ids, window = np.asarray(ids), model.max_length
    if ids.ndim != 1 or len(ids) < 2 or ids.dtype.kind not in "iu":
        raise ValueError(f"A text is a list of at least two token ids. Received: ids of shape {ids.shape} and dtype {ids.dtype}")
    stride = max(1, window // 2) if stride is None else stride
    if not isinstance(stride, int) or not 1 <= stride <= window:
        raise ValueError(f"Windows of {window} tokens overlap where stride is from 1 to {window}. Received: stride={stride!r}")
    # a window of w tokens foretells w more than its first: it reads w + 1
    size = min(window + 1, len(ids))
    starts = [*range(0, len(ids) - size, stride), len(ids) - size]
    compiled, total, reached = _TokenLosses(model), 0.0, 0
    for first in range(0, len(starts), batch_size):
        rows = starts[first : first + batch_size]
        losses = compiled.predict_on_batch(np.stack([ids[start : start + size] for start in rows]).astype("int32"))
        for start, row in zip(rows, losses.astype("float64")):
            total += row[reached - start :].sum()  # row[j] is of the token start + j + 1
            reached = start + size - 1
    return perplexity(total / (len(ids) - 1)) if math.isfinite(total) else float("nan")
