"""Ctrl-C and a request to terminate, heard while something long goes on."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .errors import Interrupted

T = TypeVar("T")

POLL_SECONDS = 0.1


class Signals:
    """Turns Ctrl-C and a request to terminate into a wish, while a run is on."""

    def __init__(self) -> None:
        self.number = 0
        self.times = 0
        self.are_caught = False
        """Whether we handle them: Python itself then never raises KeyboardInterrupt."""

    def _handle(self, number: int, frame: Any) -> None:
        self.number = number
        self.times += 1

    def check(self) -> None:
        """Stop what can be left at once.

        Raises
        ------
        Interrupted
            If there was a signal.
        """
        if self.number:
            raise Interrupted("stopped", self.number)

    @contextlib.contextmanager
    def caught(self) -> Iterator[None]:
        """Handle the signals; only the main thread of a process can."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        names = ("SIGINT", "SIGTERM", "SIGBREAK")  # the last one: Windows
        numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        before = {
            number: signal.signal(number, self._handle)
            for number in numbers
            if signal.getsignal(number) is not None  # else a host program's, and can't be put back
        }
        were_caught, self.are_caught = self.are_caught, True
        try:
            yield
        finally:
            self.are_caught = were_caught
            for number, handler in before.items():
                signal.signal(number, handler)


def interruptible(function: Callable[[], T]) -> T:
    """Call what takes long, and may run a user's strategy that never returns; stops are heard.

    Raises
    ------
    Interrupted
        On Ctrl-C or a request to terminate; the function goes on until the process ends.
    """
    done: list[T] = []
    failed: list[BaseException] = []
    signals = Signals()

    def call() -> None:
        try:
            done.append(function())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=call, daemon=True)  # not waited for at the end
    with signals.caught():
        thread.start()
        while thread.is_alive():
            thread.join(POLL_SECONDS)
            signals.check()
    if failed:
        raise failed[0]
    return done[0]
