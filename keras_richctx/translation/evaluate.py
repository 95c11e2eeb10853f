"""Measures a translation model: BLEU against reference translations, and its attention against gold alignments."""

import keras
import numpy as np

from keras_richctx.datasets import source_batches
from keras_richctx.metrics import alignment_error_rate, bleu, hard_alignment
from keras_richctx.text import WordTokenizer
from keras_richctx.text.pad_rows import pad_rows


def evaluate(model, pairs, num_beams=1, length_penalty=1.0, batch_size=64):
    """Translates the source sentences of some pairs and measures what comes out.

    A source sentence that occurs several times is translated once, and all its translations are its references.

    The alignment error rate is that of the attention while the decoder is made to say the reference, so that it does not hang on what the model would have
    said itself. Each target word is linked to the source word that it attends to most; the end symbols, of which the source's shares in the attention of a
    full stop, are no words.

    Args:
        model: a `Translator`, such as `Seq2Seq`.
        pairs: `Pairs`, at least one.
        num_beams: integer, as in `translate`. Defaults to `1`.
        length_penalty: float, as in `translate`. Defaults to `1.0`.
        batch_size: integer, how many sentences to take at once. Defaults to `64`.

    Returns:
        A dict of `"bleu"`, a float from 0 to 100; `"exact"`, the share of translations that are equal to a reference; `"aer"`, a float from 0 to 1, or
        `None` where it cannot be measured, as the pairs have no alignments, the model no attention, or its tokens are not words; and `"translations"`, a list
        of `Translation`, one for each different source sentence, in the order of their first appearance.

    Raises:
        ValueError: if there are no pairs.

    Example:
        >>> pairs = krc.datasets.load("phrasebook", "test", size=3)
        >>> tokenizer = krc.text.WordTokenizer.train([*pairs.source, *pairs.target], vocab_size=100)
        >>> measures = evaluate(krc.models.Seq2Seq(tokenizer, tokenizer, units=8), pairs)
        >>> sorted(measures), len(measures["translations"])
        (['aer', 'bleu', 'exact', 'translations'], 3)

    References:
        [Papineni et al., 2002](https://aclanthology.org/P02-1040/) on BLEU;
        [Och and Ney, 2003](https://aclanthology.org/J03-1002/) on the alignment error rate.
    """
    if len(pairs) == 0:
        raise ValueError("There is nothing to evaluate on. Received: pairs without any. Pass at least one.")
    references = pairs.references()
    translations = model.translate(list(references), num_beams=num_beams, length_penalty=length_penalty, batch_size=batch_size)
    hypotheses = [translation.text for translation in translations]
    reads_words = isinstance(model.source_tokenizer, WordTokenizer) and isinstance(model.target_tokenizer, WordTokenizer)
    aer = None
    if pairs.alignments is not None and model.has_attention and reads_words:
        aer = alignment_error_rate([word_links(weights) for weights in forced_alignments(model, pairs, batch_size)], pairs.alignments)
    return {
        "bleu": bleu(hypotheses, list(references.values())),
        "exact": sum(text in right for text, right in zip(hypotheses, references.values())) / len(hypotheses),
        "aer": aer,
        "translations": translations,
    }


def forced_alignments(model, pairs, batch_size=64):
    """Shows where a model looks while it is made to say given translations (forced decoding): the target is fed to the decoder as in training, without dropout.

    Args:
        model: a `Translator` with attention.
        pairs: `Pairs`.
        batch_size: integer, how many sentences to take at once. Defaults to `64`.

    Returns:
        A list of float arrays `(T, S)`, one for each pair and in their order, the last row and column those of the end symbols; each row sums to one.

    Raises:
        ValueError: if the model has no attention.

    Example:
        >>> pairs = krc.datasets.Pairs(["the cat sleeps"], ["le chat dort"])
        >>> tokenizer = krc.text.WordTokenizer.train([*pairs.source, *pairs.target], vocab_size=100)
        >>> (weights,) = forced_alignments(krc.models.Seq2Seq(tokenizer, tokenizer, units=8), pairs)
        >>> weights.shape
        (4, 4)
    """
    target = model.target_tokenizer
    alignments = [None] * len(pairs)
    for places, inputs in source_batches(pairs.source, model.source_tokenizer, batch_size):
        said = target([pairs.target[place] for place in places], bos=True)
        decoder_ids = pad_rows(said, target.pad_id)  # (B, T)
        weights = keras.ops.convert_to_numpy(model.attention_weights({**inputs, "decoder_token_ids": decoder_ids}))  # (B, T, S)
        for place, row, ids, real in zip(places, weights, said, inputs["encoder_padding_mask"]):
            alignments[place] = row[: len(ids), : real.sum()]
    return alignments


def word_links(weights):
    """Links target words to source words by attention weights whose last row and column are those of the end symbols.

    Args:
        weights: float array of shape `(T, S)`, as of `forced_alignments`.

    Returns:
        A set of links `(source_word, target_word)`, one for each target word.

    Example:
        >>> sorted(word_links([[0.9, 0.1, 0.0], [0.1, 0.3, 0.6], [0.0, 0.0, 1.0]]))
        [(0, 0), (1, 1)]
    """
    return set(hard_alignment(np.asarray(weights)[:-1, :-1]))
