"""What the gates of a recurrent layer do while it reads: a heat map of units, or the text itself in the colours of one unit."""

import numbers

import matplotlib
import numpy as np

from keras_richctx.viz.gate_map import gate_map
from keras_richctx.viz.gate_text import gate_text
from keras_richctx.viz.labels import check_tokens
from keras_richctx.viz.scale import scale_of
from keras_richctx.viz.style import colours, is_dark, style


def gates(trace, tokens, gate, units=None, example=0, mask=None, title=None, dark=None):
    """Draws one array of a trace, or several, over the tokens that the layer read.

    Two forms. With several units, a heat map: a row for each unit, a column for each token, a panel for each gate. With one unit given as an integer, the
    text: each token on the colour of that unit's value, line after line, a new one after each line feed, whose sign is `↵`. Both go on below where a line
    is full.

    The colours of a gate span 0 ... 1. A candidate and a hidden state span -1 ... 1, and a cell as much as its largest value, at least that: zero is the
    colour of the page. Masked steps have no colour.

    Args:
        trace: dict from names to arrays of shape `(B, T, U)` or `(T, U)`: what `trace` of a recurrent layer returns.
        tokens: list of `T` strings, what was read: words or characters. A string of `T` characters is taken too.
        gate: string, which array to draw, or list of them.
        units: integer, the unit whose values colour the text; list of integers, the rows of the heat map; `None` for all. Defaults to `None`.
        example: integer, which row of the batch. Defaults to `0`.
        mask: boolean array of shape `(T,)` or `(B, T)`, `True` at real steps, or `None` for all. Defaults to `None`.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether to draw for a dark page; `None` to follow matplotlib's current figure colour. Defaults to `None`.

    Returns:
        A matplotlib figure of its own, of which pyplot knows nothing and which a notebook shows.

    Raises:
        TypeError: if the tokens are neither a string nor a list of strings.
        ValueError: if the trace has no such array or unit, an array is not of the tokens' length, or the picture would exceed 40 inches.

    Warns:
        UserWarning: if no installed font has a character.

    Example:
        >>> trace = krc.layers.LSTM(3).trace(np.random.normal(size=(1, 4, 2)))
        >>> picture = gates(trace, ["to", "be", "or", "not"], "forget_gate", title="What the network keeps")
        >>> picture = gates(trace, "to b", "cell", units=2)
        >>> picture.savefig("cell.png")  # doctest: +SKIP

    References:
        [Karpathy et al., 2015](https://arxiv.org/abs/1506.02078), figure 2, the coloured text.
    """
    tokens = list(tokens) if isinstance(tokens, str) else tokens
    check_tokens(tokens=tokens)
    arrays = {name: _array(trace, name, tokens, example, mask) for name in ([gate] if isinstance(gate, str) else gate)}
    units = int(units) if isinstance(units, numbers.Integral) else None if units is None else [int(unit) for unit in units]
    for unit in [units] if isinstance(units, int) else units or ():
        _check_unit(unit, next(iter(arrays.values())).shape[-1])
    dark = is_dark(matplotlib.rcParams["figure.facecolor"]) if dark is None else dark
    colour = colours(dark)
    scales = {name: scale_of(name, values if units is None else values[:, units], colour) for name, values in arrays.items()}
    with style(dark):
        if isinstance(units, int):
            return gate_text({name: values[:, units] for name, values in arrays.items()}, scales, tokens, units, title, colour)
        rows = list(range(next(iter(arrays.values())).shape[-1]) if units is None else units)
        return gate_map({name: values[:, rows] for name, values in arrays.items()}, scales, tokens, rows, title, colour)


def _array(trace, name, tokens, example, mask):
    """Returns one array of the trace for one example, `(T, U)`, NaN at masked steps."""
    if name not in trace:
        raise ValueError(f"The trace holds no such array. Received: gate={name!r}. Those that there are: {', '.join(trace)}.")
    values = np.array(trace[name], dtype="float64")
    if values.ndim == 3:
        values = values[example]
    if values.ndim != 2 or len(values) != len(tokens) or not len(tokens):
        raise ValueError(f"{name} must be of shape (tokens, units), with {len(tokens)} tokens. Received: {name} of shape {np.shape(trace[name])}")
    if mask is not None:
        mask = np.asarray(mask)
        values[~(mask[example] if mask.ndim == 2 else mask).astype(bool)] = np.nan
    return values


def _check_unit(unit, width):
    if not 0 <= unit < width:
        raise ValueError(f"A unit is one of 0 ... {width - 1}. Received: units={unit}")
