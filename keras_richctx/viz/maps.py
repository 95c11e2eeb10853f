"""The attention maps of a model, as arrays and to look at."""

import fnmatch
import pathlib
from collections.abc import Mapping

import numpy as np

from keras_richctx.viz.alignment import alignment
from keras_richctx.viz.attention_heads import heads
from keras_richctx.viz.head_grid import head_grid
from keras_richctx.viz.labels import check_tokens
from keras_richctx.viz.views import head_view, model_view, neuron_view


class AttentionMaps(Mapping):
    """A mapping from the names of attention layers to their weights, `(B, H, T, S)`: how much query t looks at key s. It shows itself in a notebook.

    Pads are in the arrays, and left away in pictures.

    Args:
        weights: dict from names to float arrays of shape `(B, H, T, S)`.
        tokens: list of S strings, what stands at the keys, or a list of B such lists; or `None` to number the positions. Defaults to `None`.
        target_tokens: the same for the T queries, where these are another sequence; or `None`. Defaults to `None`.
        segments: list of S integers, 0 for the first text and 1 for the second, or a list of B such lists; or `None`. Defaults to `None`.
        query_vectors: dict from names to arrays `(B, H, T, K)`, for layers that compare by products; or `None`. Defaults to `None`.
        key_vectors: dict from names to arrays `(B, H, S, K)`; or `None`. Defaults to `None`.
        notes: dict from names to what there is to say of a map; or `None`. Defaults to `None`.
        streams: dict from the names of further sequences to their tokens, lists of B lists; or `None`. Defaults to `None`.
        masks: dict from the names of sequences to boolean arrays `(B, S)`, `True` at real positions; `"source"` is that of `tokens`, `"written"` that of
            `target_tokens`; or `None` where all are. Defaults to `None`.
        sides: dict from the name of a map to a pair of sequences by name, of its queries and of its keys; or `None` to go by their lengths. Defaults to `None`.

    Raises:
        TypeError: if tokens are not strings.
        ValueError: if an array is not of four axes, there is none, or tokens are not as many as the positions of any map.

    Example:
        >>> maps = AttentionMaps({"look": np.full((1, 2, 3, 3), 1 / 3)}, tokens=["the", "cat", "sat"])
        >>> maps["look"].shape, maps.tokens
        ((1, 2, 3, 3), [['the', 'cat', 'sat']])
        >>> maps.heatmap(head=1).get_title(loc="left")
        'look, head 2'
    """

    def __init__(
        self,
        weights,
        tokens=None,
        target_tokens=None,
        segments=None,
        query_vectors=None,
        key_vectors=None,
        notes=None,
        streams=None,
        masks=None,
        sides=None,
    ):
        self._weights = {name: np.asarray(array, "float32") for name, array in weights.items()}
        wrong = next((f"{name!r} of shape {array.shape}" for name, array in self._weights.items() if array.ndim != 4), None)
        if wrong or not self._weights:
            raise ValueError(f"A map has four axes, (batch, heads, queries, keys). Received: {wrong or 'no map'}")
        self.tokens, self.target_tokens, self.segments = (self._rows(rows) for rows in (tokens, target_tokens, segments))
        self.query_vectors, self.key_vectors, self.notes, self.masks = query_vectors or {}, key_vectors or {}, notes or {}, masks or {}
        own = {"source": self.tokens, "written": self.target_tokens}
        self.streams = {**(streams or {}), **{name: rows for name, rows in own.items() if rows is not None}}
        self.sides = {name: self._by_length(*array.shape[2:]) for name, array in self._weights.items()} if sides is None else sides
        self._check()

    def __getitem__(self, name):
        return self._weights[name]

    def __iter__(self):
        return iter(self._weights)

    def __len__(self):
        return len(self._weights)

    def __repr__(self):
        return f"AttentionMaps({', '.join(f'{name!r}: {array.shape}' for name, array in self.items())})"

    @property
    def batch_size(self):
        """B, the number of examples."""
        return len(next(iter(self._weights.values())))

    def select(self, layers):
        """Keeps some of the maps.

        Args:
            layers: a name or a list of names, with `*` for anything; or a function from a name to a boolean.

        Returns:
            An `AttentionMaps`.

        Raises:
            ValueError: if none is left.
        """
        patterns = [layers] if isinstance(layers, str) else layers
        wanted = layers if callable(layers) else lambda name: any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
        kept = [name for name in self if wanted(name)]
        if not kept:
            raise ValueError(f"No map has such a name. Received: layers={layers!r}. There are {', '.join(self)}")
        parts = (self._weights, self.query_vectors, self.key_vectors, self.notes, self.sides)
        weights, queries, keys, notes, sides = ({name: part[name] for name in kept if name in part} for part in parts)
        return AttentionMaps(weights, self.tokens, self.target_tokens, self.segments, queries, keys, notes, self.streams, self.masks, sides)

    def example(self, row=0):
        """Gives the maps of one example without its pads, as the views take them.

        Args:
            row: integer, which example. Defaults to `0`.

        Returns:
            A dict of `weights`, a dict from names to arrays `(H, T, S)`; `tokens`, list of S strings; `target_tokens`, list of T strings, or `None` where
            queries and keys are the same; `segments`, list of S integers, or `None`; `queries` and `keys`, dicts from names to arrays `(H, T, K)` and
            `(H, S, K)`. Where maps are over different sequences, as in a translation model, `tokens` and `target_tokens` are dicts from names to such lists.

        Raises:
            ValueError: if there is no such row.
        """
        if not -self.batch_size <= row < self.batch_size:
            raise ValueError(f"There are the examples 0 to {self.batch_size - 1}. Received: row={row}")
        example = {what: {} for what in ("weights", "tokens", "target_tokens", "queries", "keys")}
        segments = None
        for name, (to_queries, to_keys) in self.sides.items():
            weights = self[name][row]
            queries, keys = self._places(to_queries, row, weights.shape[1]), self._places(to_keys, row, weights.shape[2])
            same = to_queries == to_keys and len(queries) == len(keys)
            example["weights"][name] = weights[:, queries][:, :, keys]  # (H, T, S)
            example["tokens"][name] = self._labels(to_keys, row, keys)
            example["target_tokens"][name] = None if same else self._labels(to_queries, row, queries)
            for what, vectors, places in (("queries", self.query_vectors, queries), ("keys", self.key_vectors, keys)):
                if name in vectors:
                    example[what][name] = vectors[name][row][:, places]
            if same and to_keys == "source" and self.segments is not None:
                segments = [self.segments[row][i] for i in keys]
        for what in ("tokens", "target_tokens"):
            first, *others = example[what].values()
            example[what] = first if all(other == first for other in others) else example[what]
        return {**example, "segments": segments}

    def lines(self, row=0, **options):
        """Shows attention as lines between tokens, in a browser; see [`head_view`][keras_richctx.viz.views.head_view.head_view].

        Args:
            row: integer, which example. Defaults to `0`.
            **options: further arguments of `head_view`.

        Returns:
            A `View`.
        """
        return head_view(**self._shown(row), **options)

    def grid(self, row=0, **options):
        """Shows all heads of all layers as small maps, in a browser; see [`model_view`][keras_richctx.viz.views.model_view.model_view].

        Args:
            row: integer, which example. Defaults to `0`.
            **options: further arguments of `model_view`.

        Returns:
            A `View`.
        """
        return model_view(**self._shown(row), **options)

    def neurons(self, row=0, **options):
        """Shows how queries and keys make the weights of one head, in a browser; see [`neuron_view`][keras_richctx.viz.views.neuron_view.neuron_view].

        Args:
            row: integer, which example. Defaults to `0`.
            **options: further arguments of `neuron_view`.

        Returns:
            A `View`.
        """
        example = self.example(row)
        return neuron_view(*(example[what] for what in ("weights", "queries", "keys", "tokens", "target_tokens")), **options)

    def _repr_html_(self):
        return self.lines()._repr_html_()

    def save(self, path, row=0):
        """Writes the maps of one example to a file.

        Args:
            path: string or path; `.html` for the view of `lines`, `.png`, `.svg` or `.pdf` for a picture of all heads of all layers.
            row: integer, which example. Defaults to `0`.

        Returns:
            The path, a `pathlib.Path`.

        Raises:
            ValueError: if the path ends in anything else.
        """
        path = pathlib.Path(path)
        if path.suffix.lower() in (".html", ".htm"):
            return self.lines(row).save(path)
        if path.suffix.lower() not in (".png", ".svg", ".pdf"):
            raise ValueError(f"Maps are saved as .html, .png, .svg or .pdf. Received: path={str(path)!r}")
        head_grid(self.example(row)["weights"]).savefig(path)
        return path

    def _shown(self, row):
        return {what: part for what, part in self.example(row).items() if what in ("weights", "tokens", "target_tokens", "segments")}

    def heatmap(self, layer=None, head=None, row=0, **options):
        """Draws one map as a heat map; see [`alignment`][keras_richctx.viz.alignment.alignment].

        Args:
            layer: string, the name of the layer. Defaults to the last one.
            head: integer, which head, from 0; `None` for the mean of all. Defaults to `None`.
            row: integer, which example. Defaults to `0`.
            **options: further arguments of `alignment`.

        Returns:
            The matplotlib axes.
        """
        name, example = self._one(layer, row)
        weights = example["weights"][name]
        if head is not None and not 0 <= head < len(weights):
            raise ValueError(f"{name} has the heads 0 to {len(weights) - 1}. Received: head={head}")
        title = name if len(weights) == 1 else f"{name}, {'mean of all heads' if head is None else f'head {head + 1}'}"
        weights = weights.mean(axis=0) if head is None else weights[head]
        return alignment(weights, example["tokens"], example["target_tokens"] or example["tokens"], **{"title": title, **options})

    def heads(self, layer=None, row=0, **options):
        """Draws the heads of one layer beside one another; see [`heads`][keras_richctx.viz.attention_heads.heads].

        Args:
            layer: string, the name of the layer. Defaults to the last one.
            row: integer, which example. Defaults to `0`.
            **options: further arguments of `heads`.

        Returns:
            A matplotlib figure.
        """
        name, example = self._one(layer, row)
        return heads(example["weights"][name], example["tokens"], example["target_tokens"], **{"title": name, **options})

    def _one(self, layer, row):
        """Returns a name, and the example of that layer alone."""
        name = list(self)[-1] if layer is None else layer
        if name not in self:
            raise ValueError(f"No map has such a name. Received: layer={layer!r}. There are {', '.join(self)}")
        return name, self.select(lambda other: other == name).example(row)

    def _rows(self, rows):
        """Returns a list for each example, of what may be one list for all of them."""
        if rows is None:
            return None
        rows = rows.tolist() if isinstance(rows, np.ndarray) else rows
        if all(not isinstance(row, list | tuple) for row in rows):
            return [list(rows)] * self.batch_size
        if len(rows) != self.batch_size:
            raise ValueError(f"There is a list of tokens for each example, or one for all. Received: {len(rows)} lists for {self.batch_size} examples")
        return [list(row) for row in rows]

    def _by_length(self, queries, keys):
        """Returns the names of the sequences that queries and keys are, by their number, or `None` for one that has no tokens."""
        lengths = {name: len(rows[0]) for name, rows in self.streams.items()}
        if lengths.get("written") == queries and lengths.get("source") == keys:
            return "written", "source"

        def of(size):
            return next((name for name in ("source", "written") if lengths.get(name) == size), None)

        return of(queries), of(keys)

    def _places(self, side, row, size):
        """Returns where the real positions of a sequence are."""
        mask = self.masks.get(side)
        return np.arange(size) if mask is None or mask.shape[1] != size else np.flatnonzero(mask[row])

    def _labels(self, side, row, places):
        return [str(i) for i in places] if side not in self.streams else [self.streams[side][row][i] for i in places]

    def _check(self):
        positions = {size for array in self._weights.values() for size in array.shape[2:]}
        for name, what in (("source", "tokens"), ("written", "target_tokens")):
            rows = self.streams.get(name, [])
            check_tokens(**{what: [token for row in rows for token in row]})
            lengths = {len(row) for row in rows}
            if not lengths <= positions:
                raise ValueError(f"There are as many {what} as positions, pads too. Received: {sorted(lengths)} {what} for {sorted(positions)} positions")
