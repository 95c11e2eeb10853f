"""What a translation model reads, for maps: a source, a target, and the tokens at their positions."""

import keras
import numpy as np

from keras_richctx.generation import greedy
from keras_richctx.text.pad_rows import pad_rows, row_mask
from keras_richctx.translation.translate import until_end
from keras_richctx.viz.reading import Reading, are_pairs, is_text

UNKNOWN = "…"
SIDES = {"source": "encoder", "target": "decoder"}


def reading(model, inputs):
    """Makes the inputs of a translation model, and names what stands at their positions.

    There are three sequences: `"source"`; `"target"`, what the decoder has read up to each position; and `"written"`, the next token there, which is what the
    decoder looks at the source for.

    Args:
        model: a `Translator`.
        inputs: list of texts, which are translated by greedy decoding; or of pairs of a text and its translation; or what the model takes, of which it is not
            known what comes behind the last token.

    Returns:
        A `Reading`.

    Raises:
        ValueError: if some are pairs and some are not, a text is too long for the model, or inputs lack the target.
    """
    if isinstance(inputs, list) and all(map(is_text, inputs)):
        source, target = _ids_of(model, inputs)
        inputs, written = _padded(model, source, target), [row[1:] for row in target]
    else:
        written = None
    for name in ("encoder_token_ids", "decoder_token_ids"):
        if not isinstance(inputs, dict) or name not in inputs:
            raise ValueError(f"A {type(model).__name__} reads a source and a target. Received: inputs without {name}")
    ids = {side: keras.ops.convert_to_numpy(inputs[f"{name}_token_ids"]) for side, name in SIDES.items()}
    tokenizers = {"source": model.source_tokenizer, "target": model.target_tokenizer}
    masks = {side: _mask(inputs, name, ids[side], tokenizers[side]) for side, name in SIDES.items()}
    masks["written"] = masks["target"]
    tokens = {side: [tokenizers[side].pieces(row) for row in ids[side]] for side in SIDES}
    tokens["written"] = [_next(model, row, masks["target"][b], None if written is None else written[b]) for b, row in enumerate(tokens["target"])]
    return Reading(inputs, tokens, masks, sides=sides)


def sides(name):
    """Says between which sequences the attention of a layer goes, by its name: those of queries and of keys.

    Args:
        name: string, such as `"decoder/block_0/source_attention"`.

    Returns:
        A pair of strings.
    """
    if name.startswith("encoder"):
        return "source", "source"
    return ("target", "target") if "self_attention" in name else ("written", "source")


def _ids_of(model, texts):
    """Returns the ids of sources, with the end symbol, and of targets, with beginning and end; a text alone is translated."""
    pairs = are_pairs(texts, "a text and its translation")
    source = model.source_tokenizer([text[0] for text in texts] if pairs else texts, eos=True)
    longest = max(map(len, source))
    if model.max_source_length is not None and longest > model.max_source_length:
        raise ValueError(f"This model reads sources of up to {model.max_source_length} tokens, the end symbol counted. Received: one of {longest}.")
    if pairs:
        return source, model.target_tokenizer([text[1] for text in texts], bos=True, eos=True)
    rows = greedy(model, _side("encoder", source, model.source_tokenizer), np.array([2 * len(ids) + 10 for ids in source]))
    return source, [[int(row[0]), *until_end(row[1:], model.target_tokenizer)] for row in rows]


def _padded(model, source, target):
    """Makes of lists of ids what the model takes: the decoder reads all tokens of a target but the last one."""
    return {**_side("encoder", source, model.source_tokenizer), **_side("decoder", [row[:-1] for row in target], model.target_tokenizer)}


def _side(name, rows, tokenizer):
    return {f"{name}_token_ids": pad_rows(rows, tokenizer.pad_id), f"{name}_padding_mask": row_mask(rows)}  # (B, S) each


def _mask(inputs, name, ids, tokenizer):
    mask = inputs.get(f"{name}_padding_mask")
    return ids != tokenizer.pad_id if mask is None else keras.ops.convert_to_numpy(mask).astype(bool)


def _next(model, tokens, mask, written):
    """Returns what comes behind each token of a target."""
    if written is not None:
        known = model.target_tokenizer.pieces(written)
        return known + tokens[len(known) :]
    last = np.flatnonzero(mask)[-1] if mask.any() else -1
    return [UNKNOWN if i == last else following for i, following in enumerate([*tokens[1:], tokens[-1]])]
