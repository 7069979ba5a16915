"""How a game feels at the table: every turn is seen, and leads are what the game says they are."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest

import simcards
from simcards.analysis import at_table as table
from simcards.sim.chunk import play_told, prepare_plan
from simcards.sim.errors import RequestError
from simcards.sim.games import GAMES
from simcards.sim.plan import make_plan

RULES: dict[str, list[dict[str, Any]]] = {
    "aces": [{}, {"match": "hand"}, {"shrink": 0, "hands": 3}, {"finish": "last_turn"},
             {"max_turns": 60}],
    "thirteen": [{}, {"target": 10}, {"lockout": "off"}, {"play_until": "first"},
                 {"score": "cards", "target": 20}, {"instant": "none"}],
    "horner": [{}, {"turn": "chain"}, {"recycle": "pool"}, {"recycle": "sync"},
               {"discard_plays": "many"}, {"flip_after_discard": "no"},
               {"pies": "capacity", "pie_value": "printed"}, {"round_end": "first_out"}],
}  # fmt: skip
CASES = [
    (game.name, players, rules)
    for game in GAMES
    for players in (2, 3, 4)
    for rules in RULES[game.name]
]


def told(game: str, players: int, rules: dict[str, Any], n: int = 25, **more: Any) -> Any:
    """Games with the turns that are seen in them."""
    plan = make_plan(game, players=players, rules=rules, seed=5, **more)
    prepare_plan(plan)
    for index in range(n):
        done = play_told(plan, index)
        log = done.log[: done.told].tolist()
        yield plan, done.rows[0], list(plan.description.standings(plan.rules, log))


@pytest.mark.parametrize("game, players, rules", CASES, ids=str)
def test_every_turn_is_seen(game: str, players: int, rules: dict[str, Any]) -> None:
    for plan, row, turns in told(game, players, rules):
        if not row["capped"]:
            assert len(turns) == row["turns"]
        assert all(0 <= seat < plan.rules.players for seat, _ in turns)
        assert all(len(ahead) == players for _, ahead in turns)


def test_few_turns_of_a_lone_player_may_be_taken_for_one() -> None:
    seen = played = 0
    for _, row, turns in told("horner", 3, {"discard_plays": "many"}, 100, strategies="random"):
        assert len(turns) <= row["turns"]
        seen, played = seen + len(turns), played + int(row["turns"])
    assert seen > 0.99 * played


@pytest.mark.parametrize("game, players, rules", CASES, ids=str)
def test_who_is_ahead_in_the_end_wins(game: str, players: int, rules: dict[str, Any]) -> None:
    """A match is won by who leads after its last turn, except where leading is something else."""
    if game == "horner" and rules.get("round_end") == "first_out":
        pytest.skip("points are counted after the last turn")
    checked = 0
    for plan, row, turns in told(game, players, rules):
        if row["capped"] or not turns or (game == "aces" and plan.rules.finish == "last_turn"):
            continue
        ahead = turns[-1][1]
        best = [seat for seat, one in enumerate(ahead) if one == max(ahead)]
        winners = [seat for seat in range(players) if int(row["winners"]) >> seat & 1]
        if game == "horner":  # equal points are shared, whatever the cards
            points = [one // 1000 + (one % 1000 > 0) for one in ahead]
            best = [seat for seat, one in enumerate(points) if one == max(points)]
        if len(best) == 1 and not (game == "aces" and len(winners) > 1):  # as many hands won
            assert best == winners
            checked += 1
    assert checked or (game == "aces" and "finish" in rules)


def again(game: str, seed: int, index: int, players: int) -> Counter[str]:
    """The same from the published events of thirteen, in other words."""
    told = simcards.replay(game, seed=seed, index=index, players=players)
    end = told.events[-1]
    left, out = [13] * players, []
    turns: list[tuple[int, list[float]]] = []
    for event in told.events:
        if event["event"] == "play":
            left[event["player"]] -= len(event["cards"])
            if left[event["player"]] == 0:
                out.append(event["player"])
        if event["event"] in ("play", "pass"):
            rank = [-1.0 * cards for cards in left]
            for place, seat in enumerate(out):
                rank[seat] = 100 - place
            turns.append((event["player"], rank))
    found: Counter[str] = Counter()
    found["turns"], found["finished"] = end["turns"], 1
    found["won_alone"] = end["winner"] >= 0
    before: dict[int, int] = {}
    for at, (seat, _) in enumerate(turns):
        if seat in before:
            found["gaps"] += 1
            found["waits"] += at - before[seat] - 1
        before[seat] = at
    leader = None
    for _, rank in turns:
        best = [seat for seat in range(players) if rank[seat] == max(rank)]
        if len(best) == 1:
            found["changes"] += leader is not None and leader != best[0]
            leader = best[0]
    if turns:
        rank = turns[int(np.ceil(len(turns) / 2)) - 1][1]
        best = [seat for seat in range(players) if rank[seat] == max(rank)]
        if len(best) == 1:
            found["led_half"] = 1
            found["half60"] = 60 * (end["winner"] == best[0])
        last = min(rank)
        found["comebacks"] = end["winner"] >= 0 and rank[end["winner"]] == last and max(rank) > last
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_figures_are_those_of_the_published_events(players: int) -> None:
    plan = make_plan("thirteen", players=players, seed=8)
    prepare_plan(plan)
    found = table.tell(plan, 30, 40)
    for j in range(40):
        ours = dict(zip(table.COLUMNS, found.values[j].tolist(), strict=True))
        for name, value in again("thirteen", 8, 30 + j, players).items():
            assert ours[name] == value, (j, name)


def test_a_made_up_game() -> None:
    turns = [(0, (0, 0)), (1, (0, 5)), (0, (9, 5)), (0, (9, 5)), (1, (9, 9)), (1, (9, 20))]
    found = table._look(turns, [1])
    # seat 0: 0 -> 2 -> 3; seat 1: 1 -> 4 -> 5
    assert (found.gaps, found.waits) == (4, 1 + 0 + 2 + 0)
    assert found.changes == 2  # 1 leads, then 0, then both, then 1 again
    assert (found.led_half, found.half60) == (1, 0)  # after three turns 0 leads
    assert found.comeback  # 1 was last then
    assert found.curve[-1] == (1, 60)
    assert not table._look(turns, [0, 1]).comeback
    assert table._look(turns, [0, 1]).half60 == 30
    alone = table._look([(0, (1,)), (0, (2,))], [0])
    assert not alone.comeback and alone.waits == 0


def test_the_moment_from_which_the_leader_is_sure() -> None:
    def of(shares: list[float]) -> float | None:
        led60 = tuple(round(6000 * share) for share in shares)
        return table.sure_from(table.Told(100, np.zeros((0, 11)), (100,) * table.STEPS, led60, ()))

    low = [0.5] * 12
    assert of([*low, *[0.8] * 8]) == 13 / 20
    assert of([*low, 0.9, 0.79, *[0.8] * 6]) == 15 / 20
    assert of([0.9] * 20) == 1 / 20
    assert of([*[0.9] * 19, 0.7]) is None


def test_a_run_tells_its_first_games() -> None:
    run = simcards.run("aces", 300, seed=3, first=7, at_table=True, seconds_per_turn=7.5)
    found = run.summary.to_json()["at_table"]
    json.dumps(found, allow_nan=False)
    assert (found["n"], found["seconds_per_turn"]) == (300, 7.5)
    figures = {one["name"]: one for one in found["figures"]}
    turns = run.summary.lengths["turns"].mean
    assert figures["minutes"]["value"] == pytest.approx(turns * 7.5 / 60)
    for one in figures.values():
        assert one["interval"][0] <= one["value"] <= one["interval"][1]
        assert one["interval"][0] < one["interval"][1]
    events = run.summary.events
    choices = events["decisions_free"] / (events["decisions_free"] + events["decisions_forced"])
    assert figures["choices"]["value"] == pytest.approx(choices)
    assert "at the table" in str(run) and "7.5 s a turn" in str(run)
    assert simcards.run("aces", 30, seed=3).summary.to_json()["at_table"] is None


def test_no_more_than_so_many_games_are_told(monkeypatch) -> None:
    monkeypatch.setattr(table, "TOLD", 20)
    run = simcards.run("horner", 50, seed=3, at_table=True)
    assert run.summary.at_table is not None and run.summary.at_table.n == 20


@pytest.mark.parametrize("given", ["x", 0, -3, "nan", 1e9, "0.00001"])
def test_seconds_that_are_none(given: Any) -> None:
    with pytest.raises(RequestError, match="--seconds-per-turn"):
        simcards.run("aces", 10, at_table=True, seconds_per_turn=given)


def test_what_is_not_asked_for_is_refused() -> None:
    with pytest.raises(RequestError, match="belongs to --at-table"):
        simcards.run("aces", 10, seconds_per_turn=5)
    with pytest.raises(RequestError, match="True or False"):
        simcards.run("aces", 10, at_table=3)


def test_cells_of_a_sweep_are_compared_at_the_table() -> None:
    vary = {"lockout": ["on", "off"], "players": [3, 4]}
    found = simcards.sweep("thirteen", vary, 120, seed=3, at_table=True, figures=["turns"]).summary
    assert found.at_table is not None
    rows = {(row.cell, row.name): row for row in found.at_table.rows}
    assert found.at_table.comparisons == 3 * len(table.FIGURES)
    for cell, one in enumerate(found.contest.tables):
        shown = {s.figure.name: s for s in table.at_table(one.plan, 0, 120).figures}
        for name, figure in shown.items():
            row = rows[cell, name]
            assert (row.estimate, row.interval) == (figure.value, figure.interval)
            if cell:
                base = rows[0, name].estimate
                assert row.compared.difference.estimate == pytest.approx(figure.value - base)
            else:
                assert row.compared is None
    # Minutes differ as turns do, with the same error.
    turns = next(row for row in found.rows if row.name == "turns" and row.cell == 1)
    minutes = rows[1, "minutes"]
    assert minutes.compared.difference.estimate == pytest.approx(
        turns.compared.difference.estimate / 6
    )
    assert len(found.table()) == 4 + 4 * len(table.FIGURES)


def test_random_games_of_every_kind_can_be_told() -> None:
    """Whatever the rules and players: nothing is out of range."""
    source = random.Random(4)
    for _ in range(30):
        game, players, rules = source.choice(CASES)
        plan = make_plan(game, players=players, rules=rules, seed=source.randrange(10**6))
        prepare_plan(plan)
        found = table.tell(plan, source.randrange(1000), 5)
        values = dict(zip(table.COLUMNS, found.values.T, strict=True))
        assert (values["waits"] >= 0).all() and (values["half60"] <= 60).all()
        assert (values["comebacks"] <= values["won_alone"]).all()
        assert (values["led_half"] <= values["finished"]).all()
        assert all(60 * led >= led60 for led, led60 in zip(found.led, found.led60, strict=True))


def test_what_does_not_happen_in_the_base_can_be_compared() -> None:
    found = simcards.sweep("aces", {"layout": [1, 2]}, 60, seed=1, at_table=True).summary
    assert found.at_table is not None
    changes = [row for row in found.at_table.rows if row.name == "lead_changes"]
    assert changes[0].estimate == 0 and changes[1].compared.matters > 0


def test_shares_stay_shares_however_few_games() -> None:
    for n in (1, 3, 30, 31):
        for game in ("aces", "thirteen", "horner"):
            found = simcards.run(game, n, seed=3, at_table=True).summary.at_table
            assert found is not None and found.sure_from is None
            for one in found.figures:
                # Means of a handful of games have no interval, shares of games Wilson's.
                share = one.figure.rate and one.figure.below != "choices"
                assert (one.interval is not None) == (share or n >= 30)
                if one.interval is not None:
                    assert one.interval.low >= 0
                    assert not one.figure.rate or one.interval.high <= 1


def test_a_stop_while_games_are_told_leaves_what_was_played(monkeypatch) -> None:
    from simcards.sim.errors import Interrupted

    monkeypatch.setattr(table, "at_table", lambda *words, **more: time.sleep(2))
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(Interrupted) as stopped:
        simcards.run("aces", 50, seed=3, at_table=True)
    assert stopped.value.result.summary.completed == 50
    assert stopped.value.exit_code == 130
