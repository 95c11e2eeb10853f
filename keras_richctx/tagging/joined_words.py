"""Several readers of the same words, side by side."""

import keras

from keras_richctx.tagging.word_encoder import WordEncoder


@keras.saving.register_keras_serializable("keras_richctx")
class JoinedWords(WordEncoder):
    r"""Puts the vectors of several encoders of words side by side: $x = [x^1; x^2; \dots]$, such as of ELMo and BERT, or of words and ELMo. What of them is for
    the output of a task's network comes last.

    Args:
        encoders: list of word encoders.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        inputs: what `prepare` returns: the inputs of each encoder, with its number behind their names, and `word_mask`.
        training: boolean, whether dropout is on.

    Returns:
        A float tensor of shape `(B, W, D)`, D being the widths together.
    """

    def __init__(self, encoders, **kwargs):
        super().__init__(**kwargs)
        self.encoders = list(encoders)
        self.max_length = min((encoder.max_length for encoder in self.encoders if encoder.max_length is not None), default=None)
        self.output_dim = sum(encoder.output_dim for encoder in self.encoders)
        self.in_context = any(encoder.in_context for encoder in self.encoders)
        self.built = True

    def prepare(self, sentences):
        parts = [encoder.prepare(sentences) for encoder in self.encoders]
        return {"word_mask": parts[0]["word_mask"], **{f"{name}_{i}": array for i, part in enumerate(parts) for name, array in part.items()}}

    def call(self, inputs, training=False):
        vectors, for_output = [], []
        for i, encoder in enumerate(self.encoders):
            own = {name.removesuffix(f"_{i}"): array for name, array in inputs.items() if name.endswith(f"_{i}")}
            own_vectors, beside = encoder.split(keras.ops.cast(encoder(own, training=training), self.compute_dtype))
            vectors.append(own_vectors)
            for_output += [] if beside is None else [beside]
        # x = [x^1; x^2; ...]
        return keras.ops.concatenate(vectors + for_output, axis=-1)  # (B, W, D)

    def get_config(self):
        return {**super().get_config(), "encoders": [keras.saving.serialize_keras_object(encoder) for encoder in self.encoders]}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "encoders": [keras.saving.deserialize_keras_object(encoder) for encoder in config["encoders"]]})
