"""Counter-based random streams and unbiased bounded integers.

docs/randomness.md tells the whole way from a seed to the cards. All words are
32-bit numbers; sums and products are made in uint64, where they fit, so nothing wraps, with
the compiler or without it. The state of a stream is an int64[4].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .jit import helper, spliced

U32 = np.uint32
U64 = np.uint64
WORD = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)

# Philox4x32 multipliers and key increments (Salmon et al., SC11, and Random123).
M0 = np.uint64(0xD2511F53)
M1 = np.uint64(0xCD9E8D57)
W0 = np.uint64(0x9E3779B9)
W1 = np.uint64(0xBB67AE85)


@spliced
def philox(c0, c1, c2, c3, k0, k1):
    """One block of Philox4x32-10: four words from a counter of four and a key of two, all uint32.

    In a loop over streams it becomes vectors.
    """
    for _ in range(10):
        p0 = M0 * U64(c0)
        p1 = M1 * U64(c2)
        c0 = U32(U32(U32(p1 >> HALF) ^ c1) ^ k0)
        c2 = U32(U32(U32(p0 >> HALF) ^ c3) ^ k1)
        c1 = U32(p1 & WORD)
        c3 = U32(p0 & WORD)
        k0 = U32((U64(k0) + W0) & WORD)
        k1 = U32((U64(k1) + W1) & WORD)
    return c0, c1, c2, c3


@spliced
def first_words(low, high, hand, part, k0, k1):
    """The state at the start of the stream of an address, all uint32."""
    s0, s1, s2, s3 = philox(low, high, hand, part, k0, k1)
    # All zeros would stay zeros.
    return U32(s0 | U32(U32(U32(U32(s0 | s1) | s2) | s3) == U32(0))), s1, s2, s3


@helper
def rotated(x, k):
    """A word with its bits moved up by k, around."""
    return U32(((U64(x) << U64(k)) | (U64(x) >> U64(32 - k))) & WORD)


@helper
def stir(s0, s1, s2, s3):
    """One step of xoshiro128++ 1.0: the word, and the four of the state after it. All uint32.

    Sums and shifts are written in 64 bits, where they don't overflow; compiled, they are of 32.
    """
    word = U32((U64(rotated(U32((U64(s0) + U64(s3)) & WORD), 7)) + U64(s0)) & WORD)
    shifted = U32((U64(s1) << U64(9)) & WORD)
    s2 = U32(s2 ^ s0)
    s3 = U32(s3 ^ s1)
    s1 = U32(s1 ^ s2)
    s0 = U32(s0 ^ s3)
    s2 = U32(s2 ^ shifted)
    return word, s0, s1, s2, rotated(s3, 11)


@helper
def words_of(state: NDArray[np.int64]):
    """The four words of a stream's state, uint32."""
    return U32(state[0]), U32(state[1]), U32(state[2]), U32(state[3])


@helper
def keep(state: NDArray[np.int64], s0, s1, s2, s3) -> None:
    """Write the words of a stream's state."""
    state[0] = s0
    state[1] = s1
    state[2] = s2
    state[3] = s3


@helper
def start_stream(state: NDArray[np.int64], seed, index, hand, stream, part) -> None:
    """Put the stream of an address at its start.

    Parameters
    ----------
    state : int64[4]
        Modified in place.
    seed, index, hand, stream, part
        The address, see docs/randomness.md.
    """
    s0, s1, s2, s3 = first_words(
        U32(U64(index) & WORD),
        U32(U64(index) >> HALF),
        U32(hand),
        U32(U64(stream) | (U64(part) << U64(8))),
        U32(U64(seed) & WORD),
        U32(U64(seed) >> HALF),
    )
    keep(state, s0, s1, s2, s3)


@helper
def next_word(state: NDArray[np.int64]):
    """Next word of the stream, uint64. `state` is modified in place."""
    s0, s1, s2, s3 = words_of(state)
    word, s0, s1, s2, s3 = stir(s0, s1, s2, s3)
    keep(state, s0, s1, s2, s3)
    return U64(word)


@helper
def draw(s0, s1, s2, s3, n):
    """Whole number 0 .. n-1, each equally likely (Lemire 2019), uint64; the state after it."""
    bound = U64(n)
    while True:
        word, s0, s1, s2, s3 = stir(s0, s1, s2, s3)
        product = U64(word) * bound
        rest = product & WORD
        # Mostly the first holds, so that nothing is divided.
        if rest >= bound or rest >= U64(0x100000000) % bound:
            return product >> HALF, s0, s1, s2, s3


@helper
def below(state: NDArray[np.int64], n) -> int:
    """`draw` from a stream. `state` is modified in place."""
    s0, s1, s2, s3 = words_of(state)
    found, s0, s1, s2, s3 = draw(s0, s1, s2, s3, n)
    keep(state, s0, s1, s2, s3)
    return np.int64(found)


@helper
def pick(word, n) -> int:
    """One of n choices from one decision's word, without rejection (see docs/randomness.md)."""
    return np.int64((word * U64(n)) >> HALF)
