"""Backpropagation through time over a stream that is too long for it, chunk by chunk."""

from keras_richctx.datasets.stream_chunks import stream_chunks
from keras_richctx.training.carried_state import CarriedState
from keras_richctx.training.fit import fit


def truncated_bptt(model, stream, chunk, batch_size=32, epochs=1, validation_stream=None, **fit_arguments):
    r"""Trains a recurrent language model on one long text by truncated backpropagation through time.

    The text is laid out as `batch_size` parallel rows, and these are read from left to right, `chunk` tokens at a step. What is carried on from chunk to
    chunk is the state, so that the numbers are those of a model that reads whole rows; what is cut is the gradient: a loss reaches back to the beginning of
    its chunk, and no further.

    $$\frac{\partial L_t}{\partial W} \approx \sum_{k = k_0(t)}^{t} \frac{\partial L_t}{\partial h_t} \Bigl(\prod_{j=k+1}^{t} \frac{\partial h_j}{\partial
    h_{j-1}}\Bigr) \frac{\partial^+ h_k}{\partial W}$$

    where $k_0(t)$ is the first position of the chunk that $t$ is in and $\partial^+$ the derivative with $h_{k-1}$ held fixed. With a chunk as long as a row,
    $k_0 = 1$ and this is the whole gradient.

    The state is zero (the model's `initial_state`) where a row begins: at each epoch's start. Nothing of the text is left out: rows differ in length by one
    token at most, and the last chunk is filled up with pads of weight zero. What a model adds to its loss by `add_loss` is not weighted, and sees these pads
    too.

    The engine is [`fit`][keras_richctx.training.fit.fit]: checkpoints, which hold the carried state, interruption, `TimeLimit` and progress work as there.
    The model itself gets its new weights and its optimizer's new state, and stays without a state and a batch size of its own. Callbacks see a
    `CarriedState`, whose `model` it is.

    Args:
        model: a compiled model with `initial_state(batch_size)`, which gives a list of tensors `(B, U)`, and `advance(token_ids, state, training)`, which gives
            the logits and the new state. Its loss takes targets `(B, T)` and logits `(B, T, V)`; the default of
            `keras_richctx.language_models.RecurrentLanguageModel` is the sum over real positions divided by their number.
        stream: integer array of shape `(N,)`, the ids of the whole text.
        chunk: integer, the tokens of a chunk.
        batch_size: integer, the number of parallel rows. Defaults to `32`.
        epochs: integer, passes over the text, those of earlier runs with the same checkpoint included. Defaults to `1`.
        validation_stream: integer array, a text to measure the loss on after each epoch, laid out in the same way and read with a state of its own, or `None`.
            The loss in the history is the mean over chunks, the last one counting as much as the others; the perplexity is that of all tokens.
        **fit_arguments: further arguments of `keras_richctx.training.fit`, such as `callbacks`, `checkpoint_dir`, `patience` and `progress`.

    Returns:
        The `keras.callbacks.History`.

    Raises:
        ValueError: if the model is not compiled or lies on several devices, or a stream is too short for so many rows.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["tick tock"], vocab_size=6)
        >>> model = krc.models.CharRNN(tokenizer, units=8)
        >>> model.compile(keras.optimizers.Adam(0.1))
        >>> stream = np.array(tokenizer("tick tock " * 40))
        >>> history = truncated_bptt(model, stream, chunk=5, batch_size=4, epochs=8, progress=False)
        >>> history.history["loss"][-1] < 0.2
        True

    References:
        [Williams and Peng, 1990](https://doi.org/10.1162/neco.1990.2.4.490); the sum of products:
        [Pascanu et al., 2013](https://arxiv.org/abs/1211.5063), equations 3 to 5.
    """
    if not model.compiled:
        raise ValueError(f"The model must be compiled before it is trained. Received: model={model.name!r}. Call model.compile(optimizer, loss).")
    inputs, targets, weights = stream_chunks(stream, batch_size, chunk)
    return fit(
        CarriedState(model, batch_size),
        inputs,
        targets,
        sample_weight=weights,
        batch_size=batch_size,
        epochs=epochs,
        shuffle=False,
        validation_data=None if validation_stream is None else stream_chunks(validation_stream, batch_size, chunk),
        **fit_arguments,
    )
