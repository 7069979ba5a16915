"""The three sentences a comparison ends in: it matters, too small to matter, can't tell yet."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

from .intervals import Interval

MATTERS, TOO_SMALL, UNKNOWN = "matters", "too small", "unknown"
WORDS = (MATTERS, TOO_SMALL, UNKNOWN)

LEAST_OBSERVATIONS = 30
"""Below so many observations nothing is said to matter, or to be too small, and nothing is rated:
intervals of means rest on more."""
MOST_TOLD = 10**9
"""More observations than this aren't asked for by number."""


@dataclass(frozen=True)
class Verdict:
    """What a difference comes to, judged by its size."""

    word: str
    """matters, too small, or unknown."""
    sign: int
    """1 or -1 if the interval leaves 0 out: which way the difference goes; else 0."""
    more: int | None
    """If unknown: about how many more observations would tell; None: no number would do."""


def judge(estimate: float, interval: Interval, matters: float, n: int) -> Verdict:
    """Judge a difference by its size.

    Parameters
    ----------
    estimate
        The difference that was seen.
    interval
        Its interval.
    matters
        The least size that matters.
    n
        Observations it rests on.

    Returns
    -------
    Verdict
        It matters if the whole interval lies beyond `matters` on one side, and is too small to
        matter if the whole interval lies between. Otherwise, and below `LEAST_OBSERVATIONS`, it
        can't be told yet. The number of
        observations that would tell is for a difference that stays as it is and an interval that
        narrows with the square root of their number; of a difference that nearly equals `matters`,
        which no number would tell, until the interval is a quarter of that to either side.
    """
    if n < LEAST_OBSERVATIONS:
        return Verdict(UNKNOWN, 0, LEAST_OBSERVATIONS - n)
    sign = 1 if interval.low > 0 else -1 if interval.high < 0 else 0
    if interval.low >= matters or interval.high <= -matters:
        return Verdict(MATTERS, sign, None)
    if -matters < interval.low and interval.high < matters:
        return Verdict(TOO_SMALL, sign, None)
    gap = max(abs(abs(estimate) - matters), matters / 4)
    if gap == 0:  # any difference matters, and none was seen
        return Verdict(UNKNOWN, sign, None)
    more = n * ((interval.half_width / gap) ** 2 - 1)
    if more > MOST_TOLD:
        return Verdict(UNKNOWN, sign, None)
    return Verdict(UNKNOWN, sign, two_digits(max(more, n / 10, 1.0)))


def two_digits(number: float) -> int:
    """Round a number of 1 or more to two digits, upwards.

    Examples
    --------
    >>> two_digits(1234.0), two_digits(7.2)
    (1300, 8)
    """
    unit = int("1" + "0" * (floor(log10(number)) - 1))
    return ceil(number / unit) * unit


def more_words(verdict: Verdict, units: str) -> str:
    """Return 'about 60,000 more deals'."""
    if verdict.more is None:
        return f"more than {MOST_TOLD:,} more {units}"
    return f"about {verdict.more:,} more {units}"
