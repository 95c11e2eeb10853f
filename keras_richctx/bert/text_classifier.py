"""The class of a text or of a pair of texts, or a number for it."""

import keras
import numpy as np

from keras_richctx.bert.bert_task import BertTask
from keras_richctx.bert.export_for_texts import export_for_texts
from keras_richctx.bert.names import dense_places
from keras_richctx.bert.run import run


@keras.saving.register_keras_serializable("keras_richctx")
class TextClassifier(BertTask):
    r"""A `Bert` with a head that classifies a text, or a pair of texts, by what it has at the first position.

    $$\text{logits} = W\, d(f) + b, \qquad f = \tanh(W_p h^L_1 + b_p)$$

    where $d$ is dropout, and $f$ the pooled output. RoBERTa has no pooler and computes the same here, with dropout before it too; DistilBERT has a ReLU in
    place of the tanh. With `num_classes=1` the one logit is a number that is learnt by regression.

    Args:
        bert: a `Bert`; of the type `"bert"` with a pooler.
        num_classes: integer, C; `1` for regression. Defaults to the number of `labels`.
        labels: list of strings, what the classes are called, or `None`.
        head_dropout: float, the share of features that are dropped in training. Defaults to the dropout of the `Bert`, and to `0.2` for DistilBERT, as
            published.
        **kwargs: passed to `keras.Model`, such as `name`. The dtype policy is that of the `Bert`.

    Call arguments:
        inputs: what `Bert` takes.
        training: boolean, whether dropout is on.

    Returns:
        The logits, float `(B, C)`.

    Raises:
        ValueError: if there are no classes, or as many as there are no labels for; or if the `Bert` has no pooler.

    Example:
        >>> model = TextClassifier(krc.models.Bert(num_layers=2, width=12, num_heads=3, vocab_size=37), num_classes=3)
        >>> model({"token_ids": np.array([[5, 9, 6, 0]])}).shape
        TensorShape([1, 3])

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 4.1.
    """

    architecture = "ForSequenceClassification"
    own_patterns = "classifier"
    own_arguments = ("num_classes", "labels", "head_dropout")

    def __init__(self, bert, num_classes=None, labels=None, head_dropout=None, **kwargs):
        super().__init__(bert, **kwargs)
        num_classes = len(labels or ()) if num_classes is None else num_classes
        if not isinstance(num_classes, int) or num_classes < 1:
            raise ValueError(f"num_classes is a positive integer. Received: num_classes={num_classes!r}")
        if labels is not None and len(labels) != num_classes:
            raise ValueError(f"Each class has one label. Received: num_classes={num_classes}, labels={labels!r}")
        if bert.model_type == "bert" and bert.pooler is None:
            raise ValueError("A BERT is classified by its pooled output. Received: a Bert without a pooler. Make or load it with pooler=True.")
        if head_dropout is None:
            head_dropout = 0.2 if bert.model_type == "distilbert" else bert.dropout_rate
        self.num_classes = num_classes
        self.labels = None if labels is None else list(labels)
        self.head_dropout = head_dropout
        self.dropout = keras.layers.Dropout(head_dropout, name="dropout", dtype=self.dtype_policy)
        self.hidden = None
        if bert.model_type != "bert":
            self.hidden = self.make_dense(bert.width, "hidden", activation="tanh" if bert.model_type == "roberta" else "relu")
        self.classifier = self.make_dense(num_classes, "classifier")
        self.built = True

    def call(self, inputs, training=False):
        outputs = self.bert(inputs, training=training)
        if self.hidden is None:
            features = outputs["pooled_output"]  # (B, D)
        else:
            features = outputs["sequence_output"][:, 0]  # (B, D)
            features = self.dropout(features, training=training) if self.bert.model_type == "roberta" else features
            features = self.hidden(features)
        # logits = W d(f) + b
        return self.classifier(self.dropout(features, training=training))  # (B, C)

    def scores(self, first, second=None, batch_size=32, max_length=None):
        """Says how likely each class is for texts, or for pairs of texts.

        Args:
            first: list of strings.
            second: list of strings, the second text of each pair, or `None`.
            batch_size: integer, how many rows to read at once. Defaults to `32`.
            max_length: integer, the most tokens of a row, to which longer ones are cut. Without it, a row that is longer than the model can read is an error.

        Returns:
            Probabilities, a float32 array of shape `(N, C)`; for regression the numbers, `(N,)`.
        """

        def read(logits, mask):
            logits = logits.astype("float32")
            return logits[:, 0] if self.num_classes == 1 else keras.ops.convert_to_numpy(keras.ops.softmax(logits))

        rows = run(self, self.bert, first, second, read, batch_size=batch_size, max_length=max_length)
        return np.array(rows, "float32").reshape((len(rows),) if self.num_classes == 1 else (-1, self.num_classes))

    def classify(self, first, second=None, **options):
        """Says which class texts, or pairs of texts, belong to.

        Args:
            first: list of strings.
            second: list of strings, or `None`.
            **options: as in `scores`.

        Returns:
            A list: the labels, or the numbers of the classes where these have none. For regression, the numbers that are foretold.
        """
        scores = self.scores(first, second, **options)
        if self.num_classes == 1:
            return scores.tolist()
        return [i if self.labels is None else self.labels[i] for i in scores.argmax(axis=-1).tolist()]

    def export_for_texts(self, path, max_length=None):
        """Writes a SavedModel that takes raw texts; see [`export_for_texts`][keras_richctx.bert.export_for_texts.export_for_texts].

        Args:
            path: path of the directory to write.
            max_length: integer, the most tokens of a row. Defaults to what the model can read.
        """
        export_for_texts(self, path, max_length)

    def default_loss(self):
        return keras.losses.MeanSquaredError() if self.num_classes == 1 else keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def default_metrics(self):
        if self.num_classes == 1:
            return [keras.metrics.RootMeanSquaredError(name="rmse")]
        return [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]

    def head_groups(self):
        hidden = [] if self.hidden is None else dense_places("classifier/hidden", self.hidden)
        return [[*hidden, *dense_places("classifier/output", self.classifier)]]

    def head_layers(self):
        return [self.classifier] if self.hidden is None else [self.hidden, self.classifier]

    def head_words(self):
        names = self.labels or [f"LABEL_{i}" for i in range(self.num_classes)]
        return {
            "id2label": {str(i): name for i, name in enumerate(names)},
            "label2id": {name: i for i, name in enumerate(names)},
            "problem_type": "regression" if self.num_classes == 1 else "single_label_classification",
            "seq_classif_dropout" if self.bert.model_type == "distilbert" else "classifier_dropout": self.head_dropout,
        }

    @classmethod
    def uses_pooler(cls, model_type, arguments):
        return model_type == "bert"

    @classmethod
    def head_arguments(cls, opened):
        config = opened.config
        names = [name for _, name in sorted(config.get("id2label", {}).items(), key=lambda item: int(item[0]))]
        kind, count = config.get("problem_type"), len(names) or config.get("num_labels", 2)  # Hugging Face writes no number where it is two
        if kind not in (None, "single_label_classification", "regression") or (kind == "regression" and count > 1):
            raise ValueError(f"A TextClassifier finds one class, or one number. Received: problem_type={kind!r}, {count} labels in {opened.path}")
        plain = names == [f"LABEL_{i}" for i in range(len(names))]
        word = "seq_classif_dropout" if opened.style == "distilbert" else "classifier_dropout"
        return {"num_classes": count, "labels": None if plain else names, "head_dropout": config.get(word)}

    @classmethod
    def from_preset(cls, preset, tokenizer="auto", **options):
        """Loads a model from a directory, as `BertTask.from_preset`; with another `num_classes` than the files say, their labels are forgotten.

        Args:
            preset: as in `Bert.from_preset`.
            tokenizer: as in `Bert.from_preset`.
            **options: arguments of the constructor, and of that of `Bert`.

        Returns:
            A `TextClassifier`.

        Raises:
            FileNotFoundError: as in `Bert.from_preset`.
            ValueError: as in `Bert.from_preset`; or if the head in the files is of another size: to put a new one in its place, give the constructor a `Bert`.
        """
        if "num_classes" in options or "labels" in options:
            options = {"num_classes": None, "labels": None, **options}
        return super().from_preset(preset, tokenizer, **options)

    def get_config(self):
        return {**super().get_config(), "num_classes": self.num_classes, "labels": self.labels, "head_dropout": self.head_dropout}
