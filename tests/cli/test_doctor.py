from importlib.metadata import PackageNotFoundError, version

import pytest

from richctx import doctor


def test_all_is_well_where_a_model_can_be_trained_and_used(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_RICHCTX_DATA", str(tmp_path))
    result = cli("doctor")
    assert result.exit_code == 0, result.output
    assert f"keras {version('keras')}" in result.stdout
    assert f"KERAS_RICHCTX_DATA={tmp_path}" in result.stdout
    assert "All is well" in result.stdout


def test_a_main_job_that_fails_is_code_1_with_its_reason(cli, monkeypatch):
    def fail():
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(doctor, "_main_job", fail)
    result = cli("doctor")
    assert result.exit_code == 1
    assert "Models cannot be trained here: RuntimeError: no such kernel" in result.stdout


@pytest.mark.parametrize(
    "package, found, advice",
    [
        ("keras", None, 'keras is missing: python -m pip install "keras>=3.12"'),
        ("keras", "3.5.0", 'keras 3.5.0: python -m pip install "keras>=3.12"'),
        ("torch", None, 'torch is not installed, only needed for the PyTorch backend: python -m pip install "keras-richctx[torch]"'),
    ],
)
def test_what_is_missing_or_too_old_is_named_with_how_to_get_it(cli, monkeypatch, package, found, advice):
    def pretended(name):
        if name != package:
            return version(name)
        if found is None:
            raise PackageNotFoundError(name)
        return found

    monkeypatch.setattr(doctor, "version", pretended)
    monkeypatch.setattr(doctor, "_failure", lambda: None)
    assert advice in cli("doctor").stdout


def test_a_data_directory_that_is_not_there_is_named(cli, monkeypatch):
    monkeypatch.setenv("KERAS_RICHCTX_DATA", "/nowhere")
    monkeypatch.setattr(doctor, "_failure", lambda: None)
    assert "KERAS_RICHCTX_DATA=/nowhere, which is no directory" in cli("doctor").stdout
