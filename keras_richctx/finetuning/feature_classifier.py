"""The class of a text from the features of an encoder that stays as it is."""

import keras

from keras_richctx.bert import TextClassifier
from keras_richctx.recurrent import ConcatPooling
from keras_richctx.tagging import BertWords
from keras_richctx.training.varied_shapes import VariedShapes
from keras_richctx.translation import RecurrentEncoder

HEADS = ("linear", "bilstm")


@keras.saving.register_keras_serializable("keras_richctx")
class FeatureClassifier(VariedShapes):
    r"""Classifies a text, or a pair of texts, by the features that a frozen `Bert` has of it: the other way to use BERT.

    $$\text{logits} = W\, d(\mathrm{pool}(h)) + b, \qquad h = \mathrm{BiLSTM}(d(x)) \text{ or } x, \qquad x = \text{layers of the encoder, combined}$$

    where $d$ is dropout and the pool is [`ConcatPooling`][keras_richctx.recurrent.concat_pooling.ConcatPooling] over real positions. The encoder is not trained
    and never drops anything; it is computed anew in each pass all the same, without its gradient. More padding changes no row.

    Args:
        bert: a `Bert` with a tokenizer. It is frozen: the one that was given, not a copy.
        num_classes: integer, C; `1` for regression. Defaults to the number of `labels`.
        labels: list of strings, what the classes are called, or `None`.
        layers: string, which layers make the features, as `BertWords` takes it, such as `"concat_last_four"`, or `"mix"`, learnt. Defaults to `"last"`.
        head: string, `"linear"` or `"bilstm"`. Defaults to `"linear"`.
        units: even integer, the width of the BiLSTM. Defaults to `200`.
        dropout: float, the share of features that are dropped in training. Defaults to `0.1`.
        **kwargs: passed to `keras.Model`, such as `name`. The dtype policy is that of the `Bert`.

    Call arguments:
        inputs: what `Bert` takes, as a dict with `padding_mask`.
        training: boolean, whether dropout is on.

    Returns:
        The logits, float `(B, C)`.

    Raises:
        ValueError: if the head or the way to combine layers is unknown, or there are no classes.

    Example:
        >>> tokenizer = krc.text.WordPieceTokenizer.train(["a b c"] * 2, vocab_size=11)
        >>> model = FeatureClassifier(krc.models.Bert(tokenizer, num_layers=4, width=12, num_heads=3), 2, layers="concat_last_four")
        >>> model(krc.text.pack_pairs(tokenizer, ["a b", "c"])).shape
        TensorShape([2, 2])

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 5.3.
    """

    def __init__(self, bert, num_classes=None, labels=None, layers="last", head="linear", units=200, dropout=0.1, **kwargs):
        super().__init__(dtype=bert.dtype_policy, **kwargs)
        if head not in HEADS:
            raise ValueError(f"The heads are {', '.join(HEADS)}. Received: head={head!r}")
        num_classes = len(labels or ()) if num_classes is None else num_classes
        if num_classes < 1 or (labels is not None and len(labels) != num_classes):
            raise ValueError(f"There is a class at least, and a label for each. Received: num_classes={num_classes}, labels={labels!r}")
        self.num_classes = num_classes
        self.labels = None if labels is None else list(labels)
        self.head = head
        self.units = units
        self.dropout_rate = dropout
        self.features = BertWords(bert, layers, fine_tune=False, name="features")
        policy = {"dtype": self.dtype_policy}
        self.dropout = keras.layers.Dropout(dropout, name="dropout", **policy)
        self.bilstm = RecurrentEncoder(units, cell="lstm", name="bilstm", **policy) if head == "bilstm" else None
        self.pooling = ConcatPooling(name="pooling", **policy)
        self.classifier = keras.layers.Dense(num_classes, name="classifier", **policy)
        width = bert.width * (4 if layers == "concat_last_four" else 1)
        if self.bilstm is not None:
            self.bilstm.build((None, None, width))
            width = units
        self.classifier.build((None, 3 * width))
        self.built = True

    @property
    def bert(self):
        """The encoder."""
        return self.features.bert

    def call(self, inputs, training=False):
        mask, token_ids = inputs["padding_mask"], inputs["token_ids"]
        every = keras.ops.zeros_like(token_ids) + keras.ops.arange(keras.ops.shape(token_ids)[1], dtype=token_ids.dtype)  # (B, T): each position is read
        given = {"segment_ids": keras.ops.zeros_like(token_ids), **inputs, "first_positions": every}
        x = self.features(given, training=training)  # (B, T, D)
        if self.bilstm is not None:
            x, _ = self.bilstm(self.dropout(x, training=training), mask=mask)  # (B, T, U)
        # logits = W d(pool(h)) + b
        return self.classifier(self.dropout(self.pooling(x, mask=mask), training=training))  # (B, C)

    def compile(self, optimizer="adam", loss="auto", weighted_metrics="auto", jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`, with the loss and the metrics of a classifier, or of regression, filled in.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            loss: `"auto"` for the cross-entropy, or for regression the squared error.
            weighted_metrics: `"auto"` for the accuracy, or the root of the mean squared error.
            jit_compile: boolean or `"auto"`. Defaults to `False` on TensorFlow and `"auto"` elsewhere.
            **kwargs: passed to `keras.Model.compile`.
        """
        loss = TextClassifier.default_loss(self) if loss == "auto" else loss
        weighted_metrics = TextClassifier.default_metrics(self) if weighted_metrics == "auto" else weighted_metrics
        super().compile(optimizer=optimizer, loss=loss, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    def get_config(self):
        config = super().get_config()
        config.pop("dtype")  # the Bert has it
        own = {"num_classes": self.num_classes, "labels": self.labels, "head": self.head, "units": self.units, "dropout": self.dropout_rate}
        return {**config, **own, "bert": keras.saving.serialize_keras_object(self.bert), "layers": self.features.layers}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "bert": keras.saving.deserialize_keras_object(config["bert"])})
