"""Tokens as labels: every character visible, in a font that has it."""

import functools
import unicodedata
import warnings

import matplotlib
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

BASE_FAMILY = "DejaVu Sans"  # comes with matplotlib: Latin, Greek, Cyrillic, Arabic, Hebrew, Georgian, Armenian, symbols
BOX = "□"
LONGEST = 40

# Which family is taken first where several have a character; then any other, in the order of the alphabet.
_PREFERRED = ("Noto Sans", "Source Han Sans", "Hiragino", "PingFang", "Apple SD Gothic", "Yu Gothic", "Microsoft YaHei", "Malgun", "Nirmala UI")
# Fonts without drawable shapes, or whose characters are not those of Unicode.
_UNUSABLE = ("LastResort", "Last Resort", ".LastResort", "STIXNonUnicode", "cm")
_EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO", "KANGXI", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH")
# What to install, by kind of character: the font, and its package in Debian and Ubuntu.
_PACKAGES = {
    "East Asian": ("Noto Sans CJK", "fonts-noto-cjk"),
    "letter": ("the Noto font of the script", "fonts-noto-core"),
    "symbol": ("Symbola", "fonts-symbola"),
}
_JOINERS = "\u200c\u200d"


def check_tokens(**named):
    """Raises where what was passed as tokens is no list of strings.

    Args:
        **named: each list of tokens under the name of its argument.

    Raises:
        TypeError: if one is not a list or tuple of strings.
    """
    for name, tokens in named.items():
        if not isinstance(tokens, list | tuple) or not all(isinstance(token, str) for token in tokens):
            raise TypeError(f"{name} must be a list of strings. Received: {name}={tokens!r}")


def visible(token):
    r"""Returns a token as a label of one line: as it is, but for what could not be seen.

    A space at an end shows as `␣`, a control or invisible formatting character as its escape, such as `\n` or `\u202e`. A token of more than 40
    characters is shortened in the middle.

    Args:
        token: string.

    Returns:
        A string.

    Example:
        >>> [visible(token) for token in (" the", "$x$", "a\nb")]
        ['␣the', '$x$', 'a\\nb']
    """
    inner = token.strip(" ")
    start = len(token) - len(token.lstrip(" "))
    token = "␣" * start + inner + "␣" * (len(token) - start - len(inner))
    token = "".join(c if c in _JOINERS or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") else ascii(c)[1:-1] for c in token)
    return token if len(token) <= LONGEST else f"{token[: LONGEST // 2]}…{token[-LONGEST // 2 + 1 :]}"


def is_right_to_left(tokens):
    """Returns whether most letters of a sentence belong to a script that is written from right to left.

    Args:
        tokens: list of strings.

    Returns:
        A boolean.
    """
    directions = [unicodedata.bidirectional(c) for token in tokens for c in token]
    return sum(d in ("R", "AL") for d in directions) > sum(d == "L" for d in directions)


def drawable(labels):
    """Finds the fonts for some labels, and says which characters no installed font has.

    Args:
        labels: list of strings.

    Returns:
        A pair: the labels, with a box in place of each character that cannot be drawn; and the list of font families to draw them with.

    Warns:
        UserWarning: if a character cannot be drawn. It names the characters and the fonts to install.
    """
    found = {c: _family_of(c) for c in sorted(set("".join(labels)) - {"\n"})}
    missing = [c for c, family in found.items() if family is None]
    if missing:
        fonts = " and ".join(f"{font} (Debian, Ubuntu: apt install {package})" for font, package in sorted({_PACKAGES[_kind(c)] for c in missing}))
        warnings.warn(
            f"No installed font has {' '.join(missing[:20])}{' …' if len(missing) > 20 else ''}: boxes are drawn instead. Install {fonts}, "
            f"or take them from https://fonts.google.com; then delete matplotlib's list of fonts in {matplotlib.get_cachedir()} and start Python again.",
            stacklevel=3,
        )
    families = [BASE_FAMILY, *dict.fromkeys(family for family in found.values() if family not in (None, BASE_FAMILY))]
    return ["".join(BOX if c in missing else c for c in label) for label in labels], families


@functools.cache
def _family_of(character):
    """Returns the family of the first installed font that has a character, or `None`."""
    if FT2Font(font_manager.findfont(BASE_FAMILY)).get_char_index(ord(character)):
        return BASE_FAMILY
    return next((family for family, codes in _coverage() if ord(character) in codes), None)


@functools.cache
def _coverage():
    """Returns the families of the installed upright regular fonts with the code points that each has, the preferred first."""
    entries = {}
    for entry in font_manager.fontManager.ttflist:
        if entry.style == "normal" and entry.weight in (400, "normal") and not entry.name.startswith(_UNUSABLE) and "Color Emoji" not in entry.name:
            entries.setdefault(entry.name, entry)
    ranked = sorted(entries, key=lambda name: (next((i for i, start in enumerate(_PREFERRED) if name.startswith(start)), len(_PREFERRED)), name))
    return [(name, codes) for name in ranked if (codes := _codes(entries[name]))]


def _codes(entry):
    """Returns the code points of a font file, none if it cannot be read or has no outlines."""
    try:
        font = FT2Font(entry.fname, face_index=entry.index)
    except (OSError, RuntimeError):
        return frozenset()
    return frozenset(font.get_charmap()) if font.scalable else frozenset()


def _kind(character):
    """Returns which kind of font has a character: a key of `_PACKAGES`."""
    if unicodedata.name(character, "?").split()[0] in _EAST_ASIAN:
        return "East Asian"
    return "letter" if unicodedata.category(character)[0] in "LMN" else "symbol"
