"""The Transformer's parts: positions, blocks, and the two stacks of them."""

from keras_richctx.transformer.decoder_block import DecoderBlock
from keras_richctx.transformer.encoder_block import EncoderBlock
from keras_richctx.transformer.learned_positions import LearnedPositions
from keras_richctx.transformer.sinusoidal_positions import SinusoidalPositions, sinusoids
from keras_richctx.transformer.transformer_decoder import TransformerDecoder
from keras_richctx.transformer.transformer_encoder import TransformerEncoder

__all__ = [
    "DecoderBlock",
    "EncoderBlock",
    "LearnedPositions",
    "SinusoidalPositions",
    "TransformerDecoder",
    "TransformerEncoder",
    "sinusoids",
]
