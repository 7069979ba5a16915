"""A Dask cluster: an existing one, or one of processes of this machine.

The only file that imports `distributed`, and only when it is asked to connect.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import Any

from . import remote
from .errors import RequestError, RunError
from .signals import POLL_SECONDS, Signals

LOCAL = "local"
LOOK_SECONDS = 1.0
"""The number of workers is asked for this often."""
CONNECT_SECONDS = 10.0
FIRST_WORKER_SECONDS = 60.0
"""A cluster that is only just starting has no workers yet."""
NO_WORKER_SECONDS = 30.0
"""One of this machine that died is replaced sooner, if it ever is."""
ASK_SECONDS = 20.0
"""A worker that hangs doesn't hold up the others."""
CLOSE_SECONDS = 5.0
_WORKER = "from distributed.cli.dask_worker import main; main()"


class Cluster(Executor):
    """The workers of a Dask cluster, as an executor."""

    def __init__(self, client: Any, signals: Signals, *, is_local: bool) -> None:
        self.signals = signals
        """Caught from the first attempt to connect to the end of closing."""
        self._client = client
        self._address = str(client.scheduler.address)
        self._executor = client.get_executor(pure=False)
        self._slots = 0
        self._looked = -LOOK_SECONDS
        self._is_local = is_local
        self._deserted = 0.0
        """When it was first seen that there are no workers any more; 0: there are."""

    @property
    def slots(self) -> int:
        """Threads of all workers; they may join and leave."""
        if time.monotonic() - self._looked >= LOOK_SECONDS and self._client.status == "running":
            # AttributeError: the client has just given up, and has no scheduler any more.
            with contextlib.suppress(OSError, TimeoutError, AttributeError):
                found = self._client.sync(
                    self._client.scheduler.ncores, callback_timeout=CLOSE_SECONDS
                )
                self._slots = sum(found.values())
                self._deserted = 0.0 if self._slots else self._deserted or time.monotonic()
            self._looked = time.monotonic()
        return self._slots

    def submit(self, function: Callable[..., Any], /, *words: Any, **named: Any) -> Future[Any]:
        """Hand out a call."""
        self.check()
        future: Future[Any] = self._executor.submit(function, *words, **named)
        return future

    def check(self) -> None:
        """Raise an error when what was handed out never comes back.

        The scheduler is gone; or the workers of this machine are, and nobody starts others.

        Raises
        ------
        RunError
        """
        if self._client.status != "running":
            raise RunError(f"the scheduler at {self._address} is gone.")
        # One that dies while it starts isn't replaced by Dask.
        if self._is_local and not self.slots and self._deserted:
            alone = time.monotonic() - self._deserted
            if alone > NO_WORKER_SECONDS:
                raise RunError(
                    f"all workers died: killed, or out of memory; none came back in {alone:.0f} s."
                )


def killed(error: BaseException) -> bool:
    """Whether Dask gave a task up because the workers that had it died one after the other."""
    scheduler = sys.modules.get("distributed.scheduler")
    return scheduler is not None and isinstance(error, scheduler.KilledWorker)


@contextlib.contextmanager
def connected(address: str, threads: int) -> Iterator[Cluster]:
    """Connect to a Dask scheduler, or start one with its workers; both end with the block.

    A wish to stop is heard while connecting, and not while closing: what was played is to be
    told, and no process to be left.

    Parameters
    ----------
    address : str
        Such as ``tcp://host:8786``; ``local`` starts one.
    threads : int
        Workers of a local one.

    Raises
    ------
    RequestError
        When Dask isn't installed, nobody answers, or a worker couldn't play the same games.
    Interrupted
        When stopped before all that is clear.
    """
    if address != LOCAL and "://" not in address:
        raise RequestError(
            f"--scheduler {address}: name an address such as tcp://host:8786, or local."
        )
    try:
        import distributed as dask
    except ImportError:
        raise RequestError(
            f"--scheduler {address}: Dask isn't installed.\n"
            '  Install it: pip install "simcards[dask]"'
        ) from None
    distributed: Any = dask
    with contextlib.ExitStack() as stack:
        signals = Signals()
        stack.enter_context(signals.caught())
        stack.enter_context(_silence())
        if address == LOCAL:
            place: Any = stack.enter_context(_local(distributed, threads))
        else:
            place = address
            _check_scheduler(distributed, address, signals)
        client = distributed.Client(place, timeout=CONNECT_SECONDS, set_as_default=False)
        stack.callback(_quietly, client.close, CLOSE_SECONDS)
        is_local = address == LOCAL
        check_workers(client, address, threads if is_local else 1, signals)
        yield Cluster(client, signals, is_local=is_local)


def _check_scheduler(distributed: Any, address: str, signals: Signals) -> None:
    """Ask who answers at an address: a client waits for ever for somebody who isn't Dask.

    Raises
    ------
    RequestError
    """

    async def ask() -> str:
        how = distributed.Security().get_connection_args("client")
        async with distributed.rpc(address, timeout=CONNECT_SECONDS, connection_args=how) as there:
            return str((await there.identity())["type"])

    came: list[str] = []

    def asked() -> None:
        try:
            found = asyncio.run(asyncio.wait_for(ask(), CONNECT_SECONDS))
            came.append("" if found == "Scheduler" else f"a {found} does")
        except Exception as error:  # whatever is wrong with an address
            came.append(str(error) or "nobody answers")

    asking = threading.Thread(target=asked, daemon=True)
    asking.start()
    _wait_for(asking, CONNECT_SECONDS + 1, signals)
    wrong = came[0] if came else "who does says nothing"
    if wrong:
        raise RequestError(
            f"--scheduler {address}: no Dask scheduler answers there ({wrong.rstrip('.')})."
        )


def _wait_for(thread: threading.Thread, seconds: float, signals: Signals) -> None:
    limit = time.monotonic() + seconds
    while thread.is_alive() and time.monotonic() < limit:
        thread.join(POLL_SECONDS)
        signals.check()


def check_workers(client: Any, address: str, number: int, signals: Signals) -> None:
    """Refuse a cluster with a worker that could play other games, or with fewer than a number.

    Raises
    ------
    RequestError
    Interrupted
    """
    limit = time.monotonic() + FIRST_WORKER_SECONDS
    while (there := len(client.ncores())) < number:
        if time.monotonic() > limit:
            few = f"has {there} of {number} workers" if there else "has no workers"
            raise RequestError(
                f"--scheduler {address}: {few}, after {FIRST_WORKER_SECONDS:.0f} s of waiting."
            )
        time.sleep(POLL_SECONDS)
        signals.check()
    # Python's own eval: a function of ours couldn't even be loaded where simcards is missing.
    call = "[exec(source, scope), scope['ask'](0)][1]"
    scope = {"source": remote.ASK, "scope": {}}
    found: dict[str, Any] = {}

    def ask() -> None:
        with contextlib.suppress(Exception):  # the client was closed meanwhile
            found.update(client.run(eval, call, scope, on_error="return"))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    _wait_for(asking, ASK_SECONDS, signals)  # who doesn't answer is asked with its first task
    signals.check()
    for worker, theirs in found.items():
        if isinstance(theirs, BaseException):  # it left meanwhile
            continue
        wrong = remote.difference(worker, theirs, remote.versions_here())
        if wrong:
            raise RequestError(
                f"--scheduler {address}: {wrong}.\n"
                "  Install the same on all workers, or take it away."
            )


@contextlib.contextmanager
def _local(distributed: Any, threads: int) -> Iterator[Any]:
    """Start a scheduler in this process, and workers: processes, with one thread each."""
    import dask

    with tempfile.TemporaryDirectory(prefix="simcards-dask-", ignore_cleanup_errors=True) as place:
        with dask.config.set({"temporary-directory": place}):
            cluster = distributed.LocalCluster(
                n_workers=0,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        try:
            with _worker_processes(cluster.scheduler_address, threads, place):
                yield cluster
        finally:
            _quietly(cluster.close, CLOSE_SECONDS)


@contextlib.contextmanager
def _worker_processes(address: str, threads: int, place: str) -> Iterator[None]:
    """Start workers by Dask's command; one that dies is replaced.

    Dask's own local cluster has its workers import the caller's script, which then must not
    start a run of its own; these import nothing of it.
    """
    words = [address, "--nworkers", str(threads), "--nthreads", "1", "--nanny", "--no-dashboard"]
    words += ["--memory-limit", "0", "--local-directory", place, "--death-timeout", "10"]
    # Ctrl-C reaches all processes of a terminal's group. What was begun is to be finished, so
    # these have a group of their own, and do what the client tells them.
    apart: dict[str, Any] = {"process_group": 0}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _WORKER, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={
            **os.environ,
            # Wherever simcards was found; '' is the folder one is in.
            "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
            "DASK_TEMPORARY_DIRECTORY": place,
            "DASK_LOGGING__DISTRIBUTED": "critical",
        },
        **apart,
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            if sys.platform != "win32":
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep Dask's own lines off the screen: what matters of them is said by us."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    loggers = [logging.getLogger(name) for name in (*known, "tornado", "asyncio")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="distributed")
            warnings.filterwarnings("ignore", module="dask")
            yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _quietly(close: Callable[..., Any], seconds: float) -> None:
    """Close what may be gone already."""
    with contextlib.suppress(Exception):
        close(timeout=seconds)
