"""What every recurrent language model does, whatever is between its embedding and its output layer."""

import keras

from keras_richctx.language_models.language_model import LanguageModel


class RecurrentLanguageModel(LanguageModel):
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

    def read(self, token_ids, mask, max_new_tokens):
        _, state = self.features(token_ids, self.initial_state(keras.ops.shape(token_ids)[0]), mask=mask)
        return state
