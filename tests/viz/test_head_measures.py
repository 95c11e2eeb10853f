"""What a head does, in numbers: each measure against its definition in plain loops."""

import numpy as np
import pytest

from keras_richctx.viz import even_attention, hits_on_links, induction_links, offset_links, same_token_links, token_links, weight_on_links

B, H, T, S = 3, 4, 7, 7


@pytest.fixture
def weights():
    values = np.random.default_rng(0).random((B, H, T, S)) ** 4
    return values / values.sum(-1, keepdims=True)


@pytest.fixture
def links():
    return np.random.default_rng(1).random((B, T, S)) < 0.2


def by_loops(weights, links, mask):
    """The share on the links and the share of hits, a head at a time, a query at a time."""
    shares, hits = [], []
    for head in range(weights.shape[1]):
        of_queries = []
        for row in range(weights.shape[0]):
            for query in range(weights.shape[2]):
                if mask[row, query] and any(links[row, query]):
                    given = sum(weights[row, head, query, key] for key in range(weights.shape[3]) if links[row, query, key])
                    of_queries.append((given, links[row, query, max(range(weights.shape[3]), key=lambda k: weights[row, head, query, k])]))
        shares.append(np.mean([given for given, _ in of_queries]))
        hits.append(np.mean([hit for _, hit in of_queries]))
    return shares, hits


@pytest.mark.parametrize("lengths", [(7, 7, 7), (7, 4, 1)])
def test_shares_and_hits_are_those_of_loops_over_queries(weights, links, lengths):
    mask = np.arange(T) < np.array(lengths)[:, None]
    shares, hits = by_loops(weights, links, mask)
    noise = np.where(mask[:, None, :, None], weights, np.nan)  # what stands at pads
    np.testing.assert_allclose(weight_on_links(noise, links, mask), shares)
    np.testing.assert_allclose(hits_on_links(noise, links, mask), hits)


def test_one_example_and_links_without_a_batch(weights):
    links = offset_links(T, S, -1)
    np.testing.assert_allclose(weight_on_links(weights, links), weight_on_links(weights, np.stack([links] * B)))
    np.testing.assert_allclose(weight_on_links(weights[1], links), np.diagonal(weights[1], -1, 1, 2).mean(-1))


def test_a_head_that_does_it_has_one_and_even_attention_what_chance_gives():
    before = np.eye(T, S, -1)
    before[0, 0] = 1.0
    assert weight_on_links(before[None], offset_links(T, S, -1)) == hits_on_links(before[None], offset_links(T, S, -1)) == [1.0]
    np.testing.assert_allclose(weight_on_links(np.full((1, T, S), 1 / S), offset_links(T, S, -1)), 1 / S)


def test_without_a_link_there_is_no_number(weights):
    assert np.isnan(weight_on_links(weights, np.zeros((T, S), bool))).all()
    assert np.isnan(hits_on_links(weights, offset_links(T, S, T))).all()
    assert np.isnan(weight_on_links(np.ones((2, 1, 1)), offset_links(1, 1, -1))).all()  # a single token has none before it


def test_even_attention_sees_what_the_head_may_see(weights):
    causal = np.tril(weights[0])
    even = even_attention(causal)
    np.testing.assert_allclose(even, np.broadcast_to(np.tril(np.ones((T, S))) / np.arange(1, T + 1)[:, None], causal.shape))
    assert not even_attention(np.zeros((1, 2, 3))).any()


def test_offsets_are_distances_from_the_query_to_the_key():
    for offset in (-2, -1, 0, 1, 3):
        assert {key - query for query, key in np.argwhere(offset_links(5, 7, offset))} == {offset}
    assert offset_links(4, 4, -1).sum() == 3


def test_token_links_go_from_all_queries_to_the_keys_that_hold_them():
    tokens = [["[CLS]", "a", ".", "[SEP]"], ["[CLS]", ".", ".", "b"]]
    links = token_links(tokens, [".", "[SEP]"], queries=2)
    assert links.shape == (2, 2, 4)
    np.testing.assert_array_equal(links[:, 0], [[False, False, True, True], [False, True, True, False]])
    np.testing.assert_array_equal(links[:, 0], links[:, 1])
    np.testing.assert_array_equal(token_links(tokens[0], ["a"]), np.tile([False, True, False, False], (4, 1)))


def test_same_tokens_are_linked_with_one_another_and_not_with_themselves():
    found = {tuple(pair) for pair in np.argwhere(same_token_links(list("abcab"))).tolist()}
    assert found == {(0, 3), (3, 0), (1, 4), (4, 1)}


def test_induction_links_what_stood_behind_the_same_token_before():
    tokens = np.random.default_rng(2).integers(0, 3, (2, 9))
    links = induction_links(tokens)
    for row, query, key in np.ndindex(links.shape):
        assert links[row, query, key] == (1 <= key <= query and tokens[row, key - 1] == tokens[row, query])
    assert links.any()


def test_what_does_not_fit_is_refused(weights, links):
    with pytest.raises(ValueError, match=r"links are boolean.*Received: links of dtype int64"):
        weight_on_links(weights, links.astype("int64"))
    with pytest.raises(ValueError, match=r"= \(3, 7, 7\), or without the batch\. Received: links of shape \(2, 7, 7\)"):
        weight_on_links(weights, links[:2])
    with pytest.raises(ValueError, match=r"lie in 0 \.\.\. 1\. Received: nan"):
        hits_on_links(np.where(links[:, None], np.nan, weights), links)
    with pytest.raises(TypeError, match=r"Put one into a list\. Received: wanted='\[SEP\]'"):
        token_links(["a"], "[SEP]")
