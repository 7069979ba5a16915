"""Charts of results as matplotlib figures: the same that stand in reports."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..sim.errors import RequestError, did_you_mean
from ..sim.manifest import read_manifest
from .files import write_file
from .report.draw import draw, styled
from .report.page import Block, Chart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..sim.counts import Counts
    from ..sim.observations import Observations
    from .comparison import Comparison
    from .summary import Summary
    from .sweep_sums import Sweep
    from .tournament_sums import Tournament


def _figure(blocks: Iterable[Block], kind: str, name: str | None) -> Figure:
    """Return the figure of one chart, of those whose names begin with `kind`; else the first.

    Raises
    ------
    RequestError
        When there is no such chart.
    """
    charts = {
        block.name.removeprefix(kind).replace("-", "_"): block
        for block in blocks
        if isinstance(block, Chart) and block.name.startswith(kind)
    }
    wanted = next(iter(charts), "") if name is None else name.replace("-", "_")
    if not charts:
        raise RequestError("plot: this result has nothing of the kind to draw.")
    if wanted not in charts:
        known = ", ".join(charts)
        near = did_you_mean(wanted, charts)
        hint = f" Did you mean {near}?" if near else ""
        raise RequestError(f"plot: there is no chart '{wanted}'.{hint}\n  There are: {known}.")
    figure = draw(charts[wanted])
    figure.suptitle(charts[wanted].title)
    return figure


def _folder(saved_in: str) -> Path:
    """Return the folder that a result is saved in.

    Raises
    ------
    RequestError
        When it isn't saved.
    """
    if not saved_in:
        raise RequestError("plot: how a figure settled is known of saved results, with out='DIR'.")
    return Path(saved_in)


class RunPlots:
    """Charts of a run."""

    def __init__(self, summary: Summary, counts: Counts) -> None:
        self._summary, self._counts = summary, counts

    def seats(self) -> Figure:
        """Draw each seat's share of the wins."""
        from .report.run import fairness_blocks

        return _figure(fairness_blocks(self._summary, self._counts), "seats", None)

    def length(self, name: str | None = None) -> Figure:
        """Draw the distribution of a length, such as turns; the first one if left out."""
        from .report.lengths import length_blocks

        return _figure(length_blocks(self._summary), "length-", name)

    def tally(self, name: str | None = None) -> Figure:
        """Draw a table that the game keeps, such as wins_by_twos; the first one if left out."""
        from .report.counts import tally_blocks

        return _figure(tally_blocks(self._summary), "tally-", name)

    def convergence(self) -> Figure:
        """Draw how seat 0's share of the wins settled; of a saved run."""
        from .report.run import convergence_blocks

        folder = _folder(self._summary.saved_in)
        blocks = convergence_blocks(folder, read_manifest(folder), self._summary)
        return _figure(blocks, "funnel", None)


class ComparisonPlots:
    """Charts of a comparison."""

    def __init__(self, summary: Comparison, counts: Observations) -> None:
        self._summary, self._counts = summary, counts

    def differences(self) -> Figure:
        """Draw all figures' differences as a forest plot."""
        from .report.comparison import difference_blocks

        return _figure(difference_blocks(self._summary), "differences", None)

    def seats(self) -> Figure:
        """Draw the difference on each seat; of strategies that sit at tables."""
        from .report.comparison import seat_blocks

        return _figure(seat_blocks(self._summary), "seats", None)

    def length(self, name: str | None = None) -> Figure:
        """Draw the distributions of a length at both tables, where arms are tables."""
        from .report.comparison import length_blocks

        return _figure(length_blocks(self._summary, self._counts), "length-", name)

    def convergence(self) -> Figure:
        """Draw how the difference settled; of a saved comparison."""
        from .report.comparison import convergence_blocks

        folder = _folder(self._summary.saved_in)
        blocks = convergence_blocks(folder, read_manifest(folder), self._summary)
        return _figure(blocks, "funnel", None)


class SweepPlots:
    """Charts of a sweep."""

    def __init__(self, summary: Sweep) -> None:
        self._summary = summary

    def effect(self, figure: str | None = None) -> Figure:
        """Draw a figure's differences to the base; of the first figure if left out."""
        from .report.effects import effect_blocks

        return _figure(effect_blocks(self._summary), "effect-", figure)

    def factorial(self, figure: str | None = None) -> Figure:
        """Draw main effects and interactions on a figure, of a full grid of two options or more."""
        from .report.effects import factorial_blocks

        return _figure(factorial_blocks(self._summary), "factorial-", figure)

    def curve(self, figure: str | None = None) -> Figure:
        """Draw a figure by the values of the option with most of them."""
        from .report.sweep import curve_blocks

        return _figure(curve_blocks(self._summary), "curve-", figure)

    def length(self, name: str | None = None) -> Figure:
        """Draw the distributions of a length, of up to six cells."""
        from .report.sweep import length_blocks

        return _figure(length_blocks(self._summary), "length-", name)

    def convergence(self) -> Figure:
        """Draw how the largest difference settled; of a saved sweep."""
        from .report.sweep import convergence_blocks

        folder = _folder(self._summary.saved_in)
        blocks = convergence_blocks(folder, read_manifest(folder), self._summary)
        return _figure(blocks, "funnel", None)


class TournamentPlots:
    """Charts of a tournament."""

    def __init__(self, summary: Tournament) -> None:
        self._summary = summary

    def ratings(self) -> Figure:
        """Draw all ratings with their intervals."""
        from .report.tournament import strategy_blocks

        return _figure(strategy_blocks(self._summary), "ratings", None)

    def heat_map(self) -> Figure:
        """Draw who takes how many of 100 first places from whom."""
        from .report.tournament import meeting_blocks

        return _figure(meeting_blocks(self._summary), "meetings", None)

    def convergence(self) -> Figure:
        """Draw how the best strategy's share settled; of a saved tournament."""
        from .report.tournament import convergence_blocks

        folder = _folder(self._summary.saved_in)
        blocks = convergence_blocks(folder, read_manifest(folder), self._summary)
        return _figure(blocks, "funnel", None)


def write_plot(figure: Figure, path: Path) -> None:
    """Write a figure, the same one as the same bytes; the file's ending says in which form.

    Raises
    ------
    RunError
        When it can't be written.
    """
    file = io.BytesIO()
    form = path.suffix.lower().removeprefix(".")
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with styled(path.stem):
        figure.savefig(file, format=form, metadata=dated.get(form))
    write_file(path, file.getvalue())
