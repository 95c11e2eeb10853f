"""Images read and made in sequence: captions, glimpses, and drawings piece by piece."""

from keras_richctx.vision.alex_net import AlexNet
from keras_richctx.vision.caption import Caption
from keras_richctx.vision.caption_images import caption_images
from keras_richctx.vision.conv_grid import ConvGrid
from keras_richctx.vision.draw import DRAW
from keras_richctx.vision.glimpse_classifier import GlimpseClassifier
from keras_richctx.vision.image_captioner import ImageCaptioner
from keras_richctx.vision.image_classifier import ImageClassifier
from keras_richctx.vision.image_decoder import ImageDecoder
from keras_richctx.vision.local_response_normalization import LocalResponseNormalization

__all__ = [
    "DRAW",
    "AlexNet",
    "Caption",
    "ConvGrid",
    "GlimpseClassifier",
    "ImageCaptioner",
    "ImageClassifier",
    "ImageDecoder",
    "LocalResponseNormalization",
    "caption_images",
]
