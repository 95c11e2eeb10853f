import math

import numpy as np
import pytest

from keras_richctx.metrics import perplexity


@pytest.mark.parametrize("vocabulary", [1, 2, 1000])
def test_a_uniform_guess_is_as_perplexed_as_there_are_tokens(vocabulary):
    assert perplexity(np.log(vocabulary)) == pytest.approx(vocabulary)


def test_a_loss_too_large_for_the_exponential_gives_infinity_and_a_nan_stays_one():
    assert perplexity(1e4) == math.inf
    assert perplexity(math.inf) == math.inf
    assert math.isnan(perplexity(math.nan))
