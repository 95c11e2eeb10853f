"""BERT's vocabulary as a list of tokens, one a line, and the `tokenizer.json` that says the same."""

import json
import pathlib

PAD, UNK, CLS, SEP, MASK = SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
VOCAB_NAME, CONFIG_NAME = "vocab.txt", "tokenizer_config.json"
MAX_CHARS = 100  # of a word; a longer one is unknown, in all of BERT's tokenizers
_OPTIONS = {"lowercase": "do_lower_case", "strip_accents": "strip_accents", "handle_chinese_chars": "tokenize_chinese_chars"}  # ours: Hugging Face's name


def read_vocabulary(path):
    r"""Reads the tokens of a `vocab.txt`: one a line, and the number of the line is the id, from 0 on.

    Args:
        path: path of the file, UTF-8. Lines end with `\n` or `\r\n`.

    Returns:
        A list of strings.

    Raises:
        ValueError: if the file is not UTF-8, or a token is empty or stands there twice.
    """
    path = pathlib.Path(path)
    try:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")  # read_text has made one of both line ends
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is damaged: {error}") from error
    first = {}
    for number, token in enumerate(lines, start=1):
        if not token:
            raise ValueError(f"{path.name} has a token on each line. Received: an empty line {number} of {len(lines)}")
        if first.setdefault(token, number) != number:
            raise ValueError(f"{path.name} has each token once. Received: {token!r} in the lines {first[token]} and {number}")
    return lines


def read_options(directory):
    """Reads what a `tokenizer_config.json` says of how text is normalised.

    Args:
        directory: path of the directory that may hold the file.

    Returns:
        A dictionary with those of `lowercase`, `strip_accents`, `handle_chinese_chars` and `never_split` that the file gives; empty where there is no file.

    Raises:
        ValueError: if the file holds no JSON object.
    """
    path = pathlib.Path(directory) / CONFIG_NAME
    if not path.is_file():
        return {}
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # of JSON or of UTF-8
        raise ValueError(f"{path.name} is damaged, or only a part of a file: {error}") from error
    if not isinstance(config, dict):
        raise ValueError(f"{path.name} holds a JSON object. Received: {str(config)[:80]!r}")
    options = {ours: config[theirs] for ours, theirs in _OPTIONS.items() if theirs in config}
    if config.get("never_split"):
        options["never_split"] = tuple(config["never_split"])
    return options


def is_cased(vocab):
    """Returns whether a vocabulary tells upper from lower case: some token has a capital, those in brackets, as `[CLS]`, aside.

    Args:
        vocab: iterable of strings.

    Returns:
        A boolean.
    """
    return any(token != token.lower() and not (token.startswith("[") and token.endswith("]")) for token in vocab)


def make_config(normalizer, never_split):
    """Returns the content of a `tokenizer_config.json`, from which Hugging Face's library and `read_options` read the same.

    Args:
        normalizer: dictionary, the `BertNormalizer` of a `tokenizer.json`.
        never_split: sequence of strings.

    Returns:
        A dictionary.
    """
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL_TOKENS))
    options = {theirs: normalizer[ours] for ours, theirs in _OPTIONS.items()}
    return {"tokenizer_class": "BertTokenizer", **options, "never_split": list(never_split) or None, **names}


def make_spec(vocab, lowercase=True, strip_accents=None, handle_chinese_chars=True, never_split=()):
    """Returns the content of a `tokenizer.json` with BERT's way to normalise, to split and to decode.

    Args:
        vocab: list of strings, the tokens in the order of their ids.
        lowercase: bool, whether upper case becomes lower case. Defaults to `True`.
        strip_accents: bool, or `None` to do it where upper case becomes lower case. Defaults to `None`.
        handle_chinese_chars: bool, whether each ideograph is a word. Defaults to `True`.
        never_split: sequence of tokens of `vocab` that are found in a text as they are. Defaults to `()`.

    Returns:
        A string.

    Raises:
        ValueError: if a token of `never_split` is not in the vocabulary.
    """
    ids = {token: i for i, token in enumerate(vocab)}
    missing = [token for token in never_split if token not in ids]
    if missing:
        raise ValueError(f"A token that is never split is one of the vocabulary. Received: never_split with {missing[0]!r}, which is not among {len(ids)}")
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    added = [token for token in SPECIAL_TOKENS if token in ids] + [token for token in never_split if token not in SPECIAL_TOKENS]
    normalizer = {"clean_text": True, "handle_chinese_chars": handle_chinese_chars, "strip_accents": strip_accents, "lowercase": lowercase}
    content = {
        "version": "1.0",
        "added_tokens": [{"id": ids[token], "content": token, **flags, "special": token not in never_split} for token in sorted(added, key=ids.get)],
        "normalizer": {"type": "BertNormalizer", **normalizer},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": UNK, "continuing_subword_prefix": "##", "max_input_chars_per_word": MAX_CHARS, "vocab": ids},
    }
    return json.dumps(content, ensure_ascii=False)
