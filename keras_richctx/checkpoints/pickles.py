"""PyTorch's pickles: named, never read."""

_SUFFIXES = (".bin", ".pt", ".pth")
_MAGIC = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")  # PyTorch's archive; a bare pickle of each protocol
CONVERT = (
    "import torch, safetensors.torch as s; w = torch.load('{name}', map_location='cpu', weights_only=True); "
    "s.save_file({{n: t.clone().contiguous() for n, t in w.items()}}, '{stem}.safetensors', {{'format': 'pt'}})"
)


def find_pickle(path):
    """Finds a file that looks like a pickle of PyTorch, by its name or its first bytes.

    Args:
        path: `pathlib.Path` of a file, or of a directory, in which `pytorch_model.bin` comes first.

    Returns:
        A `pathlib.Path`, or `None` where there is none.
    """
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES and file.is_file())
        return next((file for file in found if file.name == "pytorch_model.bin"), found[0] if found else None)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        start = file.read(4)
    return path if path.suffix in _SUFFIXES or start.startswith(_MAGIC) else None


def refuse_pickle(path):
    """Raises, and says how a pickle becomes a safetensors file.

    Args:
        path: `pathlib.Path` of the pickle.

    Raises:
        ValueError: always.
    """
    name, stem = path.name, "model" if path.name == "pytorch_model.bin" else path.stem
    raise ValueError(
        f"A pickle can run any code when it is read, so none is ever read here. Received: {str(path)!r}, a pickle of PyTorch, and no safetensors file. "
        f'Where PyTorch is installed, and in the folder of the file, convert it once: python -c "{CONVERT.format(name=name, stem=stem)}"'
    )
