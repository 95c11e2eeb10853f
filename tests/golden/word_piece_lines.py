"""Ten thousand lines to tokenize: English and French, tweets, and what breaks tokenizers."""

import hashlib
import json
import pathlib
import zipfile

ODD = [
    "",
    " ",
    "The café's naïve résumé: Ångström, Čapek, Đorđe, Łódź, İstanbul, ẞ, ŒUVRE, ﬁ, Ⅻ, ½",
    "e\u0301te\u0301 n\u0303 a\u0308\u0323 Z\u0351\u036b\u0343\u036a\u0302\u036b \u0301a",
    "日本語のテキストを分割する。我能吞下玻璃而不伤身体。𠮷野家 豈更 ﾊﾟｰ パ は\u3099",
    "안녕하세요, 세계! \u1112\u1161\u11ab",
    "مرحبا بالعالم، كيف حالك؟ שָׁלוֹם עוֹלָם हिन्दी में पाठ ไทยไม่มีช่องว่าง",
    "Ελληνικά ΣΊΣΥΦΟΣ Русский Й",
    "😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇫🇷 x😀y",
    "\x00\x01\x1b[0m\x7f\x85 a\u00a0b\u2003c\u3000d\u200be\ufefff\u00adg\u2060h \ufffd i\u2028j\u2029k\tl\nm\rn",
    "\u202eright to left\u202c \u2067mixed אבג abc\u2069",
    "a" * 100 + " " + "b" * 101 + " " + "é" * 100 + " " + "é" * 101 + " " + "中" * 120,
    "don't (well-known) $5.00 50% a_b x=y <a href='q'> ~`^|\\ ¿¡ « » – — … “q”",
    "[CLS [ mask ] ##ing #tag @user https://t.co/AbC",
    "ＦＵＬＬ ｗｉｄｔｈ ① K Å ſ",
]


def reference_lines(data_dir):
    """Returns 10,000 lines, the same each time."""
    data_dir = pathlib.Path(data_dir)
    pairs = zipfile.ZipFile(data_dir / "tatoeba_fra/fra-eng.zip").read("fra.txt").decode("utf-8").split("\n")
    english, french = zip(*(line.split("\t")[:2] for line in pairs[:-1:37]))
    tweets, words = [], []
    for line in (data_dir / "wnut17/wnut17train.conll").read_text(encoding="utf-8").split("\n"):
        if line.strip():
            words.append(line.split("\t")[0])
        elif words:
            tweets.append(" ".join(words))
            words = []
    tweets = tweets[:3000]
    count = (10_000 - len(ODD) - len(tweets)) // 2
    lines = [*ODD, *tweets, *english[:count], *french]
    return lines[:10_000]


def digest(ids):
    """Returns the SHA-256 of a list of lists of ids."""
    return hashlib.sha256(json.dumps(ids, separators=(",", ":")).encode()).hexdigest()
