# SPDX-License-Identifier: MIT OR Apache-2.0
"""The figures that a report compares, from the table of a sweep."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..description import read_description
from ..mistakes import FolderError
from ..reasons import Reasons
from ..row import DONE, SETTINGS
from ..table import read_table


@dataclass(frozen=True, order=True)
class Setup:
    """A scheduler with its tunables, and the settings that not all cells of a job have there."""

    scheduler: str
    tunables: str = ""
    settings: str = ""
    """``groups a=100,b=300; runtime 2s``."""

    def __str__(self) -> str:
        return self.with_settings(
            f"{self.scheduler}:{self.tunables}" if self.tunables else self.scheduler
        )

    def with_settings(self, name: str) -> str:
        """A name of it, or of a part of it, that tells its settings, too."""
        return f"{name} ({self.settings})" if self.settings else name

    def plain(self) -> "Setup":
        """What it is compared with: its scheduler as it comes, under the same settings."""
        return Setup(self.scheduler, settings=self.settings)


@dataclass
class Figures:
    """What a job, device and setup gave, by seed."""

    throughput: dict[int, float] = field(default_factory=dict)
    """Bytes a second of all jobs; more is better."""
    wait: dict[int, float] = field(default_factory=dict)
    """What a user waits for, in ns; less is better."""
    unfairness: dict[int, float] = field(default_factory=dict)
    """How far a share is from what is due; less is better."""


class Outcomes:
    """A whole table, by job, device and setup."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.study = read_description(folder)
        self.statuses: Counter[str] = Counter()
        self.reasons = Reasons()
        self.seeds: set[int] = set()
        self._figures: defaultdict[tuple[str, str, Setup], Figures] = defaultdict(Figures)
        table = read_table(folder)
        self._settings = _settings_that_differ(table)
        for batch in table.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                self.statuses[row["status"]] += 1
                self.reasons.add(row)
                if row["status"] == DONE:
                    self._add(row)
        keys = self._figures.keys()
        self.jobs = _in_order(list(self.study["jobs"]), {job for job, _, _ in keys})
        self.devices = _in_order(self.study["devices"], {device for _, device, _ in keys})
        self.setups = sorted({setup for _, _, setup in keys})

    def of(self, job: str, device: str, setup: Setup) -> Figures:
        """What this gave; empty figures if it was not simulated."""
        return self._figures.get((job, device, setup), Figures())

    def schedulers(self) -> Iterator[Setup]:
        """Schedulers as they come."""
        return (setup for setup in self.setups if not setup.tunables)

    def references(self) -> list[Setup]:
        """What setups are compared with in the front: for each settings, the first scheduler."""
        first: dict[str, Setup] = {}
        for setup in self.schedulers():
            first.setdefault(setup.settings, setup)
        return list(first.values())

    def changed(self) -> Iterator[Setup]:
        """Setups with tunables that were set."""
        return (setup for setup in self.setups if setup.tunables)

    def wait_of(self, job: str) -> str:
        """Which wait a job is judged by, as the study has it; empty if by none."""
        return _name(self.study["jobs"].get(job, {}).get("wait"))

    def _add(self, row: Mapping[str, Any]) -> None:
        seed = row["seed"]
        self.seeds.add(seed)
        names = self._settings[row["job"], row["device"]]
        settings = "; ".join(f"{name} {row[name]}" for name in names if row[name])
        setup = Setup(row["scheduler"], row["tunables"], settings)
        figures = self._figures[row["job"], row["device"], setup]
        if seed in figures.throughput:
            raise FolderError.of(
                self._folder,
                f"{row['job']} on {row['device']} under {setup} has seed {seed} twice: the cells "
                "differ in what this table, of an older bfq, does not tell; expected a new folder",
            )
        figures.throughput[seed] = float(row["bytes_per_s"])
        interest = self.study["jobs"].get(row["job"], {})
        if (wait := _measured(row, interest.get("wait"))) is not None:
            scale = 1e6 if interest["wait"]["statistic"].endswith("_ms") else 1.0
            figures.wait[seed] = wait * scale
        if (share := _measured(row, interest.get("share"))) is not None:
            figures.unfairness[seed] = abs(share - interest["due"])


def _settings_that_differ(table: pa.Table) -> dict[tuple[str, str], list[str]]:
    """By job and device: what all of their cells have in common tells none from another."""
    every = pc.CountOptions(mode="all")
    counted = [(name, "count_distinct", every) for name in SETTINGS]
    groups = table.group_by(["job", "device"]).aggregate(counted).to_pylist()
    return {
        (group["job"], group["device"]): [
            name for name in SETTINGS if group[f"{name}_count_distinct"] > 1
        ]
        for group in groups
    }


def _measured(row: Mapping[str, Any], measure: Mapping[str, str] | None) -> float | None:
    if measure is None:
        return None
    found = (job[measure["statistic"]] for job in row["jobs"] if job["name"] == measure["job"])
    value = next(found, None)
    return None if value is None else float(value)


def _name(measure: Mapping[str, str] | None) -> str:
    return f"{measure['job']}.{measure['statistic']}" if measure else ""


def _in_order(order: list[str], present: set[str]) -> list[str]:
    known = [name for name in order if name in present]
    return known + sorted(present - set(known))
