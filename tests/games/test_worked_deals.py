"""The worked deals of docs/randomness.md, step by step, and in the kernel's own replay."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from referees.streams import philox4x32_10, stream

import simcards
from simcards.sim.games import games

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "randomness.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
ROW = re.compile(r"^\| (\d+) +\| `([0-9a-f]{8})` \| (\d+) +\| (\d+) +\| (\w+) +\|$", re.MULTILINE)
RANKS = "3 4 5 6 7 8 9 10 J Q K A 2".split()
POOLS = {
    "aces": [rank for rank in "A 2 3 4 5 6 7 8 9 10 J Q K".split() for _ in range(4)],
    "horner": [f"{variety}{number}" for variety in "LCDG" for number in range(1, 8)],
    "thirteen": [rank + suit for rank in RANKS for suit in "SCDH"],
}


def test_every_game_has_a_worked_deal() -> None:
    assert sorted(POOLS) == sorted(games())
    block = " ".join(f"{word:08x}" for word in philox4x32_10((3, 0, 0, 0), (7, 0)))
    assert f"`{block}`" in TEXT


@pytest.mark.parametrize("game", POOLS)
def test_a_worked_deal_is_right(game: str) -> None:
    words = stream(7, 0, 3, 0)
    pool = list(POOLS[game])
    rows = ROW.findall(SECTIONS[game])
    assert len(rows) == 8
    turned = []
    for number, (row, word, left, at, card) in enumerate(rows, 1):
        assert (int(row), int(word, 16), int(left)) == (number, words.word(), len(pool))
        place = int(word, 16) * len(pool) >> 32
        assert int(at) == place and card == pool[place]
        pool[place] = pool[-1]
        pool.pop()
        turned.append(card)
    events = simcards.replay(game, seed=7, index=3).events
    deal = next(event for event in events if event["event"] == "deal")
    if game == "aces":
        seen = []
        for event in events:
            if event["event"] == "draw":
                seen.append(event["card"])
            elif event["event"] == "place" and event["displaced"]:
                seen.append(event["displaced"])
        assert seen[:8] == turned
    elif game == "horner":
        assert [deal["piles"][j % 2][j // 2] for j in range(8)] == turned
    else:
        for j, card in enumerate(turned):
            assert card in deal["hands"][j % 4]
