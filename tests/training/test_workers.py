"""Real worker processes on the loopback address."""

import json
import os
import pathlib
import socket
import subprocess
import sys

import keras
import pytest

pytestmark = pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="tf.distribute is TensorFlow's")
SCRIPT = pathlib.Path(__file__).with_name("worker_runs.py")


def start(root, count, deaths=None):
    """Starts so many workers, of which some die; returns their processes."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    workers = []
    for index in range(count):
        config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        arguments = [] if deaths is None or index not in deaths else [deaths[index]]
        environment = {**os.environ, "TF_CONFIG": json.dumps(config), "TF_CPP_MIN_LOG_LEVEL": "3"}
        with open(root / f"log{index}.txt", "w") as log:
            workers.append(subprocess.Popen([sys.executable, SCRIPT, root, *arguments], stdout=log, stderr=log, env=environment))
    return workers


def finish(root, workers):
    """Waits until all have ended well."""
    try:
        codes = [worker.wait(timeout=300) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    assert codes == [0] * len(workers), (root / "log0.txt").read_text()[-2000:]
    return json.loads((root / "result.json").read_text())


def test_two_workers_train_as_one_device(tmp_path):
    result = finish(tmp_path, start(tmp_path, 2))
    assert result["workers"] == 2
    assert result["epochs"] == 3
    assert result["weights"] < 1e-5
    assert result["history"] < 1e-5


@pytest.mark.parametrize("who", [0, 1], ids=["chief", "worker"])
def test_after_a_kill_all_start_again_and_lose_nothing(tmp_path, who):
    workers = start(tmp_path, 2, deaths={who: "before:5"})
    assert workers[who].wait(timeout=300) == -9
    workers[1 - who].kill()  # which waits for a peer that is gone
    assert not (tmp_path / "result.json").exists()
    result = finish(tmp_path, start(tmp_path, 2))
    assert result["epochs"] == 3
    assert result["weights"] < 1e-5
    assert result["history"] < 1e-5
