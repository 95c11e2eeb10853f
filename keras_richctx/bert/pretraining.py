"""How a BERT is pre-trained on text, in one object that can be compared and written down."""

import dataclasses

import keras

from keras_richctx.bert.bert import Bert
from keras_richctx.bert.bert_for_pretraining import BertForPretraining
from keras_richctx.bert.presets import PRESETS
from keras_richctx.datasets import masked_lm_pairs
from keras_richctx.text import ByteLevelBPETokenizer, WordPieceTokenizer
from keras_richctx.text.byte_level_vocabulary import ROBERTA
from keras_richctx.training import fit, warmup_adamw


@dataclasses.dataclass(frozen=True, kw_only=True)
class Pretraining:
    """The vocabulary, the model and the training of a BERT: what the command has to do.

    Trained with [`warmup_adamw`][keras_richctx.training.warmup_adamw.warmup_adamw] on the batches of `masked_lm_pairs`. With a size of the type RoBERTa the
    vocabulary is byte-level; of that type, and of DistilBERT's, there is no next sentence.

    Args:
        size: string, a size that `Bert.from_preset` knows. Defaults to `"bert_tiny"`.
        vocab_size: integer, the most ids. Defaults to `30_000`.
        lowercase: boolean, whether words that differ in case or accents are one, in WordPiece. Defaults to `True`.
        length: integer, the tokens of a row. Defaults to `128`.
        next_sentence: boolean, whether rows are pairs. Defaults to `True`.
        unit: string, what is masked, `"token"`, `"word"` or `"span"`. Defaults to `"token"`.
        masking: string, `"dynamic"`, or `"static"`, as where ten masked copies of the text were written down. Defaults to `"dynamic"`.
        rate: float, which part of the tokens is masked. Defaults to `0.15`.
        batch_size: integer, rows in a step. Defaults to `256`.
        epochs: integer, passes over the text. Defaults to `40`.
        learning_rate: float, the highest. Defaults to `1e-4`.
        warmup: float, the part of the steps in which it rises. Defaults to `0.01`.
        weight_decay: float. Defaults to `0.01`.
        dropout: float. Defaults to `0.1`.
        seed: integer, of the first weights, of dropout, and of what is masked. Defaults to `0`.

    Raises:
        ValueError: if the size is unknown.

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), appendix A.2; [Liu et al., 2019](https://arxiv.org/abs/1907.11692).
    """

    size: str = "bert_tiny"
    vocab_size: int = 30_000
    lowercase: bool = True
    length: int = 128
    next_sentence: bool = True
    unit: str = "token"
    masking: str = "dynamic"
    rate: float = 0.15
    batch_size: int = 256
    epochs: int = 40
    learning_rate: float = 1e-4
    warmup: float = 0.01
    weight_decay: float = 0.01
    dropout: float = 0.1
    seed: int = 0

    def __post_init__(self):
        if self.size not in PRESETS:
            raise ValueError(f"The sizes are {', '.join(PRESETS)}. Received: size={self.size!r}")
        if self.next_sentence and self.model_type != "bert":
            object.__setattr__(self, "next_sentence", False)

    @property
    def model_type(self):
        """The type of the size, such as `"bert"`."""
        return PRESETS[self.size].get("model_type", "bert")

    def train_tokenizer(self, files):
        """Learns the vocabulary from files: WordPiece, or for RoBERTa byte-level pairs.

        Args:
            files: list of paths of UTF-8 files.

        Returns:
            A tokenizer with a mask. The same files give the same tokenizer.
        """
        if self.model_type == "roberta":
            return ByteLevelBPETokenizer.train(files, self.vocab_size, special_tokens=ROBERTA)
        return WordPieceTokenizer.train(files, self.vocab_size, lowercase=self.lowercase)

    def build(self, tokenizer, start=None, **options):
        """Makes the model, with its first weights drawn from the seed, or those to go on from.

        Args:
            tokenizer: tokenizer; with `start`, its own is taken.
            start: directory to go on from, as in `BertForPretraining.from_preset`, or `None`.
            **options: arguments of `Bert`.

        Returns:
            A `BertForPretraining`.
        """
        keras.utils.set_random_seed(self.seed)
        options = {"dropout": self.dropout, "attention_dropout": self.dropout, **options}
        if start is not None:
            model = BertForPretraining.from_preset(start, **options)
            return model if model.next_sentence == self.next_sentence else _with_other_head(model, self.next_sentence)
        pooler = {"pooler": self.next_sentence}
        return BertForPretraining(Bert.from_preset(self.size, tokenizer, pad_id=tokenizer.pad_id, **pooler, **options), self.next_sentence)

    def batches(self, files, tokenizer, **options):
        """Makes the batches of some files; see `masked_lm_pairs` for the options."""
        names = ("batch_size", "length", "next_sentence", "rate", "unit", "masking", "seed")
        return masked_lm_pairs(files, tokenizer, **{**{name: getattr(self, name) for name in names}, **options})

    def fit(self, model, files, validation=None, **options):
        """Compiles the model and trains it; a run that was cut short goes on from its checkpoint, at its very step.

        Args:
            model: what `build` returned.
            files: list of paths of UTF-8 files, one sentence a line, an empty line between documents.
            validation: list of paths of such files, to measure on after each epoch, or `None`.
            **options: passed to `krc.training.fit`, such as `checkpoint_dir` and `progress`.

        Returns:
            The `keras.callbacks.History`, of losses and accuracies of masked tokens and of the next sentence.
        """
        batches = self.batches(files, model.tokenizer)
        held_out = None if validation is None else self.batches(validation, model.tokenizer, masking="static", duplicates=1, shuffle=False)
        model.compile(warmup_adamw(self.learning_rate, len(batches) * self.epochs, self.warmup, self.weight_decay))
        return fit(model, batches, epochs=self.epochs, validation_data=held_out, **options)


def _with_other_head(model, next_sentence):
    """Returns a model on the same `Bert` and with the same head for masked tokens, with or without one for the next sentence."""
    other = BertForPretraining(model.bert, next_sentence)
    other.mlm_head.set_weights(model.mlm_head.get_weights())
    if model.bert.pooler is not None:
        model.bert.pooler.trainable = next_sentence
    return other
