# SPDX-License-Identifier: MIT OR Apache-2.0
"""A grid of cells: every job on every device under every scheduler, for each set of tunables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Literal, get_args

from .cell import Cell, Disk, JobFile, Settings, Value, pairs_of

Tunables = tuple[tuple[str, str], ...]
Vary = Literal["each", "pairs", "all"]
"""How tunables vary: one at a time, two at a time, or all together (every combination)."""

VARY: tuple[str, ...] = get_args(Vary)


def sets_of_tunables(values: Mapping[str, Sequence[Value]], vary: Vary) -> tuple[Tunables, ...]:
    """The sets of tunables that ``vary`` makes of the values of each; one empty set of none.

    >>> sets_of_tunables({"slice_idle": [0, 2]}, "each")
    ((('slice_idle', '0'),), (('slice_idle', '2'),))
    """
    together = {"each": 1, "pairs": 2, "all": len(values)}[vary] if values else 0
    return tuple(
        pairs_of(dict(zip(names, chosen, strict=True)))
        for names in combinations(values, together)
        for chosen in product(*(values[name] for name in names))
    )


@dataclass(frozen=True)
class Grid:
    """The product of its axes; an axis has no value twice, so the grid has no cell twice."""

    jobs: tuple[JobFile, ...]
    devices: tuple[str | Disk, ...]
    schedulers: tuple[str, ...]
    seeds: tuple[int, ...]
    tunables: tuple[Tunables, ...] = ((),)
    settings: Settings = Settings()

    def __len__(self) -> int:
        axes = (self.jobs, self.devices, self.schedulers, self.tunables, self.seeds)
        length = 1
        for axis in axes:
            length *= len(axis)
        return length

    def __iter__(self) -> Iterator[Cell]:
        # Seeds turn slowest: a sweep that was stopped early has whole comparisons, of fewer seeds.
        axes = product(self.seeds, self.jobs, self.devices, self.schedulers, self.tunables)
        for seed, job, device, scheduler, tunables in axes:
            yield Cell(job, device, scheduler, seed, tunables, self.settings)

    @cached_property
    def axes(self) -> tuple[frozenset[object], ...]:
        """The values of each axis: jobs, devices, schedulers, tunables, seeds."""
        axes = (self.jobs, self.devices, self.schedulers, self.tunables, self.seeds)
        return tuple(map(frozenset, axes))

    def __contains__(self, cell: object) -> bool:
        if not isinstance(cell, Cell) or cell.settings != self.settings:
            return False
        values = (cell.job, cell.device, cell.scheduler, cell.tunables, cell.seed)
        return all(value in axis for value, axis in zip(values, self.axes, strict=True))
