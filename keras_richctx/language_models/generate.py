"""From a text to a longer text: tokens in, a draw from the model at each step, tokens out."""

import numpy as np

from keras_richctx.generation import sample

PROMPT_LENGTH = 16  # prompts are padded to a multiple, so that a new length rarely needs a new program


def generate(model, texts, max_new_tokens=200, temperature=1.0, top_k=None, top_p=None, min_p=None, seed=None):
    """Writes texts on with a language model.

    What comes out is what the model has read, so a text with unknown tokens comes back with `[UNK]` in their places. A text ends with the end symbol, where the
    model has one and draws it, or at the limit.

    Args:
        model: a language model that holds its tokenizer, such as `keras_richctx.models.CharRNN`.
        texts: a string or a list of strings, with at least one token each.
        max_new_tokens: positive integer, the most tokens to add. Defaults to `200`.
        temperature: positive float, as in `keras_richctx.generation.sample`. Defaults to `1.0`.
        top_k: integer or `None`, as there; `1` takes the most probable token at each step.
        top_p: float or `None`, as there.
        min_p: float or `None`, as there.
        seed: integer or `None`, as there.

    Returns:
        A string, or a list of strings in the order of `texts`: each text and its continuation.

    Raises:
        ValueError: if `texts` is not made of strings, a text has no token, or a number is out of its range.

    Example:
        >>> tokenizer = krc.text.CodePointTokenizer.train(["to be or not to be"])
        >>> text = generate(krc.models.CharRNN(tokenizer, units=8), "to be", max_new_tokens=10, seed=0)
        >>> text.startswith("to be")
        True
    """
    single = isinstance(texts, str)
    rows = [texts] if single else list(texts)
    for i, text in enumerate(rows):
        if not isinstance(text, str):
            raise ValueError(f"generate takes a string or a list of strings. Received: texts[{i}]={text!r} of type {type(text).__name__}")
    prompts = [model.tokenizer(text) for text in rows]
    if not all(prompts):
        empty = prompts.index([])
        raise ValueError(f"A text needs a token to go on from. Received: texts[{empty}]={rows[empty]!r}. Begin with something, such as a line end.")
    if not prompts:
        return []
    length = -(-max(map(len, prompts)) // PROMPT_LENGTH) * PROMPT_LENGTH
    real = np.arange(length) < np.array([[len(prompt)] for prompt in prompts])  # (B, T)
    token_ids = np.array([[*prompt, *[model.pad_id] * (length - len(prompt))] for prompt in prompts], "int32")  # (B, T)
    inputs = {"token_ids": token_ids, "padding_mask": real}
    lines = sample(model, inputs, max_new_tokens, temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p, seed=seed)
    # the first of a line is the last of its prompt
    written = [model.tokenizer.decode([*prompt, *line.tolist()]) for prompt, line in zip(prompts, lines[:, 1:])]
    return written[0] if single else written
