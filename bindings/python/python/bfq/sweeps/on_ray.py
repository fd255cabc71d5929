# SPDX-License-Identifier: MIT OR Apache-2.0
"""Simulates cells on a cluster, by Ray: it places the tasks, and repeats those that are lost.

A task is a batch of cells. In each process of Ray a pool of one simulates them, so the limits of a
cell are the same as on one machine.
"""

import logging
import socket
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from types import TracebackType
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from .cell import Cell
from .limits import Limits
from .mistakes import SweepError
from .pool import Pool
from .row import LOST, Row, row_of_failure

CELLS_OF_A_TASK = 16
"""Few enough that a cluster ends together, enough that a task's own cost does not count."""

_TASKS_OF_A_PROCESSOR = 2
"""In flight: one that runs, and one that waits."""


class RayBackend:
    """A cluster, as a sweep sees it; a bounded number of tasks is in flight."""

    def __init__(
        self, address: str | None, workers: int | None, limits: Limits, version: str
    ) -> None:
        self._limits = limits
        self._version = version
        self._joined = not ray.is_initialized()
        if self._joined:
            _check_address(address)
            try:
                ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
            except ConnectionError as error:
                raise SweepError(f"no cluster of Ray at {address}: {error}") from error
        processors = int(ray.cluster_resources().get("CPU", 1))  # type: ignore[no-untyped-call]
        self._in_flight = workers or processors * _TASKS_OF_A_PROCESSOR
        self._task = ray.remote(num_cpus=1, max_retries=limits.retries)(simulate_batch)

    def __enter__(self) -> "RayBackend":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._joined:
            ray.shutdown()

    def run(self, cells: Iterable[Cell]) -> Iterator[Row]:
        """The rows of these cells, as they come. Cells are taken as they are needed."""
        cells = iter(cells)
        single: deque[list[Cell]] = deque()
        running: dict[Any, list[Cell]] = {}
        while True:
            while len(running) < self._in_flight:
                batch = single.popleft() if single else list(islice(cells, CELLS_OF_A_TASK))
                if not batch:
                    break
                running[self._task.remote(batch, self._limits, self._version)] = batch
            if not running:
                return
            (ended, *_), _ = ray.wait(list(running))
            batch = running.pop(ended)
            try:
                yield from ray.get(ended)
            except RayTaskError as error:
                raise _as_sweep_error(error) from error
            except RayError as error:
                # Ray has tried it as often as it may. One cell may have been at fault for all.
                if len(batch) > 1:
                    single.extend([cell] for cell in batch)
                else:
                    why = f"its task was lost {self._limits.retries + 1} times"
                    why = f"{why}: {type(error).__name__}"
                    yield row_of_failure(batch[0], self._version, LOST, why)


def simulate_batch(batch: list[Cell], limits: Limits, version: str) -> list[Row]:
    """The rows of some cells, simulated in this process of Ray's."""
    try:
        return list(_pool(limits, version).run(batch))
    except SweepError:
        _pool.cache_clear()
        raise


@lru_cache(maxsize=1)
def _pool(limits: Limits, version: str) -> Pool:
    """The process that simulates is kept from task to task; it ends with the process of Ray."""
    return Pool(1, limits, version)


def _check_address(address: str | None) -> None:
    """That a server listens at HOST:PORT: Ray itself would wait for minutes."""
    host, separator, port = (address or "").rpartition(":")
    if not separator or not port.isdecimal() or "/" in host:
        return  # Ray knows what it means.
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise SweepError(f"no cluster of Ray at {address}: {error}") from error


def _as_sweep_error(error: RayTaskError) -> SweepError:
    return SweepError(str(error.cause) if isinstance(error.cause, SweepError) else str(error))
