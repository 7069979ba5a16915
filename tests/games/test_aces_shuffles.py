"""Whether the cards of aces come in an even order: chi-squared tests of a million deals.

The tests deal with the kernel's own functions. Twins with the faults that shuffles are known
to have go through the same tests and must fail them at the same bound.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest
from scipy import stats

from simcards.kernels.aces_numbers import KINDS
from simcards.kernels.aces_table import TABLE, gather, recycle, turn_recycled, turn_unturned
from simcards.kernels.random import U64, below, next_word, pick, start_stream
from simcards.sim.chunk import rules_array
from simcards.sim.plan import make_plan

DEALS = 1_000_000
BOUND = 1e-6  # of each p-value


def kernel_rules(**rules) -> np.ndarray:
    return rules_array(make_plan("aces", rules=rules, seed=0))


ONE_PACK = kernel_rules()
TWO_PACKS = kernel_rules(players=3, jokers=3)


# p-values


def copies(rules: np.ndarray) -> np.ndarray:
    """Cards of each kind in the deck."""
    number = np.full(KINDS, 4 * rules["packs"][0])
    number[-1] = rules["jokers"][0] * rules["packs"][0]
    return number


def order_p(counts: np.ndarray, number: np.ndarray, deals: int) -> float:
    """p-value of: each of the m cards is equally likely at each of the m places of the order.

    `counts` has a row for each place and a column for each kind, of which the deck has
    `number`. Places are not independent, for a card that is here is not there. With
    V = diag(p) - p p', the covariance of the counts of one deal is m / (m - 1) (I - 1 1' / m)
    (x) V, so the sum of (O - E)^2 / E over all of them, times (m - 1) / m, is chi-squared with
    (m - 1) (kinds - 1) degrees of freedom. A single place may be off without much effect on
    that sum, so each is looked at by itself too.
    """
    m, kinds = number.sum(), np.flatnonzero(number)
    assert counts.shape == (m, KINDS) and (counts.sum(1) == deals).all()
    assert counts[:, number == 0].sum() == 0
    assert (counts.sum(0) == deals * number).all(), "cards were lost or doubled"
    observed, expected = counts[:, kinds], deals * number[kinds] / m
    total = ((observed - expected) ** 2 / expected).sum() * (m - 1) / m
    whole = stats.chi2.sf(total, (m - 1) * (len(kinds) - 1))
    each = stats.chisquare(observed, np.broadcast_to(expected, observed.shape), axis=1).pvalue
    return float(min(whole, m * each.min()))


def pairs_p(counts: np.ndarray, number: np.ndarray) -> float:
    """p-value of: each ordered pair of different cards is equally likely to lie together.

    `counts[j]` are of the j-th and the next card, each deal counted once.
    """
    m = number.sum()
    chance = np.outer(number, number) - np.diag(number)
    used = chance > 0
    assert counts[:, ~used].sum() == 0
    p = []
    for one in counts:
        expected = chance[used] / (m * (m - 1)) * one.sum()
        p.append(stats.chisquare(one[used], expected).pvalue)
    return float(min(1.0, len(counts) * min(p)))


# Deals


@numba.njit
def reveal(deal, turn, tables, rules, seed, deals, cards, orders, pairs, mixed):
    """Count the kinds of the first `cards` cards turned, alone and in neighbouring pairs."""
    table = tables[0]
    for index in range(deals):
        start_stream(table.deal, seed, index, 0, 0, 0)
        deal(table, rules[0])
        chosen = 1 + index % (cards - 1)
        before = 0
        for j in range(cards):
            card = turn(table)
            orders[j, card] += 1
            if j > 0:
                pairs[j - 1, before, card] += 1
            if j == chosen:  # one pair a deal: these pairs are independent
                mixed[0, before, card] += 1
            before = card


def revealed(deal, turn, rules: np.ndarray, deals: int = DEALS):
    m = int(copies(rules).sum())
    orders = np.zeros((m, KINDS), np.int64)
    pairs = np.zeros((m - 1, KINDS, KINDS), np.int64)
    mixed = np.zeros((1, KINDS, KINDS), np.int64)
    tables = np.zeros(1, TABLE)
    reveal(deal, turn, tables, rules, U64(1), deals, m, orders, pairs, mixed)
    return orders, pairs, mixed


@pytest.mark.parametrize("deals", [DEALS, pytest.param(30 * DEALS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", [ONE_PACK, TWO_PACKS], ids=["one pack", "two packs, jokers"])
def test_cards_are_turned_in_an_even_order(rules: np.ndarray, deals: int) -> None:
    orders, pairs, mixed = revealed(gather, turn_unturned, rules, deals)
    number = copies(rules)
    assert order_p(orders, number, deals) > BOUND
    assert pairs_p(pairs, number) > BOUND
    assert pairs_p(mixed, number) > BOUND


# Faults, first those of a turn


@numba.njit
def take(table, j):
    """Take the card at `j`, as `turn_unturned` does."""
    last = table.n_unturned - 1
    card = table.unturned[j]
    table.unturned[j] = table.unturned[last]
    table.n_unturned = last
    return card


@numba.njit
def few_bits(table):
    """A remainder of 8 bits: 256 is no multiple of 52."""
    return take(table, np.int64(next_word(table.deal) & U64(255)) % table.n_unturned)


@numba.njit
def twelve_bits(table):
    """A remainder of 12 bits: the first cards are 1 % too likely."""
    return take(table, np.int64(next_word(table.deal) & U64(4095)) % table.n_unturned)


@numba.njit
def one_short(table):
    """The last card is never taken."""
    return take(table, below(table.deal, max(table.n_unturned - 1, 1)))


@numba.njit
def top(table):
    return take(table, table.n_unturned - 1)


# ... and those of shuffling the whole deck first; `top` then turns it card by card


@numba.njit
def swapped_with_any(table, rules):
    """Each card changes places with any card, not with one of those still to come."""
    gather(table, rules)
    m = table.n_unturned
    for j in range(m):
        other = below(table.deal, m)
        card = table.unturned[j]
        table.unturned[j] = table.unturned[other]
        table.unturned[other] = card


@numba.njit
def sorted_by_keys(table, rules):
    """Sorted by random keys of 8 bits; equal keys keep their order."""
    gather(table, rules)
    keys = np.empty(table.n_unturned, np.int64)
    for j in range(len(keys)):
        key = np.int64(next_word(table.deal) >> U64(24))
        card = table.unturned[j]
        at = j
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            table.unturned[at] = table.unturned[at - 1]
            at -= 1
        keys[at] = key
        table.unturned[at] = card


@numba.njit
def cut_once(table, rules):
    """A new deck, cut: each card is equally likely everywhere, but neighbours stay together."""
    gather(table, rules)
    m = table.n_unturned
    start = below(table.deal, m)
    for j in range(m):
        table.unturned[j] = (start + j) % m // 4


@pytest.mark.parametrize(
    ("deal", "turn"),
    [
        (gather, few_bits),
        (gather, twelve_bits),
        (gather, one_short),
        (swapped_with_any, top),
        (sorted_by_keys, top),
    ],
    ids=["few bits", "twelve bits", "one short", "swapped with any", "sorted by keys"],
)
def test_a_biased_order_is_noticed(deal, turn) -> None:
    orders, _, _ = revealed(deal, turn, ONE_PACK)
    assert order_p(orders, copies(ONE_PACK), DEALS) < BOUND


@pytest.mark.parametrize(
    ("deal", "turn"),
    [
        (gather, few_bits),
        (gather, one_short),
        (swapped_with_any, top),
        (sorted_by_keys, top),
        (cut_once, top),
    ],
    ids=["few bits", "one short", "swapped with any", "sorted by keys", "cut once"],
)
def test_biased_pairs_are_noticed(deal, turn) -> None:
    _, pairs, _ = revealed(deal, turn, ONE_PACK)
    assert pairs_p(pairs, copies(ONE_PACK)) < BOUND


@pytest.mark.parametrize("deal", [sorted_by_keys, cut_once], ids=["sorted by keys", "cut once"])
def test_neighbours_that_stay_together_are_noticed_wherever_they_lie(deal) -> None:
    _, _, mixed = revealed(deal, top, ONE_PACK)
    assert pairs_p(mixed, copies(ONE_PACK)) < BOUND


# A pile that becomes the stock in mid-game

# Its top, which stays, comes last. The first pile has one of each kind.
PILES = {
    "of each": [*range(KINDS), 5],
    "short": [0, 12, 0],
    "long": [
        12,
        11,
        12,
        0,
        3,
        3,
        1,
        11,
        9,
        0,
        12,
        7,
        7,
        7,
        11,
        12,
        2,
        4,
        8,
        5,
        0,
        6,
        13,
        10,
        1,
        11,
    ],
}


@numba.njit
def redraw(renew, turn, tables, rules, seed, deals, pile, rounds, orders, pairs, mixed):
    """Count the kinds of the cards drawn, the pile having become the stock `rounds` times.

    Returns
    -------
    right : bool
        Each time the top stayed, alone, and the stock was as large as it must be.
    """
    table = tables[0]
    cards = len(pile) - 1
    right = True
    for index in range(deals):
        start_stream(table.deal, seed, index, 0, 0, 0)
        gather(table, rules[0])
        for _ in range(20):
            turn_unturned(table)
        before = 0
        for turned in range(rounds):
            for j in range(cards + 1):
                table.pile[j] = pile[j]
            table.n_pile = cards + 1
            right = right and renew(table) == cards and table.n_pile == 1
            right = right and table.stock == cards and table.n_recycled == cards
            right = right and table.pile[0] == pile[cards]
            counts = turned == rounds - 1
            for j in range(cards):
                card = turn(table)
                if j % 3 == 2 and table.n_unturned > 0:
                    turn_unturned(table)  # a card that lay face down, from the same stream
                if counts:
                    orders[j, card] += 1
                    if j > 0:
                        pairs[j - 1, before, card] += 1
                    if j == 1 + index % (cards - 1):
                        mixed[0, before, card] += 1
                before = card
            right = right and table.n_recycled == 0
    return right


def redrawn(renew, turn, pile: list[int], rounds: int = 1) -> tuple[float, float]:
    """p-values of the order and of the pairs of the cards drawn."""
    m = len(pile) - 1
    orders = np.zeros((m, KINDS), np.int64)
    pairs = np.zeros((m - 1, KINDS, KINDS), np.int64)
    mixed = np.zeros((1, KINDS, KINDS), np.int64)
    tables = np.zeros(1, TABLE)
    rules = kernel_rules(jokers=1)
    known = np.array(pile, np.int64)
    assert redraw(renew, turn, tables, rules, U64(2), DEALS, known, rounds, orders, pairs, mixed)
    number = np.bincount(pile[:-1], minlength=KINDS)
    return order_p(orders, number, DEALS), min(pairs_p(pairs, number), pairs_p(mixed, number))


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("pile", PILES.values(), ids=PILES)
def test_a_recycled_pile_is_drawn_in_an_even_order(pile: list[int], rounds: int) -> None:
    assert min(redrawn(recycle, turn_recycled, pile, rounds)) > BOUND


@numba.njit
def take_again(table, j):
    """Take the card at `j`, as `turn_recycled` does."""
    last = table.n_recycled - 1
    card = table.recycled[j]
    table.recycled[j] = table.recycled[last]
    table.n_recycled = last
    return card


@numba.njit
def few_bits_again(table):
    return take_again(table, np.int64(next_word(table.deal) & U64(31)) % table.n_recycled)


@numba.njit
def one_short_again(table):
    return take_again(table, below(table.deal, max(table.n_recycled - 1, 1)))


@numba.njit
def turned_over(table):
    """The pile is turned over and not shuffled."""
    table.n_recycled -= 1
    return table.recycled[table.n_recycled]


@numba.njit
def cut_again(table):
    """The pile is cut and not shuffled."""
    if table.n_recycled == table.stock:
        table.credits[0] = below(table.deal, table.stock)  # any unused field will do
    table.n_recycled -= 1
    return table.recycled[(table.credits[0] + table.n_recycled) % table.stock]


@pytest.mark.parametrize(
    "turn",
    [few_bits_again, one_short_again, turned_over],
    ids=["few bits", "one short", "turned over"],
)
def test_a_biased_recycled_pile_is_noticed(turn) -> None:
    assert redrawn(recycle, turn, PILES["of each"])[0] < BOUND


@pytest.mark.parametrize("turn", [few_bits_again, cut_again], ids=["few bits", "cut"])
def test_biased_pairs_of_a_recycled_pile_are_noticed(turn) -> None:
    assert redrawn(recycle, turn, PILES["of each"])[1] < BOUND


# Neighbouring addresses


@numba.njit
def compare_neighbours(tables, rules, at, pairs, stream):
    """Count the k-th cards, k = 0, 1, 2, of two hands whose addresses differ in the last bit."""
    table = tables[0]
    for i in range(DEALS):
        address = (i, 0, 0) if at == 0 else (0, i, 0) if at == 1 else (0, 0, i)
        other = (i ^ 1, 0, 0) if at == 0 else (0, i ^ 1, 0) if at == 1 else (0, 0, i ^ 1)
        start_stream(table.deal, U64(address[0]), address[1], address[2], 0, 0)
        start_stream(table.choice[0], U64(other[0]), other[1], other[2], stream, 0)
        gather(table, rules[0])
        for k in range(3):
            pairs[k, turn_unturned(table), pick(next_word(table.choice[0]), 13)] += 1


@pytest.mark.parametrize("stream", [0, 1, 6])
@pytest.mark.parametrize("at", range(3), ids=["seed", "index", "hand"])
def test_neighbouring_streams_are_independent(at: int, stream: int) -> None:
    """Cards of a hand beside the words of another stream; the hands differ in one bit."""
    pairs = np.zeros((3, KINDS, 13), np.int64)
    compare_neighbours(np.zeros(1, TABLE), ONE_PACK, at, pairs, stream)
    for one in pairs:
        assert stats.chisquare(one[:13].ravel()).pvalue > BOUND
