"""What BERT's normaliser and splitter do to each character, read off the library that defines them, as a table of numbers that a graph can look up."""

import collections
import dataclasses
import functools
import json

import numpy as np
from tokenizers import normalizers, pre_tokenizers

REMOVED, SPACE, LETTER, ALONE, SEVERAL = range(5)  # vanishes | parts words | belongs to a word | is a word | becomes several characters
PAGE = 256
_PLANE = 0x10000
# The planes 3 to 13 hold ideographs that BERT takes for letters, or nothing, 15 and 16 private characters: all of a kind, but for the last two of each plane.
_UNIFORM = {**dict.fromkeys(range(3, 14), 3), 15: 15, 16: 15}
_BETWEEN = "\ua66e"  # parts the characters that are normalised in one string: a letter that nothing changes and no mark joins


@dataclasses.dataclass(frozen=True)
class CharacterTable:
    """A table in pages of 256 code points, equal pages stored once.

    Args:
        pages: int32 array `(4352,)`, which row of `values` holds a page.
        values: int32 array `(rows, 256)`. The three lowest bits are the kind of the character, the rest is what to add to its code point, or, for `SEVERAL`,
            the row of `several`.
        several: pair of int32 arrays: the characters of all rows, each as `8 * code point + kind`, and where rows begin and end in them.
        ranks: int32 array `(rows, 256)`, under the same `pages`: 0 for a character that ends a run of combining marks, -1 for one that vanishes before marks
            are put into order, otherwise its rank, from 1 on, in that order.
    """

    pages: np.ndarray
    values: np.ndarray
    several: tuple
    ranks: np.ndarray


def character_table(normalizer):
    """Reads the table of a normaliser off the library `tokenizers`, by normalising every character of Unicode.

    Args:
        normalizer: dictionary, the `BertNormalizer` of a `tokenizer.json`.

    Returns:
        A `CharacterTable`.
    """
    return _character_table(json.dumps(normalizer, sort_keys=True))


@functools.lru_cache(maxsize=8)
def _character_table(normalizer):
    options = {name: value for name, value in json.loads(normalizer).items() if name != "type"}
    normalize = normalizers.BertNormalizer(**options).normalize_str
    looked_at = [range(plane * _PLANE, (plane + 1) * _PLANE) for plane in (0, 1, 2, 14)]
    looked_at += [range(plane * _PLANE + start, plane * _PLANE + start + PAGE) for plane in (3, 15) for start in (0, _PLANE - PAGE)]
    codes = [code for part in looked_at for code in part if not 0xD800 <= code < 0xE000]
    kinds = _kinds(range(2 * _PLANE))
    values, ranks = np.zeros((2, 17 * _PLANE), "int32")
    values[:] = LETTER  # surrogates, which no text holds
    several, splits = [], [0]
    for code, normal in zip(codes, _each(normalize, map(chr, codes))):
        alone = len(normal) == 3 and normal[0] == normal[2] == " "  # as an ideograph is set apart
        characters = [ord(character) for character in (normal[1] if alone else normal)]
        if len(characters) > 1:
            values[code] = 8 * (len(splits) - 1) + SEVERAL
            several += [8 * character + kinds[character] for character in characters]
            splits.append(len(several))
        elif characters:
            values[code] = 8 * (characters[0] - code) + (ALONE if alone else kinds[characters[0]])
        else:
            values[code] = REMOVED
    if options.get("lowercase") if options.get("strip_accents") is None else options["strip_accents"]:  # there is a decomposition
        _rank_marks(ranks, values, several, options.get("clean_text"))
    values, ranks = values.reshape(-1, PAGE), ranks.reshape(-1, PAGE)
    for plane, like in _UNIFORM.items():
        first, last = like * PAGE, (like + 1) * PAGE - 1  # a plane has as many pages as a page has characters
        values[plane * PAGE : (plane + 1) * PAGE - 1], values[(plane + 1) * PAGE - 1] = values[first].copy(), values[last].copy()
    numbers = {}
    pages = [numbers.setdefault(page.tobytes() + rank.tobytes(), len(numbers)) for page, rank in zip(values, ranks)]
    _, firsts = np.unique(pages, return_index=True)
    return CharacterTable(np.array(pages, "int32"), values[firsts], (np.array(several, "int32"), np.array(splits, "int32")), ranks[firsts])


def _each(normalize, texts):
    """Returns what `normalize` makes of each of `texts`, a list of strings."""
    texts = list(texts)
    normal = normalize(_BETWEEN.join("" if _BETWEEN in text else text for text in texts)).split(_BETWEEN)
    return [normalize(text) if _BETWEEN in text else other for text, other in zip(texts, normal)]


def _kinds(codes):
    """Returns a dictionary from code points to the kind that the splitter takes them for; what is not in it is a letter."""
    codes = [code for code in codes if not 0xD800 <= code < 0xE000]
    text = "".join("a" + chr(code) for code in codes)  # the character of codes[i] stands at 2 i + 1
    kinds = np.full(len(text), SPACE)
    for _, (start, end) in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text):
        kinds[start:end] = ALONE if end == start + 1 and start % 2 else LETTER
    return collections.defaultdict(lambda: LETTER, zip(codes, kinds[1::2].tolist()))


def _rank_marks(ranks, values, several, clean_text):
    """Fills in `ranks`: in which order decomposition puts the combining marks that stay in the text.

    Decomposition sorts each run of combining marks by a class that Unicode gives them. Accents are removed only after that, so that those end no run.
    """
    low, high = "\u0334", "\u0345"  # marks of the classes 1 and 240, the lowest and the highest: each mark goes before or behind one of them
    decompose = normalizers.NFD().normalize_str
    removed = np.flatnonzero(values == REMOVED)
    clean = normalizers.BertNormalizer(clean_text=bool(clean_text), handle_chinese_chars=False, strip_accents=False, lowercase=False).normalize_str
    ranks[removed] = [-1 if not left else 0 for left in _each(clean, map(chr, removed.tolist()))]
    codes = [code for code in range(0x300, 2 * _PLANE) if not 0xD800 <= code < 0xE000 and ranks[code] == 0]  # no mark stands elsewhere
    behind, before = _each(decompose, (chr(code) + low for code in codes)), _each(decompose, (high + chr(code) for code in codes))
    ranks[[code for code, first, second in zip(codes, behind, before) if first[0] == low or second == chr(code) + high]] = 1
    staying = set(np.flatnonzero((ranks > 0) & (values != REMOVED)).tolist()) | {packed // 8 for packed in several if ranks[packed // 8] > 0}
    for mark in staying:
        ranks[mark] = 1 + sum(decompose(chr(mark) + chr(other)) != chr(mark) + chr(other) for other in staying)
