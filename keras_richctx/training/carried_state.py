"""A model whose state is carried on from batch to batch."""

import keras

from keras_richctx.training.distribution import is_distributed


class CarriedState(keras.Model):
    r"""Trains a recurrent language model piece by piece: each batch starts from the state that the batch before it left, and no gradient flows between the two.

    $$(\text{logits}_k, s_k) = f(x_k, \mathrm{stop}(s_{k-1}))$$

    It has the weights of the model and, beside them, the state, one copy for training and one for evaluation, so that the model itself stays without state and
    takes any batch. It is compiled as the model is, with the same optimizer, and what is saved of it in a checkpoint holds the state.

    Args:
        model: a compiled model with `initial_state(batch_size)` and `advance(token_ids, state, training)`, as
            `keras_richctx.language_models.RecurrentLanguageModel` has them.
        batch_size: integer, B, the number of rows in every batch.

    Call arguments:
        inputs: dict of `token_ids`, integer `(B, T)`, and `begins`, boolean `(B,)`: where it is `True`, the row starts from the initial state.
        training: boolean, whether dropout is on and which of the two states goes on.

    Returns:
        The logits of the next token at each position, float `(B, T, V)`.

    Raises:
        ValueError: if the model lies on several devices.
    """

    def __init__(self, model, batch_size):
        if is_distributed(model):
            raise ValueError(
                "A state that is carried from batch to batch has no place on several devices. Received: a model made under a strategy. Make it on one device, "
                "or train on separate rows with fit."
            )
        super().__init__(name="carried_state", dtype=model.dtype_policy)  # weights are cast as in the model's own call
        self.model = model
        self.batch_size = batch_size
        self.carried, self.carried_in_evaluation = (
            [
                self.add_weight(
                    shape=state.shape,
                    initializer="zeros",
                    dtype=keras.backend.standardize_dtype(state.dtype),
                    trainable=False,
                    autocast=False,
                    name=f"{name}_{index}",
                )
                for index, state in enumerate(model.initial_state(batch_size))
            ]
            for name in ("carried", "carried_in_evaluation")
        )
        self.built = True
        # Keras gives away a serialised copy of its arguments only, and the optimizer and the metrics have to be the model's own
        config = {**model._compile_config.config, "optimizer": model.optimizer}
        for metric in keras.tree.flatten([config.get("metrics"), config.get("weighted_metrics")]):
            if isinstance(metric, keras.metrics.Metric):
                metric.reset_state()  # Keras resets what it has built, and here the first batch would still find the sums of the run before
        self.compile(**config)

    def call(self, inputs, training=False):
        carried = self.carried if training else self.carried_in_evaluation
        begins = inputs["begins"][:, None]  # (B, 1)
        state = [keras.ops.where(begins, first, old.value) for first, old in zip(self.model.initial_state(self.batch_size), carried)]
        logits, state = self.model.advance(inputs["token_ids"], state, training=training)
        for variable, new in zip(carried, state, strict=True):
            # stop(s_k): the next batch sees numbers
            variable.assign(keras.ops.stop_gradient(new))
        return logits
