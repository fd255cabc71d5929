# SPDX-License-Identifier: MIT OR Apache-2.0
"""Cells that fail, hang, want too much memory or lose their process: each ends in one row."""

import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from bfq.sweeps import Cell, Limits, SweepError
from bfq.sweeps.pool import Pool
from bfq.sweeps.row import DONE, LOST
from bfq.sweeps.simulating import simulator_version
from studies import ENDLESS, GENEROUS, LIMITS, odd_study, study_of

VERSION = simulator_version()


def test_odd_cells_are_rows_with_their_errors() -> None:
    with Pool(2, LIMITS, VERSION) as pool:
        rows = list(pool.run(odd_study()))
    assert sorted(row["identity"] for row in rows) == sorted(
        cell.identity(VERSION) for cell in odd_study()
    )
    said = {row["job"]: (row["status"], row["error"]) for row in rows}
    assert said["small"] == ("done", None)
    assert said["endless"] == ("timeout", "more than 10 s")
    assert said["greedy"] == ("memory", "more than 64 MiB of memory")
    status, error = said["wrong"]
    assert status == "failed" and "sideways" in error
    assert all(row["status"] == DONE for row in rows if row["job"] == "small")


def test_a_process_that_dies_costs_a_retry_and_nothing_more() -> None:
    cells = list(study_of(5))
    with Pool(2, GENEROUS, VERSION) as pool:
        rows = []
        for row in pool.run(cells):
            if len(rows) in (3, 9):
                os.kill(pool.workers[0].pid, signal.SIGKILL)
            rows.append(row)
    assert sorted(row["identity"] for row in rows) == sorted(c.identity(VERSION) for c in cells)
    assert {row["status"] for row in rows} == {DONE}


def test_a_cell_that_always_loses_its_process_is_lost_and_the_others_are_not() -> None:
    fatal = Cell(ENDLESS, "ssd-nvme", "bfq", 1)
    cells = [fatal, *study_of(2)]
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.02):
            for worker in list(pool.workers):
                if worker.ready and worker.given and worker.given[0].cell == fatal:
                    os.kill(worker.pid, signal.SIGKILL)

    with Pool(1, Limits(seconds=120, retries=1), VERSION) as pool:
        killer = threading.Thread(target=kill)
        killer.start()
        rows = {row["identity"]: row for row in pool.run(cells)}
        over.set()
        killer.join()
    assert len(rows) == len(cells)
    row = rows.pop(fatal.identity(VERSION))
    assert row["status"] == LOST and "ended 2 times: SIGKILL" in row["error"]
    assert {row["status"] for row in rows.values()} == {DONE}


def test_a_cell_is_not_overdue_because_nobody_heard_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    later_s = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later_s)
    monkeypatch.setattr("bfq.sweeps.worker.time", clock)

    def cells() -> Iterator[Cell]:
        yield from list(study_of(1))[:2]
        # Both were given out. The second process waits, so that the first row is not its own.
        os.kill(pool.workers[1].pid, signal.SIGSTOP)

    with Pool(2, GENEROUS, VERSION) as pool:
        rows = pool.run(cells())
        first = next(rows)
        other = pool.workers[1]
        os.kill(other.pid, signal.SIGCONT)
        select.select([other], [], [])
        later_s = 1000.0  # for which the caller was busy with the first row
        assert [row["status"] for row in (first, *rows)] == [DONE, DONE]


def test_there_are_no_more_processes_than_cells() -> None:
    with Pool(1000, GENEROUS, VERSION) as pool:
        assert pool.workers == []
        most = 0
        for _ in pool.run(study_of(1)):
            most = max(most, len(pool.workers))
    assert most == 4


def test_a_process_that_cannot_start_ends_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with (
        Pool(1, GENEROUS, VERSION) as pool,
        pytest.raises(SweepError, match="cannot start: exit code 1"),
    ):
        list(pool.run(study_of(1)))


def test_another_version_of_the_simulator_ends_the_sweep() -> None:
    with Pool(1, GENEROUS, "0.0.9") as pool, pytest.raises(SweepError, match=r"0\.0\.9"):
        list(pool.run(study_of(1)))


def test_cells_are_taken_as_they_are_needed() -> None:
    taken = 0

    def counted() -> Iterator[Cell]:
        nonlocal taken
        for cell in study_of(25):
            taken += 1
            yield cell

    with Pool(2, GENEROUS, VERSION) as pool:
        for number, _ in enumerate(pool.run(counted()), start=1):
            assert taken <= number + 2 * 4
    assert taken == 100
