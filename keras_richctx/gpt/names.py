"""Which array of a file goes where. Matrices are `(in, out)`: OpenAI's layer is a convolution of width one, and Hugging Face kept its layout."""

WORDS = {"gpt2": "wte.weight", "openai-gpt": "tokens_embed.weight", "openai": "model/wte"}
POSITIONS = {"gpt2": "wpe.weight", "openai-gpt": "positions_embed.weight", "openai": "model/wpe"}
LAST = {"gpt2": "ln_f.", "openai": "model/ln_f/"}  # GPT has no normalisation at its end


def targets_of(model, style):
    """Says which array goes where.

    Args:
        model: a `GPT2` or a `GPT`.
        style: string, `"gpt2"` or `"openai-gpt"` for the names of Hugging Face, `"openai"` for those of OpenAI.

    Returns:
        A dict from names in the file to what `keras_richctx.checkpoints.assign` takes: `(variable, transform)`, or a list of three of them for the joint
        projection of queries, keys and values.
    """
    join, kernel, bias, gamma, beta = ("/", "w", "b", "g", "b") if style == "openai" else (".", "weight", "bias", "weight", "bias")
    targets = {WORDS[style]: (model.embedding.embeddings, None), POSITIONS[style]: (model.positions.embeddings, None)}

    def add_matrix(prefix, kernels, biases):
        """Adds one matrix and its bias, or several that stand side by side."""
        for suffix, variables in ((kernel, kernels), (bias, biases)):
            targets[f"{prefix}{suffix}"] = [(v, _columns(i, len(variables), v.shape)) for i, v in enumerate(variables)]

    def add_norm(prefix, norm):
        targets[f"{prefix}{gamma}"], targets[f"{prefix}{beta}"] = (norm.gamma, None), (norm.beta, None)

    for i, block in enumerate(model.decoder.blocks):
        layer = f"model/h{i}/" if style == "openai" else f"h.{i}."
        attention = block.self_attention
        parts = [[getattr(attention, f"{part}_{kind}") for part in ("query", "key", "value")] for kind in ("kernel", "bias")]
        add_matrix(f"{layer}attn{join}c_attn{join}", *parts)
        add_matrix(f"{layer}attn{join}c_proj{join}", [attention.output_kernel], [attention.output_bias])
        add_matrix(f"{layer}mlp{join}c_fc{join}", [block.intermediate.kernel], [block.intermediate.bias])
        add_matrix(f"{layer}mlp{join}c_proj{join}", [block.output_dense.kernel], [block.output_dense.bias])
        add_norm(f"{layer}ln_1{join}", block.self_attention_norm)
        add_norm(f"{layer}ln_2{join}", block.feed_forward_norm)
    if style in LAST:
        add_norm(LAST[style], model.decoder.final_norm)
    return targets


def _columns(i, count, shape):
    """Takes the i-th of several matrices that stand side by side, `(..., count * N)`, in the shape of its variable."""

    def take(array):
        width = array.shape[-1] // count
        return array[..., i * width : (i + 1) * width].reshape(shape)

    return take
