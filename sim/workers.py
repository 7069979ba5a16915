"""Who plays the chunks of a run: threads of this process, or whatever an executor reaches.

Both take chunks and give answers; `run.execute` doesn't know them apart.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from . import remote
from .chunk import Chunk, new_control
from .cluster import Cluster, killed
from .contest import Contest
from .errors import RunError
from .manifest import parquet_metadata
from .plan import Plan, chunks_between

if TYPE_CHECKING:
    from .store import Store

GRACE_SECONDS = 2.0
"""How long a user's strategy may go on in a thread after a wish to stop: it may never return."""
LEAVE_SECONDS = 20.0
"""How long other processes may: a task is to take some two seconds, but costs are estimates."""
TASK_SECONDS = 2.0
"""A task of an executor is as many chunks as take about this long."""
CLIENT_SECONDS = 0.004
"""Twice what handing out a task and taking in its answer cost; more workers get longer tasks."""
MOST_CHUNKS = 1024
"""In a task: so many lines of a journal are some megabytes."""
BROKEN = "a worker process ended while it played: killed, or out of memory."

Ends = tuple[int, int]


class WorkersLost(RunError):
    """Those who play are gone, or have dropped what they were given."""


@dataclass(frozen=True)
class Task:
    """The games start .. stop - 1, one chunk or several, that are handed out together."""

    start: int
    stop: int
    control: Any = None
    """By which a thread is asked to stop; other processes share no memory with us."""
    alone: bool = False
    """Whether nothing else is to be played meanwhile: it may be what ends its worker."""


@dataclass(frozen=True)
class Answer:
    """What came of a task."""

    chunks: Sequence[Chunk] = ()
    left: Sequence[Task] = ()
    """What is to be handed out once more."""
    error: BaseException | None = None


Handed = Mapping[Future[Any], Task]
"""Tasks that are handed out, in the order in which they were."""


class Workers(Protocol):
    """What `run.execute` needs of those who play."""

    @property
    def slots(self) -> int:
        """Tasks played at the same time."""

    def tasks(self, chunks: Iterator[Ends], number: int, breaks: Container[int]) -> Iterator[Task]:
        """Make tasks of the chunks, one at a time: there can be billions.

        Parameters
        ----------
        chunks : iterator of (start, stop)
        number : int
            Of the chunks, about.
        breaks : container of int
            Indices at which a task must begin.
        """

    def submit(self, task: Task) -> Future[Any]:
        """Hand out a task."""

    def answer(self, task: Task, future: Future[Any]) -> Answer:
        """Return what came of a finished one; whatever it raises is an error of the run."""

    def stop(self, tasks: Handed, wanted: int, *, needed: bool) -> None:
        """Stop those that begin beyond `wanted`, and begun ones too if they aren't `needed`."""

    def gives_up(self, tasks: Handed, seconds: float, urgent: bool) -> bool:
        """Whether not to wait any longer, so many seconds after a wish to stop."""

    def stuck(self, tasks: Handed, seconds: float) -> str:
        """Say where a strategy doesn't return, so many seconds after a wish to stop."""

    @property
    def note(self) -> str:
        """What people are to know while it goes on; mostly nothing."""

    def check(self) -> None:
        """Raise an error when those who play can't be reached any more."""

    def close(self, *, wait: bool) -> None:
        """Let go of them."""


class Threads:
    """Threads of this process: a chunk each at a time."""

    def __init__(
        self,
        played: Plan | Contest,
        player: Callable[..., Chunk | None],
        keeps_rows: bool,
        threads: int,
    ) -> None:
        self.slots = threads
        self._played, self._player, self._keeps_rows = played, player, keeps_rows
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="simcards")

    def tasks(self, chunks: Iterator[Ends], number: int, breaks: Container[int]) -> Iterator[Task]:
        """Make tasks of a chunk each."""
        return (Task(*ends, new_control()) for ends in chunks)

    def submit(self, task: Task) -> Future[Any]:
        """Hand out a task."""
        words = task.start, task.stop, self._keeps_rows, task.control
        return self._pool.submit(self._player, self._played, *words)

    def answer(self, task: Task, future: Future[Any]) -> Answer:
        """Return the chunk; nothing if it was asked to stop."""
        chunk = None if future.cancelled() else future.result()
        return Answer([chunk] if chunk else [])

    def stop(self, tasks: Handed, wanted: int, *, needed: bool) -> None:
        """Ask those beyond `wanted` to stop; they do at the next game."""
        for future, task in list(tasks.items()):
            if task.start > wanted:
                future.cancel()
                task.control[0] = 1

    def gives_up(self, tasks: Handed, seconds: float, urgent: bool) -> bool:
        """Whether a user's strategy has had the time it may take."""
        late = self._played.bots and seconds > GRACE_SECONDS
        return bool(late and any(future.running() for future in tasks))

    note = ""

    def stuck(self, tasks: Handed, seconds: float) -> str:
        """Name the first game in which a strategy doesn't return."""
        index = min(int(task.control[1]) for future, task in tasks.items() if future.running())
        return f"In {self._played.unit.one} {index} a strategy did not return."

    def check(self) -> None:
        """Threads can always be reached."""

    def close(self, *, wait: bool) -> None:
        """End the threads, once they are through."""
        self._pool.shutdown(wait=wait, cancel_futures=True)


class Elsewhere:
    """An executor: processes of this machine, a cluster. It isn't shut down here."""

    def __init__(
        self,
        played: Plan | Contest,
        executor: Executor,
        threads: int,
        *,
        first: int,
        size: int,
        keeps_rows: bool,
        keeps_frames: bool,
        store: Store | None,
    ) -> None:
        self._played, self._executor, self._threads = played, executor, threads
        self._keeps_frames = keeps_frames
        self._stack = ExitStack()
        text = remote.describe(played)
        self._stack.enter_context(remote.known(text, played))
        self._task: dict[str, Any] = {
            "versions": remote.versions_here(),
            "played": text,
            "first": first,
            "size": size,
            "rows": keeps_rows,
            "kept": store is not None and store.manifest.keeps_rows == keeps_rows,
            "metadata": parquet_metadata(store.manifest) if store else {},
            "folder": "",
            "word": "",
        }
        if store and keeps_rows and not keeps_frames:
            self._task |= {"folder": str(store.folder.resolve()), "word": store.share()}
        self._serial = 0
        self._game_seconds = 0.0
        """Seconds a game takes, from the tasks that are through; 0: not known yet."""

    @property
    def slots(self) -> int:
        """As many as the cluster has now; it may have none yet."""
        if isinstance(self._executor, Cluster):
            return max(1, self._executor.slots)
        return self._threads

    def tasks(self, chunks: Iterator[Ends], number: int, breaks: Container[int]) -> Iterator[Task]:
        """Make tasks of some seconds each; shorter ones if there aren't enough for all."""
        most = min(MOST_CHUNKS, number // (4 * self.slots))
        begun: int | None = None
        end = together = 0
        for start, stop in chunks:
            if begun is not None:
                seconds = (stop - begun) * self._game_seconds
                full = together >= most or not 0 < seconds <= self._task_seconds
                if full or start != end or start in breaks:
                    yield Task(begun, end)
                    begun = None
            if begun is None:
                begun, together = start, 0
            end = stop
            together += 1
        if begun is not None:
            yield Task(begun, end)

    @property
    def _task_seconds(self) -> float:
        return max(TASK_SECONDS, self.slots * CLIENT_SECONDS)

    def submit(self, task: Task) -> Future[Any]:
        """Hand out a task."""
        # A Dask client that is given as an executor takes equal calls for one and the same.
        self._serial += 1
        told = {
            **self._task,
            "start": task.start,
            "stop": task.stop,
            "seconds": 2 * self._task_seconds,
            "serial": self._serial,
        }
        scope = {"source": remote.SOURCE, "scope": {}, "task": told}
        try:
            return self._executor.submit(eval, remote.CALL, scope)
        except BrokenExecutor as caught:
            raise WorkersLost(BROKEN) from caught
        except RunError:  # a RuntimeError as well: the scheduler is gone
            raise
        except RuntimeError as caught:  # it was shut down
            raise WorkersLost(f"the executor takes nothing to play any more: {caught}.") from caught

    def answer(self, task: Task, future: Future[Any]) -> Answer:
        """Return the chunks that were played, and those to be handed out again."""
        try:
            found = future.result()
        except CancelledError as caught:
            self.check()  # most likely that is why
            raise WorkersLost("the cluster has dropped what it was given to play.") from caught
        except BrokenExecutor as caught:
            raise WorkersLost(BROKEN) from caught
        except Exception as caught:
            if not killed(caught):
                raise
            if not task.alone:  # which chunk is it, and was it one of these, or of its neighbours?
                whole = task.start, task.stop, self._task["first"], self._task["size"]
                return Answer(left=[Task(*ends, alone=True) for ends in chunks_between(*whole)])
            raise RunError(
                f"every worker that played {self._played.unit.many} {task.start} to "
                f"{task.stop - 1} died, several times over: killed, or out of memory."
            ) from caught
        error = remote.error_of(found, self._played)
        chunk = remote.chunk_of(found, task.start, self._played)
        if chunk is None:
            return Answer(error=error)
        took = max(found["seconds"], 1e-6) / (chunk.stop - chunk.start)
        known = self._game_seconds or took
        self._game_seconds = known + (took - known) / 4
        if self._keeps_frames:
            import polars as pl

            rows = [pl.read_parquet(io.BytesIO(data)) for data in chunk.files.values()]
            chunk = replace(chunk, rows=pl.concat(rows))
        is_all = chunk.stop == task.stop or error is not None
        return Answer([chunk], [] if is_all else [Task(chunk.stop, task.stop)], error)

    def stop(self, tasks: Handed, wanted: int, *, needed: bool) -> None:
        """Cancel what wasn't begun. Dask would also cancel what was: so the oldest are left."""
        running = self.slots if needed else 0
        for future, task in list(tasks.items())[running:]:
            if task.start > wanted:
                future.cancel()

    def gives_up(self, tasks: Handed, seconds: float, urgent: bool) -> bool:
        """Whether to leave what isn't through: it is played again when the run goes on."""
        return urgent or seconds > LEAVE_SECONDS or self._is_deserted

    def stuck(self, tasks: Handed, seconds: float) -> str:
        """Name games that aren't through although they had more time than tasks take."""
        if not self._played.bots or not tasks or seconds < 2 * self._task_seconds + GRACE_SECONDS:
            return ""
        task = next(iter(tasks.values()))
        return (
            f"{self._played.unit.many.capitalize()} {task.start} to {task.stop - 1} are not "
            "through: a strategy may not return there.\n"
            "  Its worker goes on until it is restarted."
        )

    @property
    def note(self) -> str:
        """Whether anybody is there to play."""
        return "waiting for workers" if self._is_deserted else ""

    @property
    def _is_deserted(self) -> bool:
        return isinstance(self._executor, Cluster) and self._executor.slots == 0

    def check(self) -> None:
        """Raise an error when a cluster's scheduler is gone."""
        if isinstance(self._executor, Cluster):
            self._executor.check()

    def close(self, *, wait: bool) -> None:
        """Forget what was played."""
        self._stack.close()
