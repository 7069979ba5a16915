"""Whether what was played can be right, as a page tells it."""

from __future__ import annotations

from collections.abc import Iterator

from ..sanity import Sanity
from ..verify import LIMIT
from .page import CHANCE, COUNT, TEXT, Block, Column, Table, Text


def sanity_blocks(found: Sanity, where: str = "") -> Iterator[Block]:
    """Yield what was checked.

    Parameters
    ----------
    found : Sanity
    where : str
        Of which games, where there are several tables.
    """
    if where:
        yield Text(where)
    head = (
        "Nothing is wrong, as far as this was looked at." if found.passed else "Something is wrong."
    )
    yield Text(head)
    for sentence in found.sentences():
        yield Text(sentence)
    if found.shuffles:
        yield Table(
            "Shuffles",
            (
                Column("test", "test", form=TEXT),
                Column("games", "first shuffles", form=COUNT),
                Column("cards", "kinds of cards", form=COUNT),
                Column("places", "places", form=COUNT),
                Column("statistic", "chi-squared", places=1),
                Column("degrees", "degrees of freedom", form=COUNT),
                Column("p", "p", form=CHANCE),
            ),
            tuple(
                (
                    "which card comes where"
                    if test.name == "places"
                    else "which card follows which",
                    test.games,
                    test.cards,
                    test.places,
                    test.statistic,
                    test.degrees,
                    test.p_value,
                )
                for test in found.shuffles
            ),
        )
    if found.known:
        yield Table(
            f"Known values (each |z| should be below {LIMIT:g})",
            (
                Column("name", "value", form=TEXT),
                Column("known", "known", places=6),
                Column("simulated", "played", places=6),
                Column("z", "z", places=2),
                Column("source", "source", form=TEXT),
            ),
            tuple(
                (one.fact.name, one.fact.value, one.simulated, one.z, one.fact.source)
                for one in found.known
            ),
        )
