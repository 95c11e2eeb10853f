"""What a task is, to those that fine-tune for it."""

import abc
import contextlib
import dataclasses
import warnings

from keras_richctx.finetuning.recipe import FineTuning


@contextlib.contextmanager
def new_heads():
    """Keeps quiet about what is not in the files of an encoder, and is to be trained in the next moment."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*They are new, and have to be trained")
        yield


@dataclasses.dataclass(frozen=True, kw_only=True)
class Features:
    """How an encoder is used: fine-tuned, or frozen, for features.

    Args:
        frozen: boolean. Defaults to `False`.
        layers: string, which layers make the features, as `BertWords` takes it. Defaults to `"last"`.
        head: string, what is put on them. Defaults to `"linear"`.
        units: even integer, the width of a BiLSTM. Defaults to `200`.
    """

    frozen: bool = False
    layers: str = "last"
    head: str = "linear"
    units: int = 200

    def options(self):
        """Returns the options with which to load the encoder: a frozen one drops nothing."""
        return {"dropout": 0.0, "attention_dropout": 0.0} if self.frozen else {}


class Task(abc.ABC):
    """Base of the tasks: where their examples come from, which model they take, how it is measured, and what their files look like.

    Args:
        name: string, such as `"sst-2"`.
        recipe: `FineTuning`, the published settings.
    """

    has_test = True  # whether there is a test set

    def __init__(self, name, recipe=None):
        self.name = name
        self.recipe = recipe or FineTuning()

    @property
    @abc.abstractmethod
    def measure(self):
        """The name of that of the scores by which models are compared."""

    @property
    def sets(self):
        """The names of the sets that it is measured on."""
        return (self.name,)

    @abc.abstractmethod
    def read(self, name, split, data_dir=None):
        """Reads the examples of a split of one of `sets`."""

    @abc.abstractmethod
    def make_model(self, weights, examples, features, max_length, **options):
        """Makes the model.

        Args:
            weights: string or path, what `Bert.from_preset` takes.
            examples: those to train on.
            features: `Features`.
            max_length: integer, the most tokens of a row.
            **options: further ones of `Bert.from_preset`, such as `dtype`.

        Returns:
            A `keras.Model`.
        """

    @abc.abstractmethod
    def batches(self, model, examples, max_length, batch_size, seed):
        """Makes the batches to train on, of known length."""

    @abc.abstractmethod
    def predict(self, model, examples, max_length):
        """Says what the model says of each example: anything that `scores` and `write` take."""

    @abc.abstractmethod
    def scores(self, predictions, examples):
        """Measures predictions: a dict of floats."""

    @abc.abstractmethod
    def write(self, predictions, examples, name, directory):
        """Writes predictions into a directory, in the layout in which the task wants them."""

    def layer_groups(self, model):
        """Returns the groups of layers for `discriminative_rates`, lowest first."""
        return model.layer_groups()
