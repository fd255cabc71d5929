# SPDX-License-Identifier: MIT OR Apache-2.0
"""Small studies for the tests, well-behaved and other, and what a sweep of them must give."""

from pathlib import Path
from typing import Any

import pyarrow as pa
from bfq.sweeps import Grid, JobFile, Limits, Study
from bfq.sweeps.sweep import sweep
from bfq.sweeps.table import read_table

_READER = "[reader]\nrw=randread\nbs=4k\ndirect=1\ntime_based\n"

SMALL = JobFile("small", f"{_READER}size=1g\nruntime=200ms\n")
ENDLESS = JobFile("endless", f"{_READER}size=1g\nruntime=30000000\n")
GREEDY = JobFile("greedy", f"{_READER}size=1m\nruntime=10ms\nnumjobs=30000\n")
WRONG = JobFile("wrong", "[reader]\nrw=sideways\n")

SMALL_STUDY = f"""
name = "small"
[[jobs]]
name = "small"
text = '''{SMALL.text}'''
[[grids]]
devices = ["hdd-desktop", "ssd-sata"]
schedulers = ["bfq", "none"]
seeds = 300
"""

LIMITS = Limits(seconds=10.0, memory_bytes=64 << 20, retries=2)
"""So that what is endless or greedy ends soon; well-behaved cells are far from it."""

GENEROUS = Limits(seconds=120.0)


def study_of(seeds: int, *jobs: JobFile) -> Study:
    """Each job (or the small one) with this number of seeds, on two disks, under two schedulers."""
    devices = ("hdd-desktop", "ssd-sata")
    grid = Grid(jobs or (SMALL,), devices, ("bfq", "none"), tuple(range(1, seeds + 1)))
    return Study("test", (grid,))


def odd_study() -> Study:
    """Well-behaved cells, and one of each other kind in their midst."""
    odd = Grid((ENDLESS, GREEDY, WRONG), ("ssd-nvme",), ("bfq",), (1,))
    return Study("odd", (*study_of(2).grids, odd, *study_of(3).grids))


def undisturbed(study: Study, folder: Path, limits: Limits = GENEROUS) -> pa.Table:
    """The table of a study that nothing disturbs."""
    sweep(study, folder, limits=limits)
    return read_table(folder)


def statuses(table: pa.Table) -> dict[str, str]:
    """How cells of each job ended; of one that ended in several ways, the last."""
    rows: list[dict[str, Any]] = table.select(["job", "status"]).to_pylist()
    return {row["job"]: row["status"] for row in rows}
