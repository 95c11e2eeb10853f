"""How a pre-trained encoder is fine-tuned, whatever the task: one object that can be compared and written down."""

import dataclasses

from keras_richctx.training import discriminative_rates, fit, warmup_adamw


@dataclasses.dataclass(frozen=True, kw_only=True)
class FineTuning:
    r"""The training of a model on top of a pre-trained encoder, as published with BERT.

    Trained with [`warmup_adamw`][keras_richctx.training.warmup_adamw.warmup_adamw]. With `layer_decay` the rate of each layer is that of the one
    above it times this number; the head has the full rate, and the embeddings the lowest.

    Args:
        learning_rate: float, the highest. Defaults to `2e-5`.
        batch_size: integer, examples in a step. Defaults to `32`.
        epochs: integer, passes over the examples. Defaults to `3`.
        warmup: float, the part of the steps in which the rate rises. Defaults to `0.1`.
        weight_decay: float. Defaults to `0.01`.
        layer_decay: float above 0 and up to 1, or `None` for one rate. Defaults to `None`.
        seed: integer, of the first weights of the head, of dropout and of the order of the examples. Defaults to `0`.

    Raises:
        ValueError: if a number is out of its range.

    Example:
        >>> recipe = FineTuning(learning_rate=5e-5, layer_decay=0.95)
        >>> recipe.epochs, recipe.batch_size
        (3, 32)

    References:
        [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 4 and appendix A.3.
    """

    learning_rate: float = 2e-5
    batch_size: int = 32
    epochs: int = 3
    warmup: float = 0.1
    weight_decay: float = 0.01
    layer_decay: float | None = None
    seed: int = 0

    def __post_init__(self):
        for name, low, high in (("learning_rate", 0, float("inf")), ("batch_size", 0, float("inf")), ("epochs", 0, float("inf")), ("layer_decay", 0, 1.000001)):
            value = getattr(self, name)
            if value is not None and not low < value < high:
                raise ValueError(f"{name} is a number above zero{' and up to one' if name == 'layer_decay' else ''}. Received: {name}={value}")
        for name in ("warmup", "weight_decay"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is a number of at least zero and below one. Received: {name}={getattr(self, name)}")

    def optimizer(self, steps, groups=None):
        """Makes the optimizer for a training.

        Args:
            steps: integer, how many there will be.
            groups: list of lists of layers, lowest first, as `discriminative_rates` takes them; needed with `layer_decay`.

        Returns:
            A `keras.optimizers.AdamW`.
        """
        optimizer = warmup_adamw(self.learning_rate, steps, self.warmup, self.weight_decay)
        return optimizer if self.layer_decay in (None, 1) else discriminative_rates(optimizer, groups, 1 / self.layer_decay)

    def fit(self, model, batches, groups=None, **options):
        """Compiles the model and trains it; a run that was cut short goes on from its checkpoint.

        Args:
            model: `keras.Model` that knows its loss, such as `TextClassifier`.
            batches: what its training takes, of known length.
            groups: as in `optimizer`.
            **options: passed to `krc.training.fit`, such as `checkpoint_dir`, `validation_data` and `progress`.

        Returns:
            The `keras.callbacks.History`.
        """
        model.compile(self.optimizer(len(batches) * self.epochs, groups))
        return fit(model, batches, epochs=self.epochs, **options)
