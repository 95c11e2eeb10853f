"""How every figure in the docs is measured: the sides take turns in one run, so that what slows the machine slows them alike, and ratios are per turn.

    rounds = measure({"ours": ours, "Keras": keras_layer})
    report("lstm", "LSTM, 32 x 128, 512 units", timing_rows(rounds, baseline="Keras"), note="forward")

A callable must return when its work is done: on a device that runs ahead of Python, it fetches a number of its result.
"""

import datetime
import importlib.metadata
import json
import os
import platform
import time
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("keras", "tensorflow", "jax", "torch", "numpy")


def measure(sides, repeats=15, warmup=2, clock=time.perf_counter):
    """Times each side in turn: A B C, A B C, ...

    Args:
        sides: dict from a name to a callable without arguments.
        repeats: integer, the number of rounds that count.
        warmup: integer, the number of rounds before them, in which functions are traced and memory is allocated.
        clock: callable that returns the time in seconds.

    Returns:
        A dict from each name to a float array of shape `(repeats,)`, seconds, in the order of the rounds.
    """
    seconds = {name: [] for name in sides}
    for _ in range(warmup + repeats):
        for name, run in sides.items():
            start = clock()
            run()
            seconds[name].append(clock() - start)
    return {name: np.array(values[warmup:]) for name, values in seconds.items()}


def ratio(rounds, side, baseline):
    """Returns how long `side` takes as a multiple of `baseline`: the median over the rounds, and its 95 % bootstrap interval as `(low, high)`."""
    per_round = rounds[side] / rounds[baseline]
    draws = np.random.default_rng(0).choice(per_round, size=(2000, len(per_round)))
    low, high = np.percentile(np.median(draws, axis=1), [2.5, 97.5])
    return float(np.median(per_round)), (float(low), float(high))


def timing_rows(rounds, baseline, flops=None, machine_rate=None):
    """Returns the rows of a table, one dict a side.

    Args:
        rounds: what `measure` returned.
        baseline: string, the side that the others are compared to.
        flops: number, floating-point operations of one call, for the rate; the same for every side.
        machine_rate: number, what `matmul_rate` returned, for the share of it.
    """
    rows = []
    for side, seconds in rounds.items():
        low, middle, high = np.percentile(seconds, [25, 50, 75]) * 1e3
        times, (least, most) = ratio(rounds, side, baseline)
        row = {"side": side, "median, ms": _digits(middle), "quartiles, ms": f"{_digits(low)} to {_digits(high)}"}
        row[f"time, relative to {baseline} (95 % interval)"] = "1" if side == baseline else f"{times:.2f} ({least:.2f} to {most:.2f})"
        if flops:
            row["GF/s"] = f"{flops / middle / 1e6:.0f}"
            if machine_rate:
                row["of the machine's product"] = f"{flops / middle / 1e6 / machine_rate:.0%}"
        rows.append(row)
    return rows


def matmul_rate(size=2048, repeats=9):
    """Measures the machine: billions of floating-point operations a second in a float32 matrix product on the Keras backend, the median of `repeats`."""
    import keras

    a = keras.random.normal((size, size))

    def product():
        return keras.ops.convert_to_numpy(keras.ops.matmul(a, a)[0, 0])  # one number is fetched: then the product is done

    seconds = np.median(measure({"product": product}, repeats=repeats)["product"])
    return 2 * size**3 / float(seconds) / 1e9


def machine():
    """Returns what a figure depends on, as a dict of strings and numbers: versions, processor, cores, threads and the day."""
    threads = {name: os.environ[name] for name in ("TF_NUM_INTRAOP_THREADS", "OMP_NUM_THREADS", "XLA_FLAGS") if name in os.environ}
    return {
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        **{name: version for name in PACKAGES if (version := _version(name))},
        "backend": os.environ.get("KERAS_BACKEND", "tensorflow"),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "threads": threads or "the backend's default",
    }


def report(name, title, rows, note="", folder=RESULTS, made_on=None):
    """Prints a table and writes it to `results/NAME.md`, which the docs include, and `results/NAME.json`.

    Args:
        name: string, the name of the files.
        title: string, what was measured.
        rows: list of dicts with the same keys: the columns.
        note: string, a sentence on how it was measured.
        folder: path of the folder to write to.
        made_on: dict of what the figures depend on, or `None` for this machine, now.
    """
    made_on = made_on or machine()
    columns = list(rows[0])
    lines = [f"**{title}**", "", _line(columns), _line(["---"] * len(columns)), *(_line(row[column] for column in columns) for row in rows)]
    lines += ["", "*" + " ".join(filter(None, [note, "; ".join(f"{key} {value}" for key, value in made_on.items()) + "."])) + "*", ""]
    text = "\n".join(lines)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / f"{name}.json").write_text(json.dumps({"title": title, "note": note, "machine": made_on, "rows": rows}, indent=2) + "\n", encoding="utf-8")
    print(text)


def _digits(milliseconds):
    return f"{milliseconds:,.0f}" if milliseconds >= 1000 else f"{milliseconds:.4g}"


def _line(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor():
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
