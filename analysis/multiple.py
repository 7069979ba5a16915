"""Several questions asked of one study, so that luck doesn't answer one of them.

Of twenty differences that don't exist, one is outside its 95 % interval as a rule. Which remedy is
right depends on what is said in the end:

- a few claims, all of which should hold together: the *family-wise* error, the chance that any of
  them is wrong. For intervals `bonferroni_level`, for p-values `holm`.
- a list of finds from many candidates, some of which may be wrong: the *false discovery rate*, the
  share of the list that is. `benjamini_hochberg`.
- one question that was fixed beforehand: neither.

What counts is all that was looked at, not what is shown.
"""

from collections.abc import Iterable
from operator import index


def bonferroni_level(level: float, comparisons: int) -> float:
    """The level that each of several intervals needs so that all of them hold with `level`.

    *Use it* where several intervals are read together, as each strategy's difference from a first
    one. It holds however the intervals depend on each other: same deals, seats of one table, a
    common baseline. *Don't use it* for p-values, for which `holm` finds at least as much; nor to
    go through hundreds of candidates, which it makes all but invisible.

    Parameters
    ----------
    level
        Least probability that all intervals hold.
    comparisons
        How many there are.

    Returns
    -------
    1 - (1 - `level`) / `comparisons`: the chances of a miss add up to 1 - `level` at most.

    Raises
    ------
    ValueError
        If `level` isn't between 0 and 1.
    ValueError
        If `comparisons` is less than 1.

    References
    ----------
    O. J. Dunn (1961), Multiple comparisons among means, J. Am. Stat. Assoc. 56, 52-64: the
    inequality of Bonferroni used for intervals.

    Examples
    --------
    >>> round(bonferroni_level(0.95, 5), 6)
    0.99
    """
    comparisons = index(comparisons)
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    if comparisons < 1:
        raise ValueError(f"comparisons must be at least 1, not {comparisons}")
    return 1 - (1 - level) / comparisons


def holm(p_values: Iterable[float]) -> list[float]:
    """Holm's adjusted p-values: the family-wise error, for a few claims.

    Whoever claims what has an adjusted p-value of at most 0.05 makes any false claim with a
    probability of at most 0.05. *Use it* for the handful of comparisons that a study is about.
    It holds however the p-values depend on each other, as those of seats at one table do. *Don't
    use it* to find candidates among hundreds, which `benjamini_hochberg` is for.

    Parameters
    ----------
    p_values
        A p-value for each question asked, in any order.

    Returns
    -------
    The adjusted p-values in the same order; none for none. None of them is less than the p-value
    itself.

    Raises
    ------
    ValueError
        If a p-value isn't from 0 to 1, or is NaN.

    Notes
    -----
    Of m p-values in ascending order, the k-th is multiplied by m - k + 1, and none may come out
    less than the one before: a claim falls with all that are weaker.

    References
    ----------
    S. Holm (1979), A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6,
    65-70.

    Examples
    --------
    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    values = _checked(p_values)
    adjusted, least = [0.0] * len(values), 0.0
    for rank, place in enumerate(_ascending(values)):
        least = max(least, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = least
    return adjusted


def benjamini_hochberg(p_values: Iterable[float]) -> list[float]:
    """Benjamini and Hochberg's adjusted p-values: the false discovery rate, for many candidates.

    Of all finds with an adjusted p-value of at most 0.05, on the average at most 0.05 are wrong.
    *Use it* to screen many candidates (rules, card values, pairs of strategies) for those worth a
    run of their own. *Don't use it* for what a study claims in the end: that any *one* find is
    true is not what it promises, and a list of sure finds hides as many wrong ones as it likes.

    It is proven for p-values that are independent or depend positively. Those of the seats at one
    table depend negatively, since one seat's wins are the others' losses; use `holm` there.

    Parameters
    ----------
    p_values
        A p-value for each candidate, in any order; also for those that look like nothing.

    Returns
    -------
    The adjusted p-values in the same order; none for none. None of them is less than the p-value
    itself, or more than that of `holm`.

    Raises
    ------
    ValueError
        If a p-value isn't from 0 to 1, or is NaN.

    Notes
    -----
    Of m p-values in ascending order, the k-th is multiplied by m / k, and none may come out more
    than the one after.

    References
    ----------
    Y. Benjamini, Y. Hochberg (1995), Controlling the false discovery rate: a practical and powerful
    approach to multiple testing, J. R. Statist. Soc. B 57, 289-300.
    Y. Benjamini, D. Yekutieli (2001), The control of the false discovery rate in multiple testing
    under dependency, Ann. Statist. 29, 1165-1188.

    Examples
    --------
    >>> [round(p, 6) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    values = _checked(p_values)
    adjusted, most = [0.0] * len(values), 1.0
    for rank, place in reversed(list(enumerate(_ascending(values), 1))):
        # The quotient first: it is at least 1, so rounding can't take the product below the value.
        most = min(most, values[place] * (len(values) / rank))
        adjusted[place] = most
    return adjusted


def _checked(p_values: Iterable[float]) -> list[float]:
    """The p-values as Python's floats."""
    values = [float(p) for p in p_values]
    for place, p in enumerate(values):
        if not 0 <= p <= 1:  # which NaN isn't either
            raise ValueError(f"p-values must be from 0 to 1, but number {place + 1} is {p}")
    return values


def _ascending(values: list[float]) -> list[int]:
    """The places of the values from the smallest value to the largest."""
    return sorted(range(len(values)), key=values.__getitem__)
