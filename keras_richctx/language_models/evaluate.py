"""How well a language model foretells a text."""

import keras

from keras_richctx.datasets import stream_chunks
from keras_richctx.training.varied_shapes import VariedShapes


class _TokenLosses(VariedShapes):
    """A model as a function of a piece of text and a state, so that Keras compiles it."""

    def __init__(self, model):
        super().__init__(name="token_losses", dtype=model.dtype_policy)  # weights are cast as in the model's own call
        self.model = model
        self.built = True
        self.compile()

    def call(self, inputs):
        logits, state = self.model.advance(inputs["token_ids"], inputs["state"])
        # -log p(x_{t+1} | x_{<= t}), in float32 under every policy
        losses = keras.ops.sparse_categorical_crossentropy(inputs["targets"], keras.ops.cast(logits, "float32"), from_logits=True)  # (B, T)
        return losses, state


def evaluate(model, ids, batch_size=16, chunk=64):
    r"""Measures the mean cross-entropy of a token over a whole text, with the state carried on.

    $$L = -\frac{1}{N - 1} \sum_{t=1}^{N-1} \log p(x_{t+1} \mid x_{\le t})$$

    Every token but the first is foretold once, and all count alike. The text is read in `batch_size` parallel rows, each from the initial state, so that more
    rows are faster and forget more: the first token of each is foretold from nothing before it but one token. With one row the sum is exactly that of the text.
    The length of a chunk changes memory and speed only.

    `keras_richctx.metrics.perplexity` makes a perplexity of it, and a division by $\log 2$ bits.

    Args:
        model: a language model, such as `keras_richctx.models.CharRNN`.
        ids: integer array of shape `(N,)`, the ids of the text.
        batch_size: integer, the number of parallel rows. Defaults to `16`.
        chunk: integer, how many tokens of each row to read at once. Defaults to `64`.

    Returns:
        A float, in nats.

    Raises:
        ValueError: if `ids` is no 1-D integer array, or too short for so many rows.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["tick tock"], vocab_size=6)
        >>> ids = tokenizer("tick tock " * 40)
        >>> model = krc.models.CharRNN(tokenizer, units=8)
        >>> model.set_weights([0 * weight for weight in model.get_weights()])  # every token of the six is as likely as any other
        >>> round(evaluate(model, ids), 4), round(float(np.log(6)), 4)
        (1.7918, 1.7918)
    """
    inputs, targets, weights = stream_chunks(ids, batch_size, chunk)
    compiled = _TokenLosses(model)
    state = keras.tree.map_structure(keras.ops.convert_to_numpy, model.initial_state(batch_size))
    total = 0.0
    for first in range(0, len(targets), batch_size):
        rows = slice(first, first + batch_size)
        losses, state = compiled.predict_on_batch({"token_ids": inputs["token_ids"][rows], "targets": targets[rows], "state": state})
        total += float((losses.astype("float64") * weights[rows]).sum())
    return total / float(weights.sum(dtype="float64"))
