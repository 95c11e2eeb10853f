"""The way from words to tags as one compiled program."""

import keras


class Decoder(keras.Model):
    """A tagger with the choice of the tags behind it, so that Keras compiles both together: `tf.function` on TensorFlow, `jit` on JAX.

    Args:
        tagger: `TokenTagger`.
    """

    def __init__(self, tagger):
        super().__init__(name="decoder", dtype=tagger.dtype_policy)
        self.tagger = tagger
        # XLA on TensorFlow would compile anew for each shape of batch; the plain graph takes any
        self.compile(jit_compile=False if keras.backend.backend() == "tensorflow" else "auto")

    def build(self, input_shape):
        self.built = True

    def call(self, inputs):
        emissions = self.tagger(inputs)  # (B, W, K)
        if self.tagger.crf is None:
            return keras.ops.argmax(emissions, axis=-1)  # (B, W)
        return self.tagger.crf.viterbi(emissions, mask=inputs["word_mask"])  # (B, W)
