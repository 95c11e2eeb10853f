"""What must be set before Keras is first imported, and the names that the examples in the docstrings may use."""

import os

import pytest

collect_ignore_glob = ["tests/golden/make_*.py"]  # they write the known answers, with libraries that the tests do not need

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if "PYTEST_XDIST_WORKER" in os.environ:  # several workers share the cores: one thread each is faster than each taking them all
    for variable in ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


# Keras and Matplotlib are imported within the fixtures: the process that deals the tests out to workers needs neither.
@pytest.fixture(autouse=True, scope="session")
def _no_window():
    """Draws to files alone; not by a variable of the environment, which the notebooks' kernels would inherit."""
    import matplotlib

    matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _examples(request, doctest_namespace):
    """Gives the docstring examples the three names that each of them would import, and the same random and picture state."""
    if not isinstance(request.node, pytest.DoctestItem):
        yield
        return
    import keras
    import matplotlib
    import numpy as np

    import keras_richctx as krc

    doctest_namespace.update(krc=krc, keras=keras, np=np)
    keras.utils.set_random_seed(0)
    with matplotlib.rc_context():
        yield
