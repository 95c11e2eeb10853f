"""The words that fit into a gap."""

import keras
import numpy as np

from keras_richctx.bert.run import tokenizer_of


def fill_mask(model, text, top=5):
    """Says which tokens fit in a text at each of its masks.

    A mask is written as the tokenizer writes it, `[MASK]` or `<mask>`. The text around it is tokenized in pieces, as a mask stands between words. With several
    masks each is filled as if it alone were asked for, the others being masked.

    Args:
        model: a `BertForPretraining` with a tokenizer.
        text: string with at least one mask.
        top: integer, how many tokens to name. Defaults to `5`.

    Returns:
        A list for each mask of `top` pairs: a token as it is spelled in the vocabulary, and its probability; the likeliest first.

    Raises:
        ValueError: if there is no tokenizer, no mask in the text, or the text is too long.
    """
    tokenizer = tokenizer_of(model.bert)
    mask_id = getattr(tokenizer, "mask_id", None)
    if mask_id is None:
        raise ValueError(f"The tokenizer has no mask. Received: tokenizer={tokenizer!r}")
    mask = tokenizer.id_to_token(mask_id)
    pieces = text.split(mask)
    if len(pieces) == 1:
        raise ValueError(f"The text has a gap, written as {mask}. Received: text={text!r}")
    if model.bert.model_type == "roberta":
        pieces = [*(piece.rstrip() for piece in pieces[:-1]), pieces[-1]]  # a space before the mask belongs to it there
    ids = [tokenizer.bos_id]
    for piece in pieces:
        ids += [*tokenizer(piece), mask_id]
    ids[-1] = tokenizer.eos_id  # behind the last piece is no mask
    positions = np.array([[t for t, i in enumerate(ids) if i == mask_id]])
    logits = model.predict_on_batch({"token_ids": np.array([ids]), "mask_positions": positions})["mlm_logits"][0]  # (P, V)
    probabilities = keras.ops.convert_to_numpy(keras.ops.softmax(keras.ops.cast(logits, "float32")))
    best = np.argsort(-probabilities, axis=-1, kind="stable")[:, :top]
    return [[(tokenizer.id_to_token(int(i)), float(row[i])) for i in choices] for row, choices in zip(probabilities, best)]
