"""GPT-2: the Transformer's decoder without a source, reading from left to right."""

import keras

from keras_richctx.gpt import weights
from keras_richctx.language_models import LanguageModel
from keras_richctx.ops import gelu_tanh
from keras_richctx.ops.masks import as_mask
from keras_richctx.transformer import LearnedPositions, TransformerDecoder
from keras_richctx.transformer.positions import positions_of

# the four of the paper's table 2, by their layers, width and heads
SIZES = {
    "gpt2": {"num_layers": 12, "width": 768, "num_heads": 12},  # 124M weights; 117M in the paper
    "gpt2-medium": {"num_layers": 24, "width": 1024, "num_heads": 16},  # 355M; 345M
    "gpt2-large": {"num_layers": 36, "width": 1280, "num_heads": 20},  # 774M; 762M
    "gpt2-xl": {"num_layers": 48, "width": 1600, "num_heads": 25},  # 1,558M; 1,542M
}


@keras.saving.register_keras_serializable("keras_richctx")
class GPT2(LanguageModel):
    r"""A language model of attention alone: each position looks at those before it.

    $$h^0 = E x + P, \qquad h^l = \mathrm{Block}(h^{l-1}), \qquad \text{logits} = \mathrm{LN}(h^L)\, E^\top$$

    with blocks of causal self-attention and a feed-forward layer, the normalisation before each (`norm="pre"`); the embedding is the output layer too. Pads at
    the end change nothing before them; pads on the left, named in `padding_mask`, change nothing either: positions are counted from the first real token.

    Args:
        tokenizer: tokenizer of `keras_richctx.text`, such as `ByteLevelBPETokenizer`.
        num_layers: integer, L. Defaults to `12`.
        width: integer, D. Defaults to `768`.
        num_heads: integer, H, which divides the width. Defaults to `12`.
        intermediate_dim: integer, the width inside the feed-forward layers. Defaults to four times `width`.
        max_length: integer, the most tokens that it can read. Defaults to `1024`.
        activation: string or function, of the feed-forward layers. Defaults to `gelu_tanh`.
        dropout: float, the share dropped of embeddings and of each sub-layer's output, in training. Defaults to `0.1`.
        attention_dropout: float, the share of attention weights that are dropped in training. Defaults to `0.1`.
        layer_norm_epsilon: float. Defaults to `1e-5`.
        vocab_size: integer, V, the rows of the embedding; at least as many as the tokenizer has ids. Defaults to as many.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: integer tensor of shape `(B, T)`, token ids; or a dict of `token_ids` and, with pads on the left, `padding_mask`, boolean `(B, T)`, `True` at
            real positions.
        training: boolean, whether dropout is on.

    Returns:
        The logits of the next token at each position, float `(B, T, V)`.

    Raises:
        ValueError: if a number is out of its range, the tokenizer has more ids than the model, or a text is longer than `max_length`.

    Example:
        >>> tokenizer = krc.text.ByteLevelBPETokenizer.train(["to be or not to be"], vocab_size=270)
        >>> model = GPT2(tokenizer, num_layers=2, width=12, num_heads=3, max_length=20)
        >>> model(np.array([tokenizer("to be")])).shape[-1] == tokenizer.vocab_size
        True

    References:
        [Radford et al., 2019](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), section 2.3.
    """

    model_type = "gpt2"  # as Hugging Face names them
    architecture = "GPT2LMHeadModel"
    norm = "pre"

    def __init__(
        self,
        tokenizer,
        num_layers=12,
        width=768,
        num_heads=12,
        intermediate_dim=None,
        max_length=1024,
        activation=gelu_tanh,
        dropout=0.1,
        attention_dropout=0.1,
        layer_norm_epsilon=1e-5,
        vocab_size=None,
        **kwargs,
    ):
        super().__init__(tokenizer, **kwargs)
        vocab_size = tokenizer.vocab_size if vocab_size is None else vocab_size
        for name, number in (("width", width), ("max_length", max_length), ("vocab_size", vocab_size)):
            if not isinstance(number, int) or number < 1:
                raise ValueError(f"{name} is a positive integer. Received: {name}={number!r}")
        if vocab_size < tokenizer.vocab_size:
            raise ValueError(
                f"The tokenizer has ids that the model does not know. Received: vocab_size={vocab_size}, a tokenizer of {tokenizer.vocab_size}. "
                "Load the tokenizer that belongs to the weights."
            )
        self.num_layers = num_layers
        self.width = width
        self.num_heads = num_heads
        self.intermediate_dim = 4 * width if intermediate_dim is None else intermediate_dim
        self.max_length = max_length
        self.activation = keras.activations.get(activation)
        self.dropout_rate = dropout
        self.attention_dropout = attention_dropout
        self.layer_norm_epsilon = layer_norm_epsilon
        self._vocab_size = vocab_size

        policy = {"dtype": self.dtype_policy}
        initializer = {"embeddings_initializer": keras.initializers.RandomNormal(stddev=0.02)}
        self.embedding = keras.layers.Embedding(vocab_size, width, name="embedding", **initializer, **policy)
        self.positions = LearnedPositions(max_length, initializer=keras.initializers.RandomNormal(stddev=0.01), name="positions", **policy)
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.decoder = TransformerDecoder(
            num_layers,
            num_heads,
            self.intermediate_dim,
            cross_attention=False,
            norm=self.norm,
            activation=self.activation,
            dropout=dropout,
            attention_dropout=attention_dropout,
            layer_norm_epsilon=layer_norm_epsilon,
            kernel_initializer=keras.initializers.RandomNormal(stddev=0.02),
            name="decoder",
            **policy,
        )
        self.build()

    def build(self, input_shape=None):
        if self.built:
            return
        self.embedding.build((None, None))
        self.positions.build((None, None, self.width))
        self.decoder.build((None, None, self.width))
        self.built = True

    @property
    def vocab_size(self):
        """V, the rows of the embedding."""
        return self._vocab_size

    def call(self, inputs, training=False):
        token_ids, mask = self._unpack(inputs)
        return self._project(self.features(token_ids, mask, training=training))

    def features(self, token_ids, mask=None, training=False):
        """Reads a text up to the last normalisation; returns what the output layer sees, float `(B, T, D)`."""
        x = self._embed(token_ids, None if mask is None else positions_of(mask), training)
        return self.decoder(x, mask=mask, training=training)

    def attention_scores(self, inputs):
        """Shows where every head of every layer looks.

        Args:
            inputs: what `call` takes.

        Returns:
            A list of L float tensors `(B, H, T, T)`. Rows of real positions sum to one; pads look nowhere and get no look.
        """
        token_ids, mask = self._unpack(inputs)
        x = self._embed(token_ids, None if mask is None else positions_of(mask))
        return self.decoder(x, mask=mask, return_attention_scores=True)[1]

    def initial_state(self, batch_size, length=None):
        """Returns the state before the first token: room for `length` tokens, `max_length` unless told.

        Args:
            batch_size: integer, B.
            length: integer, S.

        Returns:
            A dict of `cache`, what the decoder keeps of each position; `real`, boolean `(B, S)`, which of them may be looked at; and `position`, int32 `(B,)`,
            the position of the next token.
        """
        length = self.max_length if length is None else length
        return {
            "cache": self.decoder.empty_cache(batch_size, length),
            "real": keras.ops.ones((batch_size, length), dtype="bool"),
            "position": keras.ops.zeros((batch_size,), dtype="int32"),
        }

    def advance(self, token_ids, state, training=False):
        length = token_ids.shape[1] or keras.ops.shape(token_ids)[1]
        positions = state["position"][:, None] + keras.ops.arange(length, dtype="int32")  # (B, T)
        x = self._embed(token_ids, positions, training)
        x, cache = self.decoder(x, cache=state["cache"], real_slots=state["real"], training=training)
        return self._project(x), {**state, "cache": cache, "position": state["position"] + length}

    def read(self, token_ids, mask, max_new_tokens):
        batch, length = keras.ops.shape(token_ids)
        state = self.initial_state(batch, length + max_new_tokens)
        later = keras.ops.ones((batch, max_new_tokens), dtype="bool")
        state["real"] = keras.ops.concatenate([mask, later], axis=1)  # (B, T + max_new_tokens)
        _, state["cache"] = self.decoder(self._embed(token_ids, positions_of(mask)), cache=state["cache"], real_slots=state["real"])
        return {**state, "position": keras.ops.sum(keras.ops.cast(mask, "int32"), axis=1)}

    def _unpack(self, inputs):
        """Returns the token ids and the padding mask, or `None`, of what `call` takes."""
        if not isinstance(inputs, dict):
            return inputs, None
        if "token_ids" not in inputs:
            raise ValueError(f"A GPT2 takes token ids, or a dict of token_ids. Received: a dict of {sorted(inputs)}, without token_ids")
        mask, length = inputs.get("padding_mask"), inputs["token_ids"].shape[1]
        if isinstance(length, int) and length > self.max_length:  # what is real among them is not known before it is computed
            raise ValueError(f"The model reads {self.max_length} tokens. Received: token_ids of {length} positions. Cut them.")
        return inputs["token_ids"], None if mask is None else as_mask(mask, "padding_mask")

    def _embed(self, token_ids, positions=None, training=False):
        # h^0 = E x + P
        return self.dropout(self.positions(self.embedding(token_ids), positions), training=training)

    def _project(self, features):
        # logits = LN(h^L) E^T, without a transposed copy of E
        return keras.ops.einsum("btd,vd->btv", features, keras.ops.cast(self.embedding.embeddings, features.dtype))

    @classmethod
    def from_preset(cls, preset, tokenizer=None, **options):
        """Loads a model with its tokenizer from a directory; or makes one of the four official sizes, with new weights.

        Args:
            preset: path of a directory in the layout of Hugging Face (`config.json`, `model.safetensors` or its shards, the tokenizer's files), or of OpenAI
                (`hparams.json`, `encoder.json`, `vocab.bpe`, `model.ckpt`); `hf://OWNER/NAME`; or a name: `"gpt2"`, `"gpt2-medium"`, `"gpt2-large"`,
                `"gpt2-xl"`.
            tokenizer: tokenizer, for a name, or where the directory has none.
            **options: arguments of the constructor that are to differ: `dropout`, `attention_dropout`, `dtype`, `name`; for a name all of them.

        Returns:
            A `GPT2`.

        Raises:
            FileNotFoundError: if there is no such directory, or a file is missing.
            ValueError: if the files do not fit together, hold what the model has no place for, or lack what it needs.
        """
        if preset in SIZES and cls is GPT2:
            if tokenizer is None:
                raise ValueError(f"A model with new weights needs a tokenizer. Received: preset={preset!r}, tokenizer=None")
            return cls(tokenizer, **{**SIZES[preset], **options})
        return weights.load(cls, preset, tokenizer, options)

    def save_to_preset(self, preset_dir):
        """Writes the model in the layout of Hugging Face: `config.json`, `model.safetensors` and the tokenizer's files.

        Args:
            preset_dir: path of the directory, which is made if needed.
        """
        weights.save(self, preset_dir)

    def get_config(self):
        return {
            **super().get_config(),
            "num_layers": self.num_layers,
            "width": self.width,
            "num_heads": self.num_heads,
            "intermediate_dim": self.intermediate_dim,
            "max_length": self.max_length,
            "activation": keras.activations.serialize(self.activation),
            "dropout": self.dropout_rate,
            "attention_dropout": self.attention_dropout,
            "layer_norm_epsilon": self.layer_norm_epsilon,
            "vocab_size": self._vocab_size,
        }
