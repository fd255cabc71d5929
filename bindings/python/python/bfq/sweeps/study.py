# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study: grids of cells, and what its report looks at in each job."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from .cell import Cell
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

    ``wait`` is what somebody waits for: less is better. ``share`` is the part of all bytes that a
    job gets, of which ``due`` is right.
    """

    about: str = ""
    wait: Measure | None = None
    share: Measure | None = None
    due: float | None = None


@dataclass(frozen=True)
class Study:
    """Grids of cells. A cell that occurs in several grids is simulated once."""

    name: str
    grids: tuple[Grid, ...]
    title: str = ""
    interests: tuple[tuple[str, Interest], ...] = ()

    def __iter__(self) -> Iterator[Cell]:
        for place, grid in enumerate(self.grids):
            earlier = self.grids[:place]
            yield from (cell for cell in grid if not any(cell in other for other in earlier))

    def __len__(self) -> int:
        """How many cells there are, each counted once."""
        whole = sum(len(grid) for grid in self.grids)
        # Only grids that overlap need their cells looked at.
        if not any(overlap(a, b) for i, a in enumerate(self.grids) for b in self.grids[:i]):
            return whole
        return sum(1 for _ in self)

    def description(self, version: str) -> str:
        """What the report must know of it, as JSON."""
        devices = dict.fromkeys(device for grid in self.grids for device in grid.devices)
        whole = {
            "name": self.name,
            "title": self.title or self.name,
            "version": version,
            "devices": list(devices),
            "jobs": {job: asdict(interest) for job, interest in self.interests},
        }
        return json.dumps(whole, indent=1) + "\n"


def overlap(one: Grid, other: Grid) -> bool:
    """Whether some cell is in both grids."""
    return one.settings == other.settings and all(
        set(values) & set(others)
        for values, others in (
            (one.jobs, other.jobs),
            (one.devices, other.devices),
            (one.schedulers, other.schedulers),
            (one.tunables, other.tunables),
            (one.seeds, other.seeds),
        )
    )
