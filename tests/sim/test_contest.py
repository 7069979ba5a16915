"""Who sits where, and the exact sums that observations come down to."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcards.analysis.arms import Base, make_comparison, make_tournament
from simcards.sim.contest import (
    SEATINGS,
    contest_chunk_size,
    seatings,
)
from simcards.sim.errors import RequestError
from simcards.sim.games import GAMES
from simcards.sim.observations import (
    KEPT_EXTREMES,
    Moments,
    Observations,
    differences_of,
    moments_of,
)
from simcards.sim.observe import play_observations, row_names


@pytest.mark.parametrize("seats", range(2, 7))
def test_two_arms_are_seated_in_every_way_and_equally_often(seats: int) -> None:
    found = seatings((0, 1), seats)
    assert len(set(found)) == len(found)
    half = seats // 2
    assert len(found) == (comb(seats, half) if seats % 2 == 0 else 2 * comb(seats, half))
    for seat in range(seats):
        assert len({Counter(one[seat] for one in found)[arm] for arm in (0, 1)}) == 1
    # Every arrangement that there is, by brute force.
    sizes = {half, seats - half}
    assert set(found) == {one for one in product((0, 1), repeat=seats) if sum(one) in sizes}


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("members", [(0, 1, 2), (3, 5, 7, 9), (0, 1, 2, 3, 4)])
def test_more_arms_sit_equally_often_on_every_seat(members: tuple[int, ...], seats: int) -> None:
    if len(members) > seats:
        with pytest.raises(ValueError, match="arms for"):
            seatings(members, seats)
        return
    found = seatings(members, seats)
    assert len(set(found)) == len(found)
    for seat in range(seats):
        assert len({Counter(one[seat] for one in found)[arm] for arm in members}) == 1
    followed = Counter(
        (one[seat - 1], one[seat]) for one in found for seat in range(seats)
    )  # neighbours balance as well
    assert len({followed[a, b] for a in members for b in members if a != b}) == 1


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda columns: st.lists(
            st.lists(st.integers(-(2**40), 2**40), min_size=columns, max_size=columns),
            min_size=1,
            max_size=30,
        )
    ),
    st.randoms(),
)
def test_moments_are_exact_and_add_up(rows: list[list[int]], random) -> None:
    values = np.array(rows, np.int64)
    columns = values.shape[1]
    whole = moments_of(values)
    for i in range(columns):
        assert whole.sums[i] == sum(row[i] for row in rows)
        for j in range(columns):
            assert whole.product(i, j) == sum(row[i] * row[j] for row in rows)
    at = random.randint(0, len(rows))
    parts = [part for part in (values[:at], values[at:]) if len(part)]
    assert sum((moments_of(part) for part in parts[1:]), moments_of(parts[0])) == whole
    weights = {j: random.randint(-5, 5) for j in range(columns)}
    told = [sum(weights[j] * row[j] for j in range(columns)) for row in rows]
    assert whole.weighted(weights) == (sum(told), sum(one * one for one in told))


@pytest.mark.parametrize("size", [10, 2**20, 2**30, 2**50])
def test_moments_choose_an_arithmetic_that_is_exact(size: int) -> None:
    random = np.random.default_rng(1)
    values = random.integers(-size, size, (500, 3))
    wide = [[int(one) for one in row] for row in values]
    assert moments_of(values).product(0, 2) == sum(row[0] * row[2] for row in wide)


@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (2000, 24), (4097, 100), (500, 130)])
def test_products_in_pieces_are_those_of_the_whole(shape: tuple[int, int]) -> None:
    values = np.random.default_rng(3).integers(-60, 61, shape)
    whole = values.T @ values
    found = moments_of(values)
    for i in range(0, shape[1], 7):
        assert [found.product(i, j) for j in range(shape[1])] == whole[i].tolist()


def test_extremes_are_the_most_extreme_of_all_parts_the_first_of_equal_ones() -> None:
    random = np.random.default_rng(2)
    values = random.integers(-4, 5, 300)
    signs, highest, lowest = differences_of(values, 1000)
    order = sorted(range(300), key=lambda j: (-values[j], j))
    assert highest == tuple((int(values[j]), 1000 + j) for j in order[:KEPT_EXTREMES])
    order = sorted(range(300), key=lambda j: (values[j], j))
    assert lowest == tuple((int(values[j]), 1000 + j) for j in order[:KEPT_EXTREMES])
    assert signs == (int((values < 0).sum()), int((values == 0).sum()), int((values > 0).sum()))
    parts = []
    for start, stop in ((200, 300), (0, 77), (77, 200)):
        found = differences_of(values[start:stop], 1000 + start)
        parts.append(Observations(stop - start, (0,), (0,), {}, *found))
    whole = Observations() + parts[0] + parts[1] + parts[2]
    assert (whole.signs, whole.highest, whole.lowest) == (signs, highest, lowest)
    # Nobody was ahead: nothing is shown.
    assert differences_of(np.zeros(5, np.int64), 0) == ((0, 5, 0), (), ())


def contests():
    yield make_comparison(Base("thirteen", seed=3), "control", "random")
    yield make_comparison(Base("aces", seed=3, players=3), "always", "never", "random")
    yield make_comparison(Base("horner", seed=3), ["players=2"], ["players=3", "recycle=pool"])
    yield make_tournament(Base("horner", seed=3, players=3), ["eager", "random", "race"])


@pytest.mark.parametrize("contest", list(contests()), ids=lambda one: one.kind)
def test_chunks_add_up_and_come_back_from_json(contest) -> None:
    whole = play_observations(contest, 5, 65, True)
    assert whole is not None
    counts = Observations()
    for start, stop in ((30, 65), (5, 6), (6, 30)):
        chunk = play_observations(contest, start, stop, True)
        assert chunk is not None and chunk.rows is not None and whole.rows is not None
        assert chunk.rows.equals(whole.rows[start - 5 : stop - 5])
        counts = counts + chunk.counts
    assert counts == whole.counts
    assert Observations.from_json(json.loads(json.dumps(counts.to_json()))) == counts
    assert whole.rows.columns == ["index", *row_names(contest)]
    assert contest_chunk_size(contest) >= 1


def test_a_chunk_that_is_asked_to_stop_leaves_nothing() -> None:
    contest = make_comparison(Base("aces", seed=3), "always", "never")
    control = np.array([1, 0])
    assert play_observations(contest, 0, 50, False, control) is None


def test_arms_share_their_deals_where_the_deck_is_the_same() -> None:
    def same(game: str, a: object, b: object) -> bool:
        return make_comparison(Base(game, seed=1), a, b).same_deals

    assert same("thirteen", "players=3", "players=4")
    assert same("aces", "shrink=1", "shrink=2")
    assert same("aces", "players=3", "players=4")  # two packs both
    assert not same("aces", "players=2", "players=3")  # one pack and two
    assert not same("aces", "packs=1", "packs=2")
    assert not same("aces", "jokers=0", "jokers=1")
    assert not same("horner", "plums=7", "plums=8")
    assert same("horner", "recycle=own", "recycle=pool")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_cards_are_the_same_where_the_deck_is(game) -> None:
    """Common random numbers: what strategies do never changes what is dealt."""
    from simcards.sim.chunk import prepare_plan
    from simcards.sim.replay import replay_game

    names = [one.name for one in game.decisions[0].strategies if not one.refused(game.rules())]
    contest = make_comparison(Base(game.name, seed=11), names[0], names[-1])
    for plan in contest.plans:
        prepare_plan(plan)
    for index in (0, 7):
        dealt = []
        for plan in contest.plans:
            events = replay_game(plan, index).events
            deal = next(one for one in events if one["event"] == "deal")
            dealt.append({key: deal[key] for key in ("hands", "piles", "starter") if key in deal})
        assert all(one == dealt[0] for one in dealt)


def test_one_player_has_nobody_to_come_before() -> None:
    for base in (Base("aces", players=1, seed=1), Base("horner", players=1, seed=1)):
        with pytest.raises(RequestError, match="two players or more"):
            make_comparison(base, "random", "never" if base.game == "aces" else "race")
    contest = make_comparison(Base("aces", players=1, seed=1), "shrink=1", "shrink=2")
    chunk = play_observations(contest, 0, 20, False)
    assert chunk is not None and chunk.counts.games == 20


def test_shares_of_an_observation_add_up() -> None:
    """Every game is in one place: A's, B's, nobody's or capped."""
    rules = {"packs": 1, "max_turns": 40, "shrink": 0, "hands": 3}
    contest = make_comparison(Base("aces", players=4, rules=rules, seed=5), "always", "rare")
    assert contest.kind == SEATINGS
    chunk = play_observations(contest, 0, 200, True)
    assert chunk is not None and chunk.rows is not None
    counts = chunk.counts
    won = Fraction(int(chunk.rows["a_win"].sum() + chunk.rows["b_win"].sum()), 60)
    assert won + sum(counts.capped) + sum(counts.nobody) == 200 * len(contest.tables)
    assert sum(counts.capped) > 0


def test_moments_have_a_value_for_every_pair() -> None:
    moments = Moments((1, 2, 3), (11, 12, 13, 22, 23, 33))
    assert [[moments.product(i, j) for j in range(3)] for i in range(3)] == [
        [11, 12, 13],
        [12, 22, 23],
        [13, 23, 33],
    ]
