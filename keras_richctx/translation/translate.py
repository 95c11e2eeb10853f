"""From text to text: tokens in, a search over the model's steps, tokens out, and the attention of the result."""

import dataclasses

import keras
import numpy as np

from keras_richctx.datasets import source_batches
from keras_richctx.generation.best_lines import best_lines
from keras_richctx.text.pad_rows import pad_rows
from keras_richctx.translation.translation import Translation


def translate(model, texts, num_beams=1, length_penalty=1.0, max_new_tokens=None, replace_unknown=False, batch_size=64):
    """Translates texts with a translation model.

    Sentences are decoded in batches of like length and returned in the order they came in. An empty text has an empty translation.

    Args:
        model: a `Translator`, such as `Seq2Seq`.
        texts: a string or a list of strings.
        num_beams: integer, how many translations to follow at once; `1` takes the most probable word at each step. Defaults to `1`.
        length_penalty: float, the exponent of the length that beams are compared by; `0` prefers short translations. Defaults to `1.0`.
        max_new_tokens: integer, the longest translation in tokens. Defaults to ten more than twice the source, its end symbol counted.
        replace_unknown: boolean, whether an unknown word in the translation is replaced by the source word it attended to most. Defaults to `False`.
        batch_size: integer, how many sentences to decode at once. Defaults to `64`.

    Returns:
        A `Translation`, or a list of them in the order of `texts`.

    Raises:
        ValueError: if `texts` is not made of strings, or `replace_unknown` is asked of a model without attention or a tokenizer without unknown words.

    Example:
        >>> tokenizer = krc.text.WordTokenizer.train(["the cat sleeps", "le chat dort"], vocab_size=100)
        >>> translation = translate(krc.models.Seq2Seq(tokenizer, tokenizer, units=8), "the cat", max_new_tokens=5)
        >>> translation.alignment.shape[1], translation.source_tokens
        (3, ['the', 'cat', '[EOS]'])
    """
    if not isinstance(texts, str | list | tuple):
        raise ValueError(f"translate takes a string or a list of strings. Received: texts={texts!r} of type {type(texts).__name__}")
    single = isinstance(texts, str)
    texts = [texts] if single else list(texts)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"translate takes a string or a list of strings. Received: texts[{i}]={text!r} of type {type(text).__name__}")
    if replace_unknown:
        _check_replacement(model)
    translations = [Translation("", [], [], np.zeros((0, 0), "float32") if model.has_attention else None, 0.0) for _ in texts]
    full = [i for i, text in enumerate(texts) if model.source_tokenizer(text)]
    for places, inputs in source_batches([texts[i] for i in full], model.source_tokenizer, batch_size, _padding(model)):
        batch = _translate_batch(model, inputs, num_beams, length_penalty, max_new_tokens)
        for i, translation in zip((full[place] for place in places), batch):
            translations[i] = _replace_unknown(model, texts[i], translation) if replace_unknown else translation
    return translations[0] if single else translations


def _translate_batch(model, inputs, num_beams, length_penalty, max_new_tokens):
    """Translates a padded batch of token ids; yields a `Translation` a row."""
    target, lengths = model.target_tokenizer, inputs["encoder_padding_mask"].sum(axis=1)
    if model.max_source_length is not None and lengths.max() > model.max_source_length:
        raise ValueError(
            f"This model reads sources of up to {model.max_source_length} tokens, the end symbol counted. Received: one of {lengths.max()}. Split the sentence."
        )
    limits = 2 * lengths + 10 if max_new_tokens is None else max_new_tokens
    tokens, scores = best_lines(model, inputs, limits, num_beams, length_penalty)
    # where the model looked is read off one more pass over the finished translation, the same computation as in training
    weights = None
    if model.has_attention:
        said = pad_rows(tokens[:, :-1], target.pad_id, _padding(model))  # (B, T)
        weights = model.attention_weights({**inputs, "decoder_token_ids": said})  # (B, T, S)
        weights = keras.ops.convert_to_numpy(keras.ops.cast(weights, "float32"))
    for b, (row, source_length) in enumerate(zip(tokens, lengths)):
        ids = until_end(row[1:], target)
        yield Translation(
            text=target.decode(ids),
            source_tokens=model.source_tokenizer.pieces(inputs["encoder_token_ids"][b, :source_length]),
            target_tokens=target.pieces(ids),
            alignment=None if weights is None else weights[b, : len(ids), :source_length],
            score=float(scores[b]),
        )


def _padding(model):
    """Of what all lengths are multiples: JAX compiles what it computes for each shape anew."""
    return model.padding_multiple(16) if keras.backend.backend() == "jax" else 1


def until_end(row, tokenizer):
    """Cuts a row of ids after its end symbol, or before its first pad."""
    ids = []
    for i in row.tolist():
        if i == tokenizer.pad_id:
            break
        ids.append(i)
        if i == tokenizer.eos_id:
            break
    return ids


def _check_replacement(model):
    if not model.has_attention:
        raise ValueError("Replacing unknown words needs attention, to know which source word each one stands for. Received: a model without attention")
    if model.target_tokenizer.unk_id is None:
        raise ValueError("There is no unknown word to replace: this target tokenizer can write any text. Received: replace_unknown=True")


def _replace_unknown(model, text, translation):
    """Puts, for each unknown word of the translation, the source word that it attended to most, as it is spelled in `text`."""
    target = model.target_tokenizer
    unknown, *silent = (target.id_to_token(i) for i in (target.unk_id, target.pad_id, target.bos_id, target.eos_id))
    if unknown not in translation.target_tokens:
        return translation
    words = [text[a:b] for a, b in model.source_tokenizer.spans(text)]
    tokens = list(translation.target_tokens)
    for t, token in enumerate(tokens):
        if token == unknown:
            tokens[t] = words[translation.alignment[t, : len(words)].argmax()]
    text = target.join([token for token, written in zip(tokens, translation.target_tokens) if written not in silent])
    return dataclasses.replace(translation, text=text, target_tokens=tokens)
