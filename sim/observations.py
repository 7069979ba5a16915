"""What is kept of the observations of a comparison: exact integer sums.

An observation is one index played at every table of a comparison, so the games in it are not
independent, but observations are. Each is a row of whole numbers (who won at which table, how
many turns it took); sums, squares and products over the rows are all that means, differences,
ratios and their errors need. They are integers, so they add up the same in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .counts import Counts

if TYPE_CHECKING:
    import numpy as np

KEPT_EXTREMES = 5
"""How many of the observations with the largest and the smallest difference are remembered."""
_EXACT_FLOAT = 2**53
_EXACT_INT = 2**63
_BLOCK = 64
_SMALL_PRODUCT = 1 << 17
"""Multiplications in a product of matrices that no library gives to several threads."""


@dataclass(frozen=True)
class Moments:
    """Sums and sums of products of the columns of some observations."""

    sums: tuple[int, ...]
    products: tuple[int, ...]
    """Of columns i <= j: row by row, the upper triangle."""

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of both together."""
        return Moments(
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            tuple(a + b for a, b in zip(self.products, other.products, strict=True)),
        )

    def product(self, i: int, j: int) -> int:
        """Return the sum of products of two columns."""
        i, j = min(i, j), max(i, j)
        return self.products[i * len(self.sums) - i * (i - 1) // 2 + j - i]

    def weighted(self, weights: Mapping[int, int]) -> tuple[int, int]:
        """Return the sum, and the sum of squares, of a weighted sum of columns.

        Parameters
        ----------
        weights : mapping of int to int
            Column to weight; columns left out count nothing.
        """
        used = [(column, weight) for column, weight in weights.items() if weight]
        total = sum(weight * self.sums[column] for column, weight in used)
        squares = 0
        for at, (i, a) in enumerate(used):
            squares += a * a * self.product(i, i)
            squares += 2 * a * sum(b * self.product(i, j) for j, b in used[at + 1 :])
        return total, squares


def _float_products(values: np.ndarray) -> np.ndarray:
    """Return the upper triangle of values' products as floats, in small pieces.

    NumPy hands large products to threads of its own, which wait for each other in vain when several
    threads of ours do so at once: a product of 0.2 ms then takes 170 ms. Small ones stay where
    they are.
    """
    import numpy as np

    games, columns = values.shape
    width = min(columns, _BLOCK)
    rows = max(1, min(games, _SMALL_PRODUCT // (width * width)))
    padded = np.zeros((games + -games % rows, columns))
    padded[:games] = values
    pieces = padded.reshape(-1, rows, columns)
    blocks = [
        np.ascontiguousarray(pieces[:, :, at : at + width]) for at in range(0, columns, width)
    ]
    found = np.zeros((columns, columns))
    for i, block in enumerate(blocks):
        left = block.transpose(0, 2, 1)
        for j, other in enumerate(blocks[i:], i):
            across = slice(j * width, j * width + other.shape[2])
            found[i * width : i * width + block.shape[2], across] = (left @ other).sum(axis=0)
    return found


def moments_of(values: np.ndarray) -> Moments:
    """Return the moments of observations, exactly.

    Parameters
    ----------
    values : int64 array of shape (observations, columns)
    """
    import numpy as np

    games = len(values)
    largest = max(int(values.max(initial=0)), -int(values.min(initial=0)))
    bound = largest * largest * max(games, 1)
    if bound < _EXACT_FLOAT:  # every partial sum is a whole number that a float holds
        products: Any = _float_products(values).astype(np.int64)
    elif bound < _EXACT_INT:
        products = values.T @ values
    else:
        wide = values.astype(object)
        products = wide.T @ wide
    columns = values.shape[1]
    return Moments(
        tuple(int(one) for one in values.sum(axis=0, dtype=np.int64)),
        tuple(int(products[i, j]) for i in range(columns) for j in range(i, columns)),
    )


@dataclass(frozen=True)
class Observations:
    """Sums over some observations."""

    games: int = 0
    """How many observations: indices, each with all its tables."""
    capped: tuple[int, ...] = ()
    """Games that were capped, by table."""
    nobody: tuple[int, ...] = ()
    """Finished games without a winner, by table."""
    moments: Mapping[str, Moments] = field(default_factory=dict)
    """By block of columns."""
    signs: tuple[int, int, int] = (0, 0, 0)
    """Observations in which the second arm, neither, or the first arm was ahead."""
    highest: tuple[tuple[int, int], ...] = ()
    """(difference, index) where the first arm was ahead most, the most extreme first."""
    lowest: tuple[tuple[int, int], ...] = ()
    runs: tuple[Counts, ...] = ()
    """Where each arm is a table, all that is counted in a run of it."""

    def __add__(self, other: Observations) -> Observations:
        """Return both together; they must be of different indices."""
        if not self.games:
            return other
        if not other.games:
            return self
        return Observations(
            self.games + other.games,
            tuple(a + b for a, b in zip(self.capped, other.capped, strict=True)),
            tuple(a + b for a, b in zip(self.nobody, other.nobody, strict=True)),
            {name: one + other.moments[name] for name, one in self.moments.items()},
            (
                self.signs[0] + other.signs[0],
                self.signs[1] + other.signs[1],
                self.signs[2] + other.signs[2],
            ),
            _first([*self.highest, *other.highest], -1),
            _first([*self.lowest, *other.lowest], 1),
            tuple(a + b for a, b in zip(self.runs, other.runs, strict=True)),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries."""
        return {
            "games": self.games,
            "capped": list(self.capped),
            "nobody": list(self.nobody),
            "moments": {
                name: [list(one.sums), list(one.products)] for name, one in self.moments.items()
            },
            "signs": list(self.signs),
            "highest": [list(one) for one in self.highest],
            "lowest": [list(one) for one in self.lowest],
            "runs": [one.to_json() for one in self.runs],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Observations:
        """Return the observations that `to_json` wrote."""
        behind, level, ahead = data["signs"]
        return cls(
            data["games"],
            tuple(data["capped"]),
            tuple(data["nobody"]),
            {
                name: Moments(tuple(sums), tuple(products))
                for name, (sums, products) in data["moments"].items()
            },
            (behind, level, ahead),
            tuple((difference, index) for difference, index in data["highest"]),
            tuple((difference, index) for difference, index in data["lowest"]),
            tuple(Counts.from_json(one) for one in data["runs"]),
        )


def _first(found: Iterable[tuple[int, int]], sign: int) -> tuple[tuple[int, int], ...]:
    """Keep the most extreme differences; of equal ones those of the smallest indices."""
    return tuple(sorted(found, key=lambda one: (sign * one[0], one[1]))[:KEPT_EXTREMES])


def differences_of(
    differences: np.ndarray, first: int
) -> tuple[tuple[int, int, int], tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Return signs, highest and lowest of the differences at indices `first`, `first` + 1, ..."""
    import numpy as np

    def extremes(sign: int) -> Sequence[tuple[int, int]]:
        # stable: of equal differences the first ones
        order = np.argsort(sign * differences, kind="stable")[:KEPT_EXTREMES]
        return [
            (int(differences[at]), first + int(at)) for at in order if sign * differences[at] < 0
        ]

    signs = (
        int((differences < 0).sum()),
        int((differences == 0).sum()),
        int((differences > 0).sum()),
    )
    return signs, _first(extremes(-1), -1), _first(extremes(1), 1)
