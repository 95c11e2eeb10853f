"""What the words of a config say."""

from keras_richctx.checkpoints.activation_names import activation_of, name_of
from keras_richctx.ops import gelu_tanh

# of a config's words those that would change what is computed, with the one value that is computed here
FIXED = {
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
    "tie_weights_": True,
    "pruned_heads": {},
}
BERT_WORDS = {
    "num_layers": "num_hidden_layers",
    "width": "hidden_size",
    "num_heads": "num_attention_heads",
    "intermediate_dim": "intermediate_size",
    "vocab_size": "vocab_size",
    "max_length": "max_position_embeddings",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
    "activation": "hidden_act",
    "num_segments": "type_vocab_size",
    "layer_norm_epsilon": "layer_norm_eps",
}
DISTILBERT_WORDS = {
    "num_layers": "n_layers",
    "width": "dim",
    "num_heads": "n_heads",
    "intermediate_dim": "hidden_dim",
    "vocab_size": "vocab_size",
    "max_length": "max_position_embeddings",
    "dropout": "dropout",
    "attention_dropout": "attention_dropout",
    "activation": "activation",
}
WORDS = {"bert": BERT_WORDS, "roberta": BERT_WORDS, "distilbert": DISTILBERT_WORDS}
# what a config may leave out: Google's have no word for the epsilon, and older ones of DistilBERT leave out what is as published
DEFAULTS = {"layer_norm_eps": 1e-12, "dropout": 0.1, "attention_dropout": 0.1, "activation": "gelu"}


def read_config(config, path, is_google=False):
    """Turns the words of a `config.json` or a `bert_config.json` into arguments of `Bert`; a value that would compute something else is an error."""
    model_type = "bert" if is_google else config.get("model_type")
    if model_type not in WORDS:
        raise ValueError(f"A Bert reads models of the types {', '.join(WORDS)}. Received: model_type={model_type!r} in {path}")
    wrong = {word: config[word] for word, value in FIXED.items() if config.get(word, value) != value}
    if wrong:
        raise ValueError(f"These settings are not computed here. Received: {wrong} in {path}")
    words = WORDS[model_type]
    missing = [word for word in words.values() if word not in config and word not in DEFAULTS]
    if missing:
        raise ValueError(f"The config lacks {', '.join(missing)}. Received: a config of {sorted(config)} in {path}")
    arguments = {argument: config.get(word, DEFAULTS.get(word)) for argument, word in words.items()}
    name = arguments["activation"]
    # in Google's files "gelu" is the tanh form
    arguments["activation"] = gelu_tanh if is_google and name == "gelu" else activation_of(name, words["activation"])
    pad_id = config.get("pad_token_id")
    arguments |= {"model_type": model_type, "pad_id": int(model_type == "roberta") if pad_id is None else pad_id}
    if model_type == "distilbert":
        return {**arguments, "num_segments": 0, "layer_norm_epsilon": 1e-12}
    if model_type == "roberta":
        arguments["max_length"] -= arguments["pad_id"] + 1  # the first rows are of no position
    return arguments


def write_config(bert):
    """Makes the words of a `Bert` for a `config.json`, as a dict."""
    written = {
        "num_layers": bert.num_layers,
        "width": bert.width,
        "num_heads": bert.num_heads,
        "intermediate_dim": bert.intermediate_dim,
        "vocab_size": bert.vocab_size,
        "max_length": bert.max_length + bert.first_position,
        "dropout": bert.dropout_rate,
        "attention_dropout": bert.attention_dropout,
        "activation": name_of(bert.activation),
        "num_segments": bert.num_segments,
        "layer_norm_epsilon": bert.layer_norm_epsilon,
    }
    words = WORDS[bert.model_type]
    fixed = {"num_segments": 0, "layer_norm_epsilon": 1e-12} if bert.model_type == "distilbert" else {}
    wrong = {argument: written[argument] for argument, value in fixed.items() if written[argument] != value}
    if wrong or not (bert.num_segments or fixed):
        raise ValueError(f"A config of the type {bert.model_type} has no words for these. Received: {wrong or {'num_segments': 0}}")
    return {
        "model_type": bert.model_type,
        **{word: written[argument] for argument, word in words.items()},
        "pad_token_id": bert.pad_id,
        "tie_word_embeddings": True,
    }
