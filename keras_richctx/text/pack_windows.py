"""Long texts in overlapping windows, each with its question before it: how BERT reads a page to answer a question about it."""

import numpy as np

from keras_richctx.text.packing import pack_pairs


def pack_windows(tokenizer, questions, contexts, length=384, stride=128, max_question=64):
    r"""Packs questions with their contexts, a long context in several windows, so that each token stands in one at least.

    A row is a question and a window of its context, laid out as `pack_pairs` lays out a pair. Each window begins `stride` tokens behind the one before it,
    and no further than that one reaches. A token that stands in several has its maximal context in the window where the smaller of its distances to both
    ends, plus a hundredth of the window's size, is largest; in the first of these where several are.

    Args:
        tokenizer: tokenizer as for `pack_pairs`.
        questions: list of strings.
        contexts: list of strings, as many.
        length: int, T. Defaults to `384`.
        stride: int, by how many tokens windows are apart: Google's `doc_stride`. (What Hugging Face calls stride is the overlap.) Defaults to `128`.
        max_question: int, how many tokens of a question are kept. Defaults to `64`.

    Returns:
        A pair of dictionaries of NumPy arrays, N windows in the order of the questions and of the text. The inputs of a model: `token_ids` int32,
        `segment_ids` int32 and `padding_mask` boolean, `(N, T)`. And where they come from: `example` int32 `(N,)`, the number of the question; `spans` int32
        `(N, T, 2)`, the characters of the context that each token covers, from the first to behind the last, -1 where there is none; and `max_context`
        boolean `(N, T)`, `True` where a token of the context has its maximal context.

    Raises:
        TypeError: if questions or contexts are not lists of strings.
        ValueError: if they are not as many, `stride` or `max_question` is not positive, or `length` leaves no room for a token behind a question.

    Example:
        >>> from keras_richctx.text import WordPieceTokenizer
        >>> tokenizer = WordPieceTokenizer.train(["a b c d who"] * 2, vocab_size=30)
        >>> inputs, windows = pack_windows(tokenizer, ["who"], ["a b c d"], length=7, stride=1, max_question=1)
        >>> [" ".join(tokenizer.pieces(row)) for row in inputs["token_ids"]]
        ['[CLS] who [SEP] a b c [SEP]', '[CLS] who [SEP] b c d [SEP]']
        >>> windows["max_context"][:, 3:6].tolist()
        [[True, True, False], [False, True, True]]

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 4.2, and the authors'
        [`run_squad.py`](https://github.com/google-research/bert/blob/master/run_squad.py).
    """
    for name, value in (("questions", questions), ("contexts", contexts)):
        if not isinstance(value, list | tuple):
            raise TypeError(f"{name} is a list of strings. Received: {name} of type {type(value).__name__}")
    if len(questions) != len(contexts):
        raise ValueError(f"Each question has its context. Received: {len(questions)} questions and {len(contexts)} contexts")
    for name, value in (("stride", stride), ("max_question", max_question)):
        if value < 1:
            raise ValueError(f"{name} is a positive integer. Received: {name}={value}")
    specials = 2 + tokenizer.pair_separators
    if length < max_question + specials + 1:
        raise ValueError(
            f"A window has room for a question of max_question tokens, {specials} special tokens and a token of the context. "
            f"Received: length={length}, max_question={max_question}"
        )
    question_ids = [ids[:max_question] for ids in tokenizer(list(questions))]
    context_ids, spans = tokenizer(list(contexts)), {}
    rows = [(i, start, end) for i, ids in enumerate(context_ids) for start, end in windows_of(len(ids), length - specials - len(question_ids[i]), stride)]
    first, second = [question_ids[i] for i, _, _ in rows], [context_ids[i][start:end] for i, start, end in rows]
    inputs, places = pack_pairs(tokenizer, first, second, length=length, return_places=True)
    in_context = places["text"] == 1  # (N, T)
    source = {
        "example": np.array([i for i, _, _ in rows], "int32"),
        "spans": np.full((*in_context.shape, 2), -1, "int32"),
        "max_context": np.zeros(in_context.shape, bool),
    }
    best = _best_windows(rows)
    for row, (i, start, end) in enumerate(rows):
        if contexts[i] not in spans:
            spans = {contexts[i]: np.array(tokenizer.spans(contexts[i]), "int32").reshape(-1, 2)}  # rows of a context follow each other, mostly
        source["spans"][row, in_context[row]] = spans[contexts[i]][start:end]
        source["max_context"][row, in_context[row]] = best[i][start:end] == row
    return inputs, source


def windows_of(count, room, stride):
    """Lists the windows of a text.

    Args:
        count: integer, how many tokens the text has.
        room: integer, how many a window holds.
        stride: integer, by how many the beginnings of windows are apart, at most.

    Returns:
        A list of pairs, the first token of a window and the one behind its last. A text without tokens has one empty window.

    Example:
        >>> windows_of(10, 5, 3)
        [(0, 5), (3, 8), (6, 10)]
    """
    windows = [(0, min(room, count))]
    while windows[-1][1] < count:
        start = windows[-1][0] + min(stride, room)
        windows.append((start, min(start + room, count)))
    return windows


def _best_windows(rows):
    """Returns, for each example, in which row each token of its context has its maximal context."""
    best, scores = {}, {}
    counts = {i: end for i, _, end in rows}  # the last window reaches the end of the context
    for row, (i, start, end) in enumerate(rows):
        if i not in best:
            best[i], scores[i] = np.full(counts[i], -1), np.full(counts[i], -1.0)
        places = np.arange(start, end)
        score = np.minimum(places - start, end - 1 - places) + 0.01 * (end - start)
        better = score > scores[i][start:end]
        best[i][start:end] = np.where(better, row, best[i][start:end])
        scores[i][start:end] = np.maximum(score, scores[i][start:end])
    return best
