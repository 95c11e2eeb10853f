"""What each token contributed to an output: gradient times input, integrated gradients, leave one out."""

import keras
import numpy as np

from keras_richctx.training.gradients import gradients
from keras_richctx.viz.attributed import Attribution
from keras_richctx.viz.reading import readings
from keras_richctx.viz.undisturbed import undisturbed
from keras_richctx.viz.vectors import Vectors

METHODS = ("integrated_gradients", "gradient_x_input", "leave_one_out")
TOLERANCE = 0.01
ROWS = 128  # that are computed at once


def attribution(model, inputs, method="integrated_gradients", target=None, baseline=None, steps=64, embedding=None, tokens=None):
    r"""Says for each token how much it contributed to one number F that a model puts out, by way of its vector $x_t$.

    With $b$ a vector that stands for nothing, the score of token t is one of

    $$x_t \cdot \frac{\partial F}{\partial x_t}(x), \qquad (x_t - b) \cdot \int_0^1 \frac{\partial F}{\partial x_t}\bigl(b + a (x - b)\bigr)\, da,
    \qquad F(x) - F(x \text{ with } b \text{ for } x_t)$$

    - `"gradient_x_input"`, the first, claims how F would change, to first order, if the vector grew a little in its own direction. It is cheap, says nothing of
      larger changes, and is about zero where F is saturated.
    - `"integrated_gradients"`, the second, claims to share out $F(x) - F(b)$: the scores sum to it, which is checked. How they share it hangs on the baseline,
      and on the straight path to it, along which no text lies.
    - `"leave_one_out"`, the third, claims what really happens without this one token. The scores sum to nothing: where two tokens say the same, each may get
      zero.

    None of them says why the model did what it did, and an attention map says it still less: it tells where a layer looked, not what came of it.

    The model runs as in inference and is left as it was. On every backend, the derivative is by the vectors of the tokens alone.

    Args:
        model: `keras.Model` or layer, in which the rows of a batch do not know of one another.
        inputs: as in `attention_maps`, but one batch: what the model is called with; or, for a model that reads them, texts or pairs of texts.
        method: string, one of the three. Defaults to `"integrated_gradients"`.
        target: which number F is. An integer, or one for each row, the place on the last axis of the output; a function from the output, of any number of rows,
            to one number for each; or `None` for the largest. Of an output `(B, T, V)` it is at the last real position. Defaults to `None`.
        baseline: $b$: `None` for zeros; an integer, a token id, for its vector; or an array of shape `(D,)`. Defaults to `None`.
        steps: integer, at how many points the path is looked at, for integrated gradients. Defaults to `64`.
        embedding: name of the `keras.layers.Embedding` whose vectors are meant, such as `"target_embedding"`; `None` for the one that is called first. A model
            that calls none takes vectors `(B, T, D)`, and these are meant. Defaults to `None`.
        tokens: list of T strings, or a list of B such lists; or `None` for what the model itself knows. Defaults to `None`.

    Returns:
        An `Attribution`, with `scores`, float32 `(B, T)`.

    Raises:
        ValueError: if the method is unknown, there are no vectors, the output is not one tensor and `target` no function; or if integrated gradients do not sum
            to the difference of the outputs within 1 %: raise `steps`.

    Example:
        >>> model = krc.models.TextClassifier(krc.models.Bert(num_layers=2, width=12, num_heads=3, vocab_size=37), num_classes=3)
        >>> found = krc.viz.attribution(model, np.array([[5, 9, 6]]), target=1)
        >>> found.scores.shape, bool(found.completeness[0] < 0.01)
        ((1, 3), True)

    References:
        - [Sundararajan et al., 2017](https://arxiv.org/abs/1703.01365): integrated gradients, equation 1.
        - [Li et al., 2016](https://arxiv.org/abs/1612.08220): leaving out.
        - [Jain and Wallace, 2019](https://arxiv.org/abs/1902.10186) and [Wiegreffe and Pinter, 2019](https://arxiv.org/abs/1908.04626): whether attention
          explains.
    """
    if method not in METHODS:
        raise ValueError(f"Contributions are found in one of these ways: {', '.join(METHODS)}. Received: method={method!r}")
    if not isinstance(steps, int) or steps < 1:
        raise ValueError(f"steps is a positive integer. Received: steps={steps!r}")
    reading, *more = readings(model, inputs)
    if more:
        raise ValueError(f"Contributions are found for one batch. Received: {1 + len(more)} batches")
    if not model.built:
        model(reading.inputs, training=False)
    with undisturbed():
        vectors = Vectors(model, reading.inputs, embedding)
        number = _number(vectors.output(vectors.value), target, reading.masks)
    x, base = vectors.value, np.broadcast_to(_baseline(vectors, baseline), vectors.value.shape)
    steps_at_once = max(1, ROWS // len(x))

    def value(points):  # (N, B, T, D) -> (N, B)
        with undisturbed():
            return _by_parts(points, steps_at_once, lambda part: _array(number(vectors.output(part))))

    def slope(points):  # (N, B, T, D) -> (N, B, T, D)
        def of_part(part):
            probe = keras.Variable(part, dtype="float32")
            with undisturbed():
                return gradients(lambda: keras.ops.sum(number(vectors.output(probe.value))), [probe])[0]

        return _by_parts(points, steps_at_once, of_part)

    output, empty = value(np.stack([x, base]))  # (B,) each
    completeness = None
    if method == "gradient_x_input":
        scores = np.sum(x * slope(x[None])[0], axis=-1)
    elif method == "leave_one_out":
        without = np.eye(x.shape[1], dtype=bool)[:, None, :, None]  # (T, 1, T, 1)
        scores = output[:, None] - value(np.where(without, base, x)).T  # (B, T)
    else:
        # the midpoints of as many equal pieces of the path
        path = ((np.arange(steps, dtype="float32") + 0.5) / steps)[:, None, None, None]
        slopes = slope(base + path * (x - base)).mean(axis=0)
        scores = np.sum((x - base) * slopes, axis=-1)
        completeness = _check_completeness(scores, output - empty, steps)
    tokens = tokens if tokens is not None else _tokens(reading, vectors)
    return Attribution(scores, method, output, empty, tokens, _mask(reading, vectors), completeness)


def _by_parts(points, count, function):
    """Applies a function of rows to so many of the points `(N, B, T, D)` at once; returns what it gives, `(N, B, ...)`."""
    parts = (points[start : start + count] for start in range(0, len(points), count))
    return np.concatenate([(rows := function(part.reshape(-1, *part.shape[2:]))).reshape(*part.shape[:2], *rows.shape[1:]) for part in parts])


def _baseline(vectors, baseline):
    """Returns the vector that stands for nothing, `(D,)`."""
    width = vectors.value.shape[-1]
    if baseline is None:
        return np.zeros(width, "float32")
    if isinstance(baseline, int | np.integer):
        return vectors.embed(int(baseline))
    baseline = np.asarray(baseline, "float32")
    if baseline.shape != (width,):
        raise ValueError(f"A baseline is a vector of {width} numbers. Received: baseline of shape {baseline.shape}")
    return baseline


def _number(output, target, masks):
    """Makes, by what the model puts out for the text itself, a function from its output to the number of each row, `(B,)`."""
    if callable(target):
        return target
    if isinstance(output, dict) and "logits" in output:
        inner = _number(output["logits"], target, masks)
        return lambda output: inner(output["logits"])
    if not hasattr(output, "shape") or len(output.shape) not in (1, 2, 3):
        what = f"a dict of {sorted(output)}" if isinstance(output, dict) else f"a {type(output).__name__} of shape {getattr(output, 'shape', 'unknown')}"
        raise ValueError(f"The output is not one row of numbers for each text: give as target a function that makes one number of it. Received: {what}")
    values, rows = _array(output), output.shape[0]
    weights = np.ones(values.shape, bool)
    if values.ndim == 3:
        last = np.arange(values.shape[1]) == _last(values.shape[:2], masks)[:, None]
        weights, values = weights & last[..., None], values[last]  # (B, V)
    if values.ndim > 1:
        places = values.argmax(axis=-1) if target is None else np.broadcast_to(np.asarray(target), (rows,))
        if not ((places >= 0) & (places < values.shape[-1])).all():
            raise ValueError(f"The output has the places 0 to {values.shape[-1] - 1}. Received: target={target!r}")
        chosen = np.arange(values.shape[-1]) == places[:, None]  # (B, V)
        weights = weights & (chosen if weights.ndim == 2 else chosen[:, None])
    axes = tuple(range(1, weights.ndim))

    def number(output):  # of N * B rows
        chosen = np.tile(weights, (output.shape[0] // rows, *(1,) * (weights.ndim - 1)))
        return keras.ops.sum(keras.ops.where(chosen, keras.ops.cast(output, "float32"), 0.0), axis=axes)

    return number


def _last(shape, masks):
    """Returns the last real position of each row of an output `(B, T)`."""
    mask = next((masks[side] for side in ("written", "source") if side in masks and masks[side].shape == shape), np.ones(shape, bool))
    return shape[1] - 1 - np.argmax(mask[:, ::-1], axis=1)


def _check_completeness(scores, difference, steps):
    """Returns how far the sums of scores are from the differences of outputs, as a share of these; raises where one is too far."""
    sums, sizes = scores.sum(axis=1), np.abs(scores).sum(axis=1)
    # where much for and much against cancel out, the share is that of a hundredth of what was weighed
    errors = np.abs(sums - difference) / np.maximum(np.maximum(np.abs(difference), 0.01 * sizes), 1e-12)
    worst = int(errors.argmax())
    if not errors[worst] <= TOLERANCE:
        raise ValueError(
            f"The scores sum to {sums[worst]:.4g} where the outputs differ by {difference[worst]:.4g}: the path was looked at in too few places. "
            f"Received: steps={steps}. Raise it to {4 * steps}; under half precision, use a model in float32."
        )
    return errors


def _tokens(reading, vectors):
    """Returns the tokens of the sequence that has as many as there are vectors, or `None`."""
    return next((reading.tokens[side] for side in _sides(reading, vectors)), None)


def _mask(reading, vectors):
    return next((reading.masks[side] for side in _sides(reading, vectors) if side in reading.masks), None)


def _sides(reading, vectors):
    """Lists the sequences that may be embedded, the likely one first."""
    of_target = vectors.layer is not None and vectors.layer.name.startswith("target")
    order = [side for side in (("target", "source") if of_target else ("source", "target")) if side in reading.tokens]
    return [side for side in order if len(reading.tokens[side][0]) == vectors.value.shape[1]]


def _array(tensor):
    return np.array(keras.ops.convert_to_numpy(keras.ops.cast(tensor, "float32")))
