"""BERT: the Transformer's encoder, reading from both sides."""

import keras

from keras_richctx.bert import weights
from keras_richctx.bert.embed import embed
from keras_richctx.bert.presets import PRESETS
from keras_richctx.bert.reading import reading
from keras_richctx.ops.masks import as_mask, padding_mask
from keras_richctx.training.varied_shapes import VariedShapes
from keras_richctx.transformer import LearnedPositions, TransformerEncoder

MODEL_TYPES = ("bert", "roberta", "distilbert")


@keras.saving.register_keras_serializable("keras_richctx")
class Bert(VariedShapes):
    r"""A reader of texts: each position sees all others, in L layers.

    $$h^0 = \mathrm{LN}(E x + S s + P), \qquad h^l = \mathrm{Block}(h^{l-1}), \qquad \text{pooled} = \tanh(W h^L_1 + b)$$

    with embeddings of tokens $x$, of segments $s$ (the first text or the second) and of positions, and the post-norm blocks of
    [`TransformerEncoder`][keras_richctx.transformer.transformer_encoder.TransformerEncoder]. RoBERTa is the same with one segment and positions that begin
    behind `pad_id`, DistilBERT without segments and without the pooled output. `from_preset` reads the files of all three.

    Pads stand at the end of a row, or anywhere where `position_ids` says the positions. They are told by `pad_id`, or by `padding_mask`; their number and
    content changes no real position. What stands at pads in the output means nothing.

    Args:
        tokenizer: tokenizer of `keras_richctx.text`, such as `WordPieceTokenizer`, or `None` for a model that is given ids only.
        num_layers: integer, L. Defaults to `12`.
        width: integer, D. Defaults to `768`.
        num_heads: integer, H, which divides the width. Defaults to `12`.
        intermediate_dim: integer, the width inside the feed-forward layers. Defaults to four times `width`.
        max_length: integer, the most tokens that it can read. Defaults to `512`.
        num_segments: integer, how many segments there are: zero for none. Defaults to `2`.
        pooler: boolean, whether there is a pooled output. Defaults to `True`.
        activation: string or function, of the feed-forward layers. Defaults to `"gelu"`, the erf form; Google's own files were trained with `gelu_tanh`.
        dropout: float, the share dropped of embeddings and of each sub-layer's output, in training. Defaults to `0.1`.
        attention_dropout: float, the share of attention weights that are dropped in training. Defaults to `0.1`.
        layer_norm_epsilon: float. Defaults to `1e-12`, as published; `1e-5` in RoBERTa.
        vocab_size: integer, V, the rows of the embedding; at least as many as the tokenizer has ids. Defaults to as many.
        pad_id: integer, the id that fills up a row. Defaults to the tokenizer's, or `0`.
        model_type: string, `"bert"`, `"roberta"` or `"distilbert"`: whose files and whose heads it has. Defaults to `"bert"`.
        **kwargs: passed to `keras.Model`, such as `name` and `dtype`.

    Call arguments:
        inputs: integer tensor of shape `(B, T)`, token ids; or a dict of `token_ids` and what else there is: `segment_ids`, integer `(B, T)`, by default all
            zero; `padding_mask`, boolean `(B, T)`, `True` at real positions, by default where the id is not `pad_id`; `position_ids`, integer `(B, T)`, from
            zero, by default 0 to T - 1.
        training: boolean, whether dropout is on.

    Returns:
        A dict of `sequence_output`, float `(B, T, D)`, and with a pooler `pooled_output`, float `(B, D)`, from the first token.

    Raises:
        ValueError: if a number is out of its range, the tokenizer has more ids than the model, or a text is longer than `max_length`.

    Example:
        >>> model = Bert(num_layers=2, width=12, num_heads=3, vocab_size=37)
        >>> outputs = model({"token_ids": np.array([[5, 9, 6, 0]])})
        >>> outputs["sequence_output"].shape, outputs["pooled_output"].shape
        (TensorShape([1, 4, 12]), TensorShape([1, 12]))

    References:
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 3.
        - [Liu et al., 2019](https://arxiv.org/abs/1907.11692): RoBERTa. [Sanh et al., 2019](https://arxiv.org/abs/1910.01108): DistilBERT.
        - [Turc et al., 2019](https://arxiv.org/abs/1908.08962): the small sizes.
    """

    def __init__(
        self,
        tokenizer=None,
        num_layers=12,
        width=768,
        num_heads=12,
        intermediate_dim=None,
        max_length=512,
        num_segments=2,
        pooler=True,
        activation="gelu",
        dropout=0.1,
        attention_dropout=0.1,
        layer_norm_epsilon=1e-12,
        vocab_size=None,
        pad_id=None,
        model_type="bert",
        **kwargs,
    ):
        super().__init__(**kwargs)
        if model_type not in MODEL_TYPES:
            raise ValueError(f"There are models of the types {', '.join(MODEL_TYPES)}. Received: model_type={model_type!r}")
        if tokenizer is None and vocab_size is None:
            raise ValueError("Without a tokenizer the number of tokens has to be said. Received: tokenizer=None, vocab_size=None")
        vocab_size = tokenizer.vocab_size if vocab_size is None else vocab_size
        for name, number, least in (("width", width, 1), ("max_length", max_length, 1), ("vocab_size", vocab_size, 1), ("num_segments", num_segments, 0)):
            if not isinstance(number, int) or number < least:
                raise ValueError(f"{name} is an integer of at least {least}. Received: {name}={number!r}")
        if tokenizer is not None and vocab_size < tokenizer.vocab_size:
            raise ValueError(
                f"The tokenizer has ids that the model does not know. Received: vocab_size={vocab_size}, a tokenizer of {tokenizer.vocab_size}. "
                "Load the tokenizer that belongs to the weights."
            )
        self.tokenizer = tokenizer
        self.num_layers = num_layers
        self.width = width
        self.num_heads = num_heads
        self.intermediate_dim = 4 * width if intermediate_dim is None else intermediate_dim
        self.max_length = max_length
        self.num_segments = num_segments
        self.has_pooler = pooler
        self.activation = keras.activations.get(activation)
        self.dropout_rate = dropout
        self.attention_dropout = attention_dropout
        self.layer_norm_epsilon = layer_norm_epsilon
        self.vocab_size = vocab_size
        self.pad_id = pad_id if pad_id is not None else getattr(tokenizer, "pad_id", 0)
        self.model_type = model_type
        self.first_position = self.pad_id + 1 if model_type == "roberta" else 0

        policy, initializer = {"dtype": self.dtype_policy}, self.initializer
        self.embedding = keras.layers.Embedding(vocab_size, width, embeddings_initializer=initializer(), name="embedding", **policy)
        self.segment_embedding = None
        if num_segments:
            self.segment_embedding = keras.layers.Embedding(num_segments, width, embeddings_initializer=initializer(), name="segment_embedding", **policy)
        self.positions = LearnedPositions(max_length + self.first_position, initializer=initializer(), name="positions", **policy)
        self.embedding_norm = keras.layers.LayerNormalization(epsilon=layer_norm_epsilon, name="embedding_norm", **policy)
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.encoder = TransformerEncoder(
            num_layers,
            num_heads,
            self.intermediate_dim,
            norm="post",
            activation=self.activation,
            dropout=dropout,
            attention_dropout=attention_dropout,
            layer_norm_epsilon=layer_norm_epsilon,
            kernel_initializer=initializer(),
            name="encoder",
            **policy,
        )
        self.pooler = keras.layers.Dense(width, activation="tanh", kernel_initializer=initializer(), name="pooler", **policy) if pooler else None
        self.build()

    @staticmethod
    def initializer():
        """Makes the initializer of all matrices and embeddings: a normal distribution of standard deviation 0.02, cut at twice that."""
        return keras.initializers.TruncatedNormal(stddev=0.02)

    def build(self, input_shape=None):
        if self.built:
            return
        vectors = (None, None, self.width)
        self.embedding.build((None, None))
        if self.segment_embedding is not None:
            self.segment_embedding.build((None, None))
        for layer in (self.positions, self.embedding_norm, self.encoder):
            layer.build(vectors)
        if self.pooler is not None:
            self.pooler.build((None, self.width))
        self.built = True

    def call(self, inputs, training=False):
        x, mask = self._embed(inputs, training)
        x = self.encoder(x, mask=mask, training=training)  # (B, T, D)
        if self.pooler is None:
            return {"sequence_output": x}
        return {"sequence_output": x, "pooled_output": self.pooler(x[:, 0])}  # (B, D)

    def compute_output_spec(self, inputs, training=False):
        # not by a trial with lengths of the backend's choice, which may be more than the model can read
        batch, length = self._unpack(inputs)["token_ids"].shape
        outputs = {"sequence_output": keras.KerasTensor((batch, length, self.width), dtype=self.compute_dtype)}
        return outputs if self.pooler is None else {**outputs, "pooled_output": keras.KerasTensor((batch, self.width), dtype=self.compute_dtype)}

    def layer_outputs(self, inputs, training=False):
        """Returns what every layer makes of a text, for features; see [`combine_layers`][keras_richctx.bert.combine_layers.combine_layers].

        Args:
            inputs: what `call` takes.
            training: boolean, whether dropout is on.

        Returns:
            A float tensor of shape `(B, L + 1, T, D)`: the embeddings, then each layer, the last one being `sequence_output`.
        """
        x, mask = self._embed(inputs, training)
        outputs = [x]
        for block in self.encoder.blocks:
            outputs.append(block(outputs[-1], mask=mask, training=training))
        return keras.ops.stack(outputs, axis=1)  # (B, L + 1, T, D)

    def attention_scores(self, inputs):
        """Shows where every head of every layer looks.

        Args:
            inputs: what `call` takes.

        Returns:
            A list of L float tensors `(B, H, T, T)`. Rows of real positions sum to one; pads look nowhere and get no look.
        """
        x, mask = self._embed(inputs)
        return self.encoder(x, mask=mask, return_attention_scores=True)[1]

    def reading(self, inputs):
        """Reads texts, pairs of texts or ids for `krc.attention_maps`.

        Args:
            inputs: a list of texts or of pairs; or what `call` takes.

        Returns:
            A `Reading`: what `call` takes, and the tokens at its positions.
        """
        return reading(self, inputs)

    def embed(self, texts, **options):
        """Makes a vector of each text, so that texts of like meaning are near; see [`embed`][keras_richctx.bert.embed.embed] for the options.

        Args:
            texts: a string or a list of strings.
            **options: `batch_size`, `normalize`, `max_length`.

        Returns:
            A float32 array of shape `(D,)`, or `(N, D)` for a list.
        """
        return embed(self, texts, **options)

    def real_positions(self, inputs):
        """Returns the padding mask of what `call` takes, boolean `(B, T)`."""
        if isinstance(inputs, dict) and inputs.get("padding_mask") is not None:
            return as_mask(inputs["padding_mask"], "padding_mask")
        return padding_mask(self._unpack(inputs)["token_ids"], self.pad_id)

    def layer_groups(self):
        """Returns the groups for `discriminative_rates` and `GradualUnfreezing`, lowest first: the embeddings, each layer, the pooler."""
        embeddings = [self.embedding, self.segment_embedding, self.positions, self.embedding_norm]
        groups = [[layer for layer in embeddings if layer is not None], *([block] for block in self.encoder.blocks)]
        return groups if self.pooler is None else [*groups, [self.pooler]]

    def _unpack(self, inputs):
        """Returns what `call` takes as a dict, checked."""
        inputs = inputs if isinstance(inputs, dict) else {"token_ids": inputs}
        if "token_ids" not in inputs:
            raise ValueError(f"A Bert takes token ids, or a dict of token_ids. Received: a dict of {sorted(inputs)}, without token_ids")
        length = inputs["token_ids"].shape[1]
        if isinstance(length, int) and length > self.max_length:
            raise ValueError(f"The model reads {self.max_length} tokens. Received: token_ids of {length} positions. Cut them, or split the text.")
        return inputs

    def _embed(self, inputs, training=False):
        """Returns the embeddings, `(B, T, D)`, and the padding mask, `(B, T)`."""
        inputs, mask = self._unpack(inputs), self.real_positions(inputs)
        token_ids, positions = inputs["token_ids"], inputs.get("position_ids")
        x = self.embedding(token_ids)  # (B, T, D)
        if self.segment_embedding is not None:
            x = x + self._segments(inputs.get("segment_ids"), x.dtype)
        if positions is None and self.first_position:
            positions = keras.ops.arange(token_ids.shape[1] or keras.ops.shape(token_ids)[1], dtype="int32")  # (T,)
        if positions is not None:
            positions = positions + self.first_position
        # h^0 = LN(E x + S s + P)
        x = self.embedding_norm(self.positions(x, positions))
        return self.dropout(x, training=training), mask

    def _segments(self, segment_ids, dtype):
        """Returns the vectors of the segments, `(B, T, D)`, or `(D,)` where all is the first one."""
        table = keras.ops.cast(self.segment_embedding.embeddings, dtype)
        if segment_ids is None:
            return table[0]
        # a product, since the gradient of a look-up would add up all positions in two rows, one after the other
        return keras.ops.matmul(keras.ops.one_hot(segment_ids, self.num_segments, dtype=dtype), table)

    @classmethod
    def from_preset(cls, preset, tokenizer="auto", **options):
        """Loads a model with its tokenizer from a directory; or makes one of the published sizes, with new weights.

        A directory holds the files of Hugging Face (`config.json`, and `model.safetensors`, its shards, or `pytorch_model.bin`) of BERT, RoBERTa or DistilBERT,
        with any head or none; or those of Google (`bert_config.json` and `bert_model.ckpt`, of TensorFlow 1 or 2). Heads and the slots of optimizers are left
        out. A file without a pooler gives a model without one.

        Args:
            preset: path of a directory; `hf://OWNER/NAME`; or the name of a size: `"bert_tiny"`, `"bert_mini"`, `"bert_small"`, `"bert_medium"`, `"bert_base"`,
                `"bert_large"`, one of the 24 miniatures such as `"bert_l6_h256"`, `"roberta_base"`, `"roberta_large"`, `"distilbert_base"`.
            tokenizer: tokenizer; `"auto"` for the one in the directory; or `None` for none. A size with new weights takes it, or `vocab_size`.
            **options: arguments of the constructor that are to differ: `dropout`, `attention_dropout`, `pooler`, `dtype`, `name`; for a size all of them.

        Returns:
            A `Bert`.

        Raises:
            FileNotFoundError: if there is no such directory, or a file is missing.
            ValueError: if the files do not fit together, hold what the model has no place for, or lack what it needs.
        """
        if preset in PRESETS:
            return cls(None if tokenizer == "auto" else tokenizer, **{**PRESETS[preset], **options})
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
            "tokenizer": None if self.tokenizer is None else keras.saving.serialize_keras_object(self.tokenizer),
            "num_layers": self.num_layers,
            "width": self.width,
            "num_heads": self.num_heads,
            "intermediate_dim": self.intermediate_dim,
            "max_length": self.max_length,
            "num_segments": self.num_segments,
            "pooler": self.has_pooler,
            "activation": keras.activations.serialize(self.activation),
            "dropout": self.dropout_rate,
            "attention_dropout": self.attention_dropout,
            "layer_norm_epsilon": self.layer_norm_epsilon,
            "vocab_size": self.vocab_size,
            "pad_id": self.pad_id,
            "model_type": self.model_type,
        }

    @classmethod
    def from_config(cls, config):
        tokenizer = config["tokenizer"]
        return cls(**{**config, "tokenizer": None if tokenizer is None else keras.saving.deserialize_keras_object(tokenizer)})
