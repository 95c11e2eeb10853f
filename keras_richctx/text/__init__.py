"""Tokenizers: text to ids and back; and phrases of words that belong together."""

from keras_richctx.text.byte_level_bpe_tokenizer import ByteLevelBPETokenizer
from keras_richctx.text.character_tokenizer import CharacterTokenizer
from keras_richctx.text.code_point_tokenizer import CodePointTokenizer
from keras_richctx.text.pack_windows import pack_windows
from keras_richctx.text.packing import pack_pairs
from keras_richctx.text.phrases import find_phrases, join_phrases
from keras_richctx.text.tokenizer import Tokenizer
from keras_richctx.text.word_piece_tokenizer import WordPieceTokenizer
from keras_richctx.text.word_tokenizer import WordTokenizer

__all__ = [
    "ByteLevelBPETokenizer",
    "CharacterTokenizer",
    "CodePointTokenizer",
    "Tokenizer",
    "WordPieceTokenizer",
    "WordTokenizer",
    "find_phrases",
    "join_phrases",
    "pack_pairs",
    "pack_windows",
]
