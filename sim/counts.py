"""Exact integer counts of games: what a chunk comes down to, and how chunks add up.

All rates, means and intervals are computed from these at the end, so they are the same
however a run was cut up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from .game import Game

if TYPE_CHECKING:
    import numpy as np

SHARE = 60
"""Least common multiple of 1..6: a win shared by k counts 60/k."""


@dataclass(frozen=True)
class Counts:
    """Counts of some games. Every game is in one of: sole win, shared win, nobody, capped."""

    games: int = 0
    finished: int = 0
    capped: int = 0
    nobody: int = 0
    """Finished without a winner."""
    wins: tuple[int, ...] = ()
    """Sole wins by seat."""
    shared: tuple[Mapping[int, int], ...] = ()
    """By seat: number of winners -> games the seat shared with so many winners in all."""
    score60: tuple[int, ...] = ()
    """By seat: sum of 60/k over the games it won with k winners."""
    lengths: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """Exact histograms of the finished games."""
    scores: Mapping[str, tuple[Mapping[int, int], ...]] = field(default_factory=dict)
    """Exact histograms of the finished games, one a seat."""
    events: Mapping[str, int | tuple[int, ...]] = field(default_factory=dict)
    tallies: Mapping[str, Mapping[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of both together; they must be of different games."""
        if not self.games:
            return other
        if not other.games:
            return self
        return Counts(
            **{
                one.name: _add(getattr(self, one.name), getattr(other, one.name))
                for one in fields(self)
            }
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries; mappings become lists of [key, value]."""
        return {
            "games": self.games,
            "finished": self.finished,
            "capped": self.capped,
            "nobody": self.nobody,
            "wins": list(self.wins),
            "shared": [sorted(map(list, one.items())) for one in self.shared],
            "score60": list(self.score60),
            "lengths": {name: sorted(map(list, one.items())) for name, one in self.lengths.items()},
            "scores": {
                name: [sorted(map(list, one.items())) for one in seats]
                for name, seats in self.scores.items()
            },
            "events": {
                name: list(one) if isinstance(one, tuple) else one
                for name, one in self.events.items()
            },
            "tallies": {
                name: [[list(key), list(value)] for key, value in sorted(one.items())]
                for name, one in self.tallies.items()
            },
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Counts:
        """Return the counts that `to_json` wrote."""
        return cls(
            games=data["games"],
            finished=data["finished"],
            capped=data["capped"],
            nobody=data["nobody"],
            wins=tuple(data["wins"]),
            shared=tuple({k: count for k, count in one} for one in data["shared"]),
            score60=tuple(data["score60"]),
            lengths={
                name: {value: count for value, count in one}
                for name, one in data["lengths"].items()
            },
            scores={
                name: tuple({value: count for value, count in one} for one in seats)
                for name, seats in data["scores"].items()
            },
            events={
                name: tuple(one) if isinstance(one, list) else one
                for name, one in data["events"].items()
            },
            tallies={
                name: {tuple(key): tuple(value) for key, value in one}
                for name, one in data["tallies"].items()
            },
        )


def _add(one: Any, other: Any) -> Any:
    if isinstance(one, int):
        return one + other
    if isinstance(one, tuple):
        return tuple(_add(a, b) for a, b in zip(one, other, strict=True))
    merged = dict(one)
    for key, value in other.items():
        merged[key] = _add(merged[key], value) if key in merged else value
    return merged


def total(many: Iterable[Counts]) -> Counts:
    """Return the counts of all together."""
    result = Counts()
    for one in many:
        result = result + one
    return result


def _histogram(values: np.ndarray) -> dict[int, int]:
    import numpy as np

    if not len(values):
        return {}
    values = np.ascontiguousarray(values)
    if values.min() >= 0 and values.max() < 1 << 20:
        counts = np.bincount(values)
        found = np.flatnonzero(counts)
        return dict(zip(found.tolist(), counts[found].tolist(), strict=True))
    found, counts = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _sums(rows: np.ndarray) -> Any:
    """Sum of each field, all int64: in one pass, as memory lies."""
    import numpy as np

    numbers = rows.view(np.int64).reshape(len(rows), rows.dtype.itemsize // 8)
    return numbers.sum(axis=0).view(rows.dtype)[0]


def count_rows(game: Game, players: int, rows: np.ndarray, tally: np.ndarray) -> Counts:
    """Count the rows of a chunk.

    Parameters
    ----------
    game : Game
    players : int
        Seats that play.
    rows : structured array
        As the kernel wrote them.
    tally : int64 array
        The kernel's own counts for these rows.
    """
    import numpy as np

    capped = rows["capped"] != 0
    any_capped = bool(capped.any())
    finished = rows[~capped] if any_capped else rows
    masks = np.bincount(finished["winners"], minlength=1 << players)
    wins = [0] * players
    score60 = [0] * players
    shared: list[dict[int, int]] = [{} for _ in range(players)]
    for mask in range(1, 1 << players):
        number = int(masks[mask])
        seats = [seat for seat in range(players) if mask >> seat & 1]
        for seat in seats if number else ():
            score60[seat] += SHARE // len(seats) * number
            if len(seats) == 1:
                wins[seat] += number
            else:
                shared[seat][len(seats)] = shared[seat].get(len(seats), 0) + number
    events: dict[str, int | tuple[int, ...]] = {}
    sums = _sums(finished)
    sums_capped = _sums(rows[capped]) if any_capped else np.zeros(1, rows.dtype)[0]
    for count in game.counts:
        summed = (sums_capped if count.capped else sums)[count.field]
        if count.at is not None:
            summed = summed[count.at]
        events[count.name] = (
            tuple(int(one) for one in summed[:players]) if count.per_seat else int(summed)
        )
    return Counts(
        games=len(rows),
        finished=len(finished),
        capped=len(rows) - len(finished),
        nobody=int(masks[0]),
        wins=tuple(wins),
        shared=tuple(shared),
        score60=tuple(score60),
        lengths={name: _histogram(finished[name]) for name in game.lengths},
        scores={
            name: tuple(_histogram(finished[name][:, seat]) for seat in range(players))
            for name in game.scores
        },
        events=events,
        tallies={one.name: _tally(tally) for one in game.tallies},
    )


def _tally(tally: np.ndarray) -> dict[tuple[int, ...], tuple[int, ...]]:
    import numpy as np

    return {
        tuple(key): tuple(tally[tuple(key)].tolist())
        for key in np.argwhere(tally.any(axis=-1)).tolist()
    }
