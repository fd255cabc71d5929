# SPDX-License-Identifier: MIT OR Apache-2.0
"""A pool of processes that simulate cells, within the limits of each cell.

A cell ends in exactly one row. A process that ends costs its cell a retry, and the cells that
waited behind it nothing.
"""

import selectors
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType

from .cell import Cell
from .child import out_of_memory
from .limits import Limits
from .mistakes import SweepError
from .row import LOST, MEMORY, TIMEOUT, Row, row_of_failure
from .worker import Attempt, Worker, cannot_start

_AHEAD = 4
"""Cells that a process has at a time, so that it need not wait for its parent."""

_START_SECONDS = 120.0

_STARTS = 3
"""The number of failures in a row that is no accident: no cell can be simulated here."""


class Pool:
    """Up to ``workers`` processes that simulate cells; they stay until the pool is closed.

    A process is started when there is a cell for it.
    """

    def __init__(self, workers: int, limits: Limits, version: str) -> None:
        self._limits = limits
        self._version = version
        self._selector = selectors.DefaultSelector()
        self._again: deque[Attempt] = deque()
        self._failed_starts = 0
        self._cells: Iterator[Cell] = iter(())
        self._most_workers = workers
        self.workers: list[Worker] = []

    def __enter__(self) -> "Pool":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends all processes."""
        for worker in list(self.workers):
            self._end(worker)
        self._selector.close()

    def run(self, cells: Iterable[Cell]) -> Iterator[Row]:
        """The rows of these cells, as they come. Cells are taken as they are needed."""
        self._cells = iter(cells)
        while True:
            self._feed()
            if not any(worker.given for worker in self.workers):
                return
            for key, _ in self._selector.select(self._patience()):
                yield from self._hear(key.data)
            for worker in list(self.workers):
                if worker.given and worker.seconds() > self._allowed(worker):
                    # Its answers may have come while the caller was busy with other rows.
                    answered = self._has_answered(worker)
                    yield from self._hear(worker) if answered else self._overdue(worker)

    def _feed(self) -> None:
        """Gives out cells: to each process one before any has a second."""
        for ahead in range(1, _AHEAD + 1):
            for place in range(self._most_workers):
                if place < len(self.workers) and len(self.workers[place].given) >= ahead:
                    continue
                attempt = self._next()
                if attempt is None:
                    return
                worker = self.workers[place] if place < len(self.workers) else self._start()
                worker.give(attempt)

    def _next(self) -> Attempt | None:
        """The next cell to be given out, if there is one."""
        if self._again:
            return self._again.popleft()
        cell = next(self._cells, None)
        return None if cell is None else Attempt(cell)

    def _has_answered(self, worker: Worker) -> bool:
        """Whether something of it has not been heard: answers, or that it has ended."""
        return any(key.data is worker for key, _ in self._selector.select(0))

    def _hear(self, worker: Worker) -> Iterator[Row]:
        answers = worker.receive()
        if answers is None:
            yield from self._ended(worker)
            return
        for answer in answers:
            if worker.ready:
                worker.given.popleft()
                yield answer
            else:
                self._begin(worker, answer["version"])

    def _begin(self, worker: Worker, version: str) -> None:
        if version != self._version:
            raise SweepError(f"bfq is {version} here, and {self._version} where the sweep began")
        worker.ready = True
        self._failed_starts = 0

    def _ended(self, worker: Worker) -> Iterator[Row]:
        """The process has ended by itself, or was killed."""
        given, ready = worker.given, worker.ready
        how = self._end(worker)
        if not ready:
            self._failed_starts += 1
            if self._failed_starts == _STARTS:
                raise cannot_start(how)
            self._again.extendleft(reversed(given))
        if not (given and ready):
            return
        attempt = given.popleft()
        self._again.extendleft(reversed(given))
        attempt.deaths += 1
        if "memory allocation of" in how:
            why = out_of_memory(self._limits.memory_bytes)
            yield row_of_failure(attempt.cell, self._version, MEMORY, why)
        elif attempt.deaths > self._limits.retries:
            why = f"its process has ended {attempt.deaths} times: {how}"
            yield row_of_failure(attempt.cell, self._version, LOST, why)
        else:
            self._again.appendleft(attempt)

    def _overdue(self, worker: Worker) -> Iterator[Row]:
        """The process takes too long over its cell."""
        given, ready = worker.given, worker.ready
        how = self._end(worker)
        if not ready:
            raise cannot_start(f"not within {_START_SECONDS:g} s; {how}")
        attempt = given.popleft()
        self._again.extendleft(reversed(given))
        why = f"more than {self._limits.seconds:g} s"
        yield row_of_failure(attempt.cell, self._version, TIMEOUT, why)

    def _allowed(self, worker: Worker) -> float:
        return self._limits.seconds if worker.ready else _START_SECONDS

    def _patience(self) -> float:
        """How long nothing can be overdue."""
        busy = (worker for worker in self.workers if worker.given)
        return max(0.0, min(self._allowed(worker) - worker.seconds() for worker in busy)) + 0.01

    def _start(self) -> Worker:
        worker = Worker(self._limits.memory_bytes)
        self.workers.append(worker)
        self._selector.register(worker, selectors.EVENT_READ, worker)
        return worker

    def _end(self, worker: Worker) -> str:
        self._selector.unregister(worker)
        self.workers.remove(worker)
        return worker.end()
