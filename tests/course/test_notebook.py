import logging
import re

import keras
import matplotlib
import numpy as np
import pytest

from keras_richctx import viz
from keras_richctx.course import notebook

pytestmark = pytest.mark.backends


def test_the_same_seed_gives_the_same_draws():
    draws = []
    for seed in (5, 5, 6):
        notebook(seed)
        draws.append((keras.ops.convert_to_numpy(keras.random.normal((3,))), np.random.normal(size=3)))
    for first, second, other in zip(*draws):
        np.testing.assert_array_equal(first, second)
        assert not np.array_equal(first, other)


def test_one_line_says_what_runs(capsys):
    notebook(5)
    line = capsys.readouterr().out
    assert re.fullmatch(rf"keras_richctx \S+ \| Keras {re.escape(keras.version())} on {keras.backend.backend()} \S+ \| Python 3\.\d+\.\d+ \| .+\n", line)


def test_logs_are_quiet():
    notebook(5)
    assert not logging.getLogger("tensorflow").isEnabledFor(logging.WARNING)


def test_pictures_take_the_style_of_the_library():
    matplotlib.rcParams["image.cmap"] = "jet"
    notebook(5)
    assert matplotlib.rcParams["image.cmap"] == viz.theme()["image.cmap"]
