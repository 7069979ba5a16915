"""From charts to figures: for notebooks as they are, for pages as SVG in the page's own colours."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from .page import HEAT, INTERVALS, STEPS, TEXT, Cell, Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, MUTED, RULE = "#1b1b1b", "#5c5c5c", "#d9d9d9"
# M. Okabe and K. Ito, 2008, Color universal design: told apart also without red and green.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = "osD^vP"
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
THEME = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    RULE: "var(--rule)",
    **{colour: f"var(--series-{j})" for j, colour in enumerate(SERIES)},
}
"""Colours of a page, whose values for light and dark stand in its style sheet."""
ON_DARK, ON_LIGHT = "#ffffff", "#000000"
"""Numbers in the cells of a heat map, whose colours are the same on every page."""
WIDTH = 7.2
"""Inches."""
WIDEST_LABEL = 40
MOST_TICKS = 12
MOST_MARKED = 40
"""Points of a curve that have markers."""
LEGEND_WIDTH = 84
"""Letters side by side in the names of the series."""
MOST_SERIES = len(SERIES)

STYLE: Mapping[str, Any] = {
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.unicode_minus": True,
    "axes.facecolor": "none",
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "svg.fonttype": "none",
    "text.color": INK,
    "text.parse_math": False,  # a name with two dollar signs is a name
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
}


@contextlib.contextmanager
def styled(salt: str) -> Iterator[None]:
    """Set what our figures look like, and nothing of what others draw in this process.

    Parameters
    ----------
    salt : str
        From which the names of things in an SVG are made, so that the same chart gives the same
        bytes.
    """
    with _settings_somewhere():
        import matplotlib
    settings: dict[Any, Any] = {**STYLE, "svg.hashsalt": salt}
    with matplotlib.rc_context(settings):
        yield


@contextlib.contextmanager
def _settings_somewhere() -> Iterator[None]:
    """Let matplotlib keep its list of fonts in a temporary folder where there is no home.

    It would do so itself, with a warning that helps nobody here.
    """
    home = os.path.expanduser("~")
    if "MPLCONFIGDIR" in os.environ or os.access(home, os.W_OK | os.X_OK):
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MPLCONFIGDIR"] = folder
        try:
            yield
        finally:
            del os.environ["MPLCONFIGDIR"]


def draw(chart: Chart) -> Figure:
    """Return a chart as a figure."""
    with styled(chart.name):
        from matplotlib.figure import Figure  # not pyplot: needs no display, keeps nothing open

        figure = Figure(figsize=(WIDTH, _height(chart)), layout="constrained")
        axes = figure.add_subplot()
        if chart.kind == HEAT:
            _heat(chart, axes)
        elif chart.kind == INTERVALS:
            _intervals(chart, axes)
        else:
            _curves(chart, axes)
        # Beside wide labels there is less room below.
        axes.set_xlabel(fill(chart.x_label, 44 if chart.kind == INTERVALS else 70))
        axes.set_ylabel(fill(chart.y_label, 42))
        return figure


def svg(chart: Chart) -> str:
    """Return a chart as SVG that stands in a page: its colours, names of its own, text as text."""
    figure = draw(chart)
    figure.set_facecolor("none")  # the page's own
    file = io.BytesIO()
    with styled(chart.name):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    text = file.getvalue().decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    # These rules would hold for the whole page, where they stand once.
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r'<svg ([^>]*?)height="[^"]*" ([^>]*?)width="[^"]*"', r"<svg \1\2", text)
    text = re.sub(r'<svg ([^>]*?)width="[^"]*" ([^>]*?)height="[^"]*"', r"<svg \1\2", text)
    return re.sub(r"<[^>]+>", lambda tag: _in_page(tag[0], chart.name), text).rstrip()


def _in_page(tag: str, name: str) -> str:
    """Return a tag of an SVG as it stands in a page: its own ids, the page's colours."""
    # An id may stand only once in a page.
    tag = re.sub(r'\bid="', f'id="{name}-', tag)
    tag = re.sub(r'(href="|url\()#', rf"\1#{name}-", tag)
    for colour, variable in THEME.items():
        tag = tag.replace(colour, variable)
    return tag


def _height(chart: Chart) -> float:
    if chart.kind == INTERVALS:
        labels = [_label(one) for one in chart.table.column(chart.y)]
        lines = max((one.count("\n") + 1 for one in labels), default=1)
        return 1.1 + (0.12 + 0.18 * lines) * len(labels)
    if chart.kind == HEAT:
        return 1.6 + 0.42 * len(dict.fromkeys(chart.table.column(chart.y)))
    return 3.8


def _numbers(values: Sequence[Cell]) -> list[float]:
    """Return numbers to be drawn; where there is no data nothing is."""
    return [float("nan") if one is None or isinstance(one, str) else float(one) for one in values]


def _label(value: Cell) -> str:
    return fill(str(value), WIDEST_LABEL, break_long_words=True)


def _intervals(chart: Chart, axes: Axes) -> None:
    """Draw points with intervals, one a row, the first on top."""
    table = chart.table
    values = _numbers(table.column(chart.x))
    lows, highs = _numbers(table.column(chart.low)), _numbers(table.column(chart.high))
    labels = [_label(one) for one in table.column(chart.y)]
    at = [j for j, value in enumerate(values) if value == value]
    axes.hlines(at, [lows[j] for j in at], [highs[j] for j in at], color=SERIES[0], linewidth=2)
    axes.plot([values[j] for j in at], at, MARKERS[0], color=SERIES[0])
    if chart.band:
        axes.axvspan(*chart.band, color=MUTED, alpha=0.15, linewidth=0)
    for line in chart.lines:
        axes.axvline(line.at, color=INK, linewidth=1, linestyle=(0, (4, 2)))
        axes.annotate(
            line.label, (line.at, 1), (0, 2), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="center", va="bottom", fontsize=9, color=MUTED,
        )  # fmt: skip
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def _curves(chart: Chart, axes: Axes) -> None:
    """Draw curves with bands, or step curves; text on the x axis stands at equal distances."""
    from matplotlib.ticker import MaxNLocator

    table = chart.table
    xs = table.column(chart.x)
    form = next(one.form for one in table.columns if one.name == chart.x)
    if form == TEXT:
        ticks = list(dict.fromkeys(xs))
        places: list[float] = [float(ticks.index(one)) for one in xs]
        axes.set_xticks(range(len(ticks)), [_label(one) for one in ticks])
    else:
        places = _numbers(xs)
        distinct = sorted(set(places))
        if len(distinct) <= MOST_TICKS and not chart.log:
            axes.set_xticks(distinct, [f"{one:g}" for one in distinct])
    values = _numbers(table.column(chart.y))
    groups = list(dict.fromkeys(table.column(chart.by))) if chart.by else [None]
    for number, group in enumerate(groups):
        at = [j for j in range(len(xs)) if not chart.by or table.column(chart.by)[j] == group]
        colour = SERIES[number % MOST_SERIES]
        x, y = [places[j] for j in at], [values[j] for j in at]
        steps = chart.kind == STEPS
        (curve,) = axes.plot(
            x,
            y,
            color=colour,
            marker="" if steps or len(at) > MOST_MARKED else MARKERS[number % MOST_SERIES],
            markersize=4,
            linestyle=DASHES[number % len(DASHES)],
            drawstyle="steps-post" if steps else "default",
            label=None if group is None else _label(group),
        )
        curve.set_gid(f"series-{number}-curve")
        if chart.low:
            low, high = (_numbers(table.column(name)) for name in (chart.low, chart.high))
            band = axes.fill_between(
                x, [low[j] for j in at], [high[j] for j in at], color=colour, alpha=0.18,
                linewidth=0,
            )  # fmt: skip
            band.set_gid(f"series-{number}-band")
            if len(at) == 1:  # a band has no width there
                ends = axes.vlines(x, low[at[0]], high[at[0]], color=colour)
                ends.set_gid(f"series-{number}-ends")
    if chart.band:
        axes.axhspan(*chart.band, color=MUTED, alpha=0.15, linewidth=0)
    for line in chart.lines:
        axes.axhline(line.at, color=INK, linewidth=1, linestyle=(0, (4, 2)))
        axes.annotate(
            line.label, (1, line.at), (3, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="left", va="center", fontsize=9, color=MUTED,
            annotation_clip=False,
        )  # fmt: skip
    if chart.log:
        _log_scale(axes)
    if chart.kind == STEPS:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(-3, 103)
    if len(groups) > 1:
        _legend(axes, [_label(one) for one in groups])


def _log_scale(axes: Axes) -> None:
    """Make the axis of numbers of games logarithmic, with numbers as people write them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _legend(axes: Axes, names: Sequence[str]) -> None:
    """Put the names of the series above the chart, where they cover nothing."""
    widest = max(len(line) for name in names for line in name.split("\n"))
    columns = max(1, min(len(names), LEGEND_WIDTH // (widest + 8)))
    figure = axes.get_figure()
    assert figure is not None
    figure.legend(loc="outside upper left", ncols=columns)


def _heat(chart: Chart, axes: Axes) -> None:
    """Draw a table in colours: the column `by` is the value, written in its cell."""
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    table = chart.table
    rows = list(dict.fromkeys(table.column(chart.y)))
    columns = list(dict.fromkeys(table.column(chart.x)))
    if set(columns) == set(rows):  # the same on both sides, in the same order
        columns = rows
    values = _numbers(table.column(chart.by))
    at = [one.name for one in table.columns].index(chart.by)
    # From orange over white to purple around a middle, or from light to dark.
    around = chart.middle is not None
    colours = colormaps["PuOr" if around else "Blues"]
    known = [one for one in values if one == one]
    least, most = (0.0, 100.0) if around else (min(known), max(known))

    def part(value: float) -> float:
        return (value - least) / (most - least) if most > least else 0.5

    for j, value in enumerate(values):
        if value != value:
            continue
        column = columns.index(table.column(chart.x)[j])
        row = rows.index(table.column(chart.y)[j])
        colour = colours(part(value))
        red, green, blue, _ = colour
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, color=colour, linewidth=0))
        axes.text(
            column,
            row,
            table.text(j, at) + _mark(chart, j),
            ha="center",
            va="center",
            fontsize=9,
            # As bright as people see it: ITU-R BT.601.
            color=ON_DARK if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else ON_LIGHT,
        )
    labels = [_label(one) for one in columns]
    axes.set_xticks(range(len(columns)), labels)
    if max(map(len, labels)) > 5:
        axes.tick_params("x", labelrotation=30)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    axes.set_yticks(range(len(rows)), [_label(one) for one in rows])
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _mark(chart: Chart, row: int) -> str:
    """Return the star of a cell that is beyond chance, where a column says so."""
    names = [one.name for one in chart.table.columns]
    return "*" if "beyond" in names and chart.table.column("beyond")[row] == "yes" else ""
