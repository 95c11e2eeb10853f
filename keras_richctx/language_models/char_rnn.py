"""A recurrent language model of characters."""

import keras

from keras_richctx.language_models.recurrent_language_model import RecurrentLanguageModel
from keras_richctx.recurrent import GRU, LSTM, SimpleRNN

LAYERS = {"gru": GRU, "lstm": LSTM, "rnn": SimpleRNN}


@keras.saving.register_keras_serializable("keras_richctx")
class CharRNN(RecurrentLanguageModel):
    r"""A stack of recurrent layers that reads a text character by character and says at each what comes next.

    $$h^l_t = f(h^{l-1}_t, h^l_{t-1}), \qquad h^0_t = E\,x_t, \qquad p(x_{t+1} \mid x_{\le t}) = \mathrm{softmax}(W h^L_t + b)$$

    It holds its tokenizer, so that a saved one writes by itself; with another tokenizer it is a model of other tokens. Train it on one long text with
    `keras_richctx.training.truncated_bptt`. Pads at the end of a row change nothing before them.

    Args:
        tokenizer: tokenizer of `keras_richctx.text`, such as `CodePointTokenizer`.
        units: integer, U, the width of each layer. Defaults to `512`.
        num_layers: integer, L. Defaults to `1`.
        cell: string, `"lstm"`, `"gru"` or `"rnn"`. Defaults to `"lstm"`.
        embedding_dim: integer, E. Defaults to the smaller of `units` and the size of the vocabulary: a wider embedding tells no more than one place for each
            character.
        dropout: float, the share of features dropped in training between a layer and what is above it, and nowhere along time. Defaults to `0.0`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        token_ids: integer tensor of shape `(B, T)`. The text starts anew in each row.
        training: boolean, whether dropout is on.

    Returns:
        The logits of the next token at each position, float `(B, T, V)`.

    Raises:
        ValueError: if `cell` is unknown, a width or the number of layers is no positive integer, or `tokenizer` is none.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["to be or not to be"], vocab_size=10)
        >>> model = CharRNN(tokenizer, units=8, num_layers=2)
        >>> model(np.array([tokenizer("to be or not")])).shape
        TensorShape([1, 4, 8])

    References:
        [Karpathy, 2015](https://karpathy.github.io/2015/05/21/rnn-effectiveness/); [Karpathy et al., 2016](https://arxiv.org/abs/1506.02078), section 3;
        where dropout stands: [Zaremba et al., 2014](https://arxiv.org/abs/1409.2329), section 3.2.
    """

    def __init__(self, tokenizer, units=512, num_layers=1, cell="lstm", embedding_dim=None, dropout=0.0, **kwargs):
        super().__init__(tokenizer, **kwargs)
        if cell not in LAYERS:
            raise ValueError(f"Unknown recurrent cell. Received: cell={cell!r}. Choose one of {', '.join(LAYERS)}.")
        for name, number in (("units", units), ("num_layers", num_layers), ("embedding_dim", 1 if embedding_dim is None else embedding_dim)):
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
        self.units = units
        self.num_layers = num_layers
        self.cell = cell
        self.embedding_dim = min(units, tokenizer.vocab_size) if embedding_dim is None else embedding_dim
        self.dropout_rate = dropout

        policy = {"dtype": self.dtype_policy}
        self.embedding = keras.layers.Embedding(
            tokenizer.vocab_size, self.embedding_dim, embeddings_initializer=keras.initializers.RandomNormal(stddev=1.0), name="embedding", **policy
        )
        self.recurrent_layers = [
            LAYERS[cell](units, return_sequences=True, return_state=True, name=f"recurrent_{index}", **policy) for index in range(num_layers)
        ]
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.output_projection = keras.layers.Dense(tokenizer.vocab_size, name="output_projection", **policy)
        self.build()

    def after_layer(self, outputs, index, mask=None, training=False):
        return self.dropout(outputs, training=training)

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "num_layers": self.num_layers,
            "cell": self.cell,
            "embedding_dim": self.embedding_dim,
            "dropout": self.dropout_rate,
        }
