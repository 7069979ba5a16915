"""thirteen on readable cards: ``from simcards import thirteen``.

Cards are written 3S .. 2H (suits S C D H), separated by spaces or commas. All answers come from
the compiled code that plays the games.

Examples
--------
>>> from simcards import thirteen
>>> thirteen.classify("5H 3S 4D").name
'sequence'
>>> thirteen.beats("3S 3C 3D 3H", "2H")
True
>>> thirteen.beats("3S 3C 3D 3H", "KS")
False
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...kernels import thirteen_numbers as k
from ..errors import RequestError
from ..plan import make_plan
from ..replay import Replay, told_game
from .thirteen import GAME
from .thirteen_events import RANKS, SUITS, card_name, cards_of
from .thirteen_rules import Rules

if TYPE_CHECKING:
    import numpy as np

Cards = str | Iterable[str]
RulesLike = Mapping[str, Any] | Rules | None

__all__ = [
    "Combination",
    "Rules",
    "beats",
    "bombs",
    "classify",
    "fewest_plays",
    "legal_plays",
    "longest_run",
    "lowest_plays",
    "parse_cards",
    "play_from",
    "unseen",
]


@dataclass(frozen=True)
class Combination:
    """What a set of cards is."""

    name: str
    """single, pair, triple, quad, sequence, double_sequence."""
    cards: tuple[str, ...]
    """Ascending."""
    ranks: int
    """Ranks in a row."""
    strength: str
    """The highest card."""
    bomb: bool


def _mask(cards: Cards, said: str = "cards") -> int:
    words = cards.replace(",", " ").split() if isinstance(cards, str) else list(cards)
    mask = 0
    for word in words:
        plain = str(word).strip().upper()
        rank, suit = plain[:-1], plain[-1:]
        if rank not in RANKS or suit not in SUITS or not suit:
            raise RequestError(
                f"{said}: '{word}' is no card. Write a rank and a suit: 3S, 10D, 2H (S C D H)."
            )
        bit = 1 << (4 * RANKS.index(rank) + SUITS.index(suit))
        if mask & bit:
            raise RequestError(f"{said}: {plain} is there twice.")
        mask |= bit
    return mask


def _names(mask: int) -> tuple[str, ...]:
    return tuple(card_name(card) for card in cards_of(mask))


def parse_cards(cards: Cards) -> tuple[str, ...]:
    """Return cards ascending, as they are written.

    Raises
    ------
    RequestError
        When something is no card, or is there twice.
    """
    return _names(_mask(cards))


def _ask(question: str, rules: RulesLike, first: int, second: int = 0) -> np.ndarray:
    import numpy as np

    from ...kernels import jit, thirteen_questions
    from ...kernels.thirteen_table import TABLE
    from ..chunk import rules_array

    jit.prepare(thirteen_questions.ask, thirteen_questions.SIGNATURE)
    plan = make_plan(GAME.name, rules=rules, seed=0, source="rules")
    found = np.zeros(k.MAX_PLAYS, np.int64)
    number = thirteen_questions.ask(
        np.int64(getattr(thirteen_questions, question)),
        rules_array(plan),
        np.zeros(1, TABLE),
        np.int64(first),
        np.int64(second),
        found,
    )
    return found[:number]


def classify(cards: Cards, rules: RulesLike = None) -> Combination | None:
    """Return what a set of cards is, in any order; None when it is no combination (T4).

    Parameters
    ----------
    cards : str or iterable of str
    rules : mapping or Rules, optional
        The options that differ from the defaults.
    """
    mask = _mask(cards)
    copies, ranks = (int(number) for number in _ask("CLASSIFY", rules, mask))
    if copies == 0:
        return None
    if ranks == 1:
        name = ("single", "pair", "triple", "quad")[copies - 1]
    else:
        name = "sequence" if copies == 1 else "double_sequence"
    names = _names(mask)
    bomb = name in ("quad", "double_sequence")
    return Combination(name, names, ranks, names[-1], bomb)


def beats(cards: Cards, top: Cards, rules: RulesLike = None) -> bool:
    """Return whether a combination beats another one (T5, T6).

    Raises
    ------
    RequestError
        When `cards` or `top` is no combination.
    """
    for one in (cards, top):
        if classify(one, rules) is None:
            raise RequestError(f"{' '.join(parse_cards(one))} is no combination.")
    return bool(_ask("BEATS", rules, _mask(cards), _mask(top))[0])


def legal_plays(
    hand: Cards, top: Cards | None = None, rules: RulesLike = None
) -> list[tuple[str, ...]]:
    """Return all plays of a hand that beat a top, or that may be led, by type and strength.

    Parameters
    ----------
    hand : str or iterable of str
    top : str or iterable of str, optional
        What lies on the table; left out: the hand leads.
    rules : mapping or Rules, optional

    Raises
    ------
    RequestError
        When a card is none, the hand has more than 13, or the top is no combination.
    """
    held = _mask(hand)
    if held.bit_count() > k.HAND:  # of more cards there can be millions of plays
        raise RequestError(f"{held.bit_count()} cards: a hand has at most {k.HAND}.")
    lies = 0
    if top is not None:
        if classify(top, rules) is None:
            raise RequestError(f"top: {' '.join(parse_cards(top))} is no combination.")
        lies = _mask(top)
    return [_names(int(play)) for play in _ask("LEGAL_PLAYS", rules, held, lies)]


def _kind(play: tuple[str, ...]) -> tuple[int, int]:
    """Return copies and ranks of a legal play."""
    ranks = len({card[:-1] for card in play})
    return len(play) // ranks, ranks


def lowest_plays(
    hand: Cards, top: Cards | None = None, rules: RulesLike = None
) -> list[tuple[str, ...]]:
    """Return the weakest legal play of each type and length that a hand has over a top.

    Parameters
    ----------
    hand, top, rules
        As for `legal_plays`.
    """
    first: dict[tuple[int, int], tuple[str, ...]] = {}
    for play in legal_plays(hand, top, rules):  # of each kind the weakest comes first
        first.setdefault(_kind(play), play)
    return list(first.values())


def longest_run(hand: Cards, rules: RulesLike = None) -> tuple[str, ...]:
    """Return the sequence with the most ranks, of equals the weakest; empty if there is none."""
    runs = [play for play in lowest_plays(hand, None, rules) if _kind(play)[0] == 1]
    runs = [play for play in runs if len(play) > 1]
    return max(runs, key=len, default=())


def bombs(hand: Cards, rules: RulesLike = None) -> list[tuple[str, ...]]:
    """Return all quads and double sequences in a hand, by type and strength."""
    found = []
    for play in legal_plays(hand, None, rules):
        copies, ranks = _kind(play)
        if copies == k.QUAD or (copies == k.PAIR and ranks > 1):
            found.append(play)
    return found


def fewest_plays(hand: Cards, rules: RulesLike = None) -> list[tuple[str, ...]]:
    """Return the fewest plays a hand splits into, lowest first: what `structure` keeps to."""
    return [_names(int(play)) for play in _ask("PLAN", rules, _mask(hand))]


def unseen(hand: Cards, played: Cards = ()) -> tuple[str, ...]:
    """Return the cards that are neither in a hand nor played."""
    return _names(((1 << 52) - 1) & ~_mask(hand) & ~_mask(played))


def play_from(
    hands: Sequence[Cards],
    *,
    starter: int | None = None,
    moves: Sequence[Cards | None] = (),
    rules: Mapping[str, Any] | Rules | None = None,
    strategies: str | Sequence[str] | Mapping[int, str] | None = None,
    seed: int = 0,
    rest_is_played: bool = True,
) -> Replay:
    """Play a deal from given hands: first the given moves, then the strategies.

    Parameters
    ----------
    hands : sequence of cards
        One a seat; as many play.
    starter : int, optional
        Who leads; the holder of the lowest card if left out. The first play is free.
    moves : sequence of cards or None
        What the seats do, in the order of the turns; None or '' is a pass. Later turns are the
        strategies'.
    rules, strategies
        As for `simcards.run`.
    seed : int
        For strategies that draw random words.
    rest_is_played : bool
        Cards in no hand count as played before; else as unseen.

    Returns
    -------
    Replay
        Its `events` are those of a replay; printed it reads as a story.

    Raises
    ------
    RequestError
        When a card is in two hands, or a move isn't legal; it is named with the moves that were.
    """
    import numpy as np

    from ...kernels.thirteen_table import SCRIPT, TABLE
    from ..chunk import prepare_kernel

    masks = [_mask(hand, f"hands[{seat}]") for seat, hand in enumerate(hands)]
    for seat, mask in enumerate(masks):
        if mask == 0 or bin(mask).count("1") > k.HAND:
            raise RequestError(f"hands[{seat}]: 1 to 13 cards are needed.")
        for other in range(seat):
            if mask & masks[other]:
                both = " ".join(_names(mask & masks[other]))
                raise RequestError(f"hands[{seat}] and hands[{other}] both hold {both}.")
    if isinstance(rules, Rules):
        plan = make_plan(GAME.name, rules=rules, strategies=strategies, seed=seed, source="rules")
    else:
        own = {"players": len(hands), **(rules or {})}
        plan = make_plan(GAME.name, rules=own, strategies=strategies, seed=seed, source="rules")
    if plan.rules.players != len(hands):
        raise RequestError(f"{len(hands)} hands for {plan.rules.players} players.")
    if starter is not None and not 0 <= starter < len(hands):
        raise RequestError(f"starter={starter}: there are seats 0 to {len(hands) - 1}.")
    if len(moves) > SCRIPT:
        raise RequestError(f"{len(moves)} moves; at most {SCRIPT} can be given.")
    script = [_mask(move or (), f"moves[{j}]") for j, move in enumerate(moves)]
    tables = np.zeros(1, TABLE)
    table = tables[0]
    table["set_up"] = 1
    table["given"][: len(masks)] = masks
    table["given_leader"] = -1 if starter is None else starter
    table["rest_is_played"] = rest_is_played
    table["n_script"] = len(script)
    table["script"][: len(script)] = script
    prepare_kernel(GAME)
    told = told_game(plan, 0, tables)
    wrong = int(tables[0]["refused"])
    if wrong:
        move = " ".join(_names(script[wrong - 1])) or "a pass"
        seat = int(tables[0]["refused_seat"])
        raise RequestError(f"moves[{wrong - 1}]: {move} is not legal for seat {seat} there.")
    return told
