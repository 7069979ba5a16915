"""Two saved runs, compared: identical, paired on the deals they share, or as separate runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any

from ..sim.contest import COMPANY, TABLES, Contest, Table
from ..sim.counts import Counts
from ..sim.errors import RequestError, RunError
from ..sim.game import Mean, MeanScore, Rate
from ..sim.numbers import games_count, read_level
from ..sim.plan import Plan
from .arms import Base
from .compare import ComparisonResult, compare_base
from .comparison import Asked, Comparison
from .effects import MEAN_MATTERS, RATE_MATTERS, Compared, figure_label, figure_scale
from .figures import read_matters
from .intervals import moments
from .multiple import bonferroni_level, holm
from .paired import Difference, unpaired_difference
from .proportions import difference_p, newcombe
from .read_back import Saved, read_back
from .sentences import sentence
from .summary import denominator, quoted
from .verdict import judge


@dataclass(frozen=True)
class Pair:
    """Two saved runs, ready to be compared."""

    contest: Contest
    folders: tuple[Path, Path]
    saved: tuple[Saved, Saved]
    first: int
    n: int
    """Indices that both runs have finished, from `first` on; 0: none, or other deals."""
    level: float
    matters: Mapping[str, float]

    @property
    def identical(self) -> bool:
        """Whether the runs are of the same games, wherever both have them."""
        a, b = (_played(table.plan) for table in self.contest.tables)
        return a == b and self.n > 0

    @property
    def again(self) -> str:
        """What is to be said before it is compared: that games are played again."""
        if self.identical or not self.n:
            return ""
        units = self.contest.unit.word(self.n)
        same = "deals" if self.contest.same_deals else "indices"
        return f"both have the same {same}: {self.n:,} {units} of each are played again, in turn"

    def compare(self, **how: Any) -> ComparisonResult:
        """Return the comparison."""
        names = [quoted(str(folder)) for folder in self.folders]
        a, b = (one.counts for one in self.saved)
        if self.identical:
            ranges = [(one.manifest.first, one.counts.games) for one in self.saved]
            if ranges[0] == ranges[1] and a != b:
                raise RunError(
                    f"{self.folders[0]} and {self.folders[1]} are of the same games, but their "
                    f"counts differ: one is damaged.\n  Find out: simcards verify {names[0]}"
                )
            return ComparisonResult(self._summary((), n=self.n, identical=True), a, None, None)
        if self.n:
            return compare_base(
                Base(self.contest.game),
                "",
                "",
                contest=self.contest,
                request=" ".join(names),
                n=self.n,
                first=self.first,
                level=self.level,
                matters=self.matters or None,
                **how,
            )
        n = min(a.games, b.games)
        return ComparisonResult(self._summary(tuple(self._figures(a, b)), n=n), a, None, None)

    def _figures(self, a: Counts, b: Counts) -> Iterator[Compared]:
        """Yield the figures of runs of different deals, from what was counted in each."""
        level = bonferroni_level(self.level, len(self.contest.figures))
        for name, figure in self.contest.figures:
            found = _figure(self.contest, figure, a, b, level)
            if found is None:
                continue
            difference, value_a, value_b = found
            rate = isinstance(figure, Rate)
            least = self.matters.get(
                name, self.matters.get("", RATE_MATTERS) if rate else MEAN_MATTERS * abs(value_a)
            )
            yield Compared(
                name,
                figure_label(self.contest, figure),
                "of 100" if rate else name,
                value_a,
                value_b,
                difference,
                least,
                judge(difference.estimate, difference.interval, least, min(a.games, b.games)),
            )

    def _summary(
        self, figures: tuple[Compared, ...], *, n: int, identical: bool = False
    ) -> Comparison:
        a, b = (one.counts for one in self.saved)
        request = " ".join(quoted(str(folder)) for folder in self.folders)
        found = Comparison(
            contest=self.contest,
            asked=Asked(request, matters=self.matters),
            first=self.first,
            n=n,
            completed=n,
            paired=identical,
            status="complete",
            stop_reason="n",
            level=self.level,
            precision=None,
            figures=figures,
            adjusted=tuple(holm([one.difference.p_value for one in figures])),
            family=len(self.contest.figures),
            main=None,
            signs=(0, 0, 0),
            capped=(a.capped, b.capped),
            nobody=(a.nobody, b.nobody),
            saved=None,
            could_see=None,
            luck=None,
            seats=(),
            neighbours=(None, None),
            highest=(),
            lowest=(),
            tested=None,
            command=f"simcards compare {request}",
            saved_in="",
            keeps_rows=False,
            identical=identical,
            played_apart=(a.games, b.games),
        )
        return replace(found, sentence=sentence(found))


def _played(plan: Plan) -> tuple[object, ...]:
    """What decides the games of a plan, whatever its parts are called."""
    players = tuple(
        tuple((one.number, one.parameters, one.bot and one.bot.digest) for one in player.choices)
        for player in plan.players
    )
    return plan.game, plan.rules, players, plan.seed


def _figure(
    contest: Contest, figure: Rate | Mean | MeanScore, a: Counts, b: Counts, level: float
) -> tuple[Difference, float, float] | None:
    """A figure of both runs and the difference of what are independent samples."""
    plans = [table.plan for table in contest.tables]
    if isinstance(figure, Rate):
        counts = {count.name: count for count in contest.description.counts}
        scale = figure_scale(figure, counts)
        sums = []
        for plan, one in zip(plans, (a, b), strict=True):
            if figure.count == "wins":
                total, n = one.score60[figure.seat or 0], one.finished
            else:
                value = one.events[figure.count]
                total = value if isinstance(value, int) else value[figure.seat or 0]
                n = denominator(plan, one, counts[figure.count].per)
            sums.append((total, n))
        (total_a, n_a), (total_b, n_b) = sums
        interval = newcombe(total_a, n_a, total_b, n_b, level, scale=scale)
        if interval is None:
            return None
        value_a, value_b = total_a / (n_a * scale), total_b / (n_b * scale)
        parts = [
            total * (n * scale - total) / (n * scale) ** 2 / n
            for total, n in ((total_a, n_a), (total_b, n_b))
        ]
        error = sqrt(sum(parts))
        p_value = difference_p(total_a, n_a, total_b, n_b, scale=scale)
        return Difference(value_a - value_b, interval, error, p_value, n_a + n_b), value_a, value_b
    samples = [
        moments(
            one.lengths[figure.length]
            if isinstance(figure, Mean)
            else one.scores[figure.score][figure.seat]
        )
        for one in (a, b)
    ]
    difference = unpaired_difference(*samples[0], *samples[1], level)
    if difference is None:
        return None
    (n_a, total_a, _), (n_b, total_b, _) = samples
    return difference, total_a / n_a, total_b / n_b


def open_pair(
    one: Path, other: Path, *, n: Any = None, matters: Any = None, level: Any = 0.95
) -> Pair:
    """Read two saved runs that are to be compared.

    Raises
    ------
    RequestError
        When there is no run, nothing finished in it, or they are of different games.
    """
    saved = read_back(one), read_back(other)
    plans = []
    for folder, found in zip((one, other), saved, strict=True):
        plan = found.manifest.plan
        if not isinstance(plan, Plan):
            raise RequestError(
                f"{folder}: holds a {found.manifest.format.split()[-1]}; two runs can be compared."
            )
        if not found.counts.games:
            raise RequestError(
                f"{folder}: nothing was finished there.\n"
                f"  Go on with it: simcards resume {quoted(str(folder))}"
            )
        plans.append(plan)
    if plans[0].game != plans[1].game:
        raise RequestError(f"{one} is of {plans[0].game}, {other} of {plans[1].game}.")
    contest = Contest(
        TABLES,
        (str(one), str(other)),
        tuple(Table(plan, (COMPANY,) * plan.rules.players) for plan in plans),
    )
    firsts = [found.manifest.first for found in saved]
    ends = [start + found.counts.games for start, found in zip(firsts, saved, strict=True)]
    common = max(0, min(ends) - max(firsts))
    if plans[0].seed != plans[1].seed:
        common = 0
    if n is not None:
        wanted = games_count(n)
        if wanted > common:
            have = f"have only {common:,} in common" if common else "are of different deals"
            raise RequestError(f"--n {n}: {one} and {other} {have}; leave --n out.")
        common = wanted
    return Pair(
        contest,
        (one, other),
        saved,
        max(firsts),
        common,
        read_level(level),
        read_matters(matters, contest),
    )
