"""GPT and GPT-2: language models made of the Transformer's decoder, with weights from the files of the world."""

from keras_richctx.gpt.gpt import GPT
from keras_richctx.gpt.gpt2 import GPT2
from keras_richctx.gpt.perplexity import strided_perplexity

__all__ = ["GPT", "GPT2", "strided_perplexity"]
