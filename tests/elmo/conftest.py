"""A small model with other weights than its first ones, so that nothing is zero, and the published fixture."""

import numpy as np
import pytest

from keras_richctx.elmo import ELMo

SMALL = {"filters": [(1, 3), (3, 5)], "embedding_dim": 4, "num_highways": 1, "units": 7, "projection_dim": 6, "max_characters": 12}


def made(**options):
    model = ELMo(**{**SMALL, **options})
    for i, weight in enumerate(model.trainable_variables):
        weight.assign(np.random.default_rng(i).normal(scale=0.7, size=weight.shape))
    return model


@pytest.fixture(scope="session")
def model():
    """Stateless; not to be changed."""
    return made()


@pytest.fixture(scope="session")
def release(fixtures_dir):
    return fixtures_dir / "elmo_allennlp"
