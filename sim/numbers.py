"""Numbers as people type them: 1e6, 1_000_000, 2.5e5; anything else is refused by name."""

from __future__ import annotations

import re
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from .errors import RequestError

MOST_GAMES = 10**15
LARGEST_INDEX = 2**63 - 1
LARGEST_SEED = 2**64 - 1
LOWEST_LEVEL, HIGHEST_LEVEL = 0.5, 0.99999

_NUMBER = re.compile(r"[+-]?([0-9]+(_[0-9]+)*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


def whole_number(value: Any, name: str, low: int, high: int) -> int:
    """Read a whole number.

    Parameters
    ----------
    value : int, float with an integral value, or str
    name : str
        What it is for, in error messages: ``--n``, ``seed``.
    low, high : int
        Smallest and largest value allowed.

    Raises
    ------
    RequestError
        When it is no whole number from `low` to `high`.
    """
    wanted = f"a whole number from {low:,} to {high:,}"
    if isinstance(value, bool):
        raise RequestError(f"{name} {value}: must be {wanted}.")
    number: Decimal | int | None = None
    if isinstance(value, Integral):
        number = int(value)
    elif isinstance(value, Real):
        number = int(float(value)) if float(value).is_integer() else None
    elif isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        exact = Decimal(value.strip().replace("_", ""))
        # 1e999 is a number, but no reason to make one of 999 digits.
        if exact.adjusted() > 30:
            number = 10**30 if exact > 0 else -(10**30)
        elif exact == exact.to_integral_value():
            number = int(exact)
    if number is None or not low <= number <= high:
        raise RequestError(f"{name} {value}: must be {wanted}.")
    return int(number)


def games_count(value: Any, name: str = "--n") -> int:
    """Read a number of games."""
    return whole_number(value, name, 1, MOST_GAMES)


def seed_number(value: Any, name: str = "--seed") -> int:
    """Read a seed: any whole number below 2^64."""
    try:
        return whole_number(value, name, 0, LARGEST_SEED)
    except RequestError:
        raise RequestError(
            f"{name} {value}: a seed is a whole number from 0 to 2^64-1 ({LARGEST_SEED})."
        ) from None


def index_range(text: str, name: str = "--index") -> tuple[int, int]:
    """Read an index, or a range A..B with both ends; returns the first and the last."""
    first, dots, last = text.partition("..")
    low = whole_number(first, name, 0, LARGEST_INDEX)
    high = whole_number(last, name, 0, LARGEST_INDEX) if dots else low
    if high < low:
        raise RequestError(f"{name} {text}: the range ends before it begins.")
    return low, high


def real_number(value: Any, name: str, low: float, high: float, said: str | None = None) -> float:
    """Read a number strictly between `low` and `high`.

    Parameters
    ----------
    value : float, int or str
    name : str
        What it is for, in error messages.
    low, high : float
    said : str, optional
        How it was typed, for messages; the name and the value if left out.

    Raises
    ------
    RequestError
        When it is no such number.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not low < number < high:
        bound = f"between {low:g} and {high:g}" if high != float("inf") else f"above {low:g}"
        raise RequestError(f"{said or f'{name} {value}'}: must be a number {bound}.")
    return number


def read_level(value: Any, name: str = "--level") -> float:
    """Read the level of intervals.

    Below 0.5 an interval says nothing; above 0.99999 its ends hang on tails that the counts of no
    run tell, and 1 less the level loses its digits.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool) or not LOWEST_LEVEL <= number <= HIGHEST_LEVEL:
        raise RequestError(
            f"{name} {value}: must be a number from {LOWEST_LEVEL} to {HIGHEST_LEVEL}, "
            "such as 0.95."
        )
    return number
