"""What makes vectors of the words of sentences."""

import keras

from keras_richctx.text.pad_rows import row_mask


class WordEncoder(keras.layers.Layer):
    """Base of the layers that turn sentences of words into one vector a word: what a `TokenTagger` puts its head on.

    A subclass defines `prepare`, which runs in Python, on sentences, and `call`, which runs on the arrays that come out of it.
    """

    in_context = True  # whether the vector of a word holds something of the words around it
    output_dim = 0  # how many of the last features are for the output of a task's network, and not for its input
    max_length = None  # the most positions that an array of `prepare` may have, or None

    def prepare(self, sentences):
        """Turns sentences into what `call` takes.

        Args:
            sentences: list of N lists of strings, the words of each sentence.

        Returns:
            A dict of NumPy arrays, each with N rows; among them `word_mask`, boolean `(N, W)`, `True` at words.

        Raises:
            ValueError: if a sentence has no words, a word is empty, or a sentence is longer than can be read.
        """
        raise NotImplementedError

    def call(self, inputs, training=False):
        """Makes a vector of each word: float `(B, W, D)`. What stands at pads means nothing."""
        raise NotImplementedError

    def split(self, vectors):
        """Splits what `call` gave into what is for the input of a task's network and what is for its output, or `None`."""
        n = self.output_dim
        return (vectors[..., :-n], vectors[..., -n:]) if n else (vectors, None)  # (B, W, D - n), (B, W, n)


def check_sentences(sentences):
    """Raises unless `sentences` is a list of lists of words, none of them empty."""
    if isinstance(sentences, str) or not len(sentences) or any(isinstance(sentence, str) for sentence in sentences):
        raise ValueError(f"Sentences are lists of words; split a text first. Received: sentences={sentences!r}")
    for i, sentence in enumerate(sentences):
        if not len(sentence):
            raise ValueError(f"A sentence has a word at least. Received: sentence {i} without words. Leave it out.")
        for word in sentence:
            if not isinstance(word, str) or not word:
                raise ValueError(f"A word is a string of a character at least. Received: {word!r} in sentence {i}")


WORDS_STEP = 8  # the number of words is padded to multiples of this, so that few shapes are compiled


def word_mask(sentences):
    """Says where the words are: boolean `(N, W)`."""
    return row_mask(sentences, WORDS_STEP)
