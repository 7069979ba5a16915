"""Gates of speed and results, for developers.

python -m benchmarks count      instructions a game against a baseline (valgrind)
python -m benchmarks compare    time a game against another revision
python -m benchmarks signature  counts of fixed runs against those that are kept

Run from the checkout. Exit codes: 0 passed; 1 slower, or other results; 2 can't be done as
stated; 3 not measured, or no baseline: neither passed nor failed.
"""

from __future__ import annotations

import argparse
import sys

from simcards.sim.errors import SimcardsError

from . import compare, count, signature

COMMANDS = {"count": count, "compare": compare, "signature": signature}


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, module in COMMANDS.items():
        module.add_arguments(
            commands.add_parser(
                name,
                description=module.__doc__,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
        )
    asked = parser.parse_args(arguments)
    try:
        code: int = COMMANDS[asked.command].run(asked)
    except SimcardsError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return error.exit_code
    return code


if __name__ == "__main__":
    sys.exit(main())
