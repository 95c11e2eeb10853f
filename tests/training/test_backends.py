import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_fit_saves_and_resumes_on_another_backend_without_tensorflow(backend, tmp_path):
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    script = pathlib.Path(__file__).with_name("other_backend.py")
    done = subprocess.run(
        [sys.executable, script, tmp_path], capture_output=True, text=True, timeout=300, env={**os.environ, "KERAS_BACKEND": backend}, check=False
    )
    assert done.returncode == 0, done.stderr
