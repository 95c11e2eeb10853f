"""Words in a plane."""

import numpy as np
import pytest

from keras_richctx.viz import word_map
from keras_richctx.viz.style import DARK
from keras_richctx.viz.trajectory import principal_directions

WORDS = ["cat", "dog", "cow", "red", "blue", "$green$", "one"]
N, D = 7, 5


@pytest.fixture
def vectors():
    return np.random.default_rng(0).normal(size=(N, D))


def points(axes):
    return np.concatenate([collection.get_offsets() for collection in axes.collections])


def labels(axes):
    return [text for text in axes.texts if text.get_text()]


def test_the_plane_is_that_of_the_principal_directions(vectors):
    axes = word_map(vectors, WORDS)
    centre, directions, shares = principal_directions(vectors)
    np.testing.assert_allclose(points(axes), (vectors - centre) @ directions.T)
    assert f"{shares[0]:.0%}" in axes.get_xlabel()
    assert [label.get_text() for label in labels(axes)] == WORDS
    np.testing.assert_allclose([label.xy for label in labels(axes)], points(axes))


def test_groups_have_a_colour_and_links_an_arrow(vectors):
    groups = ["animal"] * 3 + ["colour"] * 3 + ["number"]
    axes = word_map(vectors, WORDS, groups=groups, links=[("cat", "dog"), ("red", "blue")])
    assert [len(collection.get_offsets()) for collection in axes.collections] == [3, 3, 1]
    assert len({label.get_color() for label in labels(axes)}) == 3
    assert sum(text.arrow_patch is not None and not text.get_text() for text in axes.texts) == 2


def test_neighbours_stay_neighbours_in_t_sne():
    rng = np.random.default_rng(0)
    vectors = np.repeat(rng.normal(size=(3, D)) * 20, 6, axis=0) + rng.normal(size=(18, D))
    found = points(word_map(vectors, [f"w{i}" for i in range(18)], method="tsne", dark=True))
    distances = np.linalg.norm(found[:, None] - found, axis=-1) + np.diag([np.inf] * 18)
    assert (distances.argmin(axis=1) // 6 == np.arange(18) // 6).all()


def test_it_follows_its_page(vectors):
    assert word_map(vectors, WORDS, dark=True).xaxis.label.get_color() == DARK["ink"]


def test_what_does_not_belong_together_is_refused(vectors):
    with pytest.raises(ValueError, match=r"one finite vector.*Received: 6 words"):
        word_map(vectors, WORDS[1:])
    for same, method in ((np.ones((N, D)), "tsne"), (np.arange(N)[:, None], "tsne"), (np.zeros((N, 0)), "pca")):
        with pytest.raises(ValueError, match=f"not all the same.*method='{method}'"):
            word_map(same, WORDS, method=method)
    with pytest.raises(ValueError, match="Received: method='umap'"):
        word_map(vectors, WORDS, method="umap")
    with pytest.raises(ValueError, match=r"Received: \('cat', 'yak'\)"):
        word_map(vectors, WORDS, links=[("cat", "yak")])
    with pytest.raises(ValueError, match="one group for each word"):
        word_map(vectors, WORDS, groups=[1])
