from pathlib import Path, PurePosixPath

import pytest

from richctx import course


@pytest.fixture
def notebooks(tmp_path, monkeypatch):
    """A course of two files, in the place of the one there is."""
    folder = tmp_path / "shipped"
    (folder / "solutions").mkdir(parents=True)
    found = {}
    for name in (Path("05_attention.ipynb"), Path("solutions/05_attention.ipynb")):
        (folder / name).write_text(f'{{"name": "{name.as_posix()}"}}')
        found[name] = folder / name
    monkeypatch.setattr(course, "_notebooks", lambda: found)
    return found


def test_the_files_are_copied_with_their_folders(cli, notebooks, tmp_path):
    result = cli("course", tmp_path / "mine")
    assert result.exit_code == 0
    assert "2 copied" in result.stdout
    for name, source in notebooks.items():
        assert (tmp_path / "mine" / name).read_bytes() == source.read_bytes()


def test_a_changed_file_is_kept_and_a_lost_one_comes_back(cli, notebooks, tmp_path):
    cli("course", tmp_path / "mine")
    first, second = (tmp_path / "mine" / name for name in notebooks)
    first.write_text("my work")
    second.unlink()
    result = cli("course", tmp_path / "mine")
    assert result.exit_code == 0
    assert f"kept: {first}" in result.stdout
    assert "1 copied, 1 changed by you, and kept" in result.stdout
    assert first.read_text() == "my work"
    assert second.exists()
    assert "1 there already" in cli("course", tmp_path / "mine").stdout


def test_a_checkout_has_its_notebooks_beside_the_package():
    root = Path(course.__file__).parents[1] / "notebooks"
    assert course._notebooks() == {path.relative_to(root): path for path in sorted(root.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts}


def test_an_installed_wheel_has_its_notebooks_among_its_files(monkeypatch, tmp_path):
    class Installed(PurePosixPath):
        def locate(self):
            return tmp_path / self

    names = ["keras_richctx/__init__.py", *(f"../../../{course.SHARED}/{name}" for name in ("solutions/05_a.ipynb", "05_a.ipynb"))]
    monkeypatch.setattr(course, "__file__", str(tmp_path / "site-packages" / "richctx" / "course.py"))
    monkeypatch.setattr("importlib.metadata.files", lambda package: [Installed(name) for name in names])
    assert course._notebooks() == {Path("05_a.ipynb"): tmp_path / names[2], Path("solutions/05_a.ipynb"): tmp_path / names[1]}


def test_an_installation_without_notebooks_says_so(cli, monkeypatch, tmp_path):
    monkeypatch.setattr(course, "_notebooks", dict)
    result = cli("course", tmp_path / "mine")
    assert result.exit_code == 1
    assert "holds no notebooks" in result.stderr
    assert not (tmp_path / "mine").exists()
