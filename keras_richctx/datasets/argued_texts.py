"""Short texts that argue, from a grammar, with what each word is part of: a component of the argument, a keyphrase, a part of speech."""

import re
import zlib

import numpy as np

from keras_richctx.datasets import argued_texts_lexicon as lexicon
from keras_richctx.datasets.phrasebook import BUCKETS, SPLITS
from keras_richctx.datasets.tagged_sentences import TaggedSentences

LAYERS = ("components", "keyphrases", "parts_of_speech")
SIZES = {"train": 2_000, "validation": 300, "test": 300}
PATIENCE = 2_000  # texts drawn in vain before giving up
OUT_OF_PLAN = 0.25  # the share of texts whose parts stand in any order


def argued_texts(n, seed=0, domains=None):
    """Generates argued texts with gold tags of three kinds.

    A text is a paragraph of five parts or so: it takes a side for or against something, gives reasons, admits an objection, and says things beside. The tags:

    - components of the argument, BIO: `THE`, the thesis; `PRO`, what supports it; `CON`, what supports its opposite. What leads a component in, "in my
      opinion", "because", is outside;
    - keyphrases, BIO: `KEY`, the terms of the domain;
    - parts of speech, those of Universal Dependencies.

    Whether "it saves working memory" is PRO or CON hangs on the side that the thesis takes, wherever that stands; a benefit that is only asked about is
    neither; and many components are led in by nothing, or by what leads in both. The four domains have nouns of their own, share many verbs, and differ in the
    order of their parts, from which a quarter of the texts departs.

    It is a grammar of some hundred words, and plain: what is learnt from it says nothing of how well real essays are read. Those are
    `load("persuasive-essays")`, where a user has them.

    Args:
        n: integer, the number of texts, all different.
        seed: integer. The same seed gives the same texts, and fewer are the beginning of more. Defaults to `0`.
        domains: list of strings, of `"technology"`, `"school"`, `"city"` and `"health"`, which take turns, or `None` for all four. Defaults to `None`.

    Returns:
        A dict of `TaggedSentences` over the same texts: `"components"`, `"keyphrases"` and `"parts_of_speech"`.

    Raises:
        ValueError: if `n` is negative, a domain is unknown, or there are no `n` different texts.

    Example:
        >>> texts = argued_texts(100, domains=["technology"])
        >>> texts["components"].names
        ['B-CON', 'B-PRO', 'B-THE', 'I-CON', 'I-PRO', 'I-THE', 'O']
        >>> texts["components"].words is texts["keyphrases"].words
        True

    References:
        [Stab and Gurevych, 2017](https://doi.org/10.1162/COLI_a_00295), for what components are; [Augenstein and
        Søgaard, 2017](https://arxiv.org/abs/1704.00514), for the boundaries of keyphrases.
    """
    return _collect(n, seed, domains, range(BUCKETS))


def load_argued_texts(split="train", size=None, seed=0, domains=None, layer="components"):
    """Loads one split of the argued texts. No text is in two splits, whatever the other arguments.

    Args:
        split: `"train"`, `"validation"` or `"test"`. Defaults to `"train"`.
        size: integer, the number of texts, or `None` for 2,000 in the training split and 300 in the others. Defaults to `None`.
        seed: integer, as in `argued_texts`. Defaults to `0`.
        domains: list of strings, as in `argued_texts`. Defaults to `None`.
        layer: `"components"`, `"keyphrases"` or `"parts_of_speech"`, or `None` for a dict of all three. Defaults to `"components"`.

    Returns:
        `TaggedSentences`, or a dict of three.

    Raises:
        ValueError: if there is no such split or layer, and where `argued_texts` raises it.

    Example:
        >>> len(load_argued_texts("test", size=10))
        10
    """
    if split not in SPLITS:
        raise ValueError(f"The argued texts have the splits {', '.join(SPLITS)}. Received: split={split!r}.")
    if layer is not None and layer not in LAYERS:
        raise ValueError(f"The layers of tags are {', '.join(LAYERS)}. Received: layer={layer!r}.")
    texts = _collect(SIZES[split] if size is None else size, seed, domains, SPLITS[split])
    return texts if layer is None else texts[layer]


def _collect(n, seed, domains, buckets):
    """Draws `n` different texts that hash into `buckets`."""
    domains = list(lexicon.DOMAINS) if domains is None else domains
    if n < 0:
        raise ValueError(f"The number of texts is 0 or more. Received: {n}.")
    if isinstance(domains, str) or not domains or not set(domains) <= set(lexicon.DOMAINS):
        raise ValueError(f"domains is a list of some of {', '.join(lexicon.DOMAINS)}. Received: domains={domains!r}.")
    rng, texts, in_vain = np.random.default_rng(seed), {}, 0
    while len(texts) < n and in_vain < PATIENCE:
        rows = _text(lexicon.DOMAINS[domains[len(texts) % len(domains)]], rng)
        words = tuple(word for word, *_ in rows)
        fresh = words not in texts and zlib.crc32(" ".join(words).encode()) % BUCKETS in buckets
        if fresh:
            texts[words] = rows
        in_vain = 0 if fresh else in_vain + 1
    if len(texts) < n:
        raise ValueError(f"There are no {n} different texts of this kind. Received: domains={domains}; {len(texts)} were found.")
    words = [list(each) for each in texts]
    return {layer: TaggedSentences(words, [[row[i] for row in rows] for rows in texts.values()]) for i, layer in enumerate(LAYERS, start=1)}


def _text(domain, rng):
    """Draws a text: a list of tuples of a word and its three tags."""

    def choose(options):
        return options[rng.integers(len(options))]

    plan = domain["plan"].split()
    if rng.random() < OUT_OF_PLAN:
        plan = [plan[i] for i in rng.permutation(len(plan))]
    if rng.random() < 0.4:
        del plan[choose([i for i, part in enumerate(plan) if part != "thesis"])]
    option, positive = choose(domain["options"]), rng.random() < 0.6
    reasons = {part: _shuffled(domain["benefits" if (part == "premise") == positive else "harms"], rng) for part in ("premise", "objection")}
    rows = []
    for i, part in enumerate(plan):
        name = option if i == 0 or rng.random() < 0.5 else "it"
        if part == "neutral":
            claim = choose(domain["benefits"] + domain["harms"])
            sentence = [(choose(lexicon.NEUTRAL).format(option=option, fact=choose(domain["facts"]), claim=claim), None)]
        elif part == "thesis":
            thesis = choose(lexicon.FOR if positive else lexicon.AGAINST).format(option=option, purpose=choose(domain["purposes"]))
            sentence = [(choose(lexicon.THESIS_OPENERS), None), (thesis, "THE")]
            if rng.random() < 0.4:
                sentence += [(choose(lexicon.CLOSE_BEHIND), None), (f"it {reasons['premise'].pop()}", "PRO")]
        else:
            openers, kind = (lexicon.PREMISE_OPENERS, "PRO") if part == "premise" else (lexicon.OBJECTION_OPENERS, "CON")
            sentence = [(choose(openers), None), (f"{name} {reasons[part].pop()}", kind)]
        rows += _sentence([*sentence, (".", None)])
    return rows


def _shuffled(phrases, rng):
    return [phrases[i] for i in rng.permutation(len(phrases))]


def _sentence(segments):
    """Tags a sentence, given as pairs of a phrase, with its keyphrases in brackets, and the component that it is, or `None`."""
    rows = []
    for phrase, component in segments:
        inside = False
        for place, piece in enumerate(phrase.split()):
            opens, word, closes = re.fullmatch(r"(\[?)(.+?)(\]?)", piece).groups()
            inside = inside or bool(opens)
            tag = f"{'I' if place else 'B'}-{component}" if component else "O"
            key = "O" if not inside else "B-KEY" if opens else "I-KEY"
            rows.append((word if rows else word[0].upper() + word[1:], tag, key, lexicon.PART_OF_SPEECH[word]))
            inside = inside and not closes
    return rows
