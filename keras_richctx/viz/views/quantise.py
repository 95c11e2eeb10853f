r"""Arrays made small enough for a page: whole numbers, compressed, in letters.

A weight from 0 to 1 becomes a whole number of steps, at most 255 of them, so that it fits a byte. The step is

$$\Delta = \frac{m}{n}, \qquad n = \min(255, \lceil 255 f m \rceil), \qquad |\hat{\alpha} - \alpha| \le \Delta / 2 \le 1 / 510$$

where $m$ is the largest weight of the head. Up to two million weights, $f = \infty$: each head has all 255 steps. Beyond that $f = 1$, the coarsest step that
keeps to 1/510 and the smallest file; a head that spreads its weight evenly over 512 keys has one step, and is exact.
"""

import base64
import zlib

import numpy as np

FINE = 2_000_000  # weights on a page up to which each head has all 255 steps


def quantise(weights, fine=True):
    """Writes the weights of each head as a byte each.

    Args:
        weights: array of shape `(H, T, S)`, from 0 to 1.
        fine: bool, whether each head has all 255 steps; otherwise steps are as wide as an error of 1/510 allows. Defaults to `True`.

    Returns:
        A pair: the bytes, uint8 of shape `(H, T, S)`; and the step of each head, a float array of shape `(H,)`. Their product is the weights again, to half a
        step, which is at most 1/510.

    Example:
        >>> codes, steps = quantise(np.array([[[0.5, 0.25, 0.25]]]))
        >>> (codes * steps[:, None, None]).round(3).tolist()
        [[[0.5, 0.251, 0.251]]]
    """
    weights = np.clip(weights, 0.0, 1.0)
    largest = weights.max(axis=(1, 2))  # (H,)
    steps = np.full(len(weights), 255.0) if fine else np.maximum(np.ceil(255 * largest), 1)
    step = np.where(largest > 0, largest, 1.0) / steps
    return np.rint(weights / step[:, None, None]).astype("uint8"), step


def quantise_signed(values):
    """Writes vectors of either sign in two bytes each, for the view whose products are to be computed from them.

    Args:
        values: array.

    Returns:
        A pair: int16 of the same shape, and the step, a float.
    """
    step = max(float(np.abs(values).max(initial=0.0)), 1e-30) / 32767
    return np.rint(values / step).astype("int16"), step


def pack_codes(codes):
    """Compresses quantised weights. Where nearly all are 0, 1 or 2 steps, as in long sequences, four go into a byte, which deflate alone does not find.

    Args:
        codes: uint8 array.

    Returns:
        A dictionary of strings: `codes`; and, where these are four to a byte, `large`, in order those of 3 and more, for which a 3 stands among the codes.
    """
    if np.count_nonzero(codes > 2) > codes.size / 8:
        return {"codes": pack(codes)}
    few = np.zeros(-(-codes.size // 4) * 4, "uint8")
    few[: codes.size] = np.minimum(codes, 3).ravel()
    few = few.reshape(-1, 4) << np.array([0, 2, 4, 6], "uint8")  # (N / 4, 4)
    return {"codes": pack(few.sum(axis=1, dtype="uint8")), "large": pack(codes[codes > 2])}


def pack(array):
    """Compresses an array and spells it in letters.

    Args:
        array: uint8 or int16 array.

    Returns:
        A string: base64 of the zlib format, its numbers little-endian.
    """
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    # noise has no repetitions: looking for them makes it longer than giving short codes to what is frequent
    return base64.b64encode(min((_deflate(little, strategy) for strategy in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY)), key=len)).decode()


def _deflate(content, strategy):
    """Compresses bytes in the zlib format."""
    compressor = zlib.compressobj(level=6, strategy=strategy)
    return compressor.compress(content) + compressor.flush()
