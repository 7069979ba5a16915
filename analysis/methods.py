"""A paragraph for a paper's methods section, and what it cites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import __version__
from ..sim.contest import AGAINST, SEATINGS, SWEEP, TABLES, Contest
from ..sim.manifest import Manifest
from ..sim.options import show
from ..sim.plan import Plan, differing

REFERENCES = {
    "wilson1927": (
        "article",
        "author = {Wilson, E. B.}, title = {Probable inference, the law of succession, and "
        "statistical inference}, journal = {Journal of the American Statistical Association}, "
        "volume = {22}, pages = {209--212}, year = {1927}",
    ),
    "howard2021": (
        "article",
        "author = {Howard, S. R. and Ramdas, A. and McAuliffe, J. and Sekhon, J.}, title = "
        "{Time-uniform, nonparametric, nonasymptotic confidence sequences}, journal = {Annals of "
        "Statistics}, volume = {49}, pages = {1055--1080}, year = {2021}",
    ),
    "waudbysmith2024": (
        "article",
        "author = {Waudby-Smith, I. and Arbour, D. and Sinha, R. and Kennedy, E. H. and Ramdas, "
        "A.}, title = {Time-uniform central limit theory and asymptotic confidence sequences}, "
        "journal = {Annals of Statistics}, volume = {52}, pages = {2613--2640}, year = {2024}",
    ),
    "bonett2012": (
        "article",
        "author = {Bonett, D. G. and Price, R. M.}, title = {Adjusted {Wald} confidence interval "
        "for a difference of binomial proportions based on paired data}, journal = {Journal of "
        "Educational and Behavioral Statistics}, volume = {37}, pages = {479--488}, year = {2012}",
    ),
    "holm1979": (
        "article",
        "author = {Holm, S.}, title = {A simple sequentially rejective multiple test procedure}, "
        "journal = {Scandinavian Journal of Statistics}, volume = {6}, pages = {65--70}, year = "
        "{1979}",
    ),
    "wald1945": (
        "article",
        "author = {Wald, A.}, title = {Sequential tests of statistical hypotheses}, journal = "
        "{Annals of Mathematical Statistics}, volume = {16}, pages = {117--186}, year = {1945}",
    ),
    "hunter2004": (
        "article",
        "author = {Hunter, D. R.}, title = {{MM} algorithms for generalized {Bradley--Terry} "
        "models}, journal = {Annals of Statistics}, volume = {32}, pages = {384--406}, year = "
        "{2004}",
    ),
}


def _rules_words(plan: Plan) -> str:
    """Return 'preset bicycle, 2 players, with shrink=2'."""
    others = [
        f"{name}={show(value)}" for name, value in differing(plan).items() if name != "players"
    ]
    text = f"preset {plan.preset}, {plan.rules.players} players"
    return text + (f", with {', '.join(others)}" if others else "")


def _common_words(contest: Contest) -> str:
    """Return what all tables have in common: preset, players, rules, and who plays."""
    plans = contest.plans
    words = []
    if len({plan.preset for plan in plans}) == 1:
        words.append(f"preset {plans[0].preset}")
    if len({plan.rules.players for plan in plans}) == 1:
        words.append(f"{plans[0].rules.players} players")
    changes = [differing(plan) for plan in plans]
    words += [
        f"{name}={show(value)}"
        for name, value in changes[0].items()
        if name != "players" and all(one.get(name) == value for one in changes)
    ]
    if contest.by_table and len({_who(plan) for plan in plans}) == 1:
        words.append(_who(plans[0]))
    return ", ".join(words) or "see the variants"


def _who(plan: Plan) -> str:
    texts = [player.text for player in plan.players]
    if len(set(texts)) == 1:
        return f"all seats played by the strategy {texts[0]}"
    return "seats played, in order, by the strategies " + ", ".join(texts)


def _design(contest: Contest, factors: Mapping[str, Sequence[str]]) -> str:
    """Say how the games of a comparison were laid out."""
    a, b = contest.arms[0], contest.arms[-1]
    tables = len(contest.tables)
    unit = contest.unit.one
    if contest.kind == SEATINGS:
        return (
            f"The strategies {a} and {b} shared the table in all {tables} seatings of every "
            f"{unit}; the {unit} with all its seatings is the unit of analysis"
        )
    if contest.kind == AGAINST:
        return (
            f"{a} and {b} were each played on every seat among other players, on the same "
            f"{contest.unit.many} ({tables} tables); the {unit} with all its tables is the unit of "
            "analysis"
        )
    if contest.kind in (TABLES, SWEEP):
        deals = "the same" if contest.same_deals else "as far as the decks are equal the same"
        variants = "; ".join(contest.arms)
        if factors:
            values = [f"{name}: {', '.join(of)}" for name, of in factors.items()]
            variants = f"all combinations of {'; '.join(values)}"
        return (
            f"{tables} variants ({variants}) were played on {deals} "
            f"{contest.unit.many}; the {unit} in all variants is the unit of analysis"
        )
    return (
        f"{len(contest.arms)} strategies ({', '.join(contest.arms)}) met at {tables} tables, in "
        f"all seatings of every {unit}; the {unit} with all its tables is the unit of analysis"
    )


def _statistics(manifest: Manifest) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield sentences on intervals and what each cites."""
    level = f"{100 * manifest.level:g} %"
    plan = manifest.plan
    if isinstance(plan, Plan):
        if manifest.precision is not None:
            yield (
                f"The run stopped when every seat's share of wins was known to plus or minus "
                f"{manifest.precision:g}; shares have {level} confidence sequences (beta-binomial "
                "mixture), valid at any stopping time",
                ("howard2021",),
            )
        else:
            yield f"Shares of wins have {level} Wilson intervals", ("wilson1927",)
        yield f"Means have {level} normal intervals", ()
        return
    if plan.kind in (SEATINGS, AGAINST, TABLES, SWEEP):
        sprt = manifest.asked.get("sprt")
        if sprt:
            yield (
                f"The comparison was stopped by a generalised sequential probability ratio test of "
                f"a difference of {sprt['h0']:g} against {sprt['h1']:g} (error rates "
                f"{sprt['alpha']:g} and {sprt['beta']:g})",
                ("wald1945",),
            )
        if sprt or manifest.precision is not None:
            yield (
                f"Differences have {level} confidence sequences (normal mixture), approximately "
                "valid at any stopping time",
                ("waudbysmith2024",),
            )
        else:
            yield (
                f"Differences are paired and have {level} normal intervals after adding two "
                "observations",
                ("bonett2012",),
            )
        if plan.kind in (TABLES, SWEEP):
            yield (
                "Differences of ratios are linearised (delta method); intervals of all differences "
                "hold simultaneously (Bonferroni), p-values are adjusted by Holm's method",
                ("holm1979",),
            )
        return
    yield (
        "Ratings are maximum likelihood estimates of the Plackett-Luce model from first places, "
        f"with {level} intervals from the cluster-robust covariance",
        ("hunter2004",),
    )
    yield "p-values of meetings are adjusted by Holm's method", ("holm1979",)


def methods(manifest: Manifest, completed: int, command: str) -> str:
    """Return a methods paragraph and BibTeX entries.

    Parameters
    ----------
    manifest : Manifest
        Of what was saved.
    completed : int
        Games, or observations, that count.
    command : str
        That plays the same again.
    """
    plan = manifest.plan
    game = plan.description
    units = plan.unit.word(completed)
    made_by = manifest.made_by
    start = manifest.first
    span = f"indices {start} to {start + completed - 1}" if completed else "no index finished"
    said: list[str] = []
    if isinstance(plan, Plan):
        said.append(
            f"We simulated {completed:,} {units} of {game.name} ({game.title}; {_rules_words(plan)}"
            f"; {_who(plan)}) with simcards {made_by['simcards']} [simcards] (rules version "
            f"{game.rules_version}, engine {game.engine}; seed {plan.seed}, {span})"
        )
    else:
        shared = f"; {_common_words(plan)}"
        said.append(
            f"We simulated {completed:,} {units} of {game.name} ({game.title}{shared}), "
            f"{completed * len(plan.tables):,} games in all, with simcards {made_by['simcards']} "
            f"[simcards] (rules version {game.rules_version}, engine {game.engine}; seed "
            f"{plan.seed}, {span})"
        )
        said.append(_design(plan, manifest.asked.get("factors", {})))
    cited: list[str] = []
    for sentence, keys in _statistics(manifest):
        said.append(sentence + (f" [{', '.join(keys)}]" if keys else ""))
        cited += keys
    software = ", ".join(f"{name} {value}" for name, value in made_by.items() if name != "simcards")
    said.append(f"Software: {software}")
    said.append(f"The same games are played again by: {command}")
    if manifest.status != "complete":
        said.append("The run is partial: it was stopped before it was complete")
    text = ". ".join(said) + "."
    return f"{text}\n\n{_bibtex(made_by, dict.fromkeys(cited))}"


def _bibtex(made_by: Any, keys: dict[str, None]) -> str:
    entries = [
        "@software{simcards,\n"
        "  author = {{The simcards developers}},\n"
        "  title = {simcards},\n"
        f"  version = {{{made_by.get('simcards', __version__)}}}\n"
        "}\n"
    ]
    for key in keys:
        kind, fields = REFERENCES[key]
        lines = fields.replace("}, ", "},\n  ")
        entries.append(f"@{kind}{{{key},\n  {lines}\n}}\n")
    return "\n".join(entries)
