"""The words of a model's directory."""

import json


def read_json(path):
    """Reads a JSON file of a model's directory.

    Args:
        path: `pathlib.Path` of the file.

    Returns:
        What is in it, such as a dict.

    Raises:
        FileNotFoundError: if it is not there.
        ValueError: if it is damaged.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"A model's directory holds {path.name}. Received: {str(path.parent)!r}, where there is none") from None
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}. Fetch it again.") from error
