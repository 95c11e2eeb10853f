"""Writes `word_piece_digest.json`: a digest of the ids that Hugging Face's `BertTokenizer`, and the slow one written in Python, give for 10,000 lines.

    KERAS_RICHCTX_DATA=... KERAS_RICHCTX_FIXTURES=... python tests/golden/make_word_piece_digest.py

It needs `transformers`, and the folders that the two variables name. The lines are those of `word_piece_lines.py`.
"""

import json
import os
import pathlib

from word_piece_lines import digest, reference_lines


def make(data, fixtures):
    """Returns the digests of both tokenizers, and on how many lines they differ."""
    from transformers import BertTokenizer
    from transformers.models.bert.tokenization_bert_legacy import BertTokenizerLegacy

    path = pathlib.Path(fixtures) / "bert_vocab/vocab.txt"
    vocab = {token: i for i, token in enumerate(path.read_text(encoding="utf-8").splitlines())}
    fast, slow = BertTokenizer(vocab=vocab, split_special_tokens=True), BertTokenizerLegacy(str(path))
    lines = reference_lines(data)
    fast_ids = [fast(line, add_special_tokens=False)["input_ids"] for line in lines]
    slow_ids = [slow.convert_tokens_to_ids(slow.tokenize(line)) for line in lines]
    different = [line for line, a, b in zip(lines, fast_ids, slow_ids) if a != b]
    return {"lines": len(lines), "tokens": sum(map(len, fast_ids)), "fast": digest(fast_ids), "slow": digest(slow_ids), "different": different}


if __name__ == "__main__":
    made = make(os.environ["KERAS_RICHCTX_DATA"], os.environ["KERAS_RICHCTX_FIXTURES"])
    pathlib.Path(__file__).with_name("word_piece_digest.json").write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    print({**made, "different": made["different"][:9]})
