"""The compiled random streams: published vectors, the plain ones, and evenness."""

from __future__ import annotations

import json
import random

import numba
import numpy as np
import pytest
from referees.streams import M32, Xoshiro128pp, philox4x32_10, stream
from scipy import stats

from simcards.kernels.random import U32, U64, below, next_word, philox, pick, start_stream

BOUND = 1e-6  # of the p-value of a chi-squared test

LARGEST_SEED, LARGEST_INDEX = 2**64 - 1, 2**63 - 1
SEEDS = (0, 1, M32, M32 + 1, 2**63, LARGEST_SEED - 1, LARGEST_SEED)
INDICES = (0, 1, M32, M32 + 1, LARGEST_INDEX - 1, LARGEST_INDEX)
HANDS = (0, 1, 999, 1000, M32)
STREAMS = range(7)
PARTS = (0, 1, 2**24 - 1)

# Bounds at which a word is refused more or less often: half, a quarter, a third of them, ...
OFTEN_REFUSED = (2**31 + 1, 3 * 2**30, 3 * 2**29 + 1, 5 * 2**29, 2**32 - 1)


def state_at(seed: int, index: int, hand: int, number: int, part: int = 0) -> np.ndarray:
    """The state of a compiled stream at its start, with the types that kernels give."""
    state = np.full(4, -1, np.int64)
    start_stream(
        state, U64(seed), np.int64(index), np.int64(hand), np.int64(number), np.int64(part)
    )
    return state


def state_of(*words: int) -> np.ndarray:
    return np.array(words, np.int64)


def state_before(word: int) -> np.ndarray:
    """A state whose next word is this one: with s0 + s3 = 0 the word is s0."""
    return state_of(word, 0x12345678, 0x9ABCDEF0, -word & M32)


def twin(state: np.ndarray) -> Xoshiro128pp:
    """The plain stream with the same state."""
    return Xoshiro128pp(*state.tolist())


# Published vectors


@pytest.mark.parametrize(
    ("counter", "key", "block"),
    # Random123, tests/kat_vectors, the lines of philox4x32 with 10 rounds.
    [
        ("00000000 " * 4, "00000000 " * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff " * 4, "ffffffff " * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            "243f6a88 85a308d3 13198a2e 03707344",
            "a4093822 299f31d0",
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_vectors(counter: str, key: str, block: str) -> None:
    words = [int(word, 16) for word in (counter + " " + key).split()]
    assert [int(word) for word in philox(*map(U32, words))] == [int(w, 16) for w in block.split()]


@pytest.mark.parametrize(
    ("counter", "key", "block"),
    [
        ("00000000 " * 4, "00000000 " * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff 7fffffff ffffffff ffffffff", "ffffffff " * 2, None),
        ("243f6a88 05a308d3 13198a2e 03707344", "a4093822 299f31d0", None),
    ],
)
def test_an_address_is_the_counter_and_the_key(counter: str, key: str, block: str | None) -> None:
    """Where each part of an address goes, to the last bit: docs/randomness.md, Words."""
    c0, c1, c2, c3 = (int(word, 16) for word in counter.split())
    k0, k1 = (int(word, 16) for word in key.split())
    state = state_at(k1 << 32 | k0, c1 << 32 | c0, c2, c3 & 255, c3 >> 8)
    assert tuple(state.tolist()) == philox4x32_10((c0, c1, c2, c3), (k0, k1))
    if block:
        assert state.tolist() == [int(word, 16) for word in block.split()]


def test_xoshiro_vectors() -> None:
    state = state_of(1, 2, 3, 4)
    # The rand_xoshiro crate has these from its authors' own C program.
    assert [int(next_word(state)) for _ in range(10)] == [
        641, 1573767, 3222811527, 3517856514, 836907274,
        4247214768, 3867114732, 1355841295, 495546011, 621204420,
    ]  # fmt: skip
    state = state_of(1, 2, 3, 4)
    for _ in range(102_400):
        next_word(state)
    # php-src, ext/random/tests/02_engine/user_xoshiro128plusplus.phpt
    assert int(next_word(state)) == 0x2C873CFA


def test_a_stream_never_starts_at_zero() -> None:
    """Philox gives four zeros for one counter in 2^128; the stream that follows must move."""
    assert twin(state_of(0, 0, 0, 0)).state == [1, 0, 0, 0]
    key = (7, 9)
    counter = inverse_of_philox((0, 0, 0, 0), key)
    assert philox4x32_10(counter, key) == (0, 0, 0, 0)
    c0, c1, c2, c3 = counter
    state = np.full(4, -1, np.int64)
    start_stream(
        state,
        U64(key[1] << 32 | key[0]),
        U64(c1 << 32 | c0),  # the high bit may be set, so not an index that a run could have
        np.int64(c2),
        np.int64(c3 & 255),
        np.int64(c3 >> 8),
    )
    assert state.tolist() == [1, 0, 0, 0]


def inverse_of_philox(block: tuple[int, ...], key: tuple[int, int]) -> tuple[int, ...]:
    """The counter that has this block: a round multiplies by odd numbers, so it can go back."""
    m0, m1 = 0xD2511F53, 0xCD9E8D57
    back0, back1 = pow(m0, -1, 2**32), pow(m1, -1, 2**32)
    keys = [((key[0] + j * 0x9E3779B9) & M32, (key[1] + j * 0xBB67AE85) & M32) for j in range(10)]
    w0, w1, w2, w3 = block
    for k0, k1 in reversed(keys):
        c0, c2 = w3 * back0 & M32, w1 * back1 & M32
        w0, w1, w2, w3 = c0, w0 ^ k0 ^ (m1 * c2 >> 32), c2, w2 ^ k1 ^ (m0 * c0 >> 32)
    return w0, w1, w2, w3


# The plain streams


def addresses(number: int) -> list[tuple[int, int, int, int, int]]:
    """Addresses at every extreme, and as many random ones."""
    extreme = [(s, i, h, t, 0) for s in SEEDS for i in INDICES for h in HANDS for t in STREAMS]
    extreme += [(s, i, 3, 255, p) for s in SEEDS for i in INDICES for p in PARTS]
    choose = random.Random(20)
    return extreme + [
        (
            choose.randrange(2**64),
            choose.randrange(2**63),
            choose.randrange(1001),
            choose.randrange(7),
            choose.choice((0, choose.randrange(2**24))),
        )
        for _ in range(number)
    ]


def test_streams_agree_with_the_plain_ones() -> None:
    every = addresses(4000)
    starts = set()
    for address in every:
        seed, index, hand, number, part = address
        state, plain = state_at(*address), stream(seed, number, index, hand, part)
        assert state.tolist() == plain.state, address
        starts.add(tuple(plain.state))
        assert [int(next_word(state)) for _ in range(8)] == [plain.word() for _ in range(8)]
        assert state.tolist() == plain.state, address
    assert len(starts) == len(set(every))


def test_long_streams_agree_with_the_plain_ones() -> None:
    for address in ((0, 0, 0, 0, 0), (LARGEST_SEED, LARGEST_INDEX, 1000, 6, 0)):
        seed, index, hand, number, part = address
        state, plain = state_at(*address), stream(seed, number, index, hand, part)
        for _ in range(20_000):
            assert int(next_word(state)) == plain.word()
        assert state.tolist() == plain.state


def test_every_bit_of_an_address_counts() -> None:
    bits = [(1 << b, 0, 0, 0, 0) for b in range(64)] + [(0, 1 << b, 0, 0, 0) for b in range(63)]
    bits += [(0, 0, 1 << b, 0, 0) for b in range(32)] + [(0, 0, 0, 1 << b, 0) for b in range(8)]
    bits += [(0, 0, 0, 0, 1 << b) for b in range(24)] + [(0, 0, 0, 0, 0)]
    assert len({tuple(state_at(*address).tolist()) for address in bits}) == len(bits) == 192


# Whole numbers below a bound


@pytest.mark.parametrize("bound", [*range(1, 14), 52, 104, 224, 2**16, 2**31, *OFTEN_REFUSED])
def test_below_agrees_with_the_plain_one(bound: int) -> None:
    state, plain = state_at(3, bound, 0, 0), stream(3, 0, bound, 0)
    for _ in range(3000):
        assert below(state, np.int64(bound)) == plain.below(bound)
        assert state.tolist() == plain.state  # the same words were refused


@pytest.mark.parametrize(
    ("bound", "share"), [(2**31 + 1, 1 / 2), (3 * 2**30, 1 / 4), (5 * 2**29, 3 / 8)]
)
def test_words_are_refused_as_often_as_they_must_be(bound: int, share: float) -> None:
    plain = stream(3, 0, bound, 0)
    state = state_at(3, bound, 0, 0)
    n = 20_000
    for _ in range(n):
        below(state, np.int64(bound))
    words = 0
    while plain.state != state.tolist():
        plain.word()
        words += 1
        assert words < 3 * n
    # Each of `words` words was refused with probability `share`: n of them were not.
    assert stats.binomtest(words - n, words, 2**32 % bound / 2**32).pvalue > BOUND
    assert 2**32 % bound / 2**32 == pytest.approx(share, abs=1e-9)


def test_each_number_has_the_same_number_of_words() -> None:
    """Exactly, for every pool there can be: 2^32 // n words lead to each number below n.

    The words for k are those of [k 2^32 / n, (k + 1) 2^32 / n), of which the first one alone is
    refused, and only when there is one too many.
    """
    for n in range(1, 225):
        share = 2**32 // n
        for k in range(n):
            first, last = -(-k * 2**32 // n), -(-(k + 1) * 2**32 // n) - 1
            for word in {first, first + 1, last}:
                state, after = state_before(word), twin(state_before(word))
                assert after.word() == word
                value = below(state, np.int64(n))
                accepted = state.tolist() == after.state
                assert accepted == (word != first or last - first + 1 == share), (n, k, word)
                assert value == k if accepted else 0 <= value < n


def test_below_takes_a_word_even_for_one() -> None:
    state, plain = state_at(1, 2, 3, 0), stream(1, 0, 2, 3)
    assert [below(state, np.int64(1)) for _ in range(100)] == [0] * 100
    for _ in range(100):
        plain.word()
    assert state.tolist() == plain.state


@numba.njit
def count_cells(draw, bound, parts, draws, state):
    """Counts of value mod 3 and of the part of the range a value lies in."""
    counts = np.zeros((3, parts), np.int64)
    width = -(-bound // parts)
    for _ in range(draws):
        value = draw(state, bound)
        counts[value % 3, value // width] += 1
    return counts


@numba.njit
def multiplied(state, n):
    """The fault that the test must notice: no word is refused."""
    return np.int64((next_word(state) * U64(n)) >> U64(32))


@numba.njit
def remainder(state, n):
    """The same by division."""
    return np.int64(next_word(state) % U64(n))


def evenness(draw, bound: int, parts: int = 12, draws: int = 1_000_000) -> float:
    """p-value of: all numbers below `bound` are drawn equally often."""
    observed = count_cells(draw, bound, parts, draws, state_at(8, bound, 0, 0))
    width = -(-bound // parts)
    expected = np.zeros((3, parts))
    for part in range(parts):
        low, high = part * width, min((part + 1) * width, bound)
        for rest in range(3):
            expected[rest, part] = len(range(low + (rest - low) % 3, high, 3))
    expected *= draws / bound
    used = expected > 0
    assert observed[~used].sum() == 0
    return float(stats.chisquare(observed[used], expected[used]).pvalue)


@pytest.mark.parametrize("bound", [13, 52, 224, *OFTEN_REFUSED])
def test_below_is_even(bound: int) -> None:
    assert evenness(below, bound) > BOUND


@pytest.mark.parametrize("draw", [multiplied, remainder], ids=["multiplied", "remainder"])
def test_an_uneven_draw_is_noticed(draw) -> None:
    assert evenness(draw, 3 * 2**30) < BOUND


# One choice among a few from one word


@pytest.mark.parametrize("n", range(1, 14))
def test_pick_is_in_range_at_the_extremes(n: int) -> None:
    words = {0, 1, M32 - 1, M32}
    for k in range(n):
        edge = -(-k * 2**32 // n)
        words |= {max(edge - 1, 0), edge, min(edge + 1, M32)}
    picked = {word: int(pick(U64(word), np.int64(n))) for word in words}
    assert picked == {word: word * n // 2**32 for word in words}
    assert picked[0] == 0 and picked[M32] == n - 1
    assert set(picked.values()) == set(range(n))


# Without the compiler

UNCOMPILED = """
import json, sys
import numpy as np
from simcards.kernels.random import U32, U64, below, next_word, pick, start_stream

found = []
for address, bound in json.load(sys.stdin):
    seed, *others = address
    state = np.zeros(4, np.int64)
    start_stream(state, U64(seed), *map(np.int64, others))
    words = [int(next_word(state)) for _ in range(5)]
    numbers = [int(below(state, np.int64(bound))) for _ in range(5)]
    picks = [int(pick(U64(word), np.int64(m))) for word in words for m in (1, 2, 7, 13)]
    found.append([words, numbers, picks, state.tolist()])
assert not hasattr(next_word, "py_func")
json.dump(found, sys.stdout)
"""


def test_the_same_without_the_compiler(python_process) -> None:
    """Warnings are errors there, so that no product or sum wraps unnoticed either."""
    bounds = (1, 2, 13, 52, 224, *OFTEN_REFUSED)
    asked = [(one, bounds[j % len(bounds)]) for j, one in enumerate(addresses(300))]
    done = python_process(
        "-W", "error", "-c", UNCOMPILED, env={"NUMBA_DISABLE_JIT": "1"}, input=json.dumps(asked)
    )
    assert done.returncode == 0, done.stderr
    expected = []
    for address, bound in asked:
        state = state_at(*address)
        words = [int(next_word(state)) for _ in range(5)]
        numbers = [int(below(state, np.int64(bound))) for _ in range(5)]
        picks = [int(pick(U64(word), np.int64(m))) for word in words for m in (1, 2, 7, 13)]
        expected.append([words, numbers, picks, state.tolist()])
    assert json.loads(done.stdout) == expected
