"""Tokens on the colours of signed scores."""

from collections.abc import Mapping

import numpy as np

from keras_richctx.viz.labels import check_tokens
from keras_richctx.viz.views.example import side_data
from keras_richctx.viz.views.page import make_page


def token_view(tokens, scores, title=None, dark=None):
    """Shows a text whose tokens stand on the colours of their scores, such as what each contributed to an output.

    Below zero they are orange or red, above it purple or blue. The colours span minus to plus the largest size of all scores, so that several rows can be
    compared. Pointing at a token says its score and its share of the sum of all sizes; sub-words are joined on demand, to the sum of their scores.

    Args:
        tokens: list of `T` strings.
        scores: array of shape `(T,)` of any sign, or a dict from names, such as of methods, to such arrays, each a row of its own.
        title: string, or `None`. Defaults to `None`.
        dark: bool, whether the page is dark at first; `None` to follow the reader's system. Defaults to `None`.

    Returns:
        A `View`.

    Raises:
        TypeError: if the tokens are no list of strings.
        ValueError: if there is no token or row, scores do not fit the tokens, or one is not finite.

    Example:
        >>> view = token_view(["not", "bad", "at", "all"], [0.8, -0.3, 0.1, 0.2], title="What made it positive")
        >>> view.save("scores.html")  # doctest: +SKIP
    """
    check_tokens(tokens=tokens)
    rows = scores if isinstance(scores, Mapping) else {"": scores}
    if not tokens or not rows:
        raise ValueError(f"A text has a token and a row of scores at least. Received: {len(tokens)} tokens, {len(rows)} rows of scores")
    written = []
    for name, values in rows.items():
        values = np.asarray(values).astype("float64")
        if values.shape != (len(tokens),):
            raise ValueError(
                f"scores are one for each token, of shape {(len(tokens),)}. Received: scores{f' {name!r}' if name else ''} of shape {values.shape}"
            )
        if not np.isfinite(values).all():
            place = int(np.argmin(np.isfinite(values)))
            raise ValueError(f"scores must be finite. Received: {values[place]} at token {place} ({tokens[place]!r})")
        written.append({"name": str(name), "scores": [float(f"{value:.7g}") for value in values]})
    lines = 1 + sum(len(token) + 2 for token in tokens) // 90
    return make_page(
        "token",
        {"sides": [side_data(list(tokens))], "rows": written},
        ["text"],
        title,
        "Tokens on the colours of their scores",
        dark,
        190 + len(rows) * (34 * lines + 30),
    )
