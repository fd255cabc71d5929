# SPDX-License-Identifier: MIT OR Apache-2.0
"""Simulates the cells of a study that its folder does not have yet."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from .cell import Cell
from .limits import Limits
from .mistakes import SweepError
from .pool import Pool
from .progress import SweepProgress
from .row import Row
from .simulating import simulator_version
from .study import Study
from .study_file import read_study
from .table import Folder, Identities, Writer

DESCRIPTION = "study.json"
DEFAULTS = Limits()


class Backend(AbstractContextManager["Backend"], Protocol):
    """Where cells are simulated."""

    def run(self, cells: Iterable[Cell]) -> Iterator[Row]:
        """One row for each cell, in any order; it holds a bounded number of cells at a time."""
        ...


@dataclass(frozen=True)
class Swept:
    """What a sweep has done."""

    folder: Path
    earlier: int
    """Cells that the folder had already."""
    outcomes: dict[str, int]
    """How the others ended (``done``, ``failed``, …), and how many."""

    def __str__(self) -> str:
        parts = [f"{count:,} {status}" for status, count in sorted(self.outcomes.items())]
        if self.earlier:
            parts.insert(0, f"{self.earlier:,} there already")
        return f"{self.folder}: {', '.join(parts) or 'nothing to do'}"


def sweep(
    study: Study | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    backend: Literal["processes", "ray"] = "processes",
    address: str | None = None,
    workers: int | None = None,
    limits: Limits = DEFAULTS,
    again: bool = False,
    progress: bool | None = None,
) -> Swept:
    """Simulates all cells of ``study``, and writes a row for each to Parquet files in ``out``.

    ``study`` is a :class:`bfq.sweeps.Study` or the path of its TOML file; ``out`` a folder, by
    default ``NAME.sweep`` after the study's name, as the command has it. What ``out`` has already
    is not simulated again, so a sweep that was stopped, or killed, goes on when it is called again;
    with ``again`` those cells are tried once more that had no result. ``workers`` are processes on
    this machine (as many as it has processors), or with ``"ray"`` the tasks at a time in the
    cluster at ``address`` (as many as it has processors).
    """
    if not isinstance(study, Study):
        study = read_study(os.fspath(study))
    if out is None:
        out = f"{study.name}.sweep"
    version = simulator_version()
    shown = sys.stderr.isatty() if progress is None else progress
    with Folder(Path(out)) as folder:
        _check_version(folder.path / DESCRIPTION, version)
        if again:
            folder.forget_failures()
        there = Identities(folder.path)
        folder.write(DESCRIPTION, partial(_write_text, study.description(version)))
        writer = Writer(folder)
        bar = SweepProgress(len(study), shown=shown)
        with bar, _backend(backend, address, workers, limits, version) as simulating:
            try:
                for row in simulating.run(_missing(study, there, version, bar)):
                    writer.add(row)
                    bar.add(row)
            finally:
                writer.flush()
        return Swept(folder.path, bar.earlier, dict(bar.outcomes))


def _check_version(description: Path, version: str) -> None:
    """A table has the results of one simulator."""
    if not description.exists():
        return
    there = json.loads(description.read_text(encoding="utf-8"))["version"]
    if there != version:
        raise SweepError.of(
            description.parent,
            f"it has results of bfq {there}, and this is {version}; expected another folder",
        )


def _missing(study: Study, there: Identities, version: str, bar: SweepProgress) -> Iterator[Cell]:
    for cell in study:
        if cell.identity(version) in there:
            bar.pass_over()
        else:
            yield cell


def _backend(
    name: str, address: str | None, workers: int | None, limits: Limits, version: str
) -> Backend:
    if name == "processes":
        return Pool(workers or len(os.sched_getaffinity(0)), limits, version)
    if name == "ray":
        from .on_ray import RayBackend

        return RayBackend(address, workers, limits, version)
    raise ValueError(f"backend: {name!r}; expected processes or ray")


def _write_text(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")
