"""From the name of a preset to its directory."""

import importlib
import importlib.util
import pathlib

SCHEME = "hf://"
WORDS = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "vocab.json", "merges.txt")
SAFETENSORS = ("model.safetensors", "model.safetensors.index.json", "model-*.safetensors")
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-*.bin")


def fetch_preset(preset):
    """Returns the directory of a preset, which is fetched first if it is named `hf://NAME`.

    Of a model on the hub the words, the tokenizer's files and the weights are fetched: safetensors, or pickles of PyTorch where there are none. They stay in
    the cache of `huggingface_hub`, which says by its own settings where that is, and whether there is a network.

    Args:
        preset: path of a directory; or `hf://OWNER/NAME`, with `@REVISION` behind it for another than the newest.

    Returns:
        A `pathlib.Path`.

    Raises:
        FileNotFoundError: if there is no such directory.
        ImportError: if `huggingface_hub` is wanted and not installed.

    Example:
        >>> import tempfile
        >>> fetch_preset(tempfile.mkdtemp()).is_dir()
        True
    """
    if not str(preset).startswith(SCHEME):
        path = pathlib.Path(preset)
        if not path.is_dir():
            raise FileNotFoundError(
                f"A preset is a directory, {SCHEME}OWNER/NAME, or the name of an official size. Received: preset={str(preset)!r}. "
                "Download the files of the model into a directory first."
            )
        return path
    if importlib.util.find_spec("huggingface_hub") is None:
        raise ImportError(f"huggingface_hub fetches models by their names, and is not installed: pip install huggingface_hub. Received: preset={preset!r}")
    hub = importlib.import_module("huggingface_hub")
    name, _, revision = preset.removeprefix(SCHEME).partition("@")
    path = pathlib.Path(hub.snapshot_download(name, revision=revision or None, allow_patterns=[*WORDS, *SAFETENSORS]))
    if not any(path.glob("*.safetensors")):
        path = pathlib.Path(hub.snapshot_download(name, revision=revision or None, allow_patterns=[*WORDS, *PICKLES]))
    return path
