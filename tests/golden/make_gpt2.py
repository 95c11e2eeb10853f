"""Makes tests/golden/gpt2: a GPT-2 of odd sizes with random weights in Hugging Face's files, and what their library makes of twenty texts.

Run in an environment with transformers 5.24 and torch 2.13: python tests/golden/make_gpt2.py
"""

import json
import pathlib

import numpy as np
import tokenizers
import torch
import transformers

HERE = pathlib.Path(__file__).parent
TEXTS = [
    "Hello, world!", "a", " leading space", "The cat sat on the", "to be or not to be", "1 + 1 = 2", "ALL CAPS", "tabs\tand\nlines\n\n",
    "naïve café", "e\u0301 combining", "😀 smile", "family 👨‍👩‍👧", "日本語のテキスト", "中文", "한국어", "مرحبا بالعالم", "שלום עולם",
    "def f(x):\n    return x + 1", "for (int i = 0; i < n; ++i) {", "SELECT * FROM t WHERE a <> 'b';",
]  # fmt: skip
OPTIONS = {"n_embd": 21, "n_head": 3, "n_layer": 3, "n_positions": 61, "n_inner": 37, "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}


def main():
    folder = HERE / "gpt2"
    folder.mkdir(exist_ok=True)
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE())
    bpe.pre_tokenizer, bpe.decoder = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False), tokenizers.decoders.ByteLevel()
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    bpe.train_from_iterator(TEXTS * 3, tokenizers.trainers.BpeTrainer(vocab_size=299, initial_alphabet=alphabet, show_progress=False))
    content = json.loads(bpe.to_str())["model"]
    vocabulary = {**content["vocab"], "<|endoftext|>": len(content["vocab"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    merges = [" ".join(merge) if isinstance(merge, list) else merge for merge in content["merges"]]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf-8")
    tokenizer = transformers.GPT2Tokenizer.from_pretrained(folder)
    torch.manual_seed(0)
    end = vocabulary["<|endoftext|>"]
    config = transformers.GPT2Config(vocab_size=len(vocabulary), bos_token_id=end, eos_token_id=end, **OPTIONS)
    model = transformers.GPT2LMHeadModel(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.25)
    model.save_pretrained(folder)
    for name in ("generation_config.json",):
        (folder / name).unlink()
    answers = {"texts": TEXTS}
    rows = [tokenizer(text)["input_ids"] for text in TEXTS]
    assert all(rows)
    assert max(map(len, rows)) + 12 <= OPTIONS["n_positions"]
    with torch.no_grad():
        logits = [model(torch.tensor([row])).logits[0].numpy() for row in rows]
        plain = {"max_new_tokens": 12, "do_sample": False, "pad_token_id": end}
        greedy = [model.generate(torch.tensor([row]), **plain)[0].tolist() for row in rows]
        beams = [model.generate(torch.tensor([row]), num_beams=4, length_penalty=0.0, early_stopping=False, **plain)[0].tolist() for row in rows]
    answers |= {"ids": rows, "greedy": greedy, "beam": beams}
    (folder / "answers.json").write_text(json.dumps(answers, ensure_ascii=False), encoding="utf-8")
    np.savez_compressed(folder / "logits.npz", **{str(i): x.astype("float32") for i, x in enumerate(logits)})


if __name__ == "__main__":
    main()
