"""Benchmarks of runs that take minutes each: a finished run is kept, so that a second call goes on with those that are missing."""

import hashlib
import json

from harness import machine


def kept_runs(folder, runs, train, chosen=()):
    """Goes through the runs of a benchmark, and does those that are missing.

    Args:
        folder: path of the directory that keeps them; a run of other settings is another run.
        runs: dict from the name of each to its settings, a dict that JSON can hold.
        train: function of the name and of a path that returns the run's measures, a dict that JSON can hold; it may keep files beside the path.
        chosen: names of the runs to do, or none for all. Others are taken where they are finished.

    Yields:
        The name, the measures and the path of each finished run.
    """
    for name, settings in runs.items():
        path = path_of(folder, settings)
        if not path.exists() and (not chosen or name in chosen):
            print(f"== {name}", flush=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            kept = {"run": name, "settings": settings, "machine": machine(), "measures": train(name, path)}
            path.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
        if path.exists():
            measures = json.loads(path.read_text(encoding="utf-8"))["measures"]
            print(f"{name}: {measures}", flush=True)
            yield name, measures, path


def made_on(folder, runs):
    """Returns what `harness.machine` said where and when the finished runs were made; where it differs from run to run, all that it said."""
    paths = [path for path in (path_of(folder, settings) for settings in runs.values()) if path.exists()]
    machines = [json.loads(path.read_text(encoding="utf-8"))["machine"] for path in paths]
    said = {key: sorted({str(each[key]) for each in machines if key in each}) for key in machine()}
    return {key: " or ".join(values) for key, values in said.items() if values}


def path_of(folder, settings):
    """Returns the path of the file that keeps a run."""
    return folder / f"{hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]}.json"
