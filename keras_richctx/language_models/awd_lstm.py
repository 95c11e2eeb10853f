"""The language model of ULMFiT: a plain LSTM, regularized everywhere."""

import keras

from keras_richctx.language_models.recurrent_language_model import RecurrentLanguageModel
from keras_richctx.recurrent import LSTM, ActivationRegularization, EmbeddingDropout, TiedDense, VariationalDropout

DROPOUTS = ("embedding_dropout", "input_dropout", "hidden_dropout", "output_dropout", "weight_dropout")


@keras.saving.register_keras_serializable("keras_richctx")
class AWDLSTM(RecurrentLanguageModel):
    r"""A stack of LSTM layers with dropout on words, inputs, weights and outputs, and one matrix for input and output.

    $$\tilde x_t = m_x \odot m_{w_t} E_{w_t}, \qquad h^l_t = \mathrm{LSTM}(m_{l-1} \odot h^{l-1}_t,\; h^l_{t-1};\; M^l \odot U^l), \qquad
    \text{logits}_t = (m_L \odot h^L_t)\,E^\top + b$$

    Every mask $m$ is drawn once for a row and stands at all of its steps, the masks $M$ of the recurrent weights and $m_w$ of words once for a call: a chunk,
    in truncated backpropagation. Training adds the penalties of `ActivationRegularization` on the last layer. Outside of training it is an LSTM like any other.
    Pads at the end of a row change nothing before them.

    With the defaults and a vocabulary of 10,000 it is the model of the paper on the Penn Treebank, 24 million weights. Train it with
    `keras_richctx.training.truncated_bptt`, with `NTASGD` as in the paper or any other optimizer.

    Args:
        tokenizer: tokenizer of `keras_richctx.text`.
        embedding_dim: integer, E, the width of the embeddings; with tied weights of the last layer too. Defaults to `400`.
        units: integer, U, the width of the other layers. Defaults to `1150`.
        num_layers: integer, L. Defaults to `3`.
        embedding_dropout: float, the share of words that are dropped. Defaults to `0.1`.
        input_dropout: float, the share of features of the embedded words that are dropped. Defaults to `0.4`.
        hidden_dropout: float, the same for the outputs between two layers. Defaults to `0.3`.
        output_dropout: float, the same for the outputs of the last layer. Defaults to `0.4`.
        weight_dropout: float, the share of recurrent weights that are dropped. Defaults to `0.5`.
        tie_weights: boolean, whether the output layer has the matrix of the embedding. Defaults to `True`.
        activation_regularization: float, $\alpha$, the weight of AR. Defaults to `2.0`.
        temporal_activation_regularization: float, $\beta$, the weight of TAR. Defaults to `1.0`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        token_ids: integer tensor of shape `(B, T)`. The text starts anew in each row.
        training: boolean, whether dropout is on.

    Returns:
        The logits of the next token at each position, float `(B, T, V)`.

    Raises:
        ValueError: if a width or the number of layers is no positive integer, a share is not at least 0 and below 1, a weight is negative, or `tokenizer` is
            none.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["to be or not to be"], vocab_size=10)
        >>> model = AWDLSTM(tokenizer, embedding_dim=4, units=8, num_layers=2)
        >>> model(np.array([tokenizer("to be or not")])).shape
        TensorShape([1, 4, 8])

    References:
        [Merity et al., 2018](https://arxiv.org/abs/1708.02182), sections 3 and 4.
    """

    def __init__(
        self,
        tokenizer,
        embedding_dim=400,
        units=1150,
        num_layers=3,
        embedding_dropout=0.1,
        input_dropout=0.4,
        hidden_dropout=0.3,
        output_dropout=0.4,
        weight_dropout=0.5,
        tie_weights=True,
        activation_regularization=2.0,
        temporal_activation_regularization=1.0,
        **kwargs,
    ):
        super().__init__(tokenizer, **kwargs)
        for name, number in (("embedding_dim", embedding_dim), ("units", units), ("num_layers", num_layers)):
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
        rates = dict(zip(DROPOUTS, (embedding_dropout, input_dropout, hidden_dropout, output_dropout, weight_dropout)))
        for name, rate in rates.items():
            if not 0 <= rate < 1:
                raise ValueError(f"A dropout is a share of at least 0 and below 1. Received: {name}={rate!r}")
        self.embedding_dim = embedding_dim
        self.units = units
        self.num_layers = num_layers
        self.dropout_rates = rates
        self.tie_weights = tie_weights
        self.activation_regularization = activation_regularization
        self.temporal_activation_regularization = temporal_activation_regularization

        vocab_size, policy = tokenizer.vocab_size, {"dtype": self.dtype_policy}
        self.embedding = keras.layers.Embedding(
            vocab_size, embedding_dim, embeddings_initializer=keras.initializers.RandomUniform(-0.1, 0.1), name="embedding", **policy
        )
        self.embedding_dropout = EmbeddingDropout(embedding_dropout, vocab_size, name="embedding_dropout", **policy)
        self.input_dropout = VariationalDropout(input_dropout, name="input_dropout", **policy)
        widths = [units] * (num_layers - 1) + [embedding_dim if tie_weights else units]
        lstm = {"return_sequences": True, "return_state": True, "weight_dropout": weight_dropout, **policy}
        self.recurrent_layers = [LSTM(width, name=f"recurrent_{index}", **lstm) for index, width in enumerate(widths)]
        self.hidden_dropouts = [VariationalDropout(hidden_dropout, name=f"hidden_dropout_{index}", **policy) for index in range(num_layers - 1)]
        self.output_dropout = VariationalDropout(output_dropout, name="output_dropout", **policy)
        self.penalty = ActivationRegularization(activation_regularization, temporal_activation_regularization, name="penalty", **policy)
        projection = TiedDense if tie_weights else keras.layers.Dense
        self.output_projection = projection(vocab_size, name="output_projection", **policy)
        self.build()

    def embed(self, token_ids, training=False):
        # m_x . m_w E_w
        embedded = self.embedding_dropout(self.embedding(token_ids), token_ids, training=training)  # (B, T, E)
        return self.input_dropout(embedded, training=training)

    def after_layer(self, outputs, index, mask=None, training=False):
        if index < self.num_layers - 1:
            return self.hidden_dropouts[index](outputs, training=training)
        return self.penalty(outputs, self.output_dropout(outputs, training=training), mask=mask, training=training)

    def project(self, features):
        if self.tie_weights:
            # (m_L . h^L) E^T + b
            return self.output_projection(features, self.embedding.embeddings)
        return self.output_projection(features)

    def layer_groups(self):
        """Returns the groups for `discriminative_rates` and `GradualUnfreezing`, lowest first: the embedding, each LSTM, the output layer.

        With tied weights the embedding is in the group of the output layer, and the lowest is the first LSTM.
        """
        recurrent = [[layer] for layer in self.recurrent_layers]
        if self.tie_weights:
            return [*recurrent, [self.embedding, self.output_projection]]
        return [[self.embedding], *recurrent, [self.output_projection]]

    def get_config(self):
        return {
            **super().get_config(),
            "embedding_dim": self.embedding_dim,
            "units": self.units,
            "num_layers": self.num_layers,
            **self.dropout_rates,
            "tie_weights": self.tie_weights,
            "activation_regularization": self.activation_regularization,
            "temporal_activation_regularization": self.temporal_activation_regularization,
        }
