# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads a study from a TOML file; a mistake names the file, line, key and what was expected."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import tomllib

from ..errors import BfqError
from ..job import Job
from ..lists import devices as built_in_devices
from . import known
from .cell import Cell, Disk, JobFile, Settings, Value, pairs_of
from .grid import VARY, Grid, Vary, sets_of_tunables
from .mistakes import StudyError
from .row import STATISTICS
from .study import Interest, Measure, Study, is_plain_name
from .toml_lines import line_of

STUDY_KEYS = (
    "name", "title", "jobs", "profiles", "grids", "cells", "devices", "seeds", "runtime",
)  # fmt: skip
PROFILE_KEYS = ("name", "file", "text")
JOB_KEYS = ("name", "file", "text", "about", "wait", "share", "due")
GRID_KEYS = (
    "jobs", "devices", "schedulers", "seeds", "tunables", "vary", "runtime", "queue", "groups",
)  # fmt: skip
CELL_KEYS = (
    "job", "device", "scheduler", "seed", "tunables", "runtime", "queue", "groups",
)  # fmt: skip

TIMES = tuple(name for name in STATISTICS if name.endswith(("_ns", "_ms")))
"""What a wait can be: the report shows it as a time, of which less is better."""

SEEDS = range(2**63)
"""The seeds that a table can tell."""


def read_study(path: str | Path) -> Study:
    """The study of a TOML file. ``docs/sweeps.md`` lists its keys."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StudyError(str(path), "", error.strerror or str(error), "a study in TOML") from error
    except UnicodeDecodeError as error:
        raise StudyError(str(path), "", str(error), "a study in TOML, which is UTF-8") from error
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        where = int(line[1]) if line else len(text.splitlines())  # else: at the end
        raise StudyError(str(path), "file", str(error), "TOML", where) from error
    return StudyFile(path, text).study(whole)


class StudyFile:
    """The reading of one file: what its checks have in common is where they are."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.source = text
        self.profiles: dict[str, str] = {}

    def study(self, whole: Mapping[str, Any]) -> Study:
        """The study of the whole file."""
        self.only(whole, "", STUDY_KEYS)
        jobs: dict[str, JobFile] = {}
        interests = []
        for place, entry in enumerate(self.tables(whole, "jobs")):
            job, interest = self.job(entry, f"jobs[{place}]")
            if job.name in jobs:
                raise self.wrong(f"jobs[{place}].name", f"{job.name!r} again", "a name of its own")
            jobs[job.name] = job
            interests.append((job.name, interest))
        profiles = self.tables(whole, "profiles") if "profiles" in whole else []
        for place, entry in enumerate(profiles):
            self.profile(entry, f"profiles[{place}]")
        common = {key: whole[key] for key in ("devices", "seeds", "runtime") if key in whole}
        if "grids" not in whole and "cells" not in whole:
            raise self.wrong("grids", "is missing", "one or more [[grids]] or [[cells]]")
        grids = tuple(
            self.grid({**common, **entry}, f"grids[{place}]", jobs)
            for place, entry in enumerate(self.tables(whole, "grids") if "grids" in whole else [])
        )
        shared = {"runtime": whole["runtime"]} if "runtime" in whole else {}
        cells = tuple(
            self.cell({**shared, **entry}, f"cells[{place}]", jobs)
            for place, entry in enumerate(self.tables(whole, "cells") if "cells" in whole else [])
        )
        name = self.text(whole, "name", "", self.path.stem)
        if not is_plain_name(name):
            raise self.wrong("name", repr(name), "a plain file name, for the folder NAME.sweep")
        title = self.text(whole, "title", "", name)
        return Study(name, grids, title, tuple(interests), cells)

    def job(self, entry: Mapping[str, Any], key: str) -> tuple[JobFile, Interest]:
        """A job file, from a file or in the study itself, and what matters in it."""
        self.only(entry, key, JOB_KEYS)
        name, text = self.named_text(entry, key, "job file of fio")
        try:
            sections = known.sections(text)
        except BfqError as error:
            told = [f"line {line}: {what}" if line else what for _, line, what in error.mistakes]
            where = f"{key}.file" if "file" in entry else f"{key}.text"
            raise self.wrong(where, *known.parted("; ".join(told) or error)) from error
        return JobFile(name, text), self.interest(entry, key, sections)

    def profile(self, entry: Mapping[str, Any], key: str) -> None:
        """The profile of a disk, from a file or in the study itself."""
        self.only(entry, key, PROFILE_KEYS)
        name, text = self.named_text(entry, key, "profile of a disk")
        taken = [*self.profiles, *(device.name for device in built_in_devices())]
        if name in taken or ":" in name:
            raise self.wrong(f"{key}.name", repr(name), "a name of its own, without a colon")
        self.own_disk(Disk(name, text), f"{key}.file" if "file" in entry else f"{key}.text")
        self.profiles[name] = text

    def own_disk(self, disk: Disk, key: str) -> Disk:
        """A disk that is not built in, if its profile and its values are right."""
        try:
            disk.opened()
        except BfqError as error:
            told = [f"line {line}: {what}" if line else what for _, line, what in error.mistakes]
            raise self.wrong(key, *known.parted("; ".join(told) or error)) from error
        return disk

    def named_text(self, entry: Mapping[str, Any], key: str, what: str) -> tuple[str, str]:
        """A name, and the text of a file beside the study or in it; of what is built in, @NAME."""
        if ("file" in entry) == ("text" in entry):
            raise self.wrong(key, "has both file and text, or neither", "one of the two")
        name = self.text(entry, "name", key, Path(str(entry.get("file", ""))).stem.lstrip("@"))
        if not name:
            raise self.wrong(f"{key}.name", "is missing", f"a name for the {what}")
        if "text" in entry:
            return name, self.text(entry, "text", key)
        file = self.text(entry, "file", key)
        try:
            if file.startswith("@"):
                Job.from_file(file)  # is it there? What it refers to is built in, too
                return name, file
            return name, (self.path.parent / file).read_text(encoding="utf-8")
        except BfqError as error:
            raise self.wrong(f"{key}.file", *known.parted(error)) from error
        except (OSError, UnicodeDecodeError) as error:
            why = f"{file}: {getattr(error, 'strerror', None) or error}"
            raise self.wrong(f"{key}.file", why, f"a {what}") from error

    def interest(self, entry: Mapping[str, Any], key: str, sections: list[str]) -> Interest:
        """What the report looks at in a job file."""
        due = entry.get("due")
        if ("share" in entry) != (due is not None):
            raise self.wrong(key, "has one of share and due", "both, or neither")
        if due is not None and not (isinstance(due, float) and 0 < due < 1):
            raise self.wrong(f"{key}.due", repr(due), "the part that is right, between 0 and 1")
        about = self.text(entry, "about", key, "")
        wait = self.measure(entry, "wait", key, sections, TIMES)
        return Interest(about, wait, self.measure(entry, "share", key, sections, ("share",)), due)

    def measure(
        self,
        entry: Mapping[str, Any],
        name: str,
        key: str,
        sections: list[str],
        statistics: Sequence[str],
    ) -> Measure | None:
        """A measure, ``JOB.STATISTIC``, if it is there; the statistic is one of these."""
        if name not in entry:
            return None
        job, _, statistic = self.text(entry, name, key).rpartition(".")
        if not job or statistic not in statistics:
            expected = "JOB.STATISTIC, a statistic of " + ", ".join(statistics)
            raise self.wrong(f"{key}.{name}", repr(entry[name]), expected)
        if job not in sections:
            expected = "one of " + ", ".join(dict.fromkeys(sections))
            raise self.wrong(f"{key}.{name}", f"no job {job!r} in its job file", expected)
        return Measure(job, statistic)

    def grid(self, entry: Mapping[str, Any], key: str, jobs: Mapping[str, JobFile]) -> Grid:
        """A grid, with what the whole study says for all."""
        self.only(entry, key, GRID_KEYS)
        chosen = self.axis(entry, "jobs", key, str, list(jobs))
        for name in chosen:
            self.known_job(name, f"{key}.jobs", jobs)
        devices = tuple(
            self.known_device(device, f"{key}.devices")
            for device in self.axis(entry, "devices", key, str)
        )
        schedulers = self.axis(entry, "schedulers", key, str)
        for scheduler in schedulers:
            self.plain_scheduler(scheduler, f"{key}.schedulers")
        return Grid(
            jobs=tuple(jobs[name] for name in chosen),
            devices=devices,
            schedulers=schedulers,
            seeds=self.seeds(entry, key),
            tunables=self.tunables(entry, key, schedulers),
            settings=self.other_settings(entry, key),
        )

    def cell(self, entry: Mapping[str, Any], key: str, jobs: Mapping[str, JobFile]) -> Cell:
        """One cell of the study."""
        self.only(entry, key, CELL_KEYS)
        job = self.text(entry, "job", key)
        self.known_job(job, f"{key}.job", jobs)
        device = self.known_device(self.text(entry, "device", key), f"{key}.device")
        scheduler = self.text(entry, "scheduler", key)
        self.plain_scheduler(scheduler, f"{key}.scheduler")
        seed = entry.get("seed", 1)
        if isinstance(seed, bool) or not isinstance(seed, int) or seed not in SEEDS:
            raise self.wrong(f"{key}.seed", repr(seed), "a number from 0 to 2**63 - 1")
        tunables = pairs_of(self.settings(entry, "tunables", key))
        for tunable, value in tunables:
            self.known_tunable((scheduler,), tunable, value, f"{key}.tunables")
        settings = self.other_settings(entry, key)
        return Cell(jobs[job], device, scheduler, seed, tunables, settings)

    def known_job(self, name: str, key: str, jobs: Mapping[str, JobFile]) -> None:
        """That a job is one of the study's."""
        if name not in jobs:
            raise self.wrong(key, f"no job {name!r}", "one of " + ", ".join(jobs))

    def known_device(self, device: str, key: str) -> str | Disk:
        """A device that is there wherever the cell is simulated: built in, or with its profile."""
        name = device.partition(":")[0]
        if name in self.profiles:
            return self.own_disk(Disk(device, self.profiles[name]), key)
        if name.endswith(".toml"):
            expected = "a built-in device, perhaps with values (hdd-desktop:depth=1), or the name"
            raise self.wrong(key, repr(device), f"{expected} of one of [[profiles]]")
        self.right(key, known.device_mistake(device, tuple(self.profiles)))
        return device

    def plain_scheduler(self, scheduler: str, key: str) -> None:
        """That a scheduler is no more than a name."""
        if ":" in scheduler:
            expected = "its name only; its tunables go to tunables"
            raise self.wrong(key, repr(scheduler), expected)
        self.right(key, known.scheduler_mistake(scheduler))

    def known_tunable(
        self, schedulers: Sequence[str], name: str, value: Value, key: str
    ) -> None:
        """That each of the schedulers has a tunable, and takes the value."""
        for scheduler in schedulers:
            self.right(f"{key}.{name}", known.tunable_mistake(scheduler, name, str(value)))

    def right(self, key: str, mistake: known.Wrong | None) -> None:
        """That the simulator has found nothing wrong."""
        if mistake is not None:
            raise self.wrong(key, *mistake)

    def other_settings(self, entry: Mapping[str, Any], key: str) -> Settings:
        """Run time, queue and groups."""
        runtime = self.text(entry, "runtime", key) if "runtime" in entry else None
        if runtime is not None:
            self.right(f"{key}.runtime", known.runtime_mistake(runtime))
        queue, groups = (
            pairs_of(self.settings(entry, kind, key)) for kind in ("queue", "groups")
        )
        for kind, pairs in (("queue", queue), ("groups", groups)):
            for name, value in pairs:
                self.right(f"{key}.{kind}.{name}", known.setting_mistake(kind, name, value))
        return Settings(runtime, queue, groups)

    def tunables(
        self, entry: Mapping[str, Any], key: str, schedulers: Sequence[str]
    ) -> tuple[Any, ...]:
        """The sets of tunables of a grid."""
        vary = entry.get("vary", "each")
        if vary not in VARY:
            raise self.wrong(f"{key}.vary", repr(vary), "one of " + ", ".join(VARY))
        tunables = self.table(entry, "tunables", key)
        values: dict[str, Sequence[Value]] = {
            name: self.axis(tunables, name, f"{key}.tunables", (int, str)) for name in tunables
        }
        for name, chosen in values.items():
            for value in chosen:
                self.known_tunable(schedulers, name, value, f"{key}.tunables")
        if vary == "pairs" and len(values) == 1:
            raise self.wrong(f"{key}.tunables", "only one", "two or more, to vary them in pairs")
        return sets_of_tunables(values, cast(Vary, vary))

    def seeds(self, entry: Mapping[str, Any], key: str) -> tuple[int, ...]:
        """Seeds: a list, or how many (from 1)."""
        seeds = entry.get("seeds", 1)
        if isinstance(seeds, int) and not isinstance(seeds, bool):
            if seeds < 1:
                raise self.wrong(f"{key}.seeds", repr(seeds), "one or more, or a list of seeds")
            return tuple(range(1, seeds + 1))
        listed = cast(tuple[int, ...], self.axis(entry, "seeds", key, int))
        for seed in listed:
            if seed not in SEEDS:
                raise self.wrong(f"{key}.seeds", repr(seed), "numbers from 0 to 2**63 - 1")
        return listed

    def settings(self, entry: Mapping[str, Any], name: str, key: str) -> Mapping[str, Value]:
        """A table of names and single values."""
        table = self.table(entry, name, key)
        for setting, value in table.items():
            if isinstance(value, bool) or not isinstance(value, int | str):
                raise self.wrong(f"{key}.{name}.{setting}", repr(value), "a number or a text")
        return table

    def axis(
        self,
        entry: Mapping[str, Any],
        name: str,
        key: str,
        kind: type | tuple[type, ...],
        default: list[str] | None = None,
    ) -> tuple[Any, ...]:
        """The values of an axis: one, or a list of several that all differ."""
        key = f"{key}.{name}" if key else name
        if name not in entry and default is None:
            raise self.wrong(key, "is missing", "one or more values")
        values = entry.get(name, default)
        values = values if isinstance(values, list) else [values]
        kinds = kind if isinstance(kind, tuple) else (kind,)
        for value in values:
            if isinstance(value, bool) or not isinstance(value, kinds):
                expected = " or ".join(
                    {"int": "a number", "str": "a text"}[k.__name__] for k in kinds
                )
                raise self.wrong(key, repr(value), expected)
        if not values or len(set(map(str, values))) != len(values):
            raise self.wrong(key, repr(values), "one or more values, none twice")
        return tuple(values)

    def tables(self, whole: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
        """A list of tables (``[[name]]``) with at least one."""
        entries = whole.get(name, [])
        well_formed = isinstance(entries, list) and all(isinstance(e, dict) for e in entries)
        if not entries or not well_formed:
            raise self.wrong(name, "is missing or no list of tables", f"one or more [[{name}]]")
        return cast(list[Mapping[str, Any]], entries)

    def table(self, entry: Mapping[str, Any], name: str, key: str) -> Mapping[str, Any]:
        """A table, empty if it is not there."""
        table = entry.get(name, {})
        if not isinstance(table, dict):
            raise self.wrong(f"{key}.{name}", repr(table), "a table of names and values")
        return table

    def text(
        self, entry: Mapping[str, Any], name: str, key: str, default: str | None = None
    ) -> str:
        """A text of the table."""
        value = entry.get(name, default)
        if not isinstance(value, str):
            raise self.wrong(f"{key}.{name}" if key else name, repr(value), "a text")
        return value

    def only(self, entry: Mapping[str, Any], key: str, known: Sequence[str]) -> None:
        """No key that means nothing here."""
        for name in entry:
            if name not in known:
                expected = "one of " + ", ".join(known)
                raise self.wrong(f"{key}.{name}" if key else name, "unknown key", expected)

    def wrong(self, key: str, wrong: str, expected: str) -> StudyError:
        """The mistake, with the file and the line."""
        return StudyError(str(self.path), key, wrong, expected, line_of(self.source, key))
