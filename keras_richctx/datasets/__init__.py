"""Sentence pairs, texts, classes, tagged words, questions and images: data sets by name, a user's own files, generators, and batches to train on."""

import functools

from keras_richctx.datasets.argued_texts import argued_texts, load_argued_texts
from keras_richctx.datasets.auxiliary_tags import frequent_words, inverse, log_frequencies, next_words, previous_words
from keras_richctx.datasets.batches import source_batches, translation_batches
from keras_richctx.datasets.caption_batches import caption_batches
from keras_richctx.datasets.captioned_images import CaptionedImages
from keras_richctx.datasets.cluttered_digits import cluttered_digits, translated_digits
from keras_richctx.datasets.flickr8k import load_flickr8k
from keras_richctx.datasets.glue import TASKS, load_glue
from keras_richctx.datasets.image_files import ImageFiles
from keras_richctx.datasets.labelled_images import LabelledImages
from keras_richctx.datasets.labelled_texts import LabelledTexts
from keras_richctx.datasets.mask_tokens import mask_tokens
from keras_richctx.datasets.masked_lm_pairs import masked_lm_pairs
from keras_richctx.datasets.mnist import load_mnist
from keras_richctx.datasets.pairs import Pairs
from keras_richctx.datasets.phrasebook import load_phrasebook, phrasebook
from keras_richctx.datasets.questions import Question, Questions
from keras_richctx.datasets.read_columns import read_columns
from keras_richctx.datasets.read_pairs import read_pairs
from keras_richctx.datasets.row_batches import row_batches
from keras_richctx.datasets.scenes import Scenes, load_scenes, scenes
from keras_richctx.datasets.squad import load_squad, read_squad
from keras_richctx.datasets.stamps import load_stamps
from keras_richctx.datasets.stories import stories
from keras_richctx.datasets.stream_chunks import stream_chunks
from keras_richctx.datasets.tagged_corpora import CORPORA, load_tagged
from keras_richctx.datasets.tagged_sentences import TaggedSentences
from keras_richctx.datasets.task_sampler import TaskSampler
from keras_richctx.datasets.tatoeba import load_tatoeba_fra
from keras_richctx.datasets.tinyshakespeare import load_tinyshakespeare
from keras_richctx.datasets.wikitext2 import load_wikitext2
from keras_richctx.datasets.word_relations import LOADERS, Analogies, WordPairs

__all__ = [
    "Analogies",
    "CaptionedImages",
    "ImageFiles",
    "LabelledImages",
    "LabelledTexts",
    "Pairs",
    "Question",
    "Questions",
    "Scenes",
    "TaggedSentences",
    "TaskSampler",
    "WordPairs",
    "argued_texts",
    "caption_batches",
    "cluttered_digits",
    "frequent_words",
    "inverse",
    "load",
    "log_frequencies",
    "mask_tokens",
    "masked_lm_pairs",
    "names",
    "next_words",
    "phrasebook",
    "previous_words",
    "read_columns",
    "read_pairs",
    "read_squad",
    "row_batches",
    "scenes",
    "source_batches",
    "stories",
    "stream_chunks",
    "translated_digits",
    "translation_batches",
]

# read from files: take `split`, `data_dir` and options
_OFFICIAL = {
    "flickr8k": load_flickr8k,
    "mnist": load_mnist,
    "stamps": load_stamps,
    "tatoeba-fra": load_tatoeba_fra,
    "tinyshakespeare": load_tinyshakespeare,
    "wikitext2": load_wikitext2,
    **{f"squad-{version}": functools.partial(load_squad, version) for version in ("1.1", "2.0")},
    **{name: functools.partial(load_glue, name) for name in TASKS},
    **{name: functools.partial(load_tagged, name) for name in CORPORA},
    **LOADERS,
}
_GENERATED = {"argued-texts": load_argued_texts, "phrasebook": load_phrasebook, "scenes": load_scenes}  # need no files: take `split` and options


def names():
    """Lists the data sets that `load` knows.

    Returns:
        A list of strings.

    Example:
        >>> names()
        ['argued-texts', 'cola', 'conll2003', 'flickr8k', 'mnist', 'mnli-m', 'mnli-mm', 'mrpc', 'persuasive-essays', 'phrasebook', 'qnli', 'qqp', 'rte',
        'scenes', 'simlex999', 'squad-1.1', 'squad-2.0', 'sst-2', 'stamps', 'sts-b', 'tatoeba-fra', 'tinyshakespeare', 'ud-english-pos', 'wikitext2', 'wnli',
        'wnut17', 'word2vec-analogies', 'wordsim353']
    """
    return sorted({**_OFFICIAL, **_GENERATED})


def load(name, split="train", data_dir=None, **options):
    """Loads one split of a data set.

    Args:
        name: string, one of `names()`: sentence pairs, `"phrasebook"`, generated here, with gold alignments, and `"tatoeba-fra"`, English-French; one text,
            `"tinyshakespeare"`, plays, and `"wikitext2"`, articles of Wikipedia; a task of GLUE, such as `"sst-2"` (see `load_glue`); questions,
            `"squad-1.1"` and `"squad-2.0"`; or tagged words, `"conll2003"`, `"wnut17"`, `"ud-english-pos"` and `"persuasive-essays"` (see `load_tagged`), and
            `"argued-texts"`, generated here (see `load_argued_texts`); tests of word vectors, `"word2vec-analogies"`,
            `"wordsim353"` and `"simlex999"` (split `"test"`); images with classes, `"mnist"`; or with captions, `"scenes"`, generated here (see `load_scenes`),
            `"stamps"` and `"flickr8k"`.
        split: `"train"`, `"validation"` (or `"valid"`, the same) or `"test"`. Defaults to `"train"`.
        data_dir: string or path of a directory that holds the official files, or `None` for the one that the environment variable
            `KERAS_RICHCTX_DATA` names, or else a download. Data sets that are generated read no files. Defaults to `None`.
        **options: those of the data set's own function, such as `size=5000` for the phrasebook, `max_words=10` for Tatoeba, or `on_bad="skip"` for GLUE.

    Returns:
        `Pairs`, a string for one text, `LabelledTexts`, `Questions`, `TaggedSentences`, `Analogies`, `WordPairs`, `LabelledImages` or `CaptionedImages`.

    Raises:
        ValueError: if there is no data set or no split of that name.

    Example:
        >>> len(load("phrasebook", "test", size=50))
        50
    """
    split = "validation" if split == "valid" else split
    if name in _OFFICIAL:
        return _OFFICIAL[name](split, data_dir=data_dir, **options)
    if name in _GENERATED:
        return _GENERATED[name](split, **options)
    raise ValueError(f"There is no such data set; there are {', '.join(names())}. Received: name={name!r}.")
