"""Kills runs of two workers in several ways, and measures what is lost.

    python benchmarks/bench_kills.py                    # each way twenty times; a second call goes on with the kills that are missing
    python benchmarks/bench_kills.py "the chief, 7"     # that kill only, and no table: several may run side by side
    python benchmarks/bench_kills.py --finished         # the table of the kills that are finished

Each run is of two processes on the loopback address, `tests/training/worker_runs.py`: nine steps, with a checkpoint every two and at each epoch's end, which is
every three. One of them is killed (SIGKILL), before a step or within a save that is drawn; then the other, which waits for it; and both are started again by
the same command. Lost is what is done twice, the steps between the checkpoint and the death. A finished kill is kept in build/kills.
"""

import random
import sys
import tempfile
from pathlib import Path

from harness import report
from kept_runs import kept_runs, made_on

from keras_richctx.training.checkpoint_store import CheckpointStore

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "training"))
from test_workers import finish, start

SIGKILL, EPOCH, SECONDS = -9, 3, 600
TIMES, STEPS_BETWEEN_CHECKPOINTS = 20, 2
KEPT = Path(__file__).parents[1] / "build/kills"
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


def main(chosen):
    runs = {
        f"{way}, {i}": {"way": way, "number": i, "who": who, "death": f"{how}:{random.Random(f'{way} {i}').choice(numbers)}"}
        for way, (who, how, numbers) in WAYS.items()
        for i in range(TIMES)
    }
    found = {way: [] for way in WAYS}
    for name, (lost, apart), _ in kept_runs(KEPT, runs, lambda name, path: kill(runs[name]["who"], runs[name]["death"]), chosen):
        assert lost <= STEPS_BETWEEN_CHECKPOINTS, (name, lost)
        assert apart < 1e-5, (name, apart)
        found[runs[name]["way"]].append((lost, apart))
    if chosen and chosen != ["--finished"]:
        return
    rows = []
    for way, results in found.items():
        lost, apart = zip(*results)
        row = {"killed": way, "times": len(results), "steps lost, mean": f"{sum(lost) / len(lost):.1f}", "most": max(lost)}
        rows.append({**row, "from one device, most": f"{max(apart):.0e}"})
    report(
        "kills",
        "Runs of two workers, killed and started again",
        rows,
        note=f"Checkpoints every {STEPS_BETWEEN_CHECKPOINTS} steps.",
        made_on=made_on(KEPT, runs),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
