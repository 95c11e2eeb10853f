"""Runs a model over texts of many lengths."""

from keras_richctx.text import pack_pairs

STEP = 16  # rows are padded to multiples of this, so that few shapes are compiled


def run(model, bert, first, second, read, batch_size=32, max_length=None):
    """Runs a model over texts or pairs of texts, those of like length together, and returns what it says of each in their order.

    Args:
        model: `keras.Model` that takes what `pack_pairs` gives.
        bert: the `Bert` that is in it, or the model itself.
        first: list of strings.
        second: list of strings, the second text of each pair, or `None`.
        read: function from the outputs for a batch, as NumPy arrays, and its mask, `(B, T)`, to one result for each row.
        batch_size: integer, B. The last batch is filled up with rows of its own.
        max_length: integer, the most tokens of a row, to which longer ones are cut; or `None` for an error where a row is longer than the model can read.

    Returns:
        A list.

    Raises:
        ValueError: if there is no tokenizer, a row is too long, or there are not as many second texts as first ones.
    """
    tokenizer = tokenizer_of(bert)
    if second is not None and len(first) != len(second):
        raise ValueError(f"Each first text has its second one. Received: {len(first)} first and {len(second)} second texts")
    first, second = tokenizer(list(first)), None if second is None else tokenizer(list(second))
    specials = 2 if second is None else 2 + tokenizer.pair_separators
    lengths = [len(ids) + (len(second[i]) if second else 0) + specials for i, ids in enumerate(first)]
    longest = max(lengths, default=0)
    if longest > bert.max_length and max_length is None:
        raise ValueError(f"The model reads {bert.max_length} tokens. Received: a text of {longest}. Cut it with max_length={bert.max_length}, or split it.")
    order = sorted(range(len(first)), key=lengths.__getitem__)
    results = [None] * len(first)
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        batch += batch[-1:] * (min(batch_size, len(first)) - len(batch))
        pairs = [None if texts is None else [texts[i] for i in batch] for texts in (first, second)]
        inputs = pack_pairs(tokenizer, *pairs, pad_to_multiple=STEP, max_length=min(max_length or bert.max_length, bert.max_length))
        for i, result in zip(batch, read(model.predict_on_batch(inputs), inputs["padding_mask"])):
            results[i] = result
    return results


def tokenizer_of(bert):
    """Returns the tokenizer, which must be there."""
    if bert.tokenizer is None:
        raise ValueError("To read texts, the model needs its tokenizer. Received: a Bert with tokenizer=None. Give it one, or call the model on token ids.")
    return bert.tokenizer
