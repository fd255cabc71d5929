# SPDX-License-Identifier: MIT OR Apache-2.0
"""A cell: the whole input of one simulation, and its identity."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from .._checks import count_in
from ..device import Device

Value = str | int
"""A value of a tunable or of a setting of the queue."""


@dataclass(frozen=True, slots=True)
class JobFile:
    """A job file of fio: its name in the study, and its text, or ``@NAME`` of a built-in one."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk with a profile of its own, which goes with the cell to wherever it is simulated.

    ``name`` is what the table calls it, perhaps with values: ``mine:depth=1``. ``profile`` is the
    text of its profile in TOML.
    """

    name: str
    profile: str

    def __str__(self) -> str:
        return self.name

    def opened(self) -> Device:
        """The device, for a simulation."""
        own, _, values = self.name.partition(":")
        pairs = (value.partition("=") for value in values.split(",") if value)
        overrides = {name: text for name, _, text in pairs}
        return Device.from_text(self.profile, name=own, **overrides)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a simulation has besides its job, device, scheduler and seed."""

    runtime: str | None = None
    queue: tuple[tuple[str, str], ...] = ()
    groups: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One simulation: all that its result depends on, but the version of the simulator."""

    job: JobFile
    device: str | Disk
    scheduler: str
    seed: int
    tunables: tuple[tuple[str, str], ...] = ()
    settings: Settings = Settings()

    def __post_init__(self) -> None:
        count_in("seed", self.seed)  # as the table can tell it

    def identity(self, version: str) -> str:
        """The name of this cell as simulated by ``version``: 32 hexadecimal digits.

        Equal inputs have equal names, on every machine.
        """
        whole = {"version": version, **asdict(self)}
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def tunables_text(self) -> str:
        """The tunables as the command line has them: ``low_latency=0,slice_idle=2``."""
        return text_of_pairs(self.tunables)

    def to_json(self) -> str:
        """The cell in one line, for another process."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> "Cell":
        """The cell of such a line."""
        fields = json.loads(line)
        settings = fields.pop("settings")
        device = fields.pop("device")
        return cls(
            job=JobFile(**fields.pop("job")),
            device=device if isinstance(device, str) else Disk(**device),
            tunables=pairs_of(dict(fields.pop("tunables"))),
            settings=Settings(
                settings["runtime"],
                pairs_of(dict(settings["queue"])),
                pairs_of(dict(settings["groups"])),
            ),
            **fields,
        )


def text_of_pairs(pairs: tuple[tuple[str, str], ...]) -> str:
    """Names and values as the command line has them; empty if there are none."""
    return ",".join(f"{name}={value}" for name, value in pairs)


def pairs_of(values: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    """Names and values in the one order and spelling that equal settings have."""
    return tuple(sorted((name, str(value)) for name, value in values.items()))
