# SPDX-License-Identifier: MIT OR Apache-2.0
"""A row of the table: what a cell was, how it ended, and its figures.

Nothing in a row tells where or when it was simulated: a row is the same from every run.
"""

from collections.abc import Mapping
from typing import Any

from .cell import Cell, text_of_pairs

Row = dict[str, Any]

DONE = "done"
FAILED = "failed"
TIMEOUT = "timeout"
MEMORY = "memory"
LOST = "lost"
STATUSES = {
    DONE: "simulated",
    FAILED: "refused by the simulator, or failed",
    TIMEOUT: "took longer than the limit",
    MEMORY: "wanted more memory than the limit",
    LOST: "lost, as the process that simulated it ended again and again",
}
"""How a cell ends; all but the first have an ``error``."""

SETTINGS = ("runtime", "queue", "groups")
"""What a cell has besides its job, device, scheduler, tunables and seed, each as a text."""

_LATENCIES = {
    "count": "N",
    "mean_ns": "mean",
    "median_ns": "p50",
    "p95_ns": "p95",
    "p99_ns": "p99",
    "p999_ns": "p99_9",
    "max_ns": "max",
}
_FIGURES = ("bytes", "bytes_per_s", "share", "runtime_ms")
STATISTICS = (*_FIGURES, *(f"{kind}_{name}" for kind in ("read", "write") for name in _LATENCIES))
"""The figures of each job of a job file."""


def _beginning(cell: Cell, version: str) -> Row:
    return {
        "identity": cell.identity(version),
        "job": cell.job.name,
        "device": str(cell.device),
        "scheduler": cell.scheduler,
        "tunables": cell.tunables_text(),
        "seed": cell.seed,
        "runtime": cell.settings.runtime or "",
        "queue": text_of_pairs(cell.settings.queue),
        "groups": text_of_pairs(cell.settings.groups),
        "version": version,
    }


def row_of_result(cell: Cell, version: str, run: Mapping[str, Any]) -> Row:
    """The row of a run: what stands in ``runs`` of the simulator's JSON."""
    summary = run["summary"]
    return {
        **_beginning(cell, version),
        "status": DONE,
        "error": None,
        "bytes_per_s": summary["total"]["bw_bytes"],
        "runtime_ms": summary["total"]["runtime"],
        "jobs": [_figures(job) for job in summary["jobs"]],
    }


def row_of_failure(cell: Cell, version: str, status: str, error: str) -> Row:
    """The row of a cell that has no result."""
    none = {"bytes_per_s": None, "runtime_ms": None, "jobs": None}
    return {**_beginning(cell, version), "status": status, "error": error, **none}


def _figures(job: Mapping[str, Any]) -> dict[str, Any]:
    figures = {
        "name": job["jobname"],
        "bytes": job["io_bytes"],
        "bytes_per_s": job["bw_bytes"],
        "share": job["share"],
        "runtime_ms": job["runtime"],
    }
    for kind in ("read", "write"):
        latencies = job.get(f"{kind}_clat_ns", {})
        for name, key in _LATENCIES.items():
            figures[f"{kind}_{name}"] = latencies.get(key)
    return figures
