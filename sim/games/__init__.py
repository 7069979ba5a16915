"""The games. Adding one is a line here."""

from __future__ import annotations

from ..errors import RequestError, did_you_mean
from ..game import Game
from . import aces, horner, thirteen

GAMES: tuple[Game, ...] = (aces.GAME, horner.GAME, thirteen.GAME)


def games() -> tuple[str, ...]:
    """Return the names of the games."""
    return tuple(game.name for game in GAMES)


def find_game(name: str) -> Game:
    """Return a game by its name or an alias.

    Raises
    ------
    RequestError
        When there is none of that name.
    """
    plain = str(name).strip().lower().replace("_", "-")
    known = {word: game for game in GAMES for word in (game.name, *game.aliases)}
    if plain in known:
        return known[plain]
    near = did_you_mean(plain, known)
    hint = f"Did you mean {near}? " if near else ""
    raise RequestError(f"there is no game '{name}'.\n  {hint}There are: {', '.join(games())}.")
