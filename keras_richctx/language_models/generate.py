"""From a text to a longer text: tokens in, a choice from the model at each step, tokens out."""

from keras_richctx.generation import beam, sample

INCOMPLETE = "\ufffd"  # what a decoder shows for the first bytes of a character whose last are still to come


def generate(
    model, texts, max_new_tokens=200, num_beams=1, temperature=1.0, top_k=None, top_p=None, min_p=None, seed=None, stop=None, on_text=None, **beam_options
):
    """Writes texts on with a language model.

    What comes out is what the model has read, so a text with unknown tokens comes back with `[UNK]` in their places. A text ends with the end symbol, where the
    model has one and chooses it, before a stop string, or at the limit.

    Args:
        model: a language model that holds its tokenizer, such as `keras_richctx.models.CharRNN`.
        texts: a string or a list of strings, with at least one token each.
        max_new_tokens: positive integer, the most tokens to add. Defaults to `200`.
        num_beams: positive integer; with more than one the text is the most probable that `keras_richctx.generation.beam` finds, and nothing is drawn. Defaults
            to `1`.
        temperature: positive float, as in `keras_richctx.generation.sample`. Defaults to `1.0`.
        top_k: integer or `None`, as there; `1` takes the most probable token at each step.
        top_p: float or `None`, as there.
        min_p: float or `None`, as there.
        seed: integer or `None`, as there.
        stop: a string or a list of strings; a continuation is cut before the first of them. Generating ends early where one is written in the tokens that the
            tokenizer would write it in. Defaults to `None`.
        on_text: function of a string, called with each piece of the continuation as soon as it is there, for a single text; or `None`. Pieces are of whole
            characters, and what belongs to a stop string may be among them.
        **beam_options: with several beams, further arguments of `keras_richctx.generation.beam`.

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
    rows, stop = [texts] if single else list(texts), [stop] if isinstance(stop, str) else list(stop or [])
    for i, text in enumerate(rows):
        if not isinstance(text, str):
            raise ValueError(f"generate takes a string or a list of strings. Received: texts[{i}]={text!r} of type {type(text).__name__}")
    if not all(isinstance(end, str) and end for end in stop):
        raise ValueError(f"stop is a string or a list of strings, none of them empty. Received: stop={stop!r}")
    if on_text is not None and (not single or num_beams > 1):
        raise ValueError(f"on_text follows one text that grows token by token. Received: {len(rows)} texts, num_beams={num_beams}. Leave it out.")
    if beam_options and num_beams == 1:
        raise ValueError(f"These are options of beam search. Received: {sorted(beam_options)} with num_beams=1")
    prompts = [model.tokenizer(text) for text in rows]
    if not all(prompts):
        empty = prompts.index([])
        raise ValueError(f"A text needs a token to go on from. Received: texts[{empty}]={rows[empty]!r}. Begin with something, such as a line end.")
    if not prompts:
        return []
    ends = [model.tokenizer(end) for end in stop] or None
    if num_beams > 1:
        lines = beam(model, prompts, max_new_tokens, num_beams=num_beams, stop=ends, **beam_options)
    else:
        on_token = None if on_text is None else _Pieces(model.tokenizer, prompts[0], on_text)
        cuts = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p}
        lines = sample(model, prompts, max_new_tokens, seed=seed, stop=ends, on_token=on_token, **cuts)
    longest = max(map(len, prompts))
    written = [_cut(model.tokenizer, prompt, line[longest:].tolist(), stop) for prompt, line in zip(prompts, lines)]
    return written[0] if single else written


def _cut(tokenizer, prompt, continuation, stop):
    """Decodes a prompt and its continuation, cut before the first stop string behind the prompt."""
    text, begun = tokenizer.decode([*prompt, *continuation]), len(tokenizer.decode(prompt))
    places = [place for place in (text.find(end, begun) for end in stop) if place >= 0]
    return text[: min(places, default=len(text))]


class _Pieces:
    """Turns the tokens of one line into pieces of text as they come."""

    def __init__(self, tokenizer, prompt, on_text):
        self.tokenizer = tokenizer
        self.ids = list(prompt)
        self.on_text = on_text
        self.shown = len(tokenizer.decode(prompt))

    def __call__(self, tokens):
        self.ids.append(int(tokens[0]))
        text = self.tokenizer.decode(self.ids)
        if len(text) > self.shown and not text.endswith(INCOMPLETE):
            self.on_text(text[self.shown :])
            self.shown = len(text)
