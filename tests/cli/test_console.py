from pathlib import Path

from richctx.console import command


def test_the_command_is_its_name_where_the_shell_finds_it_and_else_its_path(tmp_path, monkeypatch):
    script = tmp_path / "bin" / "richctx"
    script.parent.mkdir()
    script.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.executable", str(script.with_name("python")))
    monkeypatch.setenv("PATH", "")
    assert Path(command()) == Path("bin/richctx")
    monkeypatch.setenv("PATH", str(script.parent))
    assert command() == "richctx"
