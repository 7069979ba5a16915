"""What a comparison came to, and its published form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..sim.options import as_dict
from .effects import (
    Compared,
)
from .ending import Ending
from .luck import Luck
from .paired import Difference
from .sprt import Sprt

DEFAULT_DEALS = 20_000


@dataclass(frozen=True)
class Asked:
    """What a comparison was asked besides who meets whom; kept with it."""

    request: str
    """The words of the command that say what is compared."""
    unit: str = "win"
    """The figure that the verdict and the stopping rest on."""
    matters: Mapping[str, float] = field(default_factory=dict)
    """By figure the least difference that matters; '' for all shares and rates."""
    sprt: Sprt | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what stands in a manifest."""
        return {
            "request": self.request,
            "unit": self.unit,
            "matters": dict(self.matters),
            "sprt": asdict(self.sprt) if self.sprt else None,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Asked:
        """Return what `to_json` wrote."""
        sprt = Sprt(**data["sprt"]) if data["sprt"] else None
        return cls(data["request"], data["unit"], data["matters"], sprt)


@dataclass(frozen=True)
class Tested:
    """How a sequential test stands."""

    test: Sprt
    ratio: float
    """Log likelihood ratio."""
    decision: str
    """h1, h0, or '' if it hasn't decided."""


@dataclass(frozen=True, kw_only=True)
class Comparison(Ending):
    """What a comparison came to; `to_json` gives the published form."""

    asked: Asked
    paired: bool
    """Whether an observation is an index that both arms played; else each arm has its own."""
    precision: float | None
    figures: tuple[Compared, ...]
    adjusted: tuple[float, ...]
    """p-values of the figures; of two tables adjusted for their number (Holm)."""
    family: int
    """How many intervals hold together with the level."""
    main: Compared | None
    """The figure that the verdict rests on; of two tables it rests on all."""
    signs: tuple[int, int, int]
    """Observations in which B, neither, or A was ahead."""
    capped: tuple[int, int]
    """Games that were capped, at the tables of A and of B."""
    nobody: tuple[int, int]
    """Games that were finished without a winner, likewise."""
    saved: float | None
    """How many times as many games on separate deals would be as narrow."""
    could_see: float | None
    """The difference that so many observations would have shown four times out of five."""
    luck: Luck | None
    seats: tuple[Difference, ...]
    """A less B, on each seat."""
    neighbours: tuple[Difference | None, Difference | None]
    """How much more often A wins right after a B than after an A; and B after an A than a B."""
    highest: tuple[tuple[int, float], ...]
    """(index, difference) where A was ahead most."""
    lowest: tuple[tuple[int, float], ...]
    tested: Tested | None
    keeps_rows: bool
    sentence: str = ""
    """What it ends in: it matters, too small to matter, can't tell yet."""
    identical: bool = False
    """Both arms are the same games."""
    played_apart: tuple[int, int] = (0, 0)
    """Games of each run, if they are of different deals."""

    @property
    def of_folders(self) -> bool:
        """Whether two saved runs are compared, which need not be kept again."""
        return not self.asked.request.startswith("--")

    @property
    def games(self) -> int:
        """Games played in all."""
        if any(self.played_apart):
            return sum(self.played_apart)
        return super().games

    @property
    def anytime(self) -> bool:
        """Whether the intervals hold although the run chose where to stop."""
        return self.precision is not None or self.asked.sprt is not None

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``compare --json`` prints."""
        contest = self.contest
        return {
            **self.head_json("comparison"),
            "kind": contest.kind,
            "a": contest.arms[0],
            "b": contest.arms[1],
            "same_deals": self.paired and contest.same_deals,
            "tables": [
                {
                    "preset": table.plan.preset,
                    "rules": as_dict(table.plan.rules),
                    "strategies": [player.text for player in table.plan.players],
                    "arms": ["" if arm < 0 else "ab"[arm] for arm in table.arms],
                }
                for table in contest.tables
            ],
            **self.extent_json(),
            "runs": [
                {"seed": plan.seed, "completed": number}
                for plan, number in zip(contest.plans, self.played_apart, strict=False)
                if not self.paired
            ],
            "paired": self.paired,
            "identical": self.identical,
            "precision": self.precision,
            "verdict": self.main.verdict.word if self.main else None,
            "sentence": self.sentence,
            "decided_by": self.main.name if self.main else None,
            "intervals_together": self.family,
            "figures": [
                {
                    "name": one.name,
                    "label": one.label,
                    "unit": one.unit,
                    "a": one.a,
                    "b": one.b,
                    **_difference_json(one.difference),
                    "p_adjusted": adjusted,
                    "matters": one.matters,
                    "verdict": one.verdict.word,
                    "more": one.verdict.more,
                }
                for one, adjusted in zip(self.figures, self.adjusted, strict=True)
            ],
            "ahead": {"a": self.signs[2], "level": self.signs[1], "b": self.signs[0]},
            "capped": {"a": self.capped[0], "b": self.capped[1]},
            "nobody": {"a": self.nobody[0], "b": self.nobody[1]},
            "variance_saved": self.saved,
            "could_see": self.could_see,
            "luck": asdict(self.luck) if self.luck else None,
            "seats": [_difference_json(one) for one in self.seats],
            "neighbours": [_difference_json(one) if one else None for one in self.neighbours],
            "highest": [list(one) for one in self.highest],
            "lowest": [list(one) for one in self.lowest],
            "sprt": (
                {
                    **asdict(self.tested.test),
                    "unit": self.asked.unit,
                    "lower": self.tested.test.lower,
                    "upper": self.tested.test.upper,
                    "log_likelihood_ratio": self.tested.ratio,
                    "decision": self.tested.decision or None,
                }
                if self.tested
                else None
            ),
            **self.tail_json(),
        }


def _difference_json(one: Difference) -> dict[str, Any]:
    return {
        "difference": one.estimate,
        "interval": [one.interval.low, one.interval.high],
        "method": one.interval.method,
        "standard_error": one.standard_error,
        "p_value": one.p_value,
    }
