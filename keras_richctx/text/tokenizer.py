"""What every tokenizer here does: text to ids and back, in Python and in `tf.data`, saved as one `tokenizer.json`."""

import abc
import hashlib
import json
import os
import pathlib
from typing import ClassVar

import tokenizers

from keras_richctx.text.checks import check_ids, check_text, describe, to_lists
from keras_richctx.text.graph import encode_tensor, is_tensor

FILE_NAME = "tokenizer.json"


class Tokenizer(abc.ABC):
    """Turns text into integer ids and ids into text: the base of the tokenizers, over the Rust library `tokenizers`.

    A tokenizer does not change once made. It is made by `train` of a subclass, by `from_preset`, or of a specification, and can be an argument of a
    Keras model: it is registered, and its config is the specification, so that it travels inside the `.keras` file.

    Special tokens are added by `bos` and `eos` and never read out of a text: the text `"[EOS]"` is encoded as the five characters that it is. Padding
    is for batches; `pad_id` is 0 unless the subclass says otherwise. A post-processor in a file is dropped.

    Args:
        spec: string, the content of a `tokenizer.json` file.

    Call arguments:
        texts: a string; a list or tuple of strings; or a TensorFlow string tensor of shape `()` or `(B,)`, also inside `tf.data.Dataset.map` (see
            `encode_tensor` for its limits).
        bos: bool, whether to begin each text with `bos_id`. Defaults to `False`.
        eos: bool, whether to end each text with `eos_id`. Defaults to `False`.

    Returns:
        A list of ints for a string, a list of such lists for a list. For a tensor, an int32 tensor of shape `(T,)` or an int32 `tf.RaggedTensor` of
        shape `(B, None)`. A text without tokens gives an empty list.

    Raises:
        TypeError: if `texts` is of another type.
        ValueError: if `spec` is not a tokenizer of this class, or a text holds a lone surrogate, which is not Unicode text.
    """

    pad_id = 0
    unk_id = None
    bos_id = None
    eos_id = None
    mask_id = None
    pair_separators = 1  # how many end tokens part the two texts of a pair
    pair_segments = 2  # in how many segments they stand
    _required: ClassVar[dict] = {}  # what the specification must hold to be of this class, as a part of the parsed JSON

    def __init__(self, spec):
        content, self._tokenizer = _parse(spec)
        self._check(content)
        self._tokenizer.encode_special_tokens = True  # "[EOS]" in a text is text
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.post_processor = None  # it would cut a token's space off its span
        self._special = self._find_special()
        named = {i for i in (self.pad_id, self.unk_id, self.bos_id, self.eos_id) if i is not None}
        if not named <= self._special:
            raise ValueError(f"{type(self).__name__} needs special tokens at the ids {sorted(named)}. Received: special tokens at {sorted(self._special)}")

    @classmethod
    @abc.abstractmethod
    def train(cls, texts, vocab_size, **options):
        """Makes a tokenizer of a corpus.

        Args:
            texts: iterable of strings (texts) and `pathlib.Path` (UTF-8 files, one text a line).
            vocab_size: int, the largest number of ids, special tokens included.
            **options: options of the subclass.

        Returns:
            A tokenizer. The same texts give the same tokenizer.

        Raises:
            TypeError: if `texts` is not such an iterable.
            ValueError: if the corpus holds no text, a file is not UTF-8, or `vocab_size` is too small.
        """

    @abc.abstractmethod
    def pieces(self, ids):
        """Returns what each id looks like to a reader, special tokens included.

        Args:
            ids: list or 1-D array of ints.

        Returns:
            A list of strings, one per id.

        Raises:
            ValueError: if an id is not in the vocabulary.
        """

    @abc.abstractmethod
    def _join(self, ids):
        """Returns the text of a list of ids without padding, begin and end."""

    def __call__(self, texts, bos=False, eos=False):
        if is_tensor(texts):
            return encode_tensor(self, texts, bos=bos, eos=eos, encode=self._encode_in_graph())
        first, last = [self.bos_id] * bool(bos), [self.eos_id] * bool(eos)
        if isinstance(texts, str):
            return [*first, *self._encode(texts).ids, *last]
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise TypeError(f"{type(self).__name__} takes a string, a list of strings or a TensorFlow string tensor. Received: {describe(texts)}")
        try:
            encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        except TypeError:  # the Rust side cannot say which text, nor why
            encodings = [self._encode(text) for text in texts]
        return [[*first, *encoding.ids, *last] for encoding in encodings]

    def tokenize(self, text):
        """Splits a text into pieces as a reader would see them.

        Args:
            text: string.

        Returns:
            A list of strings, one per id of `tokenizer(text)`.
        """
        return self.pieces(self(text))

    def spans(self, text):
        """Says where each token stands in the text.

        Args:
            text: string.

        Returns:
            A list of pairs `(start, end)`, one per id of `tokenizer(text)`: the token covers `text[start:end]`.
        """
        return self._encode(text).offsets

    def decode(self, ids):
        """Turns ids back into text. Padding, begin and end are left out; the unknown token, where there is one, shows.

        Args:
            ids: list of ints, list of such lists, or an integer array or tensor of rank 1 or 2.

        Returns:
            A string, or a list of strings for a list of lists.

        Raises:
            TypeError: if `ids` are not integers.
            ValueError: if an id is not in the vocabulary.
        """
        ids = to_lists(ids)
        if ids and isinstance(ids[0], list):
            return [self.decode(row) for row in ids]
        skipped = self._special - {self.unk_id}
        return self._join([i for i in check_ids(ids, self.vocab_size) if i not in skipped])

    @property
    def vocab_size(self):
        """The number of ids, special tokens included."""
        return self._tokenizer.get_vocab_size(with_added_tokens=True)

    @property
    def special_ids(self):
        """The ids of the special tokens, a sorted list of ints."""
        return sorted(self._special)

    def id_to_token(self, id):
        """Returns the vocabulary entry of an id, as `tokenizer.json` spells it.

        Args:
            id: int.

        Returns:
            A string.

        Raises:
            ValueError: if `id` is not in the vocabulary.
        """
        return self._tokenizer.id_to_token(check_ids([id], self.vocab_size)[0])

    def token_to_id(self, token):
        """Returns the id of a vocabulary entry.

        Args:
            token: string, as `tokenizer.json` spells it.

        Returns:
            An int.

        Raises:
            ValueError: if `token` is not in the vocabulary.
        """
        id = self._tokenizer.token_to_id(token)
        if id is None:
            raise ValueError(f"The token is not in the vocabulary of {self.vocab_size} entries. Received: token={token!r}")
        return id

    def save_to_preset(self, preset_dir):
        """Writes `tokenizer.json` into a directory, which is made if needed. A file that is there is replaced in one step, or left as it was.

        Args:
            preset_dir: path of the directory.
        """
        path = pathlib.Path(preset_dir) / FILE_NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            part.write_text(self._tokenizer.to_str(), encoding="utf-8")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    @classmethod
    def from_preset(cls, preset_dir):
        """Reads a tokenizer that `save_to_preset` wrote.

        Args:
            preset_dir: path of the directory that holds `tokenizer.json`.

        Returns:
            A tokenizer of this class.

        Raises:
            FileNotFoundError: if there is no `tokenizer.json`.
            ValueError: if it is not valid, or of another class.
        """
        path = pathlib.Path(preset_dir) / FILE_NAME
        if not path.is_file():
            raise FileNotFoundError(
                f"A tokenizer preset is a directory that holds {FILE_NAME}. Received: preset_dir={os.fspath(preset_dir)!r}, where there is none"
            )
        try:
            return cls(path.read_text(encoding="utf-8"))
        except ValueError as error:  # UnicodeDecodeError is one
            raise ValueError(f"{path} cannot be read as a {cls.__name__}: {error}") from error

    def get_config(self):
        """Returns the config, from which Keras makes the tokenizer again: `{"spec": the content of tokenizer.json}`."""
        return {"spec": self._tokenizer.to_str()}

    @classmethod
    def from_config(cls, config):
        """Makes a tokenizer of the dictionary that `get_config` gave."""
        return cls(**config)

    @property
    def fingerprint(self):
        """A string of 16 hexadecimal digits that changes with the class or with any part of the content."""
        return hashlib.sha256(f"{type(self).__name__}\n{self._tokenizer.to_str()}".encode()).hexdigest()[:16]

    def __eq__(self, other):
        return type(self) is type(other) and self._tokenizer.to_str() == other._tokenizer.to_str()

    def __hash__(self):
        return hash(self.fingerprint)

    def __repr__(self):
        return f"{type(self).__name__}(vocab_size={self.vocab_size}, fingerprint={self.fingerprint!r})"

    def _check(self, content):
        """Raises unless the parsed specification is one of this class."""
        found = {name: _part(content.get(name), wanted) for name, wanted in self._required.items()}
        if found != self._required:
            raise ValueError(f"A {type(self).__name__} has {self._required}; load another kind with its own class. Received: {found}")

    def _find_special(self):
        """Returns the ids of the special tokens. A subclass in which they say what pads, begins and ends sets its `pad_id`, `bos_id` and `eos_id` here."""
        return {i for i, token in self._tokenizer.get_added_tokens_decoder().items() if token.special}

    def _encode_in_graph(self):
        """Returns a function that encodes a string tensor by operations of the graph, or `None` where there are none."""
        return None

    def _encode(self, text):
        """Encodes one string: ids, tokens and offsets."""
        return self._tokenizer.encode(check_text(text), add_special_tokens=False)


def _parse(spec):
    """Returns the specification twice: as a dictionary, and as a tokenizer of the Rust library."""
    if not isinstance(spec, str):
        raise TypeError(f"spec is the content of a {FILE_NAME}, a string; read a directory with from_preset, a corpus with train. Received: {describe(spec)}")
    try:
        return json.loads(spec), tokenizers.Tokenizer.from_str(spec)
    except Exception as error:  # the Rust library raises bare Exception
        raise ValueError(f"The content is not that of a {FILE_NAME}: {error}. Received: {spec[:80]!r}") from error


def _part(found, wanted):
    """Returns the fields of `found` that `wanted` names, to be compared with it."""
    return {name: found.get(name) for name in wanted} if isinstance(found, dict) and isinstance(wanted, dict) else found
