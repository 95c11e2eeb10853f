"""Corpora of tagged words: named entities, parts of speech and components of arguments."""

import dataclasses

from keras_richctx.datasets.locate import locate, locate_local
from keras_richctx.datasets.read_columns import read_columns


@dataclasses.dataclass(frozen=True)
class Corpus:
    """Where a corpus is and how it is laid out.

    Args:
        folder: string, its folder in a data directory.
        files: dict from a split to a tuple of the names that its file may have.
        options: dict, those of `read_columns`.
        site: string, the page or folder that the files are from.
        sha256: dict from a split to the checksum of its file, where `site` is a folder that it can be downloaded from, or `None`.
    """

    folder: str
    files: dict
    options: dict
    site: str
    sha256: dict | None = None


CORPORA = {
    "conll2003": Corpus(
        "conll2003",
        {"train": ("eng.train", "train.txt"), "validation": ("eng.testa", "valid.txt"), "test": ("eng.testb", "test.txt")},
        {},
        "https://www.clips.uantwerpen.be/conll2003/ner/",
    ),
    "persuasive-essays": Corpus(
        "persuasive_essays",
        {"train": ("train.dat.abs", "train.dat"), "validation": ("dev.dat.abs", "dev.dat"), "test": ("test.dat.abs", "test.dat")},
        {"word": 1, "tag": 4, "separator": "\t", "until": ":"},
        "https://github.com/UKPLab/acl2017-neural_end2end_am",
    ),
    "ud-english-pos": Corpus(
        "ud_english_pos",
        {
            split: (f"en-ud-{name}.conllu", f"en_ewt-ud-{name}.conllu", f"{name}.txt")
            for split, name in zip(("train", "validation", "test"), ("train", "dev", "test"))
        },
        {"word": 1, "tag": 3, "separator": "\t", "conllu": True},
        "https://universaldependencies.org/",
    ),
    "wnut17": Corpus(
        "wnut17",
        {"train": ("wnut17train.conll",), "validation": ("emerging.dev.conll",), "test": ("emerging.test.annotated",)},
        {"separator": "\t"},
        "https://raw.githubusercontent.com/leondz/emerging_entities_17/master/",
        {
            "train": "731820e13f71af324c6b55a1575ec2ce59fbaa2a0806f8f0400b98d56cd6a7a5",
            "validation": "e053b752b8155113ca66e7db08af5f2f5f43ab993694e4774f1ec5bad42312d8",
            "test": "2aa79b764e56ec9264a1b30fdd9b70195bd00ff400b62edd8f399d5f13c178f0",
        },
    ),
}


def load_tagged(name, split="train", data_dir=None):
    """Loads one split of a corpus of tagged words, with the tags of its files.

    - `"conll2003"`: persons, places, organisations and others in English news, IOB1 as published (`eng.train`, `eng.testa`, `eng.testb`).
    - `"wnut17"`: emerging entities in English of the web, of six types, BIO (CC BY 4.0).
    - `"ud-english-pos"`: the seventeen universal parts of speech in the English of Universal Dependencies, from CoNLL-U files (CC BY-SA 4.0).
    - `"persuasive-essays"`: MajorClaim, Claim and Premise in essays, BIO, from column files of paragraphs or essays, `idx token _ _ I-Premise:-1:Support`, of
      which the type is kept, and the distance and kind of the relation are left out.

    Files are looked for in the data directory's folder of the corpus (`conll2003`, `wnut17`, `ud_english_pos`, `persuasive_essays`). WNUT's are downloaded
    where they are not there; the others are to be got by hand, and the error says from where.

    Args:
        name: string, one of the four.
        split: `"train"`, `"validation"` or `"test"`. Defaults to `"train"`.
        data_dir: string or path of the directory that must hold the files, or `None` for the one that the environment variable `KERAS_RICHCTX_DATA` names.
            Defaults to `None`.

    Returns:
        `TaggedSentences`.

    Raises:
        ConnectionError: if a file cannot be downloaded.
        FileNotFoundError: if there is no local copy of a file that is not downloaded.
        ValueError: if there is no such split, or a file is not what it should be; the message names the file and the line.
    """
    corpus = CORPORA[name]
    if split not in corpus.files:
        raise ValueError(f"{name} has the splits {', '.join(corpus.files)}. Received: split={split!r}.")
    places = [f"{corpus.folder}/{file}" for file in corpus.files[split]]
    if corpus.sha256:
        path = locate(places, corpus.site + corpus.files[split][0], data_dir, corpus.sha256[split])
    else:
        path = locate_local(places, corpus.site, data_dir)
    return read_columns(path, **corpus.options)
