"""The vectors of a file of sentences, piece by piece."""

import hashlib
import itertools
import json
import shutil
from pathlib import Path

import h5py
from rich.progress import Progress

from keras_richctx.checkpoints import write_hdf5
from keras_richctx.elmo import ELMo, VocabularyCache
from keras_richctx.elmo.weights import find_files
from keras_richctx.text.corpus import read_lines
from richctx.console import notes, say
from richctx.files import make_directory, written_whole

PIECE = 256  # sentences that are computed, and written whole, at a time
SELECT = {"all": lambda layers: layers, "average": lambda layers: layers.mean(axis=0), "top": lambda layers: layers[-1]}


def embed_file(texts, model_directory, out, layers, batch_size):
    """Writes the vectors of all sentences of a file, in their order.

    Each piece of 256 sentences goes into a file of its own in `OUT.parts` as soon as it is computed, so that nothing of it is lost when the run is stopped, and
    the pieces are joined in the end. Neither the text nor the vectors are in memory at once.

    Args:
        texts: path of the file of sentences.
        model_directory: path of the directory of the ELMo.
        out: path of the HDF5 file.
        layers: string, `"all"`, `"average"` or `"top"`.
        batch_size: integer.

    Raises:
        FileNotFoundError: if a file is missing.
        FileExistsError: if `out` is there already.
        ValueError: if the text is not UTF-8 or has an empty line, the model is damaged, or `OUT.parts` is of another text, model or choice.
        KeyboardInterrupt: on Ctrl-C, with the pieces saved.
    """
    if not texts.is_file():
        raise FileNotFoundError(f"There is no such file of sentences: {texts}")
    if out.exists():
        raise FileExistsError(f"{out} is there already. Choose another --out, or delete it; nothing was changed.")
    model = ELMo.from_preset(model_directory)
    count, digest = _check(texts)
    plan = {"text": digest, "model": _digest(*find_files(model_directory)), "layers": layers}
    parts = _claim(out, plan)
    cache = VocabularyCache(model)
    try:
        with Progress(console=notes, transient=True) as progress:
            task = progress.add_task("sentences", total=count)
            for number, piece in enumerate(_pieces(texts)):
                part = parts / f"{number:08d}.hdf5"
                if not part.exists():
                    vectors = model.embed([line.split() for line in piece], batch_size, cache)
                    write_hdf5(part, {str(number * PIECE + i): SELECT[layers](array) for i, array in enumerate(vectors)})
                progress.advance(task, len(piece))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Run the same command again to go on.") from None
    _join(parts, out, {"layers": layers, "sentences": count})
    say(f"{out}: the vectors of {count:,} sentences, {len(cache):,} different words computed in this run.")


def _check(texts):
    """Reads the text once; returns how many lines it has, and a fingerprint, or names the line that is wrong."""
    count, digest = 0, hashlib.sha256()
    for count, line in enumerate(read_lines(texts), start=1):
        if not line.strip():
            raise ValueError(f"Line {count} of {texts} is empty, and a sentence has a word at least. Remove it; nothing was changed.")
        digest.update(f"{line}\n".encode())
    if not count:
        raise ValueError(f"{texts} is empty: it holds no sentence.")
    return count, digest.hexdigest()


def _digest(*paths):
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(2**20):
                digest.update(block)
    return digest.hexdigest()


def _claim(out, plan):
    """Makes the directory of the pieces, or finds it as it was left."""
    make_directory(out.parent)
    parts = out.with_name(f"{out.name}.parts")
    record = parts / "plan.json"
    if record.exists():
        there = json.loads(record.read_text(encoding="utf-8"))
        different = [name for name in plan if there.get(name) != plan[name]]
        if different:
            raise ValueError(f"{parts} holds the pieces of another run, with another {' and '.join(different)}. Delete it, or choose another --out.")
    else:
        make_directory(parts)
        with written_whole(record) as part:
            part.write_text(json.dumps(plan), encoding="utf-8")
    return parts


def _pieces(texts):
    lines = read_lines(texts)
    while piece := list(itertools.islice(lines, PIECE)):
        yield piece


def _join(parts: Path, out, attributes):
    """Puts all pieces into one file, in one step, and removes them."""
    with written_whole(out) as whole, h5py.File(whole, "w") as file:
        for part in sorted(parts.glob("*.hdf5")):
            with h5py.File(part) as source:
                for name in sorted(source, key=int):
                    source.copy(name, file)
        file.attrs.update(attributes)
    shutil.rmtree(parts)
