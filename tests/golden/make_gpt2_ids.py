"""Writes `gpt2_ids.json`: the ids that Hugging Face's GPT-2 tokenizer gives for texts of many kinds.

    python tests/golden/make_gpt2_ids.py FOLDER

It needs `transformers`, and a folder with GPT-2's `encoder.json` and `vocab.bpe`.
"""

import json
import pathlib
import sys

TEXTS = [
    "Hello world",
    "Attention is all you need.",
    "I'll say we've won, they're here and it's o'clock; DON'T SHOUT'LL",
    "The café's naïve résumé costs 1,250.50 € in Zürich.",
    "antidisestablishmentarianism Pneumonoultramicroscopicsilicovolcanoconiosis",
    "3.14159 0xDEADBEEF 1e-12 192.168.0.1 ½ ² Ⅻ",
    "def f(x):\n    return [i ** 2 for i in range(x) if i % 2 == 0]  # squares\n",
    'if (a && b || !c) { printf("%d\\n", x->y[0]); }\t// C\r\n',
    '<a href="https://example.org/?q=1&r=2">x</a>',
    " leading, trailing ",
    "  \n\n \t \r\n  x",
    "      ",
    "a\u00a0b\u2003c\u3000d\u200be\ufefff",
    "tab\tnewline\nform\fvertical\vnext\u0085line\u2028para\u2029end",
    "😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇫🇷 🦉🦉",
    "日本語のテキストを分割する。",
    "我能吞下玻璃而不伤身体。 𠮷野家",
    "안녕하세요, 세계!",
    "مرحبا بالعالم، كيف حالك؟",
    "שָׁלוֹם עוֹלָם",
    "\u202eright to left\u202c \u2067mixed אבג abc\u2069",
    "e\u0301te\u0301 n\u0303 a\u0308\u0323 Z\u0351\u036b\u0343\u036a\u0302\u036b",
    "हिन्दी में पाठ, ไทยไม่มีช่องว่าง, Ελληνικά, Русский",
    "\x00\x01\x1b[31mred\x1b[0m\x7f",
    "Ġ Ċ Ã© â€™ \ufffd \U0010ffff \ue000",
    "# #version: 0.2\nĠ t",
    "ſ K Å ﬁ ﬀ ＦＵＬＬ ①",
    "mixed混合миксmélangé😀text123abc",
]
MARKED = "A text that holds <|endoftext|> and goes on"


def make(folder):
    """Returns the texts with their ids, and `MARKED` with the ids of its characters: `<|endoftext|>` taken for text."""
    from transformers import GPT2TokenizerFast

    folder = pathlib.Path(folder)
    vocab = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
    merges = [tuple(line.split(" ")) for line in (folder / "vocab.bpe").read_text(encoding="utf-8").split("\n")[1:-1]]
    tokenizer = GPT2TokenizerFast(vocab=vocab, merges=merges)
    plain = GPT2TokenizerFast(vocab=vocab, merges=merges, split_special_tokens=True)
    return [[text, tokenizer(text)["input_ids"]] for text in TEXTS] + [[MARKED, plain(MARKED)["input_ids"]]]


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(pair) for pair in make(sys.argv[1]))
    pathlib.Path(__file__).with_name("gpt2_ids.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8", newline="\n")
