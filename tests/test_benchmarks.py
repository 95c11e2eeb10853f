import json
import sys

import numpy as np
import pytest
from bench_distribution import compile_all
from harness import machine, matmul_rate, measure, ratio, report, timing_rows
from kept_runs import kept_runs, made_on
from worker import Worker


class FakeClock:
    """A clock that only the sides move on."""

    def __init__(self):
        self.now = 0.0
        self.calls = []

    def __call__(self):
        return self.now

    def side(self, name, seconds):
        """A callable that takes the next of `seconds` at each call."""
        remaining = iter(seconds)

        def run():
            self.calls.append(name)
            self.now += next(remaining)

        return run


@pytest.fixture
def clock():
    return FakeClock()


def test_the_sides_take_turns(clock):
    measure({name: clock.side(name, [1] * 5) for name in "ABC"}, repeats=3, warmup=2, clock=clock)
    assert "".join(clock.calls) == "ABC" * 5


def test_the_warm_up_does_not_count(clock):
    rounds = measure({"A": clock.side("A", [100, 50, 3, 1, 2])}, repeats=3, warmup=2, clock=clock)
    np.testing.assert_array_equal(rounds["A"], [3, 1, 2])


def test_a_machine_that_slows_down_changes_no_ratio(clock):
    slowdown = np.array([1, 1, 5, 9, 2, 7, 3])
    rounds = measure({"A": clock.side("A", 2 * slowdown), "B": clock.side("B", 3 * slowdown)}, repeats=7, warmup=0, clock=clock)
    middle, (low, high) = ratio(rounds, "B", "A")
    assert middle == low == high == 1.5


def test_the_interval_holds_the_ratio_and_narrows_with_rounds():
    def spread(repeats):
        noise = np.random.default_rng(1).lognormal(sigma=0.2, size=(2, repeats))
        middle, (low, high) = ratio({"A": noise[0], "B": 2 * noise[1]}, "B", "A")
        assert low <= middle <= high
        assert low < 2 < high
        return high - low

    assert spread(200) < 0.5 * spread(20)


def test_rows_state_the_rate_and_its_share_of_the_machine():
    ours, theirs = timing_rows({"ours": np.array([0.5, 0.5]), "theirs": np.array([1.0, 1.0])}, "theirs", flops=4e9, machine_rate=16)
    assert list(ours.values()) == ["ours", "500", "500 to 500", "0.50 (0.50 to 0.50)", "8", "50%"]
    assert theirs["time, relative to theirs (95 % interval)"] == "1"


def test_the_machine_is_described_and_measured():
    described = machine()
    assert {"date", "python", "keras", "numpy", "backend", "processor", "cores", "threads"} <= described.keys()
    assert all(described.values())
    assert matmul_rate(size=256, repeats=3) > 0.1


def test_a_report_is_written_for_the_docs_and_for_machines(tmp_path, capsys):
    report("speed", "Speed of it", [{"side": "ours", "ms": 3}, {"side": "theirs", "ms": 4}], note="On one core.", folder=tmp_path / "results")
    text = (tmp_path / "results/speed.md").read_text()
    assert "**Speed of it**\n\n| side | ms |\n| --- | --- |\n| ours | 3 |\n| theirs | 4 |\n\n*On one core. date 2" in text
    assert capsys.readouterr().out.startswith(text)
    saved = json.loads((tmp_path / "results/speed.json").read_text())
    assert saved["rows"][1] == {"side": "theirs", "ms": 4}
    assert saved["machine"] == machine()


def test_a_finished_run_is_kept_with_the_machine_that_made_it(tmp_path):
    runs, done = {"one": {"size": 1}, "two": {"size": 2}}, []

    def train(name, path):
        done.append(name)
        return {"score": len(done)}

    assert [(name, measures) for name, measures, _ in kept_runs(tmp_path, runs, train, chosen=["two"])] == [("two", {"score": 1})]
    elsewhere = next(tmp_path.glob("*.json"))
    kept = json.loads(elsewhere.read_text())
    elsewhere.write_text(json.dumps({**kept, "machine": {**kept["machine"], "processor": "another"}}))
    assert {name: measures["score"] for name, measures, _ in kept_runs(tmp_path, runs, train)} == {"one": 2, "two": 1}
    assert done == ["two", "one"]
    said = made_on(tmp_path, runs)
    assert said["processor"] == " or ".join(sorted(["another", machine()["processor"]]))
    assert said["keras"] == machine()["keras"]


def of_python(name, program):
    return Worker(name, [sys.executable, "-c", program], "tensorflow")


ANSWERS = "for line in open(0): print('done', line.strip(), flush=True)"
FAILS = "input(); raise SystemExit('no memory')"
SLEEPS = "import time; time.sleep(100)"


def test_a_side_that_ends_says_why():
    with of_python("ours", ANSWERS) as ours, of_python("theirs", FAILS) as theirs:
        assert ours.ask("train") == "done train"
        with pytest.raises(RuntimeError, match=r"(?s)theirs ended at 'train', with code 1, and said last:\nno memory"):
            theirs.ask("train")


def test_a_side_that_fails_or_never_compiles_is_left_out(capsys):
    with of_python("ours", ANSWERS) as ours, of_python("theirs", FAILS) as theirs, of_python("slow", SLEEPS) as slow:
        workers = {"ours": ours, "theirs": theirs, "slow": slow}
        assert sorted(compile_all(workers, patience=5)) == ["slow", "theirs"]
    said = capsys.readouterr().out
    assert "no memory" in said
    assert "Left out, for not having compiled after 5 s: slow" in said
