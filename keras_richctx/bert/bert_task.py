"""What every model with a head on a `Bert` does."""

import keras

from keras_richctx.bert import weights
from keras_richctx.bert.bert import Bert
from keras_richctx.bert.presets import PRESETS
from keras_richctx.training.varied_shapes import VariedShapes


class BertTask(VariedShapes):
    """Base of the models with a head on a `Bert`: loading, saving, compiling, and a look inside.

    The `Bert` is the one that was given, not a copy: to train the model trains it. A subclass defines `call`, `head_groups`, `default_loss` and
    `default_metrics`, and in the class what its files are called.

    Args:
        bert: a `Bert`.
        **kwargs: passed to `keras.Model`, such as `name`. The dtype policy is that of the `Bert`.

    Raises:
        ValueError: if `bert` is none.
    """

    architecture = None  # the end of Hugging Face's name for it, such as "ForSequenceClassification"
    own_arguments = ()  # the names of those arguments of the constructor that are not of `Bert`
    own_patterns = None  # the key of weights.HEAD_PATTERNS

    def __init__(self, bert, **kwargs):
        if not isinstance(bert, Bert):
            raise ValueError(f"{type(self).__name__} takes a Bert. Received: bert={bert!r}")
        super().__init__(dtype=bert.dtype_policy, **kwargs)
        self.bert = bert

    def head_groups(self):
        """Lists the parts of the head, which a file holds whole or not at all: lists of pairs of a place and a variable, as in `bert/names.py`."""
        raise NotImplementedError

    def head_layers(self):
        """Lists the layers of the head."""
        raise NotImplementedError

    def default_loss(self):
        """Returns what `compile` takes for a loss unless it is given one."""
        raise NotImplementedError

    def default_metrics(self):
        """Returns what `compile` takes for metrics unless it is given some."""
        raise NotImplementedError

    def head_words(self):
        """Returns what the config of Hugging Face says of the head, as a dict."""
        return {}

    @classmethod
    def head_arguments(cls, opened):
        """Returns the arguments of the constructor that a directory knows, as a dict."""
        return {}

    @classmethod
    def uses_pooler(cls, model_type, arguments):
        """Tells whether a model of that type, with these arguments of the constructor, looks at the pooled output."""
        return False

    @property
    def tokenizer(self):
        """The tokenizer of the `Bert`, or `None`."""
        return self.bert.tokenizer

    def compile(self, optimizer="adam", loss="auto", weighted_metrics="auto", jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`, with the loss and the metrics of the task filled in.

        Args:
            optimizer: optimizer or its name. Defaults to `"adam"`.
            loss: `"auto"` for that of the task.
            weighted_metrics: `"auto"` for those of the task.
            jit_compile: boolean or `"auto"`. Defaults to `False` on TensorFlow, where XLA would compile a program for each shape of batch, and `"auto"`
                elsewhere.
            **kwargs: passed to `keras.Model.compile`.
        """
        loss = self.default_loss() if loss == "auto" else loss
        weighted_metrics = self.default_metrics() if weighted_metrics == "auto" else weighted_metrics
        super().compile(optimizer=optimizer, loss=loss, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    def attention_scores(self, inputs):
        """Shows where every head of every layer looks; see `Bert.attention_scores`."""
        return self.bert.attention_scores(inputs)

    def reading(self, inputs):
        """Reads texts, pairs of texts or ids for `krc.attention_maps`, as `Bert.reading`."""
        return self.bert.reading(inputs)

    def layer_groups(self):
        """Returns the groups for `discriminative_rates` and `GradualUnfreezing`, lowest first: the embeddings, each layer, the head with the pooler."""
        groups = self.bert.layer_groups()
        pooler = groups.pop() if self.bert.pooler is not None else []
        return [*groups, [*pooler, *self.head_layers()]]

    def make_dense(self, units, name, **options):
        """Makes a layer of the head, drawn as all matrices of a `Bert` are, and builds it on vectors of D features."""
        dense = keras.layers.Dense(units, kernel_initializer=self.bert.initializer(), dtype=self.dtype_policy, name=name, **options)
        dense.build((None, self.bert.width))
        return dense

    @classmethod
    def from_preset(cls, preset, tokenizer="auto", **options):
        """Loads a model from a directory, as `Bert.from_preset`, with its head where the files hold one; or makes one of a published size.

        What of the head is not in the files is new: a warning names it. Where the files hold another head, it is left out, and so is a pooler that the head
        does not look at. Of Google's files of TensorFlow 2 no head is read.

        Args:
            preset: as in `Bert.from_preset`.
            tokenizer: as in `Bert.from_preset`.
            **options: arguments of the constructor, and of that of `Bert`.

        Returns:
            A model of this class.

        Raises:
            FileNotFoundError: as in `Bert.from_preset`.
            ValueError: as in `Bert.from_preset`; or if the head in the files is of another size.
        """
        own = {name: options.pop(name) for name in cls.own_arguments if name in options}
        if preset in PRESETS:
            options = {"pooler": cls.uses_pooler(PRESETS[preset].get("model_type", "bert"), own), **options}
            return cls(Bert.from_preset(preset, tokenizer, **options), **own)
        opened = weights.open_preset(preset)
        own = {**cls.head_arguments(opened), **own}
        options = {"pooler": cls.uses_pooler("bert" if opened.style == "google" else opened.style, own), **options}
        model = cls(weights.make_bert(Bert, opened, tokenizer, options), **own)
        weights.fill(opened, model.bert, model.head_groups(), cls.own_patterns)
        return model

    def save_to_preset(self, preset_dir):
        """Writes the model in the layout of Hugging Face: `config.json`, `model.safetensors` and the tokenizer's files.

        Args:
            preset_dir: path of the directory, which is made if needed.
        """
        places = [pair for group in self.head_groups() for pair in group]
        weights.save(self, preset_dir, self.bert, places, {"architecture": self.architecture, **self.head_words()})

    def get_config(self):
        config = super().get_config()
        config.pop("dtype")  # the Bert has it
        return {**config, "bert": keras.saving.serialize_keras_object(self.bert)}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "bert": keras.saving.deserialize_keras_object(config["bert"])})
