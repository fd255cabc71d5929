# SPDX-License-Identifier: MIT OR Apache-2.0
"""Simulates the cells of a study that its folder does not have yet."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from ..errors import UsageError
from .cell import Cell
from .description import DESCRIPTION, read_description
from .limits import Limits
from .mistakes import FolderError
from .pool import Pool
from .progress import SweepProgress
from .row import Row
from .simulating import simulator_version
from .study import Study, is_plain_name
from .study_file import read_study
from .table import Folder, Identities, Writer

DEFAULTS = Limits()
_WORKERS_OF_A_PROCESSOR = 4
"""More processes only take memory: one is busy all the time."""


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
    reasons: tuple[str, ...] = ()
    """Why some have no result: the most frequent errors, with how many cells have each."""

    def __str__(self) -> str:
        parts = [f"{count:,} {status}" for status, count in sorted(self.outcomes.items())]
        if self.earlier:
            parts.insert(0, f"{self.earlier:,} there already")
        lines = (f"{self.folder}: {', '.join(parts) or 'nothing to do'}", *self.reasons)
        return "\n  ".join(lines)


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
        if not is_plain_name(study.name):
            raise UsageError(f"name {study.name!r}: expected a plain file name, or out=FOLDER")
        out = f"{study.name}.sweep"
    backend_of = _backend(backend, address, workers, limits)
    version = simulator_version()
    shown = sys.stderr.isatty() if progress is None else progress
    sources = study.sources()
    with Folder(Path(out)) as folder:
        earlier = _earlier_sources(folder.path, sources, version)
        if again:
            folder.forget_failures()
        there = Identities(folder.path)
        description = study.description(version, {**earlier, **sources})
        folder.write(DESCRIPTION, partial(_write_text, description))
        writer = Writer(folder)
        bar = SweepProgress(len(study), shown=shown)
        with bar, backend_of(version) as simulating:
            try:
                for row in simulating.run(_missing(study, there, version, bar)):
                    writer.add(row)
                    bar.add(row)
            finally:
                writer.flush()
        return Swept(folder.path, bar.earlier, dict(bar.outcomes), tuple(bar.reasons.lines()))


def _earlier_sources(folder: Path, sources: dict[str, str], version: str) -> dict[str, str]:
    """The sources of what the folder has results of, if those of the study go with them.

    A table has the results of one simulator. It tells jobs and disks by their names, so a name
    stands for one text, also of what an earlier study had and this one has not.
    """
    if not (folder / DESCRIPTION).exists():
        return {}
    there = read_description(folder)
    if there["version"] != version:
        raise FolderError.of(
            folder,
            f"it has results of bfq {there['version']}, and this is {version}; expected another "
            "folder",
        )
    earlier: dict[str, str] = there.get("sources", {})  # older tables have none
    for name, digest in sources.items():
        if earlier.get(name, digest) != digest:
            raise FolderError.of(
                folder,
                f"it has results of another text of {name}; expected another folder, or another "
                "name for it",
            )
    return earlier


def _missing(study: Study, there: Identities, version: str, bar: SweepProgress) -> Iterator[Cell]:
    for cell in study:
        if cell.identity(version) in there:
            bar.pass_over()
        else:
            yield cell


def _backend(
    name: str, address: str | None, workers: int | None, limits: Limits
) -> Callable[[str], Backend]:
    """What makes the backend for a version, once the folder is found to be right."""
    processors = len(os.sched_getaffinity(0))
    if name not in ("processes", "ray"):
        raise UsageError(f"backend: {name!r}; expected processes or ray")
    if workers is not None:
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise UsageError(f"workers: {workers!r}; expected 1 or more")
        most = processors * _WORKERS_OF_A_PROCESSOR
        if name == "processes" and workers > most:
            raise UsageError(
                f"workers: {workers}; expected 1 to {most}, which is {_WORKERS_OF_A_PROCESSOR} "
                "for each processor"
            )
    if name == "processes":
        return partial(Pool, workers or processors, limits)
    from .on_ray import RayBackend

    return partial(RayBackend, address, workers, limits)


def _write_text(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")
