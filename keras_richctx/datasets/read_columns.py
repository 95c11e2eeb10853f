"""Reads words and tags from column files: a word a line, a blank line after each sentence."""

import re
from pathlib import Path

from keras_richctx.datasets.read_pairs import decode_lines
from keras_richctx.datasets.tagged_sentences import TaggedSentences

NOT_A_WORD = re.compile(r"\d+[-.]\d+")  # ids of CoNLL-U: 3-4, a token of several words, and 5.1, a word that is not there


def read_columns(path, word=0, tag=-1, separator=None, conllu=False, until=None):
    r"""Reads tagged sentences from a column file, such as those of the CoNLL tasks, WNUT, Universal Dependencies and the persuasive essays.

    The text is UTF-8, with or without a byte order mark. A line ends at `\n` or `\r\n` and at nothing else; one of nothing but white space ends a sentence.
    Lines that begin with `-DOCSTART-` are left out. Words and tags are taken as they are.

    Args:
        path: string or path.
        word: integer, the column of the word; negative ones count from the end. Defaults to `0`.
        tag: integer, the column of the tag. Defaults to `-1`.
        separator: string between columns, or `None` for any run of white space. Defaults to `None`.
        conllu: boolean, whether lines that begin with `#` are comments, and tokens of several words (`3-4`) and words that are not there (`5.1`) are left out.
            Defaults to `False`.
        until: string, the character of the tag at which it ends, such as `":"` for `I-Premise:-1:Support`, or `None`. Defaults to `None`.

    Returns:
        `TaggedSentences`.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is empty, is not UTF-8, or has a line without one of the two columns; the message names the file and the line.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "essay.conll")
        >>> _ = path.write_text("1\tit\t_\t_\tB-Premise:-1:Support\n2\thelps\t_\t_\tI-Premise:-1:Support\n\n", encoding="utf-8")
        >>> read_columns(path, word=1, until=":")[0]
        (['it', 'helps'], ['B-Premise', 'I-Premise'])
    """
    words, tags, sentence = [], [], []
    needed = max(index + 1 if index >= 0 else -index for index in (word, tag))
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no such file. Received: {str(path)!r}")
    for number, line in enumerate([*decode_lines(path.read_bytes(), path), ""], start=1):
        if not line.strip():
            if sentence:
                words.append([each for each, _ in sentence])
                tags.append([each for _, each in sentence])
            sentence = []
            continue
        if (conllu and line.startswith("#")) or line.startswith("-DOCSTART-"):
            continue
        columns = line.split(separator)
        if conllu and NOT_A_WORD.fullmatch(columns[0]):
            continue
        if len(columns) < max(needed, 2) or not columns[word].strip() or not columns[tag].strip():
            what = f"{len(columns)} column{'' if len(columns) == 1 else 's'}, where a word in column {word} and a tag in column {tag} are needed"
            raise ValueError(f"{path}, line {number}: {what}. Received: {line[:80]!r}.")
        sentence.append((columns[word], columns[tag].strip().split(until)[0] if until else columns[tag].strip()))
    if not words:
        raise ValueError(f"{path} holds no sentence.")
    return TaggedSentences(words, tags)
