"""What a `Bert` reads, for maps: texts, pairs of texts or ids, and the tokens at their positions."""

import keras
import numpy as np

from keras_richctx.bert.run import tokenizer_of
from keras_richctx.text import pack_pairs
from keras_richctx.viz.reading import Reading, are_pairs, is_text


def reading(bert, inputs):
    """Makes the inputs of a `Bert`, or of a model on one, and names what stands at their positions.

    Args:
        bert: a `Bert`.
        inputs: list of texts or of pairs of texts; or what `Bert` takes.

    Returns:
        A `Reading`, with tokens where the model has a tokenizer.

    Raises:
        ValueError: if texts are given to a model without a tokenizer, are too long for it, or some are pairs and some are not.
    """
    if isinstance(inputs, list) and all(map(is_text, inputs)):
        inputs = _packed(bert, inputs)
    ids = inputs["token_ids"] if isinstance(inputs, dict) else inputs
    if bert.tokenizer is None:
        return Reading(inputs)
    mask = keras.ops.convert_to_numpy(bert.real_positions(inputs if isinstance(inputs, dict) else np.asarray(ids)))
    segments = inputs.get("segment_ids") if isinstance(inputs, dict) else None
    tokens = [bert.tokenizer.pieces(row) for row in keras.ops.convert_to_numpy(ids)]
    return Reading(inputs, {"source": tokens}, {"source": mask}, _segments(bert, keras.ops.convert_to_numpy(ids), mask, segments))


def _packed(bert, texts):
    """Packs texts into rows, none of them cut."""
    tokenizer = tokenizer_of(bert)
    first, second = (tokenizer([text[i] for text in texts]) for i in (0, 1)) if are_pairs(texts) else (tokenizer(list(texts)), None)
    specials = 2 if second is None else 2 + tokenizer.pair_separators
    longest = max(len(ids) + (len(second[i]) if second else 0) for i, ids in enumerate(first)) + specials
    if longest > bert.max_length:
        raise ValueError(f"The model reads {bert.max_length} tokens. Received: a text of {longest}. Split it.")
    return pack_pairs(tokenizer, first, second, max_length=bert.max_length)


def _segments(bert, ids, mask, segments):
    """Says of each position whether it is of the first text or of the second, also where the model knows one segment only; `None` where there is no second."""
    if segments is not None and bert.num_segments > 1:
        segments = keras.ops.convert_to_numpy(segments)
    else:
        # <s> A </s></s> B </s>: the second text begins behind the second of two ends that stand side by side
        ends = ids == bert.tokenizer.eos_id
        pairs = np.zeros_like(ends)
        pairs[:, 2:] = ends[:, :-2] & ends[:, 1:-1]
        segments = np.maximum.accumulate(pairs, axis=1)
    segments = np.where(mask, segments, 0).astype(int)
    return segments.tolist() if segments.any() else None
