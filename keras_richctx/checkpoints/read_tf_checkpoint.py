"""Checkpoints of TensorFlow, such as those of Google's BERT and OpenAI's GPT-2."""

import pathlib
import re

import numpy as np

from keras_richctx.checkpoints.lazy_arrays import LazyArrays


def read_tf_checkpoint(path):
    """Reads a checkpoint of TensorFlow, under the names that its variables have there. The one reader of weights that imports TensorFlow.

    An array is read when it is asked for, and checked against the checksum in the file. Bfloat16 comes as float32, which holds each of its values exactly; a
    string comes as an array of objects.

    Args:
        path: the prefix of the checkpoint (`model.ckpt` for `model.ckpt.index` and `model.ckpt.data-00000-of-00001`), the path of its `.index` file, or a
            directory: its `checkpoint` file says which is the newest, or else there is only one.

    Returns:
        A `LazyArrays`, from names to NumPy arrays.

    Raises:
        FileNotFoundError: if there is no checkpoint, or one of its files is not there.
        ValueError: if a directory holds several and does not say which, or the index is damaged. Damage to an array raises when it is asked for.

    Example:
        >>> import os, tempfile
        >>> import tensorflow as tf
        >>> prefix = tf.train.Checkpoint(kernel=tf.Variable(tf.ones((2, 3)))).write(os.path.join(tempfile.mkdtemp(), "model.ckpt"))
        >>> read_tf_checkpoint(prefix)["kernel/.ATTRIBUTES/VARIABLE_VALUE"].shape
        (2, 3)
    """
    import tensorflow as tf

    prefix = _find_prefix(pathlib.Path(path), tf)
    _check_data(prefix)
    damage = (tf.errors.OpError, IndexError, RuntimeError)  # a file that is cut short gives an IndexError
    try:
        reader = tf.train.load_checkpoint(str(prefix))
        names = sorted(reader.get_variable_to_shape_map())
    except damage as error:
        raise ValueError(f"The index is damaged or cut short; fetch it again. Received: '{prefix}.index' ({error})") from error

    def read(name):
        try:
            value = reader.get_tensor(name)
        except damage as error:
            raise ValueError(f"The data are damaged or cut short; fetch them again. Received: {name!r} of {str(prefix)!r} ({error})") from error
        array = np.asarray(value, dtype=object if isinstance(value, bytes) else None)
        return array.astype("float32") if array.dtype.kind == "V" else array

    return LazyArrays(prefix, names, read)


def _find_prefix(path, tf):
    """Returns the prefix that a path stands for, whose `.index` is there."""
    prefix = path.with_suffix("") if path.suffix == ".index" else path
    if path.is_dir():
        state = tf.train.get_checkpoint_state(str(path))
        found = sorted(file.with_suffix("") for file in path.glob("*.index"))
        if state is not None:
            prefix = path / pathlib.PureWindowsPath(state.model_checkpoint_path).name  # wherever it was written
        elif len(found) > 1:
            raise ValueError(f"The directory holds several checkpoints; pass the prefix of one. Received: path={str(path)!r} with {_list(found)}")
        elif found:
            prefix = found[0]
    index = prefix.with_name(f"{prefix.name}.index")
    if index.is_file():
        return prefix
    if prefix == path:
        looked = "where there is no such file" if not path.is_dir() else f"a directory without any; it holds {_list(path.iterdir()) or 'nothing'}"
        raise FileNotFoundError(f"A checkpoint of TensorFlow has a file {path.name}.index or, of a directory, *.index. Received: path={str(path)!r}, {looked}")
    raise FileNotFoundError(f"The checkpoint is not whole: {index.name} is not there; pass the prefix of another, or fetch it. Received: path={str(path)!r}")


def _check_data(prefix):
    """Raises unless all files with data are beside the index."""
    pattern = re.compile(re.escape(prefix.name) + r"\.data-\d{5}-of-(\d{5})")
    found = {file.name: match[1] for file in prefix.parent.iterdir() if (match := pattern.fullmatch(file.name))}
    total = max(found.values(), default="00001")
    missing = [name for i in range(int(total)) if (name := f"{prefix.name}.data-{i:05d}-of-{total}") not in found]
    if missing:
        raise FileNotFoundError(
            f"The checkpoint is not whole: {len(missing)} of the files with its data are not there; fetch them too. "
            f"Received: {str(prefix)!r}, without {', '.join(missing[:10])}"
        )


def _list(paths):
    """Returns the first ten names, for a message."""
    return ", ".join(sorted(path.name for path in paths)[:10])
