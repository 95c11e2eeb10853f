"""What dies at any moment goes on, in a new process, as if nothing had happened."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs are forked from one process, which this system cannot do")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    root = tmp_path_factory.mktemp("killed_runs")
    script = pathlib.Path(__file__).with_name("killed_runs.py")
    environment = {**os.environ, "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}
    done = subprocess.run([sys.executable, script, root], capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    return root, json.loads((root / "codes.json").read_text()), done


def test_the_runs_end_as_they_were_made_to(runs):
    codes = runs[1]
    assert codes.pop("full: disk") == 74
    ended = {name for name, code in codes.items() if code == 0}
    assert ended == {"reference", "chain: end", "full: end"}
    assert {code for name, code in codes.items() if name not in ended} == {-signal.SIGKILL}


@pytest.mark.parametrize("name", ["chain", "full"])
def test_a_killed_run_ends_with_the_weights_optimizer_seeds_and_history_of_one_that_was_not(runs, name):
    root = runs[0]
    with np.load(root / "reference.npz") as expected, np.load(root / f"{name}.npz") as actual:
        assert expected.files == actual.files
        histories = [json.loads(str(archive["history"])) for archive in (expected, actual)]
        assert histories[0].keys() == histories[1].keys() == {"loss", "mae"}
        for metric, values in histories[0].items():
            np.testing.assert_allclose(histories[1][metric], values, atol=1e-6)
        for variable in set(expected.files) - {"history"}:
            np.testing.assert_allclose(actual[variable], expected[variable], atol=1e-6)


def test_a_full_disk_is_said_when_it_happens_and_when_training_ends(runs):
    done = runs[2]
    assert "could not be written" in done.stderr
    assert "The last good checkpoint is that of epoch 2, step 0. Training goes on" in done.stderr
    assert "could not be written" in done.stdout  # the error that ended the run


def test_nothing_but_checkpoints_is_left(runs):
    for name in ("chain", "full", "reference"):
        assert sorted(path.name for path in (runs[0] / name).iterdir()) == ["checkpoint.npz", "checkpoint.previous.npz"]
