"""What a language model reads, for maps: texts or ids, and the tokens at their positions."""

import keras
import numpy as np

from keras_richctx.text.pad_rows import pad_rows, row_mask
from keras_richctx.viz.reading import Reading, is_text


def reading(model, inputs):
    """Makes the inputs of a language model, and names what stands at their positions.

    Texts of several lengths are filled up at the end, which changes nothing before it.

    Args:
        model: a `LanguageModel`.
        inputs: list of texts; or token ids `(B, T)`; or a dict of `token_ids` and `padding_mask`.

    Returns:
        A `Reading`.

    Raises:
        ValueError: if pairs of texts are given, a text has no token, or is too long for the model.
    """
    if isinstance(inputs, list) and all(map(is_text, inputs)):
        inputs, mask = _padded(model, inputs)
    else:
        mask = inputs.get("padding_mask") if isinstance(inputs, dict) else None
    ids = keras.ops.convert_to_numpy(inputs["token_ids"] if isinstance(inputs, dict) else inputs)
    mask = np.ones(ids.shape, bool) if mask is None else keras.ops.convert_to_numpy(mask).astype(bool)
    return Reading(inputs, {"source": [model.tokenizer.pieces(row) for row in ids]}, {"source": mask})


def _padded(model, texts):
    """Returns the ids of texts, `(B, T)`, and which positions are real."""
    pair = next((text for text in texts if isinstance(text, tuple)), None)
    if pair is not None:
        raise ValueError(f"A language model reads one text, and no pairs. Received: {pair!r}")
    rows = model.tokenizer(texts)
    lengths = np.array([len(row) for row in rows])
    if not lengths.all():
        raise ValueError(f"A text needs a token at least. Received: {texts[int(lengths.argmin())]!r}")
    limit = getattr(model, "max_length", None)
    if limit is not None and lengths.max() > limit:
        raise ValueError(f"The model reads {limit} tokens. Received: a text of {lengths.max()}. Split it.")
    return pad_rows(rows, model.pad_id), row_mask(rows)  # (B, T) each
