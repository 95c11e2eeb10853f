"""The way from words to tags as one compiled program."""

import keras
import numpy as np

from keras_richctx.tagging.word_encoder import check_sentences


class Decoder(keras.Model):
    """A tagger with the choice of the tags behind it, so that Keras compiles both together: `tf.function` on TensorFlow, `jit` on JAX.

    Args:
        tagger: model with `prepare`, such as `TokenTagger`, that gives emissions, or a dict of them.
        head: `TagHead` of the tagger.
        task: string, which of several emissions the head is of, or `None`.
    """

    def __init__(self, tagger, head, task=None):
        super().__init__(name="decoder", dtype=tagger.dtype_policy)
        self.tagger = tagger
        self.head = head
        self.task = task
        # XLA on TensorFlow would compile anew for each shape of batch; the plain graph takes any
        self.compile(jit_compile=False if keras.backend.backend() == "tensorflow" else "auto")

    def build(self, input_shape):
        self.built = True

    def call(self, inputs):
        emissions = self.tagger(inputs)  # (B, W, K)
        return self.head.best(emissions if self.task is None else emissions[self.task], inputs["word_mask"])  # (B, W)

    def decode(self, sentences, batch_size):
        """Tags sentences, those of like length together.

        Args:
            sentences: list of lists of strings.
            batch_size: integer.

        Returns:
            A list of lists of strings, a tag for each word.
        """
        check_sentences(sentences)
        results = [None] * len(sentences)
        order = np.argsort([len(sentence) for sentence in sentences], kind="stable")
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            inputs = self.tagger.prepare([sentences[row] for row in rows])
            for row, ids in zip(rows, self.predict_on_batch(inputs)):
                results[row] = [self.head.tags[i] for i in ids[: len(sentences[row])]]
        return results
