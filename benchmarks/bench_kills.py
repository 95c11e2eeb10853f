"""Kills runs of two workers in several ways, and measures what is lost: `python benchmarks/bench_kills.py [TIMES]`, each way once by default.

Each run is of two processes on the loopback address, `tests/training/worker_runs.py`: nine steps, with a checkpoint every two and at each epoch's end, which is
every three. One of them is killed (SIGKILL), before a step or within a save that is drawn; then the other, which waits for it; and both are started again by
the same command. Lost is what is done twice, the steps between the checkpoint and the death.
"""

import random
import sys
import tempfile
from pathlib import Path

from harness import report

from keras_richctx.training.checkpoint_store import CheckpointStore

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "training"))
from test_workers import finish, start

SIGKILL, EPOCH, SECONDS = -9, 3, 600
WAYS = {  # who dies, and what the number is drawn from; of the saves there are six
    "a worker": (1, "before", range(1, 9)),
    "the chief": (0, "before", range(1, 9)),
    "the chief, with half of a checkpoint written": (0, "write", range(1, 7)),
    "the chief, between the renames": (0, "rename", range(1, 7)),
}


def kill(who, death):
    """Runs two workers, of which one dies, and again; returns the steps that were lost, and the largest difference from one device, of weights or history."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        workers = start(root, 2, deaths={who: death})
        assert workers[who].wait(timeout=SECONDS) == SIGKILL, (root / f"log{who}.txt").read_text()[-2000:]
        workers[1 - who].kill()
        workers[1 - who].wait()
        kept = CheckpointStore(root / "run", writes=False).read()
        saved = 0 if kept is None else EPOCH * kept[1]["epoch"] + kept[1]["step"]
        lost = int((root / "died.txt").read_text()) - saved
        result = finish(root, start(root, 2))
    assert result["epochs"] == 3, result
    return lost, max(result["weights"], result["history"])


def main(times=1):
    random.seed(0)
    rows = []
    for name, (who, how, numbers) in WAYS.items():
        found = [kill(who, f"{how}:{random.choice(numbers)}") for _ in range(times)]
        lost, apart = zip(*found)
        rows.append({"killed": name, "times": times, "steps lost, most": max(lost), "from one device, most": f"{max(apart):.0e}"})
        print(rows[-1], flush=True)
        assert max(lost) <= 2, found  # no more than lie between two checkpoints
        assert max(apart) < 1e-5, found
    report("kills", "Runs of two workers, killed and started again", rows, note="Checkpoints every two steps.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
