"""A picture of who beats whom."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from .files import write_file
from .tournament_sums import Tournament

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf")


def heat_map(one: Tournament) -> Figure:
    """Return a heat map: rows beat columns, the highest rated first.

    Blue is more than half of the first places, orange less, which people who don't tell red
    from green can tell apart; the number stands in each cell, with a star if it is beyond chance.
    """
    import numpy as np
    from matplotlib.figure import Figure  # not pyplot: needs no display, keeps nothing open

    order = one.ranking
    names = [one.entrants[number].name for number in order]
    shares = np.full((len(order), len(order)), np.nan)
    for row, mine in enumerate(order):
        for column, other in enumerate(order):
            share = one.share(mine, other)
            if mine != other and share is not None:
                shares[row, column] = 100 * share
    size = 2.5 + 0.75 * len(order)
    figure = Figure(figsize=(size + 1, size), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(shares, cmap="PuOr", vmin=0, vmax=100)
    axes.set_xticks(range(len(order)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(order)), names)
    axes.set_xlabel("against")
    for row, mine in enumerate(order):
        for column, other in enumerate(order):
            if np.isnan(shares[row, column]):
                continue
            found = one.meeting(mine, other)
            sure = found is not None and found.p_adjusted < 1 - one.level
            dark = abs(shares[row, column] - 50) > 30
            axes.text(
                column,
                row,
                f"{shares[row, column]:.1f}{'*' if sure else ''}",
                ha="center",
                va="center",
                color="white" if dark else "black",
            )
    figure.colorbar(image, ax=axes, label="of 100 first places", shrink=0.8)
    unit = one.contest.unit.word(one.completed)
    axes.set_title(f"{one.contest.game}: {one.completed:,} {unit} (* beyond chance)")
    return figure


def write_plot(one: Tournament, path: Path) -> None:
    """Write the heat map; the file's ending says in which form.

    Raises
    ------
    RunError
        When it can't be written.
    """
    file = io.BytesIO()
    # No date in it: the same tournament gives the same file.
    metadata = {"Date": None} if path.suffix.lower() == ".svg" else None
    heat_map(one).savefig(file, format=path.suffix.lower().removeprefix("."), metadata=metadata)
    write_file(path, file.getvalue())
