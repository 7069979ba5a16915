"""Strategies that users write: they play as the built-in ones do, and nothing they do is silent."""

from __future__ import annotations

import functools
import json
import os
import pickle
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from games.thirteen_cases import random_rules
from runs import assert_same_rows, files, manifest

import simcards
from simcards.kernels import jit
from simcards.sim import bots as bots_module
from simcards.sim import run as run_module
from simcards.sim.chunk import play_chunk, prepare_kernel
from simcards.sim.errors import StrategyError
from simcards.sim.games import find_game

SEED = 31

ACES = """\
from simcards.kernels.aces_view import DISPLACE, TAKE, WILD, can_place, face_down, next_seat
from simcards.kernels.aces_view import ones, pick


def wild(view):
    for place in range(view.places[view.seat]):
        if (face_down(view, view.seat) >> place) & 1:
            return place
    return -1


def always(view):
    if view.decision == WILD:
        return wild(view)
    return can_place(view, view.seat, view.card) if view.decision == TAKE else True


def never(view):
    return wild(view) if view.decision == WILD else 0


def rare(view, copies=4):
    if view.decision != TAKE:
        return always(view)
    return can_place(view, view.seat, view.card) and view.unseen[view.card] <= copies


def safe_pass(view):
    if view.decision != TAKE or can_place(view, view.seat, view.card):
        return always(view)
    return not view.returned and not can_place(view, next_seat(view, view.seat), view.card)


def chance(view):
    if view.decision != WILD:
        return pick(view, 2)
    down = face_down(view, view.seat)
    skip = pick(view, ones(down))
    for place in range(view.places[view.seat]):
        if (down >> place) & 1:
            if skip == 0:
                return place
            skip -= 1
    return -1


def rarest(view):
    best = -1
    for place in range(view.places[view.seat]):
        if (face_down(view, view.seat) >> place) & 1:
            if best < 0 or view.unseen[place] < view.unseen[best]:
                best = place
    return best
"""

HORNER = """\
from simcards.kernels.horner_view import DISCARD, DISCARDED, FLIP, PIE, cards_held, is_empty
from simcards.kernels.horner_view import card_of, next_seat, number, pick, variety


def first_pie(view):
    for pie in range(view.varieties):
        if is_empty(view, pie):
            return pie
    return -1


def eager(view):
    return first_pie(view) if view.decision == PIE else 1


def chance(view):
    return first_pie(view) if view.decision == PIE else pick(view, 2)


def no_flip(view):
    return first_pie(view) if view.decision == PIE else view.decision != FLIP


def flip_only(view):
    return first_pie(view) if view.decision == PIE else view.decision == FLIP


def blocker(view, seats=1):
    if view.decision != DISCARD:
        return eager(view)
    if number(view.card) > 1:
        pie = view.pie[variety(view.card)]
        if number(view.card) == view.last_number[pie]:
            return 1
    other = view.seat
    for _ in range(seats):
        other = next_seat(view, other)
        if other == view.seat:
            return 1
        if view.top[other] == view.card + 1:
            return 0
    return 1


def own_run(view):
    own = other = -1
    for pie in range(view.varieties):
        if not is_empty(view, pie):
            continue
        last = card_of(variety(view.card), view.last_number[pie])
        if view.where[last] == DISCARDED + view.seat:
            if own < 0 or view.pie_worth[pie] > view.pie_worth[own]:
                own = pie
        if other < 0 or view.pie_worth[pie] <= view.pie_worth[other]:
            other = pie
    return own if own >= 0 else other
"""

THIRTEEN = """\
from simcards.kernels.thirteen_view import can_pass, highest, is_legal, next_play, ones, pick


def weaker(one, other):
    return highest(one) < highest(other) or (highest(one) == highest(other) and one < other)


def chance(view, passes=1):
    n = 0
    play = next_play(view, 0)
    while play:
        n += 1
        play = next_play(view, play)
    at = pick(view, n + (passes != 0 and can_pass(view)))
    play = next_play(view, 0)
    for _ in range(at):
        play = next_play(view, play)
    return play


def shed(view):
    best = play = next_play(view, 0)
    while play:
        if ones(play) > ones(best) or (ones(play) == ones(best) and weaker(play, best)):
            best = play
        play = next_play(view, play)
    return best


def most(view):
    best = play = next_play(view, 0)
    while play:
        high, best_high = highest(play), highest(best)
        if high > best_high:
            best = play
        elif high == best_high:
            if ones(play) > ones(best) or (ones(play) == ones(best) and play < best):
                best = play
        play = next_play(view, play)
    return best


def legal(view):
    # Lists what next_play gives, and raises where is_legal disagrees.
    play = next_play(view, 0)
    while play:
        if not is_legal(view, play) or play & ~view.hand:
            raise ValueError("no legal play")
        play = next_play(view, play)
    for card in range(52):
        single = 1 << card
        found = False
        play = next_play(view, 0)
        while play:
            found = found or play == single
            play = next_play(view, play)
        if found != is_legal(view, single):
            raise ValueError("a single is left out")
    return 0 if can_pass(view) else next_play(view, 0)


def lowest(view):
    # Leads the longest play with the lowest card, follows with the weakest of the type.
    low = view.hand & -view.hand
    best = 0
    play = next_play(view, 0)
    if view.top == 0:
        while play:
            if play & low:
                if best == 0 or ones(play) > ones(best):
                    best = play
                elif ones(play) == ones(best) and weaker(play, best):
                    best = play
            play = next_play(view, play)
        return best if best else next_play(view, 0)
    while play:
        if ones(play) == ones(view.top) and kind(view, play) == kind(view, view.top):
            return play
        if best == 0 or ones(play) < ones(best):
            best = play
        elif ones(play) == ones(best) and weaker(play, best):
            best = play
        play = next_play(view, play)
    return best


def kind(view, cards):
    # Cards of the lowest rank: tells apart combinations of as many cards.
    group = 0
    for card in range(52):
        if (cards >> card) & 1 and (group == 0 or (card >> 2) == (group - 1) >> 2):
            group = card + 1
    count = 0
    for suit in range(4):
        count += (cards >> (4 * ((group - 1) >> 2) + suit)) & 1
    return count
"""

SOURCES = {"aces": ACES, "horner": HORNER, "thirteen": THIRTEEN}
SIMPLE = {"aces": "never", "horner": "no_flip", "thirteen": "shed"}
"""A strategy of each game, in its file and built in, that isn't the default."""

PLAIN = """\
from simcards.kernels.aces_view import WILD, face_down, lowest_bit


def play(view, answer={answer}):
    return lowest_bit(face_down(view, view.seat)) if view.decision == WILD else {what}
"""
"""A strategy of aces that needs little compiling."""


def forget() -> None:
    """Forget what is loaded, as a new process would have nothing."""
    bots_module._loaded.cache_clear()
    bots_module.compiled.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def fresh_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder of compiled code with the kernels and without any strategy, here and elsewhere."""
    for game in SOURCES:
        prepare_kernel(find_game(game))
    folder = tmp_path_factory.mktemp("cache") / cache().name
    shutil.copytree(cache(), folder, ignore=lambda _, names: {"bots"} & set(names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIMCARDS_CACHE_DIR", str(folder.parent))
        patch.setattr(jit, "cache_folder", lambda: folder)
        forget()
        yield
    forget()


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A file a game with copies of built-in strategies, by the name of the game."""
    folder = tmp_path_factory.mktemp("bots")
    for game, source in SOURCES.items():
        (folder / f"{game}.py").write_text(source, encoding="utf-8")
    return {game: str(folder / f"{game}.py") for game in SOURCES}


def plain(path: Path, answer: int = 0, what: str = "answer") -> Path:
    """Write a strategy of aces that takes the discard or doesn't."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PLAIN.format(answer=answer, what=what), encoding="utf-8")
    return path


def rows(strategies: Any, n: int = 60, game: str = "aces", **request: Any) -> Any:
    request = {"seed": SEED, "threads": 1} | request
    return simcards.run(game, n, strategies=strategies, rows=True, **request).rows


@pytest.fixture(scope="module")
def known() -> dict[int, Any]:
    """Rows of aces with never (0) on both seats, and with always taking what may be taken (1)."""
    return {0: rows("never")}


def is_never(strategies: Any, known: dict[int, Any]) -> bool:
    return bool(rows(strategies).equals(known[0]))


# A copy plays as the original

MAY = {"displace": "may", "take_discard": "any", "jokers": 1}
CHOOSE = {"one_pie": "choose"}
COPIES = [
    ("aces", "always", "always", {"rules": MAY, "players": 3}),
    ("aces", "never", "never+lowest", {"players": 4}),
    ("aces", "chance", "random+random", {}),
    ("aces", "chance", "random+random+random", {"rules": MAY, "players": 3}),
    ("aces", "rare:copies=2", "rare:copies=2", {"rules": {"layouts": "10,7"}}),
    ("aces", "safe_pass", "safe_pass", {"rules": MAY}),
    ("aces", "always+{}:rarest", "always+rarest", {"rules": {"packs": 3}, "players": 6}),
    ("aces", "chance+random+{}:chance", "random+random+random", {"rules": MAY}),
    ("horner", "eager", "eager", {"rules": CHOOSE, "players": 2}),
    ("horner", "chance", "random", {}),
    ("horner", "chance", "random", {"rules": CHOOSE, "players": 6}),
    ("horner", "no_flip", "no_flip", {"players": 3}),
    ("horner", "flip_only", "flip_only", {}),
    ("horner", "blocker", "blocker", {}),
    ("horner", "blocker:seats=3", "blocker:seats=3", {"players": 5}),
    ("horner", "eager+{}:own_run", "eager+own_run", {"rules": CHOOSE}),
    ("thirteen", "lowest", "lowest", {}),
    ("thirteen", "lowest", "lowest", {"preset": "southern"}),
    ("thirteen", "chance", "random", {"players": 3}),
    ("thirteen", "chance:passes=0", "random:passes=0", {"preset": "southern-cards"}),
    ("thirteen", "shed", "shed", {}),
    ("thirteen", "most", "highest", {"rules": {"pass_rule": "forced"}, "players": 2}),
]


@pytest.mark.parametrize(("game", "function", "name", "request_"), COPIES)
def test_a_copy_gives_the_rows_of_the_original(
    bots: dict[str, str], game: str, function: str, name: str, request_: dict[str, Any]
) -> None:
    text = function.replace("{}", bots[game])
    if not function.startswith("always+") and not function.startswith("eager+"):
        text = f"{bots[game]}:{text}"
    n = 300 if game != "thirteen" else 120
    original = rows(name, n, game, **request_)
    assert_same_rows(rows(text, n, game, **request_), original)
    if "players" in request_:
        assert_same_rows(rows({1: text}, n, game, **request_), rows({1: name}, n, game, **request_))


def test_the_random_copy_is_right_under_random_rules(bots: dict[str, str]) -> None:
    choose = random.Random(4)
    for _ in range(200):
        rules = random_rules(choose)
        request = {"rules": rules, "seed": choose.randrange(2**64)}
        assert_same_rows(
            rows(f"{bots['thirteen']}:chance", 4, "thirteen", **request),
            rows("random", 4, "thirteen", **request),
        )


def test_next_play_gives_legal_plays_and_no_single_is_left_out(bots: dict[str, str]) -> None:
    choose = random.Random(5)
    for _ in range(60):
        rules = random_rules(choose)
        strategies = {0: f"{bots['thirteen']}:legal"}
        rows(strategies, 2, "thirteen", rules=rules, seed=choose.randrange(2**64))


CARDS = """\
from simcards.kernels.thirteen_view import next_play


def play(view, at=0):
    option = next_play(view, 0)
    for _ in range(at):
        option = next_play(view, option)
    return option
"""


def test_a_lead_is_what_legal_plays_says(tmp_path: Path) -> None:
    (tmp_path / "nth.py").write_text(CARDS, encoding="utf-8")
    rules = {"first_lead": "free", "instant": "none"}
    told = simcards.replay("thirteen", seed=SEED, index=0, rules=rules)
    deal = next(event for event in told.events if event["event"] == "deal")
    first = next(event for event in told.events if event["event"] == "play")
    expected = simcards.thirteen.legal_plays(deal["hands"][first["player"]])
    for at in (0, 13, len(expected) - 1):
        bot = f"{tmp_path / 'nth.py'}:play:at={at}"
        try:
            found = simcards.replay("thirteen", seed=SEED, index=0, rules=rules, strategies=bot)
        except StrategyError as stopped:  # later there aren't so many plays
            found = stopped.told
        play = next(event for event in found.events if event["event"] == "play")
        assert sorted(play["cards"]) == sorted(expected[at])


# Wrong answers

WRONG = {
    "aces": (
        ("take", "2", "answered 2"),
        ("take", "-1", "answered -1"),
        ("take", "-(2**63)", "answered -9223372036854775808"),
        ("wild", "13", "answered 13"),
        ("wild", "64", "answered 64"),
        ("wild", "-1", "answered -1"),
        ("displace", "2", "answered 2"),
    ),
    "horner": (
        ("discard", "2", "answered 2"),
        ("flip", "-1", "answered -1"),
        ("pie", "8", "answered 8"),
        ("pie", "-1", "answered -1"),
        ("pie", "64", "answered 64"),
    ),
    "thirteen": (
        ("play", "1 << 52", "answered 4503599627370496"),
        ("play", "-1", "answered -1"),
        ("play", "-(2**63)", "answered -9223372036854775808"),
        ("play", "2**63 - 1", "answered 9223372036854775807"),
        ("play", "~view.hand & (2**52 - 1) & -(~view.hand & (2**52 - 1))", "answered"),
    ),
}
FAILING = (
    ("TABLE[view.seat + 40]", "IndexError"),
    ("view.players // (view.seat - view.seat)", "ZeroDivisionError"),
    ("view.players % (view.seat - view.seat)", "ZeroDivisionError"),
    ("fail(view)", "ValueError: on purpose"),
    ("view.parameter[view.players + 20]", "IndexError"),
)
RULES = {
    "aces": {"displace": "may", "wild": "JQ", "packs": 3},
    "horner": {"one_pie": "choose"},
    "thirteen": {"instant": "none"},
}
DECISIONS = {
    "aces": {"take": "TAKE", "wild": "WILD", "displace": "DISPLACE"},
    "horner": {"discard": "DISCARD", "flip": "FLIP", "pie": "PIE"},
    "thirteen": {"play": "PLAY"},
}
DEFAULTS = {"aces": "always", "horner": "eager", "thirteen": "chance"}


def wrong_bot(path: Path, game: str, cases: list[tuple[str, str]]) -> str:
    """Write a strategy that plays properly, until late in a game it gives an answer of `cases`."""
    late = {"aces": "view.hand > 2", "horner": "view.round_number > 1", "thirteen": "view.gone"}
    names = DECISIONS[game]
    text = f"""
import numpy as np
from simcards.kernels.{game}_view import {", ".join(names.values())}

TABLE = np.arange(5)


def fail(view):
    if view.seat >= 0:
        raise ValueError("on purpose")
    return 0


def play(view, which=0):
    if {late[game]}:
"""
    for j, (decision, answer) in enumerate(cases):
        text += f"        if which == {j} and view.decision == {names[decision]}:\n"
        text += f"            return {answer}\n"
    text += f"    return {DEFAULTS[game]}(view)\n"
    path.write_text(SOURCES[game] + text, encoding="utf-8")
    return str(path)


CASES: dict[str, list[tuple[str, str, str]]] = {
    game: [
        *WRONG[game],
        *(
            (next(iter(DECISIONS[game])), answer, said)
            for answer, said in FAILING
            if game == "aces" or answer.startswith("TABLE")
        ),
    ]
    for game in SOURCES
}


@pytest.fixture(scope="module")
def wrong_bots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("wrong")
    return {
        game: wrong_bot(folder / f"{game}.py", game, [case[:2] for case in cases])
        for game, cases in CASES.items()
    }


@pytest.mark.parametrize(
    ("game", "which"), [(game, j) for game, cases in CASES.items() for j in range(len(cases))]
)
def test_a_wrong_answer_ends_the_run_and_is_told(
    cli, wrong_bots: dict[str, str], game: str, which: int
) -> None:
    decision, _, said = CASES[game][which]
    bot = wrong_bots[game]
    rules = [f"--rule={name}={value}" for name, value in RULES[game].items()]
    text = f"1={bot}:play:which={which}"
    words = (*rules, "--strategy", text, "--seed", SEED, "--game", game)
    code, out, err = cli("run", *words, "--n", 200, "--json", "--quiet", "--threads", 1)
    assert (code, out) == (1, "")
    assert "Traceback" not in err
    head = err.splitlines()[0]  # strategy ..., seat 1, match 17: it answered ...
    for part in (f"{bot}:play", "seat 1", f"when asked '{decision}'", said):
        assert part in head, err
    index = int(head.split(", ")[2].split(":")[0].split()[-1])
    situation = [line for line in err.splitlines() if not line.startswith("  Watch it")]
    for size in (1, 64):
        more = ("--n", 200, "--chunk-size", size, "--threads", 1, "--json", "--quiet")
        again, out, other = cli("run", *words, *more)
        assert (again, out, other) == (1, "", err)
    code, out, other = cli("replay", *words, "--index", index, "--quiet", "--json")
    assert code == 1
    assert other.splitlines() == situation
    events = [json.loads(line) for line in out.splitlines()]
    assert events[0]["event"] == "start" and events[-1]["event"] == "failed"
    assert not any(event["event"] == "end" for event in events)
    if index:
        code, _, _ = cli("run", *words, "--n", index, "--json", "--quiet", "--threads", 1)
        assert code == 0


def test_threads_that_fail_tell_the_first_game_that_failed(cli, monkeypatch, tmp_path) -> None:
    bot = plain(tmp_path / "late.py", what="2")
    words = ("aces", "--strategy", f"1={bot}", "--seed", SEED, "--n", 80, "--quiet")
    _, _, alone = cli("run", *words, "--threads", 1, "--chunk-size", 80)

    def play(plan: Any, start: int, *rest: Any) -> Any:
        if start == 0:
            time.sleep(0.5)  # another thread was faster
        return play_chunk(plan, start, *rest)

    monkeypatch.setattr(run_module, "play_chunk", play)
    _, _, among = cli("run", *words, "--threads", 2, "--chunk-size", 8)
    assert among == alone


def test_a_pass_that_is_not_allowed(cli, tmp_path: Path) -> None:
    for rule, answer in (("pass_rule=free", "0"), ("pass_rule=forced", "0")):
        source = "def play(view):\n    return " + answer + "\n"
        (tmp_path / "passes.py").write_text(source, encoding="utf-8")
        words = ("--strategy", f"0={tmp_path / 'passes.py'}", "--seed", SEED, "--rule", rule)
        code, out, err = cli("run", "thirteen", *words, "--n", 50, "--json", "--quiet")
        assert (code, out) == (1, "")
        assert "answered 0" in err and "seat 0" in err and "deal" in err


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("1.0", "float64"),
        ("float('nan')", "float64"),
        ("np.nan", "float64"),
        ("None", "none"),
        ("'1'", "str"),
        ("(1, 0)", "Tuple"),
        ("1j", "complex"),
        ("1 if view.seat else None", ""),
        ("1 if view.seat else 0.5", "float64"),
        ("view", ""),
        ("view.no_such_field", "no_such_field"),
        ("no_such_name", "no_such_name"),
        ("open('x')", ""),
        ("{}[view.seat]", ""),
    ],
)
def test_an_answer_of_another_type_is_refused(cli, tmp_path: Path, answer: str, said: str) -> None:
    source = f"import numpy as np\n\n\ndef play(view):\n    return {answer}\n"
    (tmp_path / "typed.py").write_text(source, encoding="utf-8")
    text = f"0={tmp_path / 'typed.py'}"
    code, out, err = cli("run", "aces", "--strategy", text, "--n", 20, "--json", "--quiet")
    assert (code, out) == (2, "")
    assert "typed.py:play" in err and said in err
    assert "Traceback" not in err and len(err.splitlines()) < 16


def test_true_false_and_small_integers_are_answers(tmp_path: Path, known) -> None:
    for what in ("np.int8(0)", "np.bool_(False)", "view.seat > 9"):
        path = plain(tmp_path / "kinds.py", what=what)
        path.write_text("import numpy as np\n" + path.read_text(), encoding="utf-8")
        assert is_never(str(path), known), what


def test_finished_chunks_are_kept_and_nothing_half_written(cli, tmp_path: Path) -> None:
    bot = wrong_bot(tmp_path / "wrong.py", "aces", [("wild", "13")])
    path = Path(bot)
    path.write_text(
        path.read_text(encoding="utf-8").replace("view.hand > 2", "view.word % 4001 == 7"),
        encoding="utf-8",
    )
    words = ("--strategy", f"1={bot}", "--seed", SEED, "--n", 3000, "--chunk-size", 20)
    out = tmp_path / "out"
    code, said, err = cli("run", "aces", *words, "--out", out, "--json", "--quiet")
    assert (code, said) == (1, "")
    index = int(err.split("match ")[1].split(":")[0])
    assert index >= 20, "choose another number"
    told = manifest(out)
    assert (told["status"], told["stop_reason"]) == ("partial", "error")
    assert told["completed"] == index // 20 * 20
    assert not [name for name in files(out) if name.endswith(".new")]
    direct = rows({1: bot}, told["completed"])
    assert_same_rows(simcards.load(out).rows, direct)
    code, said, other = cli("resume", out, "--json", "--quiet")
    assert (code, said) == (1, "")
    assert other.splitlines()[:4] == err.splitlines()[:4]
    code, said, other = cli("replay", out, "--index", index, "--quiet")
    assert code == 1 and "answered 13" in other


def test_what_a_strategy_writes_into_the_view_changes_nothing(
    tmp_path: Path, bots: dict[str, str]
) -> None:
    try:
        for game, changes in {
            "aces": "view.shown[view.seat] = 0\n    view.seat = 0\n    view.unseen[3] = 9",
            "horner": "view.empty = 255\n    view.top[view.seat] = 3\n    view.seat = 1",
            "thirteen": "view.hand = 0\n    view.top = 0\n    view.locked = 0",
        }.items():
            source = SOURCES[game] + (
                f"\n\ndef play(view):\n    answer = {SIMPLE[game]}(view)\n    {changes}\n"
                "    return answer\n"
            )
            (tmp_path / f"{game}.py").write_text(source, encoding="utf-8")
            expected = rows(f"{bots[game]}:{SIMPLE[game]}", 80, game)
            assert_same_rows(rows(str(tmp_path / f"{game}.py"), 80, game), expected)
    except simcards.RequestError:
        pass  # a view that can't be written to is right as well


CHEAT = """
from simcards.kernels.thirteen_view import next_play


def play(view):
    if view.gone and not view.top:
        view.hand = view.hand | (1 << 51)
        view.must_hold = 0
        return 1 << 51
    return next_play(view, 0)
"""


def test_a_view_that_was_written_to_makes_no_answer_legal(tmp_path: Path) -> None:
    (tmp_path / "cheat.py").write_text(CHEAT, encoding="utf-8")
    told = simcards.replay  # kept short below
    caught = 0
    for index in range(12):
        try:
            found = told("thirteen", seed=SEED, index=index, strategies={0: f"{tmp_path}/cheat.py"})
        except simcards.RequestError:
            return
        except StrategyError:
            caught += 1
            continue
        hands = next(event for event in found.events if event["event"] == "deal")["hands"]
        for event in found.events:
            if event["event"] == "play" and event["player"] == 0:
                assert set(event["cards"]) <= set(hands[0])
    assert caught


# Known by path and content


def test_two_files_of_one_name_are_two_strategies(tmp_path: Path, known) -> None:
    one = plain(tmp_path / "a" / "bot.py", 0)
    other = plain(tmp_path / "b" / "bot.py", 1)
    assert is_never(str(one), known)
    assert not is_never(str(other), known)
    among = rows([str(one), str(other)])
    assert among.equals(rows([str(plain(tmp_path / "c.py", 0)), str(plain(tmp_path / "d.py", 1))]))
    assert not among.equals(rows([str(other), str(one)]))


@pytest.mark.parametrize("name", ["random", "numpy", "statistics", "simcards"])
def test_a_file_may_be_named_like_a_module(tmp_path: Path, known, name: str) -> None:
    path = plain(tmp_path / f"{name}.py")
    source = "import math\nimport random\nimport statistics\n\nimport numpy as np\n\n"
    more = "N = int(np.zeros(3)[1] + statistics.mean([0, 0]) + random.Random(3).random())\n"
    path.write_text(source + more + path.read_text(), encoding="utf-8")
    assert is_never(str(path), known)
    import json as same  # nothing that others import has been replaced

    assert same is json and np.arange(3).sum() == 3


@pytest.mark.parametrize(
    "name",
    ["my bot.py", "bốt été.py", "a+b.py", "x=1.py", "2=x.py", "-b.py", "b.py.py"],
)
def test_a_path_may_hold_any_letters(cli, tmp_path: Path, known, name: str) -> None:
    path = plain(tmp_path / "some +folder=1" / name)
    assert is_never(str(path), known)
    assert is_never(f"{path}:play:answer=0+lowest", known)
    words = ("--n", 60, "--seed", SEED, "--json", "--quiet")
    code, out, err = cli("run", "aces", "--strategy", f"0={path}:play:answer=1", *words)
    assert (code, err) == (0, "")
    assert json.loads(out)["seats"] != json.loads(cli("run", "aces", *words)[1])["seats"]


def test_relative_paths_and_a_home(cli, tmp_path: Path, monkeypatch, known) -> None:
    plain(tmp_path / "home" / "bot.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    for text in ("home/bot.py", "./home/bot.py", "home/../home/bot.py", "~/bot.py"):
        assert is_never(text, known)


@pytest.mark.skipif(os.name != "posix", reason="Windows makes no links without rights")
def test_links_are_followed(tmp_path: Path, known) -> None:
    folder = tmp_path / "real"
    plain(folder / "bot.py", what="helper()")
    with open(folder / "bot.py", "a", encoding="utf-8") as file:
        file.write("\n\nfrom aid import helper\n")
    (folder / "aid.py").write_text("def helper():\n    return 0\n", encoding="utf-8")
    (tmp_path / "link.py").symlink_to(folder / "bot.py")
    assert is_never(str(tmp_path / "link.py"), known)


@pytest.mark.skipif(os.name != "posix", reason="Windows makes no links without rights")
def test_a_link_to_data_is_followed(tmp_path: Path, known) -> None:
    np.save(tmp_path / "first.npy", np.zeros(9, np.int64))
    (tmp_path / "table.npy").symlink_to("first.npy")
    assert is_never(str(with_data(tmp_path / "bot.py")), known)


def test_an_edit_of_the_same_size_in_the_same_second_is_noticed(tmp_path: Path, known) -> None:
    path = tmp_path / "bot.py"
    for answer in (0, 1, 0, 1):
        plain(path, answer)
        os.utime(path, ns=(10**18, 10**18))
        assert is_never(str(path), known) == (answer == 0)


WINS = """
import sys, simcards
for strategies in sys.argv[2:]:
    seats = strategies.split("|")
    rows = simcards.run(
        "aces", 60, seed=int(sys.argv[1]), threads=1, rows=True, strategies=seats
    ).rows
    print(rows.write_csv().encode().hex())
"""


def elsewhere(python_process: Callable[..., Any], *tables: str, **options: Any) -> list[Any]:
    """Rows of aces, played by another process, one of each table of two seats."""
    done = python_process("-c", WINS, SEED, *tables, **options)
    assert done.returncode == 0, done.stderr
    return [bytes.fromhex(line).decode() for line in done.stdout.split()]


def test_an_edit_is_noticed_by_the_next_process(python_process, tmp_path: Path, known) -> None:
    path = plain(tmp_path / "bot.py", 0)
    os.utime(path, ns=(10**18, 10**18))
    assert is_never(str(path), known)
    plain(path, 1)
    os.utime(path, ns=(10**18, 10**18))
    (found,) = elsewhere(python_process, f"{path}|{path}")
    assert found == rows(str(path)).write_csv() != known[0].write_csv()


HELPERS = {
    "from aid import helper": "helper()",
    "import aid": "aid.helper()",
    "from kit.inner import helper": "helper()",
    "import kit.inner as inner": "inner.helper()",
    "from chain import helper": "helper()",
    "from statistics import helper": "helper()",
    "import random": "random.helper()",
}


def with_helpers(folder: Path, answer: int, statement: str, what: str) -> Path:
    """Write a strategy of aces with modules beside it that answer."""
    path = plain(folder / "bot.py", what=what)
    path.write_text(f"{statement}\n{path.read_text()}", encoding="utf-8")
    source = f"def helper():\n    return {answer}\n"
    (folder / "kit").mkdir(exist_ok=True)
    for name in ("aid", "kit/inner", "statistics", "random"):
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    (folder / "kit" / "__init__.py").write_text("from kit.inner import helper\n", encoding="utf-8")
    chain = "import aid\n\n\ndef helper():\n    return aid.helper()\n"
    (folder / "chain.py").write_text(chain, encoding="utf-8")
    return path


@pytest.mark.parametrize("statement", HELPERS)
def test_modules_beside_a_strategy_come_along(tmp_path: Path, known, statement: str) -> None:
    import statistics

    what = HELPERS[statement]
    one = with_helpers(tmp_path / "a", 0, statement, what)
    other = with_helpers(tmp_path / "b", 1, statement, what)
    assert is_never(str(one), known)
    assert not is_never(str(other), known)
    if statement == "import aid":
        plain_ones = [str(plain(tmp_path / f"{answer}.py", answer)) for answer in (0, 1)]
        assert rows([str(one), str(other)]).equals(rows(plain_ones))
    with_helpers(tmp_path / "a", 1, statement, what)  # only the helper has changed
    assert not is_never(str(one), known)
    assert statistics.mean([1, 3]) == 2 and random.Random(1).random() < 1


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("import kit.inner", "kit.inner.helper()"),
        ("import chain", "chain.aid.helper()"),
        ("from near import helper", "helper()"),
        ("from bare.inner import helper", "helper()"),
    ],
)
def test_modules_of_modules_come_along(tmp_path: Path, known, statement: str, what: str) -> None:
    path = with_helpers(tmp_path, 0, statement, what)
    (tmp_path / "near").mkdir()
    shutil.copy(tmp_path / "aid.py", tmp_path / "near" / "inner.py")
    (tmp_path / "near" / "__init__.py").write_text("from .inner import helper\n")
    (tmp_path / "bare").mkdir()
    shutil.copy(tmp_path / "aid.py", tmp_path / "bare" / "inner.py")
    assert is_never(str(path), known)


def test_a_strategy_with_a_helper_works_in_the_next_process(
    python_process, tmp_path: Path, known
) -> None:
    path = with_helpers(tmp_path, 0, "from aid import helper", "helper()")
    for _ in range(2):
        (found,) = elsewhere(python_process, f"{path}|{path}")
        assert found == known[0].write_csv()


LONG = """
from simcards.kernels.aces_view import WILD, face_down, lowest_bit


def make(answer):
    def play(view):
        if view.decision == WILD:
            return lowest_bit(face_down(view, view.seat))
        total = 0
        for j in range(view.places[view.seat]):
            for i in range(j):
                if (view.shown[view.seat] >> i) & 1 and view.unseen[j] > view.discards[i]:
                    total += view.unseen[j] * view.discards[i] % 7
                elif (view.filled[view.seat] >> i) & 1 or view.stock % (i + 1) == 0:
                    total -= view.unseen[i] * 3
        for i in range(14):
            if view.unseen[i] % 3 == answer:
                total += i
            while total > 1000:
                total //= 2
        return answer if total > -(10**9) else 1 - answer

    return play


zero = make(0)
one = make(1)
"""


def test_functions_of_one_name_stay_apart_when_they_come_from_disk(
    python_process, tmp_path: Path
) -> None:
    path = tmp_path / "long.py"
    path.write_text(LONG, encoding="utf-8")
    helped = []
    for answer in (0, 1):
        folder = tmp_path / str(answer)
        folder.mkdir()
        source = LONG.replace("def make(answer):\n    def play(view):", "def long(view):")
        source = source.split("\n\n    return play\n")[0] + "\n"
        source = source.replace("% 3 == answer", f"% 3 == {answer}")
        source = source.replace("return answer if", f"return {answer} if")
        source = source.replace("else 1 - answer", f"else {1 - answer}")
        (folder / "aid.py").write_text(source.replace("\n    ", "\n"), encoding="utf-8")
        text = "from aid import long\n\n\ndef play(view):\n    return long(view)\n"
        (folder / "bot.py").write_text(text, encoding="utf-8")
        helped.append(str(folder / "bot.py"))
    for answer, name in enumerate(("zero", "one")):
        bots = (f"{path}:{name}", helped[answer])
        elsewhere(python_process, *(f"{bot}|{bot}" for bot in bots))
    found = elsewhere(python_process, f"{path}:zero|{path}:one", "|".join(helped))
    plain_ones = [str(plain(tmp_path / f"{answer}.py", answer)) for answer in (0, 1)]
    assert found == [rows(plain_ones).write_csv()] * 2


def with_data(path: Path, place: str = 'Path(__file__).with_name("table.npy")') -> Path:
    plain(path, what="TABLE[view.seat]")
    head = f"from pathlib import Path\n\nimport numpy as np\n\nTABLE = np.load({place})\n"
    path.write_text(head + "TABLE.flags.writeable = False\n" + path.read_text(), encoding="utf-8")
    return path


def test_data_beside_a_strategy_comes_along(tmp_path: Path, known) -> None:
    bot = with_data(tmp_path / "bot.py")
    for answer in (0, 1, 0):
        np.save(tmp_path / "table.npy", np.full(9, answer))
        os.utime(tmp_path / "table.npy", ns=(10**18, 10**18))
        assert is_never(str(bot), known) == (answer == 0)
    np.save(tmp_path / "table.npy", np.zeros(1, np.int64))
    with pytest.raises(StrategyError, match=r"seat 1.*IndexError"):
        rows(str(bot))


def test_data_in_a_folder_comes_along(tmp_path: Path, known) -> None:
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "table.npy", np.zeros(9, np.int64))
    bot = with_data(tmp_path / "bot.py", 'Path(__file__).parent / "data" / "table.npy"')
    assert is_never(str(bot), known)


def test_data_of_the_current_folder_is_kept_too(tmp_path: Path, monkeypatch) -> None:
    bot = with_data(tmp_path / "bot.py", '"table.npy"')
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "table.npy", np.zeros(9, np.int64))
    ran = simcards.run("aces", 40, strategies=str(bot), seed=SEED, out=tmp_path / "out").rows
    np.save(tmp_path / "table.npy", np.ones(9, np.int64))
    forget()
    (tmp_path / "bot.py").unlink()
    try:
        longer = simcards.resume(tmp_path / "out", 80).rows
    except simcards.RequestError:
        return  # a refusal would be right
    assert longer.slice(0, 40).equals(ran)
    np.save(tmp_path / "table.npy", np.zeros(9, np.int64))
    forget()
    assert longer.equals(rows(str(with_data(tmp_path / "bot.py", '"table.npy"')), 80))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows makes no links without rights")
def test_a_checkout_of_simcards_may_lie_beside_a_strategy(
    python_process, tmp_path: Path, known
) -> None:
    (tmp_path / "simcards").symlink_to(Path(simcards.__file__).parent)
    bot = plain(tmp_path / "bot.py")
    (found,) = elsewhere(python_process, f"{bot}|{bot}")
    assert found == known[0].write_csv()


# Parameters, and what can't be played

PARAMETERS = """
def play(view, hold=2, low=-3):
    return hold + low


def none(view):
    return 0


def without(view, hold):
    return 0


def float_default(view, hold=0.5):
    return 0


def true_default(view, hold=True):
    return 0


def keyword(view, *, hold=2):
    return 0


def many(view, a=1, b=1, c=1, d=1, e=1, f=1, g=1, h=1, i=1):
    return 0


def stars(view, *others):
    return 0


def nothing():
    return 0


number = 3


class Thing:
    pass
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (":play:hod=2", ("hod=2", "no parameter", "hold=2, low=-3")),
        (":play:hold=2:hold=3", ("hold is given twice",)),
        (":play:hold=two", ("whole number",)),
        (":play:hold=2.5", ("whole number",)),
        (":play:hold=", ("whole number",)),
        (":play:hold", ("hold",)),
        (":hod=2", ("hod=2", "no parameter")),
        (f":play:hold={2**63}", ("whole number",)),
        (":none:hold=2", ("It takes none",)),
        (":without", ("takes 'hold'", "default")),
        (":float_default", ("takes 'hold'", "default")),
        (":true_default", ("takes 'hold'", "default")),
        (":keyword", ("takes 'hold'",)),
        (":many", ("9 parameters", "8")),
        (":stars", ("takes 'others'",)),
        (":nothing", ("must take the view",)),
        (":number", ("is no function",)),
        (":Thing", ("is no function",)),
        (":plya", ("no function 'plya'", "Did you mean play?", "without")),
        (":", ("no function",)),
    ],
)
def test_a_refusal_is_for_people(cli, tmp_path: Path, text: str, said: tuple[str, ...]) -> None:
    (tmp_path / "bot.py").write_text(PARAMETERS, encoding="utf-8")
    words = ("--n", 5, "--seed", 1, "--json", "--quiet")
    code, out, err = cli("run", "aces", "--strategy", f"0={tmp_path / 'bot.py'}{text}", *words)
    assert (code, out) == (2, ""), err
    assert err.startswith("simcards: --strategy ")
    for part in said:
        assert part in err


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, ("bot.py", "No such file", "Did you mean bto.py?")),
        ("", ("no function 'play'", "none")),
        ("def play(view):\n    return (\n", ("bot.py, line 2", "no Python")),
        ("def play(view):\nreturn 1\n", ("bot.py, line 2", "no Python")),
        ("def play(view):\n    return 0\n\n1 / 0\n", ("bot.py", "ZeroDivisionError")),
        ("import no_such_module\n", ("bot.py", "no_such_module")),
        ("from simcards.kernels.aces_view import nothing_such\n", ("bot.py", "nothing_such")),
        ("def play(view):\n    return 0\n\nassert False\n", ("bot.py", "AssertionError")),
        ("\0", ("bot.py", "no Python")),
        ("# -*- coding: nonsense -*-\n", ("bot.py", "no Python")),
        ("import aid\n", ("aid.py, line 1", "no Python")),
    ],
)
def test_a_file_that_cannot_be_played(
    cli, tmp_path: Path, source: str | None, said: tuple[str, ...]
) -> None:
    plain(tmp_path / "bto.py")
    (tmp_path / "aid.py").write_text("1 +\n", encoding="utf-8")
    if source is not None:
        (tmp_path / "bot.py").write_text(source, encoding="utf-8")
    words = ("--n", 5, "--seed", 1, "--json", "--quiet")
    code, out, err = cli("run", "aces", "--strategy", f"0={tmp_path / 'bot.py'}", *words)
    assert (code, out) == (2, ""), err
    assert len(err.splitlines()) < 6
    for part in said:
        assert part in err


def test_a_folder_is_no_strategy(cli, tmp_path: Path) -> None:
    (tmp_path / "bot.py").mkdir()
    code, out, err = cli("run", "aces", "--strategy", tmp_path / "bot.py", "--n", 5, "--json")
    assert (code, out) == (2, "") and "directory" in err


def test_a_file_that_exits_when_imported_is_refused(cli, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import sys\n\nsys.exit(0)\n", encoding="utf-8")
    code, _, err = cli("run", "aces", "--strategy", tmp_path / "bot.py", "--n", 5, "--json")
    assert code == 2 and "bot.py" in err


def test_a_default_beyond_64_bits_is_refused(cli, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def play(view, hold=2**70):\n    return 0\n")
    code, _, err = cli("run", "aces", "--strategy", tmp_path / "bot.py", "--n", 5, "--json")
    assert code == 2 and "hold" in err


def test_parameters_reach_the_function(tmp_path: Path, known) -> None:
    source = PLAIN.format(answer=2, what="answer + low").replace("=2)", "=2, low=-2)")
    (tmp_path / "bot.py").write_text(source, encoding="utf-8")
    path = str(tmp_path / "bot.py")
    assert is_never(path, known)
    assert is_never(f"{path}:play:answer=-7:low=7", known)
    assert is_never(f"{path}:low=-5:answer=5", known)
    assert not is_never(f"{path}:play:low=-1", known)
    assert rows([f"{path}:low=-1", path]).equals(rows([f"{path}:low=-1", "never"]))
    eight = "def play(view, a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8):\n"
    sum_ = (
        "    return (a + 2 * b + 4 * c + 8 * d + 16 * e + 32 * f + 64 * g + 128 * h) * 0 + h - 8\n"
    )
    (tmp_path / "eight.py").write_text(eight + sum_, encoding="utf-8")
    assert is_never(f"{tmp_path / 'eight.py'}+lowest", known)
    assert not is_never(f"{tmp_path / 'eight.py'}:h=9+lowest", known)


def test_one_name_a_decision(tmp_path: Path, bots: dict[str, str], known) -> None:
    zero = plain(tmp_path / "a.py", 0)
    assert is_never(f"{zero}:play+lowest", known)
    expected = rows("never+highest")
    source = "from simcards.kernels.aces_view import face_down, ones\n\n\ndef g(view):\n"
    source += "    down = face_down(view, view.seat)\n    return 63 - 50 if 0 else last(down)\n"
    source += "\n\ndef last(mask):\n    at = -1\n    while mask:\n        at += 1\n"
    source += "        mask >>= 1\n    return at\n"
    (tmp_path / "b.py").write_text(source, encoding="utf-8")
    assert rows(f"never+{tmp_path / 'b.py'}:g").equals(expected)
    assert rows(f"{zero}:play+{tmp_path / 'b.py'}:g").equals(expected)
    assert rows(f" {zero}:play + {tmp_path / 'b.py'}:g ").equals(expected)
    with pytest.raises(simcards.RequestError, match="4 strategies"):
        rows(f"{zero}+{zero}+{zero}+{zero}")
    pie = f"{bots['horner']}:own_run"
    with pytest.raises(simcards.RequestError, match="never ask"):
        rows(f"eager+{pie}", game="horner")


# What is kept between processes

COUNTED = """
import sys, simcards
from numba.core import compiler
compiled = []
before = compiler.compile_extra
def counting(typing, target, function, *rest, **more):
    compiled.append(function.__name__)
    return before(typing, target, function, *rest, **more)
compiler.compile_extra = counting
rows = simcards.run(
    sys.argv[1], 40, seed=3, threads=1, rows=True, strategies=sys.argv[2]
).rows
print(len(compiled), *compiled)
print(rows.write_csv().encode().hex())
"""


@pytest.mark.parametrize("game", ["aces", "thirteen"])
def test_a_second_process_compiles_nothing(python_process, bots: dict[str, str], game: str) -> None:
    text = f"{bots[game]}:{SIMPLE[game]}"
    expected = rows(text, 40, game, seed=3)
    done = python_process("-c", COUNTED, game, text)
    assert done.returncode == 0, done.stderr
    compiled, csv = done.stdout.splitlines()
    assert compiled == "0"
    assert bytes.fromhex(csv).decode() == expected.write_csv()


def cache() -> Path:
    folder = jit.cache_folder()
    assert folder is not None
    return folder


def test_an_edit_leaves_the_kernels_alone(tmp_path: Path, known) -> None:
    def own() -> dict[str, Any]:
        return {name: it for name, it in files(cache()).items() if not name.startswith("bots/")}

    before = own()
    for answer in (0, 1):
        assert is_never(str(plain(tmp_path / "bot.py", answer)), known) == (answer == 0)
    assert own() == before


def new_files(path: Path) -> tuple[list[Path], list[Path]]:
    """Play a strategy that was never played; returns the files of its copy and of its code."""
    before = set((cache() / "bots").rglob("*"))
    rows(str(path))
    new = [one for one in (cache() / "bots").rglob("*") if one not in before and one.is_file()]
    code = [one for one in new if any("entry-" in part for part in one.parts)]
    return [one for one in new if one not in code and one.suffix == ".py"], code


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "gone":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(data[: len(data) // 2])
    else:
        path.write_bytes(data[:-20] + bytes(255 - byte for byte in data[-20:]))


def damaged(tmp_path: Path, known: Any, how: str, which: str) -> None:
    path = tmp_path / "bot.py"
    plain(path)
    path.write_text(path.read_text() + f"\n# {how} {which}\n", encoding="utf-8")
    copies, code = new_files(path)
    assert copies and code
    hit = [one for one in [*copies, *code] if which in one.name]
    if which == "bot.py":
        shutil.rmtree(code[0].parent)
    assert hit
    for one in hit:
        damage(one, how)
    forget()
    assert is_never(str(path), known)


@pytest.mark.parametrize("how", ["gone", "cut", "changed"])
@pytest.mark.parametrize("which", [".nbi", ".nbc", "seal"])
def test_damaged_code_counts_as_missing(tmp_path: Path, known, how: str, which: str) -> None:
    damaged(tmp_path, known, how, which)


@pytest.mark.parametrize("how", ["gone", "cut"])
@pytest.mark.parametrize("which", ["entry.py", "bot.py"])
def test_a_damaged_source_counts_as_missing(tmp_path: Path, known, how: str, which: str) -> None:
    damaged(tmp_path, known, how, which)


def test_nothing_to_keep_code_in_still_works(tmp_path: Path, monkeypatch, known) -> None:
    path = with_helpers(tmp_path, 0, "from aid import helper", "helper()")
    monkeypatch.setattr(jit, "cache_folder", lambda: None)
    forget()
    assert is_never(str(path), known)
    forget()


@pytest.mark.slow
def test_nothing_writable_still_works(python_process, tmp_path: Path, known) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    path = with_helpers(tmp_path, 0, "from aid import helper", "helper()")
    nowhere = {"SIMCARDS_CACHE_DIR": str(tmp_path / "file" / "cache")}
    (found,) = elsewhere(python_process, f"{path}|{path}", env=nowhere)
    assert found == known[0].write_csv()


# Saved runs


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, Path]:
    """A strategy with a helper and data, and a run of it that was stopped half way."""
    folder = tmp_path / "mine"
    folder.mkdir()
    np.save(folder / "table.npy", np.zeros(9, np.int64))
    bot = with_data(folder / "bot.py")
    aid = "from aid import helper\n" + bot.read_text().replace("TABLE[view.seat]", "helper(view)")
    bot.write_text(aid.replace("\n\n\ndef", "\n\nTABLE[0]\n\n\ndef"), encoding="utf-8")
    source = "def helper(view):\n    return 0 * view.seat\n"
    (folder / "aid.py").write_text(source, encoding="utf-8")
    simcards.run(
        "aces", 60, seed=SEED, strategies=str(bot), chunk_size=20, threads=1, out=tmp_path / "out"
    )
    return bot, tmp_path / "out"


def test_a_run_keeps_its_strategies(saved, known) -> None:
    bot, out = saved
    told = manifest(out)
    ((digest, names),) = told["sources"].items()
    assert sorted(names) == ["aid.py", "bot.py", "table.npy"]
    assert (
        told["strategies"]
        == [{"strategy": f"{bot}:play", "source": "file", "sha256": {str(bot): digest}}] * 2
    )
    kept = [name for name in files(out) if name.startswith("strategies/")]
    assert sorted(kept) == [f"strategies/{digest[:32]}/{name}" for name in sorted(names)]
    for name in names:
        copy = out / "strategies" / digest[:32] / name
        assert copy.read_bytes() == (bot.parent / name).read_bytes()
    assert_same_rows(simcards.load(out).rows, known[0])


@pytest.mark.parametrize("what", ["edited", "deleted"])
def test_a_saved_run_plays_what_it_keeps(cli, saved, tmp_path: Path, what: str) -> None:
    bot, out = saved
    expected = rows("never", 100)
    if what == "edited":
        (bot.parent / "aid.py").write_text("def helper(view):\n    return 1\n", encoding="utf-8")
    else:
        shutil.rmtree(bot.parent)
    code, _, err = cli("resume", out, "--n", 100)
    assert code == 0
    assert f"strategies are played as they are kept in {out}" in err
    assert_same_rows(simcards.load(out).rows, expected)
    for words in (("summary", out), ("verify", out), ("export", out, "--to", "csv")):
        code, said, err = cli(*words)
        assert (code, bool(said), err) == (0, True, "")
    code, said, err = cli("replay", out, "--index", 99, "--json")
    assert code == 0 and "as they are kept" in err
    end = json.loads(said.splitlines()[-1])
    assert (end["index"], end["turns"]) == (99, expected["turns"][99])


@pytest.mark.parametrize("name", ["bot.py", "aid.py", "table.npy"])
@pytest.mark.parametrize("how", ["gone", "empty", "changed"])
def test_a_damaged_copy_is_refused(cli, saved, name: str, how: str) -> None:
    _, out = saved
    (copy,) = (out / "strategies").iterdir()
    damage(copy / name, how)
    before = {key: value for key, value in files(out).items() if key != ".lock"}
    for words in (("resume", out, "--n", 100), ("replay", out, "--index", 1), ("verify", out)):
        code, said, err = cli(*words)
        assert (code, said) == (2, "")
        assert "isn't as it was" in err and str(copy) in err
    assert {key: value for key, value in files(out).items() if key != ".lock"} == before


def test_overwriting_removes_old_copies_and_nothing_else(saved, tmp_path: Path) -> None:
    bot, out = saved
    (out / "strategies" / "mine.txt").write_text("mine", encoding="utf-8")
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    (copy,) = (one for one in (out / "strategies").iterdir() if one.is_dir())
    (copy / "notes.txt").write_text("mine", encoding="utf-8")
    simcards.run("aces", 20, strategies="never", seed=1, out=out, overwrite=True)
    left = [name for name in files(out) if not name.startswith("rows/")]
    own = {".lock", "chunks.jsonl", "manifest.json"}
    mine = {"notes.txt", "strategies/mine.txt", f"strategies/{copy.name}/notes.txt"}
    assert set(left) == own | mine


def test_the_same_strategy_is_kept_again(saved) -> None:
    bot, out = saved
    simcards.run("aces", 20, strategies=str(bot), seed=1, out=out, overwrite=True)
    assert simcards.resume(out, 40).summary.completed == 40


@pytest.mark.parametrize("what", ["a file of somebody else's", "a package"])
def test_the_same_strategy_is_kept_again_beside(tmp_path: Path, what: str) -> None:
    bot = with_helpers(tmp_path / "mine", 0, "from kit import helper", "helper()")
    if what != "a package":
        plain(bot)
    out = tmp_path / "out"
    simcards.run("aces", 20, strategies=str(bot), seed=1, out=out)
    if what != "a package":
        (copy,) = (out / "strategies").iterdir()
        (copy / "notes.txt").write_text("mine", encoding="utf-8")
    simcards.run("aces", 20, strategies=str(bot), seed=2, out=out, overwrite=True)
    assert simcards.resume(out, 40).summary.completed == 40


def plays_never(view):
    return wild_place(view) if view.decision == 1 else 0


def plays_some(view, answer=0):
    return wild_place(view) if view.decision == 1 else answer


def wild_place(view):
    down = (1 << view.places[view.seat]) - 1 & ~(view.shown[view.seat] | view.filled[view.seat])
    place = 0
    while not (down >> place) & 1:
        place += 1
    return place


def test_a_function_cannot_be_kept(tmp_path: Path) -> None:
    with pytest.raises(simcards.RequestError, match=r"(?s)can't be kept.*my_bot.py:plays_never"):
        simcards.run("aces", 10, strategies=plays_never, seed=1, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


# Functions given in Python


def test_functions_are_strategies(known) -> None:
    assert is_never(plays_never, known)
    assert is_never({1: plays_never, 0: "never"}, known)
    assert is_never(numba.njit(plays_never), known)
    assert is_never(functools.partial(plays_some, answer=0), known)
    assert not is_never(functools.partial(plays_some, answer=1), known)
    assert is_never(lambda view: wild_place(view) if view.decision == 1 else 0, known)
    told = simcards.replay("aces", seed=SEED, index=5, strategies=plays_never)
    assert told.row == known[0].row(5, named=True)
    for one in (plays_never, plays_some, wild_place):  # left as they were
        assert type(one) is type(test_functions_are_strategies)
    assert plays_never.__globals__["wild_place"] is wild_place


def taking(answer: int) -> Callable[[Any], int]:
    def play(view):
        return wild_place(view) if view.decision == 1 else answer

    return play


def test_closures_of_one_source_are_told_apart(known) -> None:
    assert is_never(taking(0), known)
    assert not is_never(taking(1), known)


def test_functions_of_one_line_are_told_apart(known) -> None:
    both = [lambda view: plays_some(view, 0), lambda view: plays_some(view, 1)]
    assert is_never(both[0], known)
    assert not is_never(both[1], known)


NOTEBOOK = """
import simcards

def rows(play):
    found = simcards.run("aces", 60, seed=31, threads=1, rows=True, strategies=play).rows
    return found.write_csv()

def place(view):
    at = 0
    while (view.shown[view.seat] | view.filled[view.seat]) >> at & 1:
        at += 1
    return at

def helper(view):
    return 0

def play(view):
    return place(view) if view.decision == 1 else helper(view)

HOLD = 0
def other(view):
    return place(view) if view.decision == 1 else HOLD

never = rows("never")
assert rows(play) == never
assert rows(other) == never
assert type(helper) is type(rows)
"""
EDITED = """
def helper(view):
    return 1
HOLD = 1
assert rows(play) != never
assert rows(other) != never
"""


def test_functions_of_a_notebook_and_what_they_use_may_change(python_process) -> None:
    done = python_process("-c", NOTEBOOK + EDITED)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        (3, "name"),
        (len, "plain function"),
        (str.upper, "plain function"),
        (functools.partial(plays_some, hold=1), "hold=1"),
        (functools.partial(plays_some, answer=0.5), "whole number"),
        (lambda: 1, "must take the view"),
        (lambda view: "1", "answers"),
    ],
)
def test_what_is_no_strategy_is_refused(strategy: Any, said: str) -> None:
    with pytest.raises(simcards.RequestError, match=said):
        rows({0: strategy})


def test_partial_arguments_by_place_are_refused() -> None:
    with pytest.raises(simcards.RequestError):
        rows(functools.partial(plays_some, 1))


def test_a_function_that_fails_in_python() -> None:
    def play(view):
        if view.hand == 3:
            raise ValueError("on purpose")
        return wild_place(view) if view.decision == 1 else 0

    with pytest.raises(StrategyError, match="seat 1, match 0: .*ValueError: on purpose") as failed:
        rows({1: play})
    assert (failed.value.index, failed.value.seat) == (0, 1)
    assert failed.value.exit_code == 1


def test_an_error_goes_from_process_to_process() -> None:
    error = StrategyError("wrong", 17, 1)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.index, again.seat) == ("wrong", 17, 1)


# Commands


@pytest.mark.parametrize("game", SOURCES)
def test_a_new_strategy_is_legal(cli, tmp_path: Path, game: str) -> None:
    target = tmp_path / "my bot.py"
    code, out, err = cli("new-strategy", target, "--game", game)
    assert (code, err) == (0, "") and str(target) in out
    source = target.read_text(encoding="utf-8")
    assert str(target) in source and "FILE" not in source
    assert max(len(line) for line in source.splitlines() if str(target) not in line) <= 100
    code, out, err = cli("check-strategy", target, "--game", game, "--seed", 1, "--quiet")
    assert (code, err) == (0, "")
    assert "Legal" in out and "the same rows came out" in out
    before = target.read_bytes()
    target.write_bytes(before + b"# mine\n")
    code, _, err = cli("new-strategy", target, "--game", game)
    assert code == 2 and "there already" in err
    assert target.read_bytes() == before + b"# mine\n"
    assert cli("new-strategy", target, "--game", game, "--overwrite")[0] == 0
    assert target.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "game", "said"),
    [
        ("bot.txt", "aces", "ends in .py"),
        ("bot", "aces", "ends in .py"),
        ("bot.py", "acse", "aces"),
        ("no/folder/bot.py", "aces", "can't be written"),
    ],
)
def test_a_new_strategy_that_cannot_be(
    cli, tmp_path: Path, name: str, game: str, said: str
) -> None:
    code, out, err = cli("new-strategy", tmp_path / name, "--game", game)
    assert (code, out) == (2, "") and said in err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="a name that other systems don't have")
def test_a_new_strategy_below_a_backslash(cli, tmp_path: Path) -> None:
    target = tmp_path / "C:\\Users.py"
    assert cli("new-strategy", target, "--game", "aces")[0] == 0
    compile(target.read_text(encoding="utf-8"), str(target), "exec")


def test_random_numbers_of_its_own_are_found(cli, tmp_path: Path) -> None:
    bot = plain(tmp_path / "dice.py", what="np.random.randint(0, 2)")
    bot.write_text("import numpy as np\n" + bot.read_text(), encoding="utf-8")
    words = ("--game", "aces", "--seed", 1, "--quiet")
    code, out, err = cli("check-strategy", bot, *words)
    assert (code, err) == (1, "")
    assert "Repeats    NO" in out
    bot = plain(tmp_path / "wrong.py", what="2")
    code, out, err = cli("check-strategy", bot, *words)
    assert (code, out) == (1, "") and "answered 2" in err
    code, out, err = cli("check-strategy", "always", *words)
    assert (code, out) == (2, "") and "built in" in err


# Without the compiler

PLAYED = """
import json, sys
import simcards
found = []
for game, strategies, n in json.load(sys.stdin):
    rows = simcards.run(game, n, strategies=strategies, seed=31, threads=1, rows=True).rows
    found.append(rows.write_csv())
json.dump(found, sys.stdout)
"""


def test_rows_are_the_same_without_the_compiler(python_process, bots: dict[str, str]) -> None:
    cases = [
        ("aces", f"{bots['aces']}:chance", 3),
        ("horner", f"{bots['horner']}:chance", 3),
        ("thirteen", f"{bots['thirteen']}:chance", 2),
    ]
    compare_without_the_compiler(python_process, cases)


def test_rows_are_the_same_without_the_compiler_and_chance(
    python_process, bots: dict[str, str]
) -> None:
    cases = [
        ("aces", f"{bots['aces']}:rare:copies=2", 3),
        ("horner", f"{bots['horner']}:blocker", 3),
        ("thirteen", f"{bots['thirteen']}:lowest", 2),
        ("thirteen", f"{bots['thirteen']}:shed", 2),
    ]
    compare_without_the_compiler(python_process, cases)


def compare_without_the_compiler(python_process: Any, cases: list[tuple[str, str, int]]) -> None:
    off = {"NUMBA_DISABLE_JIT": "1"}
    done = python_process("-W", "error", "-c", PLAYED, env=off, input=json.dumps(cases))
    assert done.returncode == 0, done.stderr
    for (game, text, n), csv in zip(cases, json.loads(done.stdout), strict=True):
        assert rows(text, n, game).write_csv() == csv


SEEN = """
import json, sys
import numpy as np
import simcards
from simcards.kernels import thirteen_table, thirteen_view

seen = []

def play(view):
    seen.append([int(view.seat), np.array(view).tobytes().hex()])
    return int(thirteen_view.next_play(view, 0))

import simcards.kernels.thirteen_turn as turn
swap = sys.argv[1] == "swap"
before = turn.look

def look(table, rules, seat, word):
    if swap:  # two hidden cards change hands
        others = [one for one in range(4) if one != seat and table.hand[one]]
        if len(others) > 1:
            a, b = int(table.hand[others[0]]), int(table.hand[others[1]])
            one, two = a & -a, b & -b
            table.hand[others[0]] ^= one | two
            table.hand[others[1]] ^= one | two
            before(table, rules, seat, word)
            table.hand[others[0]], table.hand[others[1]] = a, b
            return
    before(table, rules, seat, word)

turn.look = look
for index in range(3):
    simcards.run("thirteen", 1, first=index, seed=8, threads=1, strategies=play)
json.dump(seen, sys.stdout)
"""


def test_a_view_of_thirteen_does_not_depend_on_hidden_cards(python_process) -> None:
    found = []
    for word in ("as dealt", "swap"):
        done = python_process("-c", SEEN, word, env={"NUMBA_DISABLE_JIT": "1"})
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert len(found[0]) > 50
    assert found[0] == found[1]


def test_a_function_that_calls_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.py"
    path.write_text(
        "def down(n):\n    return 0 if n < 0 else down(n + 1) + down(n + 2)\n\n\n"
        "def play(view):\n    return down(view.seat)\n",
        encoding="utf-8",
    )
    with pytest.raises(simcards.RequestError, match="down calls itself"):
        simcards.run("aces", 1, strategies=str(path))


def test_overwriting_never_follows_a_manifest_out_of_the_folder(tmp_path: Path) -> None:
    run = tmp_path / "run"
    simcards.run("aces", 10, seed=1, out=run)
    (tmp_path / "mine.txt").write_text("keep", encoding="utf-8")
    told = json.loads((run / "manifest.json").read_text("utf-8"))
    told["sources"] = {"../..": ["mine.txt"], "..": ["../mine.txt"]}
    (run / "strategies").mkdir()
    (run / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    simcards.run("aces", 10, seed=1, out=run, overwrite=True)
    assert (tmp_path / "mine.txt").read_text("utf-8") == "keep"


def test_the_command_on_the_screen_can_be_typed(tmp_path: Path) -> None:
    bot = plain(tmp_path / "my bot.py")
    summary = simcards.run("aces", 10, strategies={0: f"{bot}"}, seed=1).summary
    assert f'--strategy "0={bot}:play" --strategy 1=always+lowest' in summary.command
