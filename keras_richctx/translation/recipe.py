"""How a translation model is made of sentence pairs, in one object that can be compared and written down."""

import dataclasses

import keras

from keras_richctx.datasets import translation_batches
from keras_richctx.text import ByteLevelBPETokenizer, WordTokenizer
from keras_richctx.training import TimeLimit, fit
from keras_richctx.training.devices import on_gpu
from keras_richctx.training.distribution import is_distributed
from keras_richctx.translation.seq2seq import Seq2Seq
from keras_richctx.translation.transformer import Transformer

MODELS = ("seq2seq", "transformer")
TOKENIZERS = {"word": WordTokenizer, "bpe": ByteLevelBPETokenizer}
WITHOUT_END = 1_000_000  # epochs, where the clock ends the training


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recipe:
    r"""The tokenizers, the model and the training of a translator: what the command, the course and the benchmarks have in common.

    Trained with Adam, gradients clipped to a global norm of 1, and a learning rate that falls to zero along half a cosine, over the epochs or over the minutes:
    one of the two is given. For a Transformer the rate rises over the first `warmup_steps`, and Adam forgets its squares faster, as in the paper.

    Args:
        model: string, `"seq2seq"` or `"transformer"`. Defaults to `"seq2seq"`.
        tokenizer: string, `"word"` or `"bpe"`, for both languages. Defaults to `"bpe"`.
        vocab_size: integer, the most ids of each language. Defaults to `4000`.
        max_length: integer, the longest sentence to train on, in tokens with the end symbol; a pair with a longer one is left out, with a warning. With the
            `"location"` score, also the longest that the model can read. Defaults to `100`.
        units: integer, the width of the states of a `Seq2Seq`, or of a `Transformer`. Defaults to `256`.
        embedding_dim, cell, attention, score, coverage: as in `Seq2Seq`; a `Transformer` has no use for them.
        num_layers, num_heads, norm, label_smoothing: as in `Transformer`; a `Seq2Seq` has no use for them.
        dropout: float, as in either. Defaults to `0.1`.
        batch_size: integer, pairs in a step. Defaults to `128`.
        learning_rate: float, the highest. Defaults to `0.004` for a `Seq2Seq` and `0.001` for a `Transformer`.
        warmup_steps: integer, the steps over which the rate of a `Transformer` rises. Defaults to `200`.
        epochs: integer, passes over the pairs, or `None`. Defaults to `None`.
        minutes: float, how long to train, or `None`. Defaults to `None`.
        patience: integer, the number of epochs without a better validation loss after which training stops, or `None`. Defaults to `None`.
        seed: integer, of the initial weights, of dropout and of the order of the pairs. Defaults to `0`.

    Raises:
        ValueError: if `tokenizer` is unknown, not exactly one of `epochs` and `minutes` is given, or the learning rate is not above zero.

    Example:
        >>> pairs = krc.datasets.load("phrasebook", size=8)
        >>> recipe = Recipe(tokenizer="word", units=8, epochs=1)
        >>> model = recipe.build(*recipe.train_tokenizers(pairs))
        >>> history = recipe.fit(model, pairs, progress=False)
        >>> history.epoch
        [0]
    """

    model: str = "seq2seq"
    tokenizer: str = "bpe"
    vocab_size: int = 4000
    max_length: int = 100
    units: int = 256
    embedding_dim: int | None = 128
    cell: str = "gru"
    attention: str = "bahdanau"
    score: str | None = None
    num_layers: int = 3
    num_heads: int = 4
    norm: str = "pre"
    label_smoothing: float = 0.1
    dropout: float = 0.1
    coverage: float = 0.0
    batch_size: int = 128
    learning_rate: float | None = None
    warmup_steps: int = 200
    epochs: int | None = None
    minutes: float | None = None
    patience: int | None = None
    seed: int = 0

    def __post_init__(self):
        if self.tokenizer not in TOKENIZERS:
            raise ValueError(f"Unknown tokenizer. Received: tokenizer={self.tokenizer!r}. Choose one of {', '.join(TOKENIZERS)}.")
        if (self.epochs is None) == (self.minutes is None):
            raise ValueError(
                f"Training ends after some epochs or after some minutes: give one of the two. Received: epochs={self.epochs}, minutes={self.minutes}"
            )
        if self.model not in MODELS:
            raise ValueError(f"Unknown model. Received: model={self.model!r}. Choose one of {', '.join(MODELS)}.")
        if self.learning_rate is None:
            object.__setattr__(self, "learning_rate", 0.001 if self.model == "transformer" else 0.004)
        if not 0 < self.learning_rate < float("inf"):
            raise ValueError(f"The learning rate is a number above zero. Received: learning_rate={self.learning_rate}")

    def train_tokenizers(self, pairs):
        """Learns the vocabularies of both languages.

        Args:
            pairs: `Pairs`.

        Returns:
            A pair of tokenizers, of the source and of the target. The same pairs give the same tokenizers.
        """
        kind = TOKENIZERS[self.tokenizer]
        return kind.train(pairs.source, self.vocab_size), kind.train(pairs.target, self.vocab_size)

    def build(self, source_tokenizer, target_tokenizer):
        """Makes the model, with its first weights drawn from the seed, which is given to Python, NumPy and the backend.

        Args:
            source_tokenizer: tokenizer of the source language.
            target_tokenizer: tokenizer of the target language.

        Returns:
            A `Seq2Seq` or a `Transformer`.
        """
        keras.utils.set_random_seed(self.seed)
        if self.model == "transformer":
            sizes = {"num_layers": self.num_layers, "width": self.units, "num_heads": self.num_heads, "norm": self.norm}
            return Transformer(source_tokenizer, target_tokenizer, dropout=self.dropout, label_smoothing=self.label_smoothing, **sizes)
        return Seq2Seq(
            source_tokenizer,
            target_tokenizer,
            units=self.units,
            embedding_dim=self.embedding_dim,
            cell=self.cell,
            attention=self.attention,
            score=self.score,
            max_source_length=self.max_length if self.score == "location" else None,
            dropout=self.dropout,
            coverage=self.coverage,
        )

    def fit(self, model, pairs, validation=None, checkpoint_dir=None, progress=True):
        """Trains the model; a run that was cut short goes on from its checkpoint.

        Args:
            model: what `build` returned.
            pairs: `Pairs` to train on.
            validation: `Pairs` to measure the loss on after each epoch, or `None`. Defaults to `None`.
            checkpoint_dir: as in `keras_richctx.training.fit`.
            progress: as in `keras_richctx.training.fit`.

        Returns:
            The `keras.callbacks.History`.
        """
        multiple = self._padding(model, pairs)
        batches = self._batches(model, pairs, multiple)
        rate, rise, beta_2 = self.learning_rate, 0, 0.999
        if self.model == "transformer":
            rise, beta_2 = self.warmup_steps, 0.98
        if self.minutes is None:
            # eta = eta_0 (1 + cos(pi t / T)) / 2, over the steps behind the rise; TimeLimit does the same over the time
            steps = self.epochs * int(batches.cardinality())
            rise = min(rise, steps // 2)
            target = {"initial_learning_rate": 0.0, "warmup_target": rate, "warmup_steps": rise} if rise else {"initial_learning_rate": rate}
            rate = keras.optimizers.schedules.CosineDecay(decay_steps=steps - rise, **target)
        has_few_shapes = keras.backend.backend() == "tensorflow" and multiple > 1
        model.compile(keras.optimizers.Adam(rate, beta_2=beta_2, global_clipnorm=1.0), jit_compile=has_few_shapes or None)
        return fit(
            model,
            batches,
            epochs=self.epochs or WITHOUT_END,
            callbacks=[TimeLimit(60 * self.minutes, rate, rise)] if self.minutes else [],
            validation_data=None if validation is None else self._batches(model, validation, multiple, shuffle=False),
            checkpoint_dir=checkpoint_dir,
            patience=self.patience,
            progress=progress,
        )

    def _batches(self, model, pairs, multiple, shuffle=True):
        return translation_batches(
            pairs,
            model.source_tokenizer,
            model.target_tokenizer,
            self.batch_size,
            shuffle=shuffle,
            seed=self.seed,
            pad_to_multiple=multiple,
            max_length=self.max_length,
            on_long="drop",
        )

    def _padding(self, model, pairs):
        """Of what the lengths are multiples: XLA compiles a program for each shape of a batch, which takes longest for a GPU, that hardly feels the padding."""
        backend = keras.backend.backend()
        is_worth_it = backend == "jax" or (backend == "tensorflow" and self._is_long(pairs))
        if is_worth_it and on_gpu() and not is_distributed(model):
            multiple = 32
        else:
            multiple = 1 if backend == "tensorflow" else 8
        return model.padding_multiple(multiple)

    def _is_long(self, pairs):
        """Whether the training is long enough for TensorFlow to compile it for a GPU: on an H200 that took four minutes, and a step then 6 ms."""
        return self.minutes >= 10 if self.minutes else self.epochs * len(pairs) >= 3000 * self.batch_size
