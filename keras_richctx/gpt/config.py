"""What the words of a config say."""

from keras_richctx.gpt.activations import activation_from_config, activation_to_config

# of a config's words those that would change what is computed, with the one value that is computed here
FIXED = {"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False, "add_cross_attention": False, "tie_word_embeddings": True}


def read_config(config, model_type, path, options):
    """Turns the words of a `config.json` or an `hparams.json` into arguments; a value that would compute something else is an error."""
    wrong = {name: config[name] for name, value in FIXED.items() if config.get(name, value) != value}
    if wrong:
        raise ValueError(f"These settings are not computed here. Received: {wrong} in {path}")
    try:
        arguments = {
            "num_layers": config["n_layer"],
            "width": config["n_embd"],
            "num_heads": config["n_head"],
            "max_length": config.get("n_positions", config.get("n_ctx")),
            "vocab_size": config["vocab_size"] if "vocab_size" in config else config["n_vocab"],
        }
    except KeyError as error:
        raise ValueError(f"The config lacks {error}. Received: a config of {sorted(config)} in {path}") from error
    arguments["intermediate_dim"] = config.get("n_inner")
    arguments["activation"] = activation_from_config(config, model_type)
    arguments["layer_norm_epsilon"] = config.get("layer_norm_epsilon", 1e-5)
    arguments["attention_dropout"] = config.get("attn_pdrop", 0.1)
    dropouts = {config.get("resid_pdrop", 0.1), config.get("embd_pdrop", 0.1)}
    if len(dropouts) > 1 and "dropout" not in options:
        raise ValueError(
            f"Embeddings and sub-layers have one dropout here. Received: resid_pdrop and embd_pdrop of {sorted(dropouts)} in {path}. Pass dropout=."
        )
    return {**arguments, "dropout": max(dropouts), **options}


def write_config(model):
    """Makes the `config.json` of a model, as a dict."""
    return {
        "model_type": model.model_type,
        "architectures": [model.architecture],
        "n_layer": model.num_layers,
        "n_embd": model.width,
        "n_head": model.num_heads,
        "n_inner": model.intermediate_dim,
        "n_positions": model.max_length,
        "vocab_size": model.vocab_size,
        **activation_to_config(model.activation, model.model_type),
        "layer_norm_epsilon": model.layer_norm_epsilon,
        "resid_pdrop": model.dropout_rate,
        "embd_pdrop": model.dropout_rate,
        "attn_pdrop": model.attention_dropout,
        "bos_token_id": model.tokenizer.bos_id,
        "eos_token_id": model.eos_id,
        "tie_word_embeddings": True,
    }
