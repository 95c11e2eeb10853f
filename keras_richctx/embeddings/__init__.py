"""Word vectors: trained, read, compared and tested."""

from keras_richctx.embeddings.analogy_accuracy import analogy_accuracy
from keras_richctx.embeddings.corpus import count_words
from keras_richctx.embeddings.huffman import huffman_codes
from keras_richctx.embeddings.outputs import hierarchical_softmax, negative_sampling
from keras_richctx.embeddings.similarity_correlation import similarity_correlation
from keras_richctx.embeddings.window_batches import WindowBatches
from keras_richctx.embeddings.windows import keep_probabilities
from keras_richctx.embeddings.word_vectors import WordVectors

__all__ = [
    "WindowBatches",
    "WordVectors",
    "analogy_accuracy",
    "count_words",
    "hierarchical_softmax",
    "huffman_codes",
    "keep_probabilities",
    "negative_sampling",
    "similarity_correlation",
]
