"""Makes tests/golden/bert_real.npz: what Hugging Face's library makes of 50 sentences of STS-B with real weights, of which it holds a few numbers each.

Run in an environment with transformers 5.24 and torch 2.13: python tests/golden/make_bert_real.py STS_B_DEV_TSV BERT_TINY_MLM_DIR MINILM_DIR
"""

import pathlib
import sys

import numpy as np
import torch
import transformers

COUNT, COLUMNS = 50, np.arange(0, 30522, 997)  # sentences, and tokens of which the logits are kept


def main(sentences_file, mlm_dir, minilm_dir):
    lines = pathlib.Path(sentences_file).read_text(encoding="utf-8").split("\n")[1 : COUNT + 1]
    sentences = [line.split("\t")[7] for line in lines]
    mlm = transformers.BertForMaskedLM.from_pretrained(mlm_dir).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm_dir)
    ids = [tokenizer(sentence)["input_ids"] for sentence in sentences]
    encoder = transformers.AutoModel.from_pretrained(minilm_dir).eval()
    logits, vectors, pooled = [], [], []
    with torch.no_grad():
        for row in ids:
            logits.append(mlm(torch.tensor([row])).logits[0][:, COLUMNS].numpy())
            outputs = encoder(torch.tensor([row]))
            mean = outputs.last_hidden_state[0].mean(0)
            vectors.append((mean / mean.norm()).numpy())
            pooled.append(outputs.pooler_output[0, :8].numpy())
    arrays = {"ids": np.concatenate(ids).astype("int32"), "lengths": np.array(list(map(len, ids)), "int32"), "columns": COLUMNS}
    arrays |= {"logits": np.concatenate(logits), "vectors": np.array(vectors), "pooled": np.array(pooled)}
    np.savez_compressed(pathlib.Path(__file__).parent / "bert_real.npz", **arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
