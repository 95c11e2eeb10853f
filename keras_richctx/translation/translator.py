"""What every translation model can do, whatever is inside: train with the right loss, translate, and show where it looked."""

import math

import keras

from keras_richctx.training import SmoothedCrossentropy
from keras_richctx.training.varied_shapes import VariedShapes
from keras_richctx.translation.reading import reading
from keras_richctx.translation.translate import translate


class Translator(VariedShapes):
    """Base of the translation models: a pair of tokenizers, the default loss and metrics, and `translate`.

    A subclass defines `call` (logits for a known target), `start` and `step` (one word at a time) and `attention_weights`.

    Args:
        source_tokenizer: tokenizer of `keras_richctx.text`, for what is read.
        target_tokenizer: tokenizer of `keras_richctx.text`, for what is written; it has beginning and end symbols.
        **kwargs: passed to `keras.Model`.
    """

    label_smoothing = 0.0  # what the default loss shares out of each label
    max_source_length = None  # the longest source in tokens that the model can read, where there is such a limit

    def __init__(self, source_tokenizer, target_tokenizer, **kwargs):
        super().__init__(**kwargs)
        for name, tokenizer in (("source_tokenizer", source_tokenizer), ("target_tokenizer", target_tokenizer)):
            if not hasattr(tokenizer, "vocab_size"):
                raise ValueError(f"A translation model takes two tokenizers of keras_richctx.text. Received: {name}={tokenizer!r}")
        if target_tokenizer.bos_id is None or target_tokenizer.eos_id is None:
            raise ValueError("The target's tokenizer needs symbols for the beginning and the end. Received: a tokenizer without bos_id or eos_id")
        self.source_tokenizer = source_tokenizer
        self.target_tokenizer = target_tokenizer

    def compile(self, optimizer="adam", loss="auto", weighted_metrics="auto", jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`, with the loss and metrics of translation filled in.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            loss: `"auto"` for the cross-entropy over real target positions, with the model's label smoothing: the sum of their losses divided by their number.
            weighted_metrics: `"auto"` for the token accuracy over real target positions.
            jit_compile: boolean or `"auto"`. Defaults to `False` on TensorFlow, where XLA would compile a program for each shape of batch, and `"auto"`
                elsewhere.
            **kwargs: passed to `keras.Model.compile`.
        """
        if loss == "auto":
            loss = SmoothedCrossentropy(self.label_smoothing)
        if weighted_metrics == "auto":
            weighted_metrics = [keras.metrics.SparseCategoricalAccuracy(name="token_accuracy")]
        super().compile(optimizer=optimizer, loss=loss, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    def padding_multiple(self, most):
        """Returns of what lengths are to be multiples, at most this number, so that no pad lies behind the longest source that the model can read.

        Args:
            most: positive integer.
        """
        return math.gcd(most, self.max_source_length or most)

    @property
    def has_attention(self):
        """Whether there are attention weights to show."""
        return True

    @property
    def eos_id(self):
        """The id that ends a translation."""
        return self.target_tokenizer.eos_id

    @property
    def pad_id(self):
        """The id that fills up a translation in a batch."""
        return self.target_tokenizer.pad_id

    def start(self, inputs, max_new_tokens):
        """Reads the source; returns the first token ids `(B,)`, the first state, and what stays the same for all steps (nests of tensors)."""
        raise NotImplementedError

    def step(self, token_ids, state, memory):
        """Takes the last token ids, `(B,)`, a step further; returns the logits of the next, `(B, V)`, and the new state."""
        raise NotImplementedError

    def attention_weights(self, inputs):
        """Returns where each target position looked, `(B, T, S)`, for what `call` takes."""
        raise NotImplementedError

    def reading(self, inputs):
        """Reads texts, pairs of a text and its translation, or ids for `krc.attention_maps`.

        Args:
            inputs: a list of texts, which are translated by greedy decoding, or of pairs; or what `call` takes.

        Returns:
            A `Reading`: what `call` takes, and the tokens at its positions.
        """
        return reading(self, inputs)

    def translate(self, texts, **options):
        """Translates texts; see [`translate`][keras_richctx.translation.translate.translate] for the options.

        Args:
            texts: a string or a list of strings.
            **options: `num_beams`, `length_penalty`, `max_new_tokens`, `replace_unknown`, `batch_size`.

        Returns:
            A `Translation`, or a list of them in the order of `texts`.
        """
        return translate(self, texts, **options)

    def get_config(self):
        return {
            **super().get_config(),
            "source_tokenizer": keras.saving.serialize_keras_object(self.source_tokenizer),
            "target_tokenizer": keras.saving.serialize_keras_object(self.target_tokenizer),
        }

    @classmethod
    def from_config(cls, config):
        tokenizers = {k: keras.saving.deserialize_keras_object(config[k]) for k in ("source_tokenizer", "target_tokenizer")}
        return cls(**{**config, **tokenizers})
