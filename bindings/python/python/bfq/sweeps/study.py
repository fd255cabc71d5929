# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study: grids and lists of cells, and what its report looks at in each job."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain, product

from ..errors import UsageError
from .cell import Cell, Disk, JobFile
from .grid import Grid


@dataclass(frozen=True)
class Measure:
    """A figure of one job of a job file: ``job.statistic``, a column of the table's ``jobs``."""

    job: str
    statistic: str

    def __str__(self) -> str:
        return f"{self.job}.{self.statistic}"


@dataclass(frozen=True)
class Interest:
    """What matters in a job file, besides the bytes a second of all that it does.

    ``wait`` is what a user waits for: less is better. ``share`` is the part of all bytes that a
    job gets, of which ``due`` is right.
    """

    about: str = ""
    wait: Measure | None = None
    share: Measure | None = None
    due: float | None = None


@dataclass(frozen=True)
class Study:
    """Grids of cells, and cells one by one. A cell that occurs several times is simulated once."""

    name: str
    grids: tuple[Grid, ...] = ()
    title: str = ""
    interests: tuple[tuple[str, Interest], ...] = ()
    cells: tuple[Cell, ...] = ()

    def __iter__(self) -> Iterator[Cell]:
        # What is small is remembered cell by cell, so that many of them cost no comparisons; a
        # large grid is asked, so that its cells take no memory.
        seen: set[Cell] = set()
        large: list[Grid] = []
        for grid in self.grids:
            if len(grid) <= _SMALL:
                yield from _fresh(grid, seen, large)
            else:
                near = [other for other in large if overlap(grid, other)]
                for cell in grid:
                    if cell not in seen and not any(cell in other for other in near):
                        yield cell
                large.append(grid)
        yield from _fresh(self.cells, seen, large)

    def __len__(self) -> int:
        """How many cells there are, each counted once."""
        return sum(1 for _ in self)

    def sources(self) -> dict[str, str]:
        """Which text each name of a job or a disk stands for, as a digest: rows have the name only.

        Raises :class:`bfq.UsageError` if a name stands for several.
        """
        pairs = {(cell.job, cell.device) for cell in self.cells}
        for grid in self.grids:
            pairs.update(product(grid.jobs, grid.devices))
        found: dict[str, str] = {}
        for name, text in chain.from_iterable(_named(job, device) for job, device in pairs):
            digest = hashlib.sha256(text.encode()).hexdigest()[:32]
            if found.setdefault(name, digest) != digest:
                raise UsageError(f"{self.name}: {name} has several texts; expected a name for each")
        return dict(sorted(found.items()))

    def description(self, version: str, sources: Mapping[str, str] | None = None) -> str:
        """What the report, and a later sweep into the folder, must know of it, as JSON.

        ``sources`` are those of all that the folder has results of.
        """
        devices = dict.fromkeys(str(device) for grid in self.grids for device in grid.devices)
        devices.update(dict.fromkeys(str(cell.device) for cell in self.cells))
        whole = {
            "name": self.name,
            "title": self.title or self.name,
            "version": version,
            "devices": list(devices),
            "jobs": {job: asdict(interest) for job, interest in self.interests},
            "sources": dict(self.sources() if sources is None else sources),
        }
        return json.dumps(whole, indent=1) + "\n"


def is_plain_name(name: str) -> bool:
    """Whether a folder may be called so: in no other folder, and not hidden."""
    return bool(name) and "/" not in name and "\0" not in name and not name.startswith(".")


def _named(job: JobFile, device: str | Disk) -> tuple[tuple[str, str], tuple[str, str]]:
    """The names of both in messages, with their texts; what is built in has none."""
    disk = str(device).partition(":")[0]
    profile = "" if isinstance(device, str) else device.profile
    return (f"job {job.name}", job.text), (f"disk {disk}", profile)


_SMALL = 64
"""The most cells of a grid that is remembered cell by cell."""


def _fresh(cells: Iterable[Cell], seen: set[Cell], large: list[Grid]) -> Iterator[Cell]:
    """Those cells that have not been there, which from now on have."""
    for cell in cells:
        if cell not in seen and not any(cell in grid for grid in large):
            seen.add(cell)
            yield cell


def overlap(one: Grid, other: Grid) -> bool:
    """Whether some cell is in both grids."""
    return one.settings == other.settings and not any(
        values.isdisjoint(others) for values, others in zip(one.axes, other.axes, strict=True)
    )
