"""Tokenizers: text to ids and back."""

from keras_richctx.text.byte_level_bpe_tokenizer import ByteLevelBPETokenizer
from keras_richctx.text.code_point_tokenizer import CodePointTokenizer
from keras_richctx.text.tokenizer import Tokenizer
from keras_richctx.text.word_tokenizer import WordTokenizer

__all__ = ["ByteLevelBPETokenizer", "CodePointTokenizer", "Tokenizer", "WordTokenizer"]
