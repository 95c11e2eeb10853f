"""What every language model does, whatever is inside."""

import keras

from keras_richctx.language_models.generate import generate
from keras_richctx.language_models.reading import reading
from keras_richctx.metrics import Perplexity
from keras_richctx.ops.masks import as_mask, padding_mask
from keras_richctx.training.varied_shapes import VariedShapes


class LanguageModel(VariedShapes):
    """Base of the language models: a tokenizer, the default loss and metric, and `generate`.

    A subclass defines `call` (the logits of the next token at each position of a text), `initial_state` and `advance` (the same, from the state that an earlier
    piece of the text has left), and `read` (the state alone).

    Args:
        tokenizer: tokenizer of `keras_richctx.text`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Raises:
        ValueError: if `tokenizer` is none.
    """

    def __init__(self, tokenizer, **kwargs):
        super().__init__(**kwargs)
        if not hasattr(tokenizer, "vocab_size"):
            raise ValueError(f"A language model takes a tokenizer of keras_richctx.text. Received: tokenizer={tokenizer!r}")
        self.tokenizer = tokenizer

    def compile(self, optimizer="adam", loss="auto", weighted_metrics="auto", jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`, with the loss and the metric of language models filled in.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            loss: `"auto"` for the cross-entropy of the next token: the sum over real positions divided by their number.
            weighted_metrics: `"auto"` for the perplexity over real positions.
            jit_compile: boolean or `"auto"`. Defaults to `False` on TensorFlow, where XLA compiles a program for each shape of batch, and `"auto"` elsewhere.
                For a run of some minutes over chunks of one shape `True` is faster there.
            **kwargs: passed to `keras.Model.compile`.
        """
        if loss == "auto":
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="mean_with_sample_weight")
        if weighted_metrics == "auto":
            weighted_metrics = [Perplexity()]
        super().compile(optimizer=optimizer, loss=loss, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    @property
    def vocab_size(self):
        """V, the number of tokens."""
        return self.tokenizer.vocab_size

    @property
    def eos_id(self):
        """The id that ends a text, or `None`."""
        return self.tokenizer.eos_id

    @property
    def pad_id(self):
        """The id that fills up a text in a batch."""
        return self.tokenizer.pad_id

    def initial_state(self, batch_size):
        """Returns the state before the first token, a list of tensors with leading axis B."""
        raise NotImplementedError

    def advance(self, token_ids, state, training=False):
        """Reads `token_ids`, `(B, T)`, on from a state; returns the logits of the token after each position, `(B, T, V)`, and the new state."""
        raise NotImplementedError

    def read(self, token_ids, mask, max_new_tokens):
        """Returns the state after the real positions of `token_ids`, `(B, T)`: those where `mask` is `True`, side by side, or none.

        The state has room for `max_new_tokens` more, where a model has to know that.
        """
        raise NotImplementedError

    def start(self, inputs, max_new_tokens):
        """Reads prompts for `keras_richctx.generation`: all tokens of each but the last real one.

        Args:
            inputs: dict of `token_ids`, integer `(B, T)`, with at least one real token in each row; and, if pads cannot be told by their id, `padding_mask`,
                boolean `(B, T)`, `True` at real positions. Pads may stand on either side.
            max_new_tokens: integer, how many steps will be taken at most.

        Returns:
            A triple: the last real token of each prompt, `(B,)`; the state after the tokens before it; and an empty dict, as the state is the only memory.

        Raises:
            ValueError: if `inputs` is no dict that holds `token_ids`.
        """
        if not isinstance(inputs, dict) or "token_ids" not in inputs:
            received = f"a dict of {sorted(inputs)}" if isinstance(inputs, dict) else f"a {type(inputs).__name__}"
            raise ValueError(f"A language model starts from a dict of token_ids. Received: {received}, without token_ids")
        token_ids, mask = keras.ops.cast(inputs["token_ids"], "int32"), inputs.get("padding_mask")
        mask = padding_mask(token_ids, self.pad_id) if mask is None else as_mask(mask, "padding_mask")
        positions = keras.ops.arange(keras.ops.shape(token_ids)[1], dtype="int32")[None]  # (1, T)
        last = positions == keras.ops.max(keras.ops.where(mask, positions, 0), axis=1, keepdims=True)  # (B, T): one True a row
        state = self.read(token_ids, keras.ops.logical_and(mask, keras.ops.logical_not(last)), max_new_tokens)
        return keras.ops.sum(keras.ops.where(last, token_ids, 0), axis=1), state, {}

    def step(self, token_ids, state, memory):
        """Takes the last token ids, `(B,)`, a step further; returns the logits of the next, `(B, V)`, and the new state."""
        logits, state = self.advance(token_ids[:, None], state)  # (B, 1, V)
        return logits[:, 0], state

    def reading(self, inputs):
        """Reads texts or ids for `krc.attention_maps` and `krc.viz.attribution`.

        Args:
            inputs: a list of texts; or what `call` takes.

        Returns:
            A `Reading`: what `call` takes, and the tokens at its positions.
        """
        return reading(self, inputs)

    def generate(self, texts, **options):
        """Writes texts on; see [`generate`][keras_richctx.language_models.generate.generate] for the options.

        Args:
            texts: a string or a list of strings.
            **options: `max_new_tokens`, `num_beams`, `temperature`, `top_k`, `top_p`, `min_p`, `seed`, `stop`, `on_text`.

        Returns:
            A string, or a list of strings in the order of `texts`: each text and its continuation.
        """
        return generate(self, texts, **options)

    def get_config(self):
        return {**super().get_config(), "tokenizer": keras.saving.serialize_keras_object(self.tokenizer)}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "tokenizer": keras.saving.deserialize_keras_object(config["tokenizer"])})
