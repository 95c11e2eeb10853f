"""Tags for words: the conditional random field, and the tagger that puts a head on word vectors of any kind."""

from keras_richctx.tagging.crf import CRF
from keras_richctx.tagging.transitions import allowed_transitions

__all__ = ["CRF", "allowed_transitions"]
