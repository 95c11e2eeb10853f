"""Makes tests/golden/bert: BERT, RoBERTa and DistilBERT of odd sizes with random weights, with every head, and what Hugging Face's library makes of a batch.

Run in an environment with transformers 5.24 and torch 2.13: python tests/golden/make_bert.py
"""

import pathlib
import shutil

import numpy as np
import torch
import transformers

HERE = pathlib.Path(__file__).parent
SIZES = {"hidden_size": 9, "num_attention_heads": 3, "num_hidden_layers": 2, "intermediate_size": 11, "vocab_size": 31}
CONFIGS = {
    "bert": transformers.BertConfig(**SIZES, max_position_embeddings=13, type_vocab_size=3, hidden_act="gelu", layer_norm_eps=1e-7),
    "roberta": transformers.RobertaConfig(**SIZES, max_position_embeddings=15, type_vocab_size=1, hidden_act="gelu_new", layer_norm_eps=1e-5, pad_token_id=1),
    "distilbert": transformers.DistilBertConfig(dim=9, n_heads=3, n_layers=2, hidden_dim=11, vocab_size=31, max_position_embeddings=13, activation="relu"),
}
CLASSES = {"bert": "Bert", "roberta": "Roberta", "distilbert": "DistilBert"}
HEADS = {"lm": "ForMaskedLM", "classifier": "ForSequenceClassification", "span": "ForQuestionAnswering", "tokens": "ForTokenClassification"}
LENGTHS = np.array([11, 6, 2])


def main():
    shutil.rmtree(HERE / "bert", ignore_errors=True)
    random, answers = np.random.default_rng(0), {}
    real = np.arange(11) < LENGTHS[:, None]
    for kind, config in CONFIGS.items():
        token_ids = np.where(real, random.integers(2, 31, size=real.shape), config.pad_token_id)
        answers[f"{kind}/token_ids"], answers["padding_mask"] = token_ids, real
        inputs = {"input_ids": torch.tensor(token_ids), "attention_mask": torch.tensor(real).long()}
        if kind == "bert":
            answers["segment_ids"] = np.where(real, random.integers(3, size=real.shape), 0)
            inputs["token_type_ids"] = torch.tensor(answers["segment_ids"])
        for head, suffix in HEADS.items():
            suffix = "ForPreTraining" if (kind, head) == ("bert", "lm") else suffix
            config.num_labels = 2 if head == "span" else 3
            torch.manual_seed(0)
            model = getattr(transformers, f"{CLASSES[kind]}{suffix}")(config).eval()
            model.set_attn_implementation("eager")  # the one that shows its weights
            for parameter in model.parameters():
                torch.nn.init.normal_(parameter, std=0.4)
            folder, name = HERE / "bert" / f"{kind}_{head}", f"{kind}_{head}"
            model.save_pretrained(folder)
            (folder / "generation_config.json").unlink(missing_ok=True)
            outputs = {k: v for k, v in model(**inputs, output_hidden_states=True, output_attentions=True).items() if v is not None}
            states, attentions = outputs.pop("hidden_states"), outputs.pop("attentions")
            if head == "lm":
                answers[f"{kind}/layer_outputs"] = torch.stack(states, 1)
                answers[f"{kind}/attention_scores"] = torch.stack(attentions, 1)
            loss = 0
            for key, value in outputs.items():
                answers[f"{name}/{key}"] = value
                by_position = value.shape[:2] == real.shape
                weights = random.normal(size=value.shape) * (real.reshape(*real.shape, *[1] * (value.ndim - 2)) if by_position else 1)
                answers[f"{name}/weights/{key}"] = weights
                loss = loss + (value * torch.tensor(weights, dtype=torch.float32)).sum()
            loss.backward()
            for parameter, value in model.named_parameters():
                answers[f"{name}/gradients/{parameter}"] = value.grad
    arrays = {key: value.detach().numpy() if isinstance(value, torch.Tensor) else value for key, value in answers.items()}
    arrays = {key: value.astype("float32") if value.dtype.kind == "f" else value for key, value in arrays.items()}
    np.savez_compressed(HERE / "bert" / "answers.npz", **arrays)


if __name__ == "__main__":
    main()
