"""The way from words to tags as one compiled program."""

from keras_richctx.bert.run import length_batches
from keras_richctx.tagging.word_encoder import check_sentences
from keras_richctx.training.varied_shapes import VariedShapes


class Decoder(VariedShapes):
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
        self.compile()

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
        for rows in length_batches([len(sentence) for sentence in sentences], batch_size):
            inputs = self.tagger.prepare([sentences[row] for row in rows])
            for row, ids in zip(rows, self.predict_on_batch(inputs)):
                results[row] = [self.head.tags[i] for i in ids[: len(sentences[row])]]
        return results
