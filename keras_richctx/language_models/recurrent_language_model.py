"""What every recurrent language model does, whatever is between its embedding and its output layer."""

import keras

from keras_richctx.language_models.generate import generate
from keras_richctx.metrics import Perplexity
from keras_richctx.ops.masks import as_mask, padding_mask


class RecurrentLanguageModel(keras.Model):
    r"""Base of the recurrent language models: an embedding, a stack of recurrent layers and an output layer, with the state in the caller's hands.

    $$(\text{logits}_{1 \dots T},\, s_T) = f(x_{1 \dots T},\, s_0), \qquad p(x_{t+1} \mid x_{\le t}, s_0) = \mathrm{softmax}(\text{logits}_t)$$

    The state is a flat list of tensors `(B, U)`: those of the first layer (of an LSTM the hidden state and the cell), then those of the next. A text read in
    pieces, each from the state that the piece before it left, gives the logits of the whole text. The model itself keeps no state, so the same model trains on
    32 rows at once and writes one text.

    A subclass makes `embedding`, `recurrent_layers` (which return sequences and state) and `output_projection`, and calls `build` when it has made them. It may
    change what is between them: `embed`, `after_layer`, `project`.

    Args:
        tokenizer: tokenizer of `keras_richctx.text`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        token_ids: integer tensor of shape `(B, T)`. The text starts anew in each row. Pads may stand at the end, where they change nothing before them.
        training: boolean, whether dropout is on.

    Returns:
        The logits of the next token at each position, float `(B, T, V)`.

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
            jit_compile: boolean or `"auto"`. Defaults to `False` on TensorFlow, where XLA would compile a program for each shape of batch, and `"auto"`
                elsewhere.
            **kwargs: passed to `keras.Model.compile`.
        """
        if loss == "auto":
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="mean_with_sample_weight")
        if weighted_metrics == "auto":
            weighted_metrics = [Perplexity()]
        if jit_compile is None:
            jit_compile = False if keras.backend.backend() == "tensorflow" else "auto"
        super().compile(optimizer=optimizer, loss=loss, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    def compile_from_config(self, config):
        """Compiles a loaded model as it was when saved, with the state of its optimizer to follow."""
        self.compile(**keras.saving.deserialize_keras_object(config))
        self.optimizer.build(self.trainable_variables)

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

    def build(self, input_shape=None):
        if self.built:
            return
        self.embedding.build((None, None))
        width = self.embedding.output_dim
        for layer in self.recurrent_layers:
            layer.build((None, None, width))
            width = layer.units
        self.output_projection.build((None, None, width))
        self.built = True

    def call(self, token_ids, training=False):
        logits, _ = self.advance(token_ids, self.initial_state(keras.ops.shape(token_ids)[0]), training=training)
        return logits

    def initial_state(self, batch_size):
        """Returns the state before the first token: a flat list over the layers of zeros, `(B, U)` each."""
        sizes = keras.tree.flatten([layer.cell.state_size for layer in self.recurrent_layers])
        return [keras.ops.zeros((batch_size, size), dtype=self.compute_dtype) for size in sizes]

    def advance(self, token_ids, state, training=False):
        """Reads a piece of text on from a state.

        Args:
            token_ids: integer tensor of shape `(B, T)`.
            state: list of tensors of shape `(B, U)`, from `initial_state` or an earlier piece.
            training: boolean, whether dropout is on. Defaults to `False`.

        Returns:
            A pair: the logits of the token after each position, float `(B, T, V)`, and the state after the last position.
        """
        features, state = self.features(token_ids, state, training=training)
        return self.project(features), state

    def features(self, token_ids, state, mask=None, training=False):
        """Reads a piece of text up to the last recurrent layer.

        Args:
            token_ids: integer tensor of shape `(B, T)`.
            state: list of tensors of shape `(B, U)`.
            mask: boolean tensor of shape `(B, T)`, `True` at the positions to read, or `None` for all. The others leave the state as it is.
            training: boolean, whether dropout is on. Defaults to `False`.

        Returns:
            A pair: what the output layer sees, float `(B, T, U)`, and the state after the last position that was read.
        """
        x, state, after = self.embed(token_ids, training), list(state), []  # (B, T, E)
        for index, layer in enumerate(self.recurrent_layers):
            count = len(keras.tree.flatten(layer.cell.state_size))
            own, state = state[:count], state[count:]
            x, *own = layer(x, initial_state=own, mask=mask, training=training)  # (B, T, U)
            x, after = self.after_layer(x, index, mask, training), [*after, *own]
        return x, after

    def embed(self, token_ids, training=False):
        """Looks up the embeddings of tokens: `(B, T)` to `(B, T, E)`."""
        return self.embedding(token_ids)

    def after_layer(self, outputs, index, mask=None, training=False):
        """Passes the outputs of the recurrent layer of that index, `(B, T, U)`, on to what comes next; dropout has its place here."""
        return outputs

    def project(self, features):
        """Turns features, `(..., U)`, into logits, `(..., V)`."""
        return self.output_projection(features)

    def start(self, inputs):
        """Reads prompts for `keras_richctx.generation`: all tokens of each but the last real one.

        Args:
            inputs: dict of `token_ids`, integer `(B, T)`, with at least one real token in each row; and, if pads cannot be told by their id, `padding_mask`,
                boolean `(B, T)`, `True` at real positions. Pads may stand on either side.

        Returns:
            A triple: the last real token of each prompt, `(B,)`; the state after the tokens before it; and an empty dict, as the state is the only memory.

        Raises:
            ValueError: if `inputs` is no dict that holds `token_ids`.
        """
        if not isinstance(inputs, dict) or "token_ids" not in inputs:
            received = f"a dict of {sorted(inputs)}" if isinstance(inputs, dict) else f"a {type(inputs).__name__}"
            raise ValueError(f"A language model starts from a dict of token_ids. Received: {received}, without token_ids")
        token_ids = inputs["token_ids"]
        mask = inputs.get("padding_mask")
        mask = padding_mask(token_ids, self.pad_id) if mask is None else as_mask(mask, "padding_mask")
        batch, length = keras.ops.shape(token_ids)
        positions = keras.ops.arange(length, dtype="int32")[None]  # (1, T)
        last = positions == keras.ops.max(keras.ops.where(mask, positions, 0), axis=1, keepdims=True)  # (B, T): one True a row
        _, state = self.features(token_ids, self.initial_state(batch), mask=keras.ops.logical_and(mask, keras.ops.logical_not(last)))
        return keras.ops.sum(keras.ops.where(last, keras.ops.cast(token_ids, "int32"), 0), axis=1), state, {}

    def step(self, token_ids, state, memory):
        """Takes the last token ids, `(B,)`, a step further; returns the logits of the next, `(B, V)`, and the new state."""
        logits, state = self.advance(token_ids[:, None], state)  # (B, 1, V)
        return logits[:, 0], state

    def generate(self, texts, **options):
        """Writes texts on; see [`generate`][keras_richctx.language_models.generate.generate] for the options.

        Args:
            texts: a string or a list of strings.
            **options: `max_new_tokens`, `temperature`, `top_k`, `top_p`, `min_p`, `seed`.

        Returns:
            A string, or a list of strings in the order of `texts`: each text and its continuation.
        """
        return generate(self, texts, **options)

    def get_config(self):
        return {**super().get_config(), "tokenizer": keras.saving.serialize_keras_object(self.tokenizer)}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "tokenizer": keras.saving.deserialize_keras_object(config["tokenizer"])})
