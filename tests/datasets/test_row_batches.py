import numpy as np
import pytest

from keras_richctx.datasets import row_batches

N = 37
LENGTHS = np.random.default_rng(3).integers(1, 41, size=N)
MASK = np.arange(40) < LENGTHS[:, None]
INPUTS = {"token_ids": np.where(MASK, np.arange(N)[:, None], 0).astype("uint16"), "padding_mask": MASK}


def batches_of(dataset):
    return [(np.asarray(x["token_ids"]), np.asarray(x["padding_mask"]), np.asarray(y)) for x, y in dataset]


def test_every_row_occurs_once_in_a_pass_and_is_cut_behind_its_last_token():
    for ids, mask, y in batches_of(row_batches(INPUTS, np.arange(N), batch_size=5)):
        assert ids.dtype == "int32"
        assert ids.shape[1] == min(40, -(-LENGTHS[y].max() // 16) * 16)
        np.testing.assert_array_equal(mask.sum(1), LENGTHS[y])
        np.testing.assert_array_equal(ids[:, 0], y)
    seen = np.concatenate([y for *_, y in batches_of(row_batches(INPUTS, np.arange(N), batch_size=5))])
    np.testing.assert_array_equal(np.sort(seen), np.arange(N))


def test_passes_differ_and_a_run_goes_on_at_any_step():
    dataset = row_batches(INPUTS, np.arange(N), batch_size=5, seed=4)
    order = [y.tolist() for *_, y in batches_of(dataset.repeat(2))]
    assert order[:8] != order[8:]
    again = row_batches(INPUTS, np.arange(N), batch_size=5, seed=4).repeat().skip(11).take(5)
    assert [y.tolist() for *_, y in batches_of(again)] == order[11:]


def test_without_tensorflow_the_batches_are_the_same(monkeypatch):
    with_it = [y.tolist() for *_, y in batches_of(row_batches(INPUTS, np.arange(N), batch_size=5, seed=4).repeat(2))]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    plain, without = row_batches(INPUTS, np.arange(N), batch_size=5, seed=4), []
    for _ in range(2):
        without += [plain[i][1].tolist() for i in range(len(plain))]
        plain.on_epoch_end()
    assert without == with_it


def test_rows_of_like_length_are_together():
    lengths = np.random.default_rng(0).integers(1, 129, size=3200)
    mask = np.arange(128) < lengths[:, None]
    sizes = [x["padding_mask"].shape for x, _ in row_batches({"padding_mask": mask}, lengths, batch_size=32)]
    assert sum(a * b for a, b in sizes) < 1.2 * lengths.sum()


@pytest.mark.parametrize(
    "change, message",
    [({"batch_size": 0}, "batch_size=0"), ({"pad_to_multiple": 0}, "pad_to_multiple=0"), ({"targets": np.zeros(3)}, "Received: 37 rows and 3 targets")],
)
def test_what_does_not_fit_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        row_batches(**{"inputs": INPUTS, "targets": np.arange(N), **change})
