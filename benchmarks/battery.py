"""Write the words of many short streams, interleaved, for a statistical test battery.

    python -m benchmarks.battery games | dieharder -a -g 200
    python -m benchmarks.battery seeds | dieharder -a -g 200
    python -m benchmarks.battery seeds 1000000000 | dieharder -d 102 -g 200 -Y 1

A battery that reads one long stream says little about a program that starts a new stream
for every hand. So this takes `LANES` neighbouring streams at a time (consecutive games of
one seed, or the same game of consecutive seeds), and writes their first words side by
side: word 0 of each, then word 1 of each, and so on for `DEPTH` words; then the next
`LANES`. Runs until the reader goes away.
"""

from __future__ import annotations

import sys

import numpy as np

from simcards.kernels.jit import helper
from simcards.kernels.random import U64, next_word, start_stream

LANES = 64
DEPTH = 32
BLOCKS = 512


@helper
def fill(words, first, by_seed):
    """Fill `words`, uint32[BLOCKS, DEPTH, LANES], from the stream number `first` on."""
    state = np.zeros(4, np.int64)
    for block in range(words.shape[0]):
        for lane in range(words.shape[2]):
            number = first + block * words.shape[2] + lane
            if by_seed:
                start_stream(state, U64(number), 0, 0, 0, 0)
            else:
                start_stream(state, U64(1), number, 0, 0, 0)
            for k in range(words.shape[1]):
                words[block, k, lane] = np.uint32(next_word(state))


def main() -> None:
    """Write words to standard output for ever."""
    if sys.argv[1:2] not in (["games"], ["seeds"]) or len(sys.argv) > 3:
        sys.exit("usage: python -m benchmarks.battery games|seeds [FIRST]")
    words = np.empty((BLOCKS, DEPTH, LANES), np.uint32)
    first = int(sys.argv[2]) if len(sys.argv) == 3 else 0
    try:
        while True:
            fill(words, np.int64(first), sys.argv[1] == "seeds")
            sys.stdout.buffer.write(words.tobytes())
            first += BLOCKS * LANES
    except BrokenPipeError:
        pass


if __name__ == "__main__":
    main()
