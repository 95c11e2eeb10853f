"""GPT, the first one."""

import keras

from keras_richctx.gpt.gpt2 import GPT2


@keras.saving.register_keras_serializable("keras_richctx")
class GPT(GPT2):
    r"""GPT: the blocks of `GPT2` with the normalisation after each sub-layer, as in the Transformer's paper, and none at the end.

    $$h^0 = E x + P, \qquad h^l = \mathrm{Block}(h^{l-1}), \qquad \text{logits} = h^L E^\top$$

    Args:
        tokenizer: tokenizer of `keras_richctx.text`. The vocabulary of the published weights is of another kind, which is not read here: give the tokenizer.
        max_length: integer. Defaults to `512`, as published.
        **kwargs: the other arguments of `GPT2`.

    Call arguments:
        inputs: as in `GPT2`.
        training: boolean, whether dropout is on.

    Returns:
        The logits of the next token at each position, float `(B, T, V)`.

    Raises:
        ValueError: as `GPT2`.

    Example:
        >>> tokenizer = krc.text.ByteLevelBPETokenizer.train(["to be or not to be"], vocab_size=270)
        >>> GPT(tokenizer, num_layers=2, width=12, num_heads=3, max_length=20)(np.array([tokenizer("to be")])).shape[-1] == tokenizer.vocab_size
        True

    References:
        [Radford et al., 2018](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf), section 3.1.
    """

    model_type = "openai-gpt"
    architecture = "OpenAIGPTLMHeadModel"
    norm = "post"

    def __init__(self, tokenizer, max_length=512, **kwargs):
        super().__init__(tokenizer, max_length=max_length, **kwargs)
