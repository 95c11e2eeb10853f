"""The language model that ELMo is trained as: the next word forwards, and the next word backwards."""

import pathlib

import keras
import numpy as np

from keras_richctx.checkpoints import assign, read_hdf5, write_hdf5
from keras_richctx.elmo.elmo import ELMo
from keras_richctx.elmo.given_losses import GivenLoss, GivenPerplexity
from keras_richctx.elmo.streams import BEGIN, END, UNKNOWN, bilm_batches
from keras_richctx.ops.sampled_softmax import sampled_softmax_loss
from keras_richctx.text import CharacterTokenizer
from keras_richctx.training import fit
from keras_richctx.training.carried_state import CarriedState
from keras_richctx.training.varied_shapes import VariedShapes

DIRECTIONS = ("forward", "backward")


@keras.saving.register_keras_serializable("keras_richctx")
class BidirectionalLanguageModel(VariedShapes):
    r"""An `ELMo` with an output layer: it foretells each word from those before it, and each from those behind it.

    $$L = -\frac{1}{2N} \sum_{t=1}^{N} \log p(w_t \mid w_1, \dots, w_{t-1};\, \Theta_x, \overrightarrow{\Theta}, \Theta_s)
    + \log p(w_t \mid w_{t+1}, \dots, w_N;\, \Theta_x, \overleftarrow{\Theta}, \Theta_s)$$

    The two directions share the characters $\Theta_x$ and the softmax $\Theta_s$, and not the LSTMs. In training the softmax runs over the target and a sample
    of words without repetition, log-uniform by rank, one sample for each direction and step; outside of training over the whole vocabulary, which takes memory
    of V numbers a word: measure in smaller batches there.

    Args:
        elmo: an `ELMo`, new or with weights to go on from; it is trained in place, and is what is kept in the end. Not a stateful one.
        vocabulary: list of strings, the words to foretell, as `build_vocabulary` gives them: `"<S>"`, `"</S>"`, `"<UNK>"`, then the most frequent first.
        num_samples: integer, the words in a sample. Defaults to `8192`, as published; from the size of the vocabulary on the whole softmax is taken.
        other_words: list of strings, further words of the texts: they are read by their characters, and foretold as the unknown word. `fit` adds those that it
            meets.
        seed: integer, of the samples and the dropout, or `None`.
        **kwargs: passed to `keras.Model`, such as `name`.

    Call arguments:
        inputs: dict of `forward` and `backward`, integer `(B, T)`, numbers of words, and their targets, `forward_targets` and `backward_targets`.
        training: boolean, whether the softmax is sampled and dropout is on.

    Returns:
        A dict of `forward` and `backward`: the loss of each word, float32 `(B, T)`, in nats.

    Raises:
        ValueError: if the vocabulary does not begin with its three marks or repeats a word, or `elmo` is stateful.

    Example:
        >>> from keras_richctx.elmo import build_vocabulary
        >>> sentences = [["tick", "tock", "tick"], ["tock", "tick"]] * 20
        >>> elmo = krc.models.ELMo(filters=[(1, 4), (3, 8)], units=8, projection_dim=6)
        >>> model = BidirectionalLanguageModel(elmo, build_vocabulary(sentences))
        >>> model.compile(keras.optimizers.Adam(0.02))
        >>> history = model.fit_sentences(sentences, batch_size=4, unroll=5, epochs=2, progress=False)
        >>> sorted(history.history)
        ['backward_loss', 'backward_perplexity', 'forward_loss', 'forward_perplexity', 'loss']

    References:
        [Peters et al., 2018](https://arxiv.org/abs/1802.05365), section 3.1; the softmax: [Jozefowicz et al., 2016](https://arxiv.org/abs/1602.02410).
    """

    def __init__(self, elmo, vocabulary, num_samples=8192, other_words=(), seed=None, **kwargs):
        super().__init__(**{"dtype": elmo.dtype_policy, **kwargs})
        vocabulary = list(vocabulary)
        if vocabulary[:3] != [BEGIN, END, UNKNOWN] or len(set(vocabulary)) != len(vocabulary):
            raise ValueError(
                f"A vocabulary begins with '<S>', '</S>' and '<UNK>', and holds no word twice. Received: {len(vocabulary)} words, {vocabulary[:5]}, ... "
                "Make one with build_vocabulary."
            )
        if elmo.stateful:
            raise ValueError("The state is carried on by the training. Received: a stateful ELMo. Pass one with stateful=False.")
        self.elmo = elmo
        self.vocabulary = vocabulary
        self.num_samples = num_samples
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.dropout = keras.layers.Dropout(elmo.bilm.dropout_rate, seed=seed, name="dropout", dtype=self.dtype_policy)
        self._words, self._characters = {}, np.zeros((0, elmo.max_characters), "int32")
        self.add_words([*vocabulary, *other_words])
        self.build()

    def build(self, input_shape=None):
        if self.built:
            return
        width = self.elmo.bilm.projection_units
        initializer = keras.initializers.RandomNormal(stddev=width**-0.5)
        self.softmax_kernel = self.add_weight(shape=(len(self.vocabulary), width), initializer=initializer, name="softmax_kernel")
        self.softmax_bias = self.add_weight(shape=(len(self.vocabulary),), initializer="zeros", autocast=False, name="softmax_bias")
        self.built = True

    def add_words(self, words):
        """Takes further words into the table of those that can be read.

        Args:
            words: iterable of strings.
        """
        new = [word for word in dict.fromkeys(words) if word not in self._words]
        if new:
            rows = CharacterTokenizer(self.elmo.max_characters)([[word] for word in new])[:, 0]  # (words, C)
            self._words |= {word: len(self._words) + i for i, word in enumerate(new)}
            self._characters = np.concatenate([self._characters, rows])

    def compile(self, optimizer="adagrad", loss="auto", weighted_metrics="auto", jit_compile=None, **kwargs):
        """Configures training, as `keras.Model.compile`.

        Args:
            optimizer: optimizer or its name. Defaults to `"adagrad"`, which is the published one: Adagrad with rate 0.2, accumulators that begin at 1, and
                gradients clipped to a norm of 10.
            loss: `"auto"` for the mean of the two directions' losses.
            weighted_metrics: `"auto"` for the perplexity of each direction. In training it is that of the sampled softmax, which is lower.
            jit_compile: boolean or `"auto"`. Defaults to `False` on TensorFlow, and `"auto"` elsewhere.
            **kwargs: passed to `keras.Model.compile`.
        """
        if optimizer == "adagrad":
            optimizer = keras.optimizers.Adagrad(0.2, initial_accumulator_value=1.0, global_clipnorm=10.0)
        if loss == "auto":
            loss, kwargs["loss_weights"] = {name: GivenLoss() for name in DIRECTIONS}, dict.fromkeys(DIRECTIONS, 0.5)
        if weighted_metrics == "auto":
            weighted_metrics = {name: [GivenPerplexity()] for name in DIRECTIONS}
        super().compile(optimizer=optimizer, loss=loss, weighted_metrics=weighted_metrics, jit_compile=jit_compile, **kwargs)

    def call(self, inputs, training=False):
        losses, _ = self.advance(inputs, self.initial_state(keras.ops.shape(inputs["forward"])[0]), training=training)
        return losses

    def initial_state(self, batch_size):
        """Returns the state of both directions before the first word: zeros."""
        return self.elmo.bilm.initial_state(batch_size)

    def advance(self, inputs, state, training=False):
        """Reads a window of both streams on from a state; returns the losses of `call`, and the new state."""
        half, batch = len(state) // 2, keras.ops.shape(inputs["forward"])[0]
        both = keras.ops.concatenate([inputs["forward"], inputs["backward"]], axis=0)  # (2 B, T)
        characters = keras.ops.take(keras.ops.convert_to_tensor(self._characters), both, axis=0)  # (2 B, T, C)
        x = self.elmo.character_cnn(characters)  # (2 B, T, D)
        bilm = self.elmo.bilm
        forward, after = bilm.forward_stack(x[:batch], state=state[:half], training=training)
        backward, after_backward = bilm.backward_stack(x[batch:], state=state[half:], training=training)
        losses = {}
        for name, layers in zip(DIRECTIONS, (forward, backward)):
            losses[name] = self._foretell(self.dropout(layers[-1], training=training), inputs[f"{name}_targets"], training)  # (B, T)
        return losses, [*after, *after_backward]

    def _foretell(self, features, targets, training):
        shape = keras.ops.shape(features)
        flat = keras.ops.reshape(features, (-1, features.shape[-1]))  # (B T, D)
        samples = self.num_samples if training else len(self.vocabulary)
        losses = sampled_softmax_loss(flat, keras.ops.reshape(targets, (-1,)), self.softmax_kernel, self.softmax_bias, samples, self.seed_generator)
        return keras.ops.reshape(losses, shape[:2])

    def fit_sentences(self, sentences, batch_size=128, unroll=20, epochs=1, validation_sentences=None, **fit_arguments):
        """Trains on sentences, in windows whose state is carried on, by truncated backpropagation through time.

        Args:
            sentences: list of lists of strings.
            batch_size: integer, the parallel rows. Defaults to `128`.
            unroll: integer, the words of a window. Defaults to `20`, as published.
            epochs: integer. Defaults to `1`.
            validation_sentences: list of lists of strings to measure on after each epoch, or `None`.
            **fit_arguments: further arguments of `krc.training.fit`, such as `checkpoint_dir`, `patience` and `progress`.

        Returns:
            The `keras.callbacks.History`, with the loss and the perplexity of each direction.

        Raises:
            ValueError: if the model is not compiled, or there are too few words for so many rows.
        """
        if not self.compiled:
            raise ValueError(f"The model must be compiled before it is trained. Received: model={self.name!r}. Call model.compile(optimizer).")
        inputs, targets, weights = self._batches(sentences, batch_size, unroll)
        validation = None if validation_sentences is None else self._batches(validation_sentences, batch_size, unroll)
        carried = CarriedState(self, batch_size)
        options = {"sample_weight": weights, "batch_size": batch_size, "epochs": epochs, "shuffle": False, "validation_data": validation}
        return fit(carried, inputs, targets, **options, **fit_arguments)

    def perplexities(self, sentences, batch_size=16, unroll=20):
        """Measures the perplexity of sentences, by the whole softmax, with the state carried on from sentence to sentence.

        Args:
            sentences: list of lists of strings.
            batch_size: integer, the parallel rows, each of which begins without a context. Defaults to `16`.
            unroll: integer, the words to read at a time, which changes memory and speed only. Defaults to `20`.

        Returns:
            A dict of `forward` and `backward`, floats.

        Raises:
            ValueError: if the model is not compiled, or there are too few words for so many rows.
        """
        inputs, targets, weights = self._batches(sentences, batch_size, unroll)
        measured = CarriedState(self, batch_size).evaluate(inputs, targets, sample_weight=weights, batch_size=batch_size, verbose=0, return_dict=True)
        return {name: float(measured[f"{name}_perplexity"]) for name in DIRECTIONS}

    def _batches(self, sentences, batch_size, unroll):
        self.add_words(word for sentence in sentences for word in sentence)
        return bilm_batches(sentences, self._words, len(self.vocabulary), batch_size, unroll)

    def save_to_preset(self, preset_dir):
        """Writes the ELMo as it was published, and beside it what training can go on with: `vocabulary.txt` and `softmax.hdf5`.

        Args:
            preset_dir: path of the directory, which is made if needed.
        """
        path = pathlib.Path(preset_dir)
        self.elmo.save_to_preset(path)
        softmax = {"softmax/W": self.softmax_kernel, "softmax/b": self.softmax_bias}
        write_hdf5(path / "softmax.hdf5", {name: keras.ops.convert_to_numpy(variable) for name, variable in softmax.items()})
        (path / "vocabulary.txt").write_text("".join(f"{word}\n" for word in self.vocabulary), encoding="utf-8")

    @classmethod
    def from_preset(cls, preset_dir, vocabulary=None, num_samples=8192, **options):
        """Loads a model to go on training, on other text too.

        Args:
            preset_dir: path of a directory that `save_to_preset` has written; or of any ELMo, with `vocabulary`, for which the softmax is new then.
            vocabulary: list of strings, or `None` for that of the directory.
            num_samples: integer, the words in a sample. Defaults to `8192`.
            **options: arguments of `ELMo` that are to differ, such as `dropout`.

        Returns:
            A `BidirectionalLanguageModel`.

        Raises:
            FileNotFoundError: if a file is missing.
            ValueError: if the files do not fit together.
        """
        path = pathlib.Path(preset_dir)
        elmo = ELMo.from_preset(path, **options)
        if vocabulary is not None:
            return cls(elmo, vocabulary, num_samples)
        if not (path / "vocabulary.txt").is_file():
            raise FileNotFoundError(f"The directory holds no vocabulary.txt. Received: preset_dir={str(preset_dir)!r}. Pass vocabulary=, for a new softmax.")
        model = cls(elmo, (path / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1], num_samples)
        assign({"softmax/W": model.softmax_kernel, "softmax/b": model.softmax_bias}, read_hdf5(path / "softmax.hdf5"))
        return model

    def get_config(self):
        return {
            **super().get_config(),
            "elmo": keras.saving.serialize_keras_object(self.elmo),
            "vocabulary": self.vocabulary,
            "num_samples": self.num_samples,
            "other_words": list(self._words)[len(self.vocabulary) :],
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "elmo": keras.saving.deserialize_keras_object(config["elmo"])})
