"""The class of a text, from a language model that has learnt to read."""

import keras

from keras_richctx.ops.masks import as_mask, padding_mask
from keras_richctx.recurrent import ConcatPooling
from keras_richctx.training.varied_shapes import VariedShapes


@keras.saving.register_keras_serializable("keras_richctx")
class ULMFiTClassifier(VariedShapes):
    r"""Classifies texts by what a recurrent language model has in mind at all of their positions.

    $$h_c = [\,h_T,\; \mathrm{maxpool}(H),\; \mathrm{meanpool}(H)\,], \qquad
    \text{logits} = W_2\, d(\mathrm{bn}(\mathrm{ReLU}(W_1\, d(\mathrm{bn}(h_c)) + b_1))) + b_2$$

    where $H$ is what the language model's output layer would see, $d$ dropout and bn batch normalization. Padding: only real positions are read and pooled; the
    number of pads, their content and their side change nothing. A text is read whole, and its gradient goes through all of it.

    The encoder is a copy of the language model, weights included: training the classifier leaves the language model as it is. Its output layer comes along, and
    is not trained. Fine-tune it by `layer_groups` with `discriminative_rates`, `slanted_triangular` and `GradualUnfreezing` of `keras_richctx.training`.

    Args:
        language_model: a recurrent language model, such as `AWDLSTM` or `CharRNN`, best trained on texts of the same kind.
        num_classes: integer, C.
        hidden: integer, the width of the layer between the pools and the classes. Defaults to `50`.
        dropout: float, the share of features dropped in training before each of the two layers. Defaults to `0.1`.
        **kwargs: passed to `keras.Model`, such as `name`. The dtype policy is that of the language model.

    Call arguments:
        inputs: dict of `token_ids`, integer `(B, T)`; and, if pads cannot be told by their id, `padding_mask`, boolean `(B, T)`, `True` at real positions.
        training: boolean, whether dropout is on, and batch normalization goes by the batch.

    Returns:
        The logits of the classes, float `(B, C)`.

    Raises:
        ValueError: if `num_classes` is less than two, `hidden` no positive integer, or `inputs` no dict that holds `token_ids`.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["a good film", "a bad film"], vocab_size=10)
        >>> language_model = krc.models.AWDLSTM(tokenizer, embedding_dim=4, units=8, num_layers=2)
        >>> model = ULMFiTClassifier(language_model, num_classes=2)
        >>> model({"token_ids": np.array([tokenizer("a good film"), tokenizer("bad film") + [0]])}).shape
        TensorShape([2, 2])
        >>> [group[0].name for group in model.layer_groups()]
        ['embedding', 'recurrent_0', 'recurrent_1', 'head']

    References:
        [Howard and Ruder, 2018](https://arxiv.org/abs/1801.06146), section 3.3.
    """

    def __init__(self, language_model, num_classes, hidden=50, dropout=0.1, **kwargs):
        super().__init__(dtype=language_model.dtype_policy, **kwargs)
        for name, number, least in (("num_classes", num_classes, 2), ("hidden", hidden, 1)):
            if not isinstance(number, int) or number < least:
                raise ValueError(f"{name} is an integer of at least {least}. Received: {name}={number!r}")
        self.num_classes = num_classes
        self.hidden = hidden
        self.dropout_rate = dropout

        self.encoder = type(language_model).from_config(language_model.get_config())
        self.encoder.set_weights(language_model.get_weights())
        self.encoder.output_projection.trainable = False
        policy = {"dtype": self.dtype_policy}
        self.pooling = ConcatPooling(name="pooling", **policy)
        layers = []
        for index, (units, activation) in enumerate([(hidden, "relu"), (num_classes, None)]):
            layers += [
                keras.layers.BatchNormalization(momentum=0.9, epsilon=1e-5, name=f"normalization_{index}", **policy),
                keras.layers.Dropout(dropout, name=f"dropout_{index}", **policy),
                keras.layers.Dense(units, activation=activation, name=f"dense_{index}", **policy),
            ]
        self.head = keras.Sequential(layers, name="head")
        self.head.build((None, 3 * self.encoder.recurrent_layers[-1].units))
        self.built = True

    def compile(self, optimizer="adam", loss="auto", metrics="auto", jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`, with the loss and the metric of classification filled in.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            loss: `"auto"` for the cross-entropy.
            metrics: `"auto"` for the accuracy.
            jit_compile: boolean or `"auto"`. Defaults to `False` on TensorFlow, where XLA would compile a program for each shape of batch, and `"auto"`
                elsewhere.
            **kwargs: passed to `keras.Model.compile`.
        """
        if loss == "auto":
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        if metrics == "auto":
            metrics = [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]
        super().compile(optimizer=optimizer, loss=loss, metrics=metrics, jit_compile=jit_compile, **kwargs)

    def call(self, inputs, training=False):
        if not isinstance(inputs, dict) or "token_ids" not in inputs:
            received = f"a dict of {sorted(inputs)}" if isinstance(inputs, dict) else f"a {type(inputs).__name__}"
            raise ValueError(f"A ULMFiTClassifier takes a dict of token_ids. Received: {received}, without token_ids")
        token_ids, mask = inputs["token_ids"], inputs.get("padding_mask")
        mask = padding_mask(token_ids, self.encoder.pad_id) if mask is None else as_mask(mask, "padding_mask")
        state = self.encoder.initial_state(keras.ops.shape(token_ids)[0])
        features, _ = self.encoder.features(token_ids, state, mask=mask, training=training)  # (B, T, U)
        return self.head(self.pooling(features, mask=mask), training=training)  # (B, 3 U), then (B, C)

    def layer_groups(self):
        """Returns the groups for `discriminative_rates` and `GradualUnfreezing`, lowest first: the embedding, each recurrent layer, the head."""
        return [[self.encoder.embedding], *([layer] for layer in self.encoder.recurrent_layers), [self.head]]

    def get_config(self):
        config = super().get_config()
        config.pop("dtype")  # the language model has it
        return {
            **config,
            "language_model": keras.saving.serialize_keras_object(self.encoder),
            "num_classes": self.num_classes,
            "hidden": self.hidden,
            "dropout": self.dropout_rate,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "language_model": keras.saving.deserialize_keras_object(config["language_model"])})
