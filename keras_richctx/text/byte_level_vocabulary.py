"""The two files of GPT-2's vocabulary, one of tokens and one of merges, and what a byte-level vocabulary must hold."""

import json
import os
import pathlib
import re

from keras_richctx.text.byte_alphabet import byte_alphabet

END_OF_TEXT = "<|endoftext|>"  # GPT-2's one special token: begin, end and padding
SPECIAL_TOKENS = ("[PAD]", "[BOS]", "[EOS]")  # of a vocabulary trained here
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")  # begin, padding, end, one for words unknown that is never used, and the mask
VOCAB_NAME, MERGES_NAME = HUGGING_FACE = ("vocab.json", "merges.txt")
OPENAI = ("encoder.json", "vocab.bpe")
_VERSION = "#version: 0.2"
_FILLER = re.compile(r"madeupword\d+")  # in RoBERTa's vocabulary, to make its size a multiple of 8
_BYTES = frozenset(byte_alphabet())


def check_vocabulary(vocab):
    """Raises unless a vocabulary can spell any text and numbers its tokens without a gap.

    Args:
        vocab: dictionary from tokens to ids.

    Raises:
        ValueError: if one of the 256 bytes is missing, or the ids are not 0, 1, 2 and so on, each once.
    """
    missing = _BYTES - set(vocab)
    if missing:
        raise ValueError(f"A byte-level vocabulary holds all 256 bytes; text would be lost. Received: {len(missing)} missing, such as {min(missing)!r}")
    tokens = {}
    for token, i in vocab.items():
        if i in tokens:
            raise ValueError(f"Each id belongs to one token. Received: id {i} for {tokens[i]!r} and for {token!r}")
        tokens[i] = token
    hole = next((i for i in range(len(vocab)) if i not in tokens), None)
    if hole is not None:
        raise ValueError(f"The ids of {len(vocab)} tokens are 0 ... {len(vocab) - 1}. Received: no token with id {hole}, and ids up to {max(tokens)}")


def read_vocabulary(vocab_path, merges_path):
    """Reads a vocabulary of two files: `vocab.json` and `merges.txt` as Hugging Face names them, `encoder.json` and `vocab.bpe` as OpenAI does.

    The files do not say which tokens are special. They are `[PAD]`, `[BOS]` and `[EOS]` where these are the first three; or `<s>`, `<pad>`, `</s>`, `<unk>`
    and `<mask>`, as in RoBERTa, where all five are there; or else it is `<|endoftext|>`, as in GPT-2.

    Args:
        vocab_path: path of a JSON object from tokens to ids.
        merges_path: path of the merges, in their order: two tokens a line, with one space between them. A first line `#version` is passed over.

    Returns:
        A string, the content of a `tokenizer.json`.

    Raises:
        FileNotFoundError: if one of the files is not there.
        ValueError: if a file is damaged, or the two do not belong together.
    """
    vocab_path, merges_path = pathlib.Path(vocab_path), pathlib.Path(merges_path)
    for path, other in ((vocab_path, merges_path), (merges_path, vocab_path)):
        if not path.is_file():
            raise FileNotFoundError(f"{other.name} needs {path.name} beside it, and there is none. Received: {str(path)!r}; copy both files, of one vocabulary")
    vocab = _load(vocab_path)
    for token, i in vocab.items():
        if type(i) is not int or i < 0:
            raise ValueError(f"{vocab_path.name} gives each token an id, an integer from 0 on. Received: {token!r}: {i!r}")
    check_vocabulary(vocab)
    special = next((group for group in (SPECIAL_TOKENS, ROBERTA, (END_OF_TEXT,)) if _stands(group, vocab)), None)
    if special is None:
        raise ValueError(
            f"{vocab_path.name} holds the special token {END_OF_TEXT}, or begins with {', '.join(SPECIAL_TOKENS)}, or holds {', '.join(ROBERTA)}. "
            f"Received: {len(vocab)} tokens with neither; a tokenizer.json may hold other special tokens"
        )
    added_path = vocab_path.with_name("added_tokens.json")
    added = sorted(set(_load(added_path)) - set(vocab)) if added_path.is_file() else []
    if added:
        raise ValueError(
            f"Added tokens are read from a tokenizer.json, which says how they are to be found in a text; save the tokenizer as one. "
            f"Received: {len(added)} in {added_path.name} that {vocab_path.name} lacks, such as {added[0]!r}"
        )
    return make_spec(vocab, _read_merges(merges_path, vocab, special), special)


def write_vocabulary(directory, vocab, merges):
    """Writes `vocab.json` and `merges.txt`. Files that are there are replaced once both new ones are whole, or left as they were.

    Args:
        directory: path of the directory, which is made if needed.
        vocab: dictionary from tokens to ids.
        merges: list of pairs of tokens.
    """
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    contents = {
        VOCAB_NAME: json.dumps(dict(sorted(vocab.items(), key=lambda item: item[1])), ensure_ascii=False) + "\n",
        MERGES_NAME: "".join(f"{line}\n" for line in (_VERSION, *map(" ".join, merges))),
    }
    parts = {name: directory / f"{name}.{os.getpid()}.part" for name in contents}
    try:
        for name, content in contents.items():
            parts[name].write_text(content, encoding="utf-8", newline="\n")
        for name, part in parts.items():
            part.replace(directory / name)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def make_spec(vocab, merges, special):
    """Returns the content of a `tokenizer.json` with GPT-2's way to split and to decode.

    Args:
        vocab: dictionary from tokens to ids.
        merges: list of pairs of tokens.
        special: sequence of the tokens of `vocab` that are special.

    Returns:
        A string.
    """
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    content = {
        "version": "1.0",
        "added_tokens": [{"id": vocab[token], "content": token, **flags} for token in special],
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": None,
        "decoder": {**byte_level, "add_prefix_space": True},
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
    }
    return json.dumps(content, ensure_ascii=False)


def _load(path):
    """Returns the JSON object of a file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # of JSON or of UTF-8
        raise ValueError(f"{path.name} is damaged, or only a part of a file: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} holds a JSON object from tokens to ids. Received: {str(content)[:80]!r}")
    return content


def _stands(special, vocab):
    """Returns whether a vocabulary holds special tokens: those of a vocabulary trained here at its start, others anywhere."""
    return [vocab.get(token) for token in special] == [0, 1, 2] if special == SPECIAL_TOKENS else set(special) <= set(vocab)


def _read_merges(path, vocab, special):
    """Returns the merges of a file as pairs, each of which makes a token of `vocab`."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is damaged: {error}") from error
    first = 2 if lines[0].startswith("#version") else 1
    lines = lines[first - 1 : -1 if lines[-1] == "" else None]
    merges = {}  # pair: its line
    for number, line in enumerate(lines, first):
        pair = tuple(line.split(" "))
        if len(pair) != 2 or not all(pair):
            raise ValueError(f"{path.name} has two tokens a line, with one space between them. Received: {line[:80]!r} in line {number}")
        if "".join(pair) not in vocab:
            raise ValueError(f"{path.name} makes tokens of the vocabulary. Received: {line[:80]!r} in line {number}, and no token {''.join(pair)[:80]!r}")
        if merges.setdefault(pair, number) != number:
            raise ValueError(f"{path.name} has each merge once. Received: {line[:80]!r} in the lines {merges[pair]} and {number}")
    known = _BYTES | {"".join(pair) for pair in merges}
    for pair, number in merges.items():
        for token in pair:
            if token not in known:
                raise ValueError(f"{path.name} merges bytes and what its other lines make. Received: {token!r} in line {number}, which no line makes")
    unused = (END_OF_TEXT,) if special == ROBERTA else ()  # GPT-2's, which RoBERTa's vocabulary still holds
    lost = [token for token in vocab if token not in known and token not in (*special, *unused) and not (unused and _FILLER.fullmatch(token))]
    if lost:
        raise ValueError(
            f"{path.name} does not make all tokens of the vocabulary: it is only a part of a file, or the tokens were added, which a tokenizer.json says. "
            f"Received: {len(merges)} merges, and {len(lost)} tokens that none makes, such as {lost[0]!r}"
        )
    return list(merges)
