"""What tokens contributed, as arrays and to look at."""

import pathlib

import numpy as np

from keras_richctx.viz.labels import check_tokens
from keras_richctx.viz.views import token_view

TITLES = {"integrated_gradients": "Integrated gradients", "gradient_x_input": "Gradient times input", "leave_one_out": "Leave one out"}


class Attribution:
    """What `attribution` found, which shows itself in a notebook as tokens on the colours of their scores.

    Args:
        scores: float array of shape `(B, T)`, what each token contributed.
        method: string, how it was found.
        output: float array of shape `(B,)`, the number that was contributed to.
        baseline_output: float array of shape `(B,)`, that number with the baseline in the place of all tokens.
        tokens: list of T strings, or a list of B such lists; or `None` to number them. Defaults to `None`.
        mask: boolean array of shape `(B, T)`, `True` at real tokens, or `None` for all. Pads are left away in pictures. Defaults to `None`.
        completeness: float array of shape `(B,)`, how far the sum of the scores is from the difference of the two outputs, as a share of it; or `None` where
            they need not be equal. Defaults to `None`.

    Raises:
        ValueError: if tokens are not as many as scores.

    Example:
        >>> found = Attribution(np.array([[0.8, -0.3]]), "leave_one_out", np.array([0.9]), np.array([0.1]), ["not", "bad"])
        >>> path = found.view().save("contributions.html")  # doctest: +SKIP
    """

    def __init__(self, scores, method, output, baseline_output, tokens=None, mask=None, completeness=None):
        self.scores = np.asarray(scores, "float32")
        self.method = method
        self.output = output
        self.baseline_output = baseline_output
        self.mask = mask
        self.completeness = completeness
        rows, length = self.scores.shape
        tokens = [str(place) for place in range(length)] if tokens is None else tokens
        self.tokens = [list(tokens)] * rows if all(isinstance(token, str) for token in tokens) else [list(row) for row in tokens]
        check_tokens(tokens=[token for row in self.tokens for token in row])
        if len(self.tokens) != rows or any(len(row) != length for row in self.tokens):
            raise ValueError(f"There is a score for each token. Received: scores of shape {self.scores.shape}, {[len(row) for row in self.tokens]} tokens")

    def __repr__(self):
        return f"Attribution(method={self.method!r}, scores of shape {self.scores.shape})"

    def view(self, row=0, beside=(), **options):
        """Shows one example, in a browser; see [`token_view`][keras_richctx.viz.views.token_view.token_view].

        Args:
            row: integer, which example. Defaults to `0`.
            beside: further `Attribution`s of the same tokens, each a row beneath, such as of other methods. Defaults to none.
            **options: further arguments of `token_view`.

        Returns:
            A `View`.

        Raises:
            ValueError: if there is no such row, or the others are of other tokens.
        """
        if not -len(self.scores) <= row < len(self.scores):
            raise ValueError(f"There are the examples 0 to {len(self.scores) - 1}. Received: row={row}")
        if any(other.tokens[row] != self.tokens[row] for other in beside):
            raise ValueError("Beside one another stand contributions of the same tokens. Received: others")
        real = np.arange(self.scores.shape[1]) if self.mask is None else np.flatnonzero(self.mask[row])
        rows = {TITLES.get(one.method, one.method): one.scores[row][real] for one in (self, *beside)}
        return token_view([self.tokens[row][t] for t in real], rows, **options)

    def _repr_html_(self):
        return self.view()._repr_html_()

    def save(self, path, row=0, **options):
        """Writes one example to a file.

        Args:
            path: string or path that ends in `.html`.
            row: integer, which example. Defaults to `0`.
            **options: further arguments of `view`.

        Returns:
            The path, a `pathlib.Path`.
        """
        return self.view(row, **options).save(pathlib.Path(path))
