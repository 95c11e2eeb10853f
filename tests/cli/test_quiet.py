import os
import sys

import pytest

from richctx.quiet import import_quietly


@pytest.fixture
def noisy(tmp_path, monkeypatch):
    """Makes a module that writes to the standard error as a C library does."""

    def make(name, ending):
        (tmp_path / f"{name}.py").write_text(f"import os\nos.write(2, b'no GPU found')\n{ending}\n")
        monkeypatch.syspath_prepend(tmp_path)
        return name

    yield make
    for name in ("noisy_and_well", "noisy_and_broken"):
        sys.modules.pop(name, None)


def test_the_noise_of_an_import_is_not_shown_and_what_follows_is(noisy, capfd):
    import_quietly(noisy("noisy_and_well", "pass"))
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"


def test_the_noise_of_an_import_that_fails_is_shown(noisy, capfd):
    with pytest.raises(RuntimeError, match="broken"):
        import_quietly(noisy("noisy_and_broken", "raise RuntimeError('broken')"))
    os.write(2, b"; after")
    assert capfd.readouterr().err == "no GPU found; after"
