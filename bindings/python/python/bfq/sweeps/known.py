# SPDX-License-Identifier: MIT OR Apache-2.0
"""Whether the simulator knows what a study names, asked before anything of the sweep runs.

Each function gives what is wrong and what was expected, or None.
"""

from functools import cache

from .. import _bfq
from .._arguments import Arguments
from .._texts import FIRST_NAME
from ..device import Device
from ..errors import BfqError
from ..lists import devices, schedulers, tunables
from ..runs import simulate

Wrong = tuple[str, str]

_TRIAL = "[trial]\nrw=read\nsize=4k\n"


def parted(error: BfqError | str) -> Wrong:
    """What is wrong, and what was expected, of a message that says both."""
    for mark in ("; expected ", ": expected ", "; did you mean ", "; there are: "):
        wrong, found, expected = str(error).rpartition(mark)
        if found:
            return wrong, expected.removesuffix("?")
    return str(error), "what the simulator takes"


@cache
def device_mistake(device: str, own: tuple[str, ...]) -> Wrong | None:
    """Of a built-in device, perhaps with values; ``own`` are those of the study."""
    names = [one.name for one in devices()]
    if device.partition(":")[0] not in names:
        return f"no device {device!r}", "one of " + ", ".join([*own, *names])
    try:
        Device(device)
    except BfqError as error:
        return parted(error)
    return None


@cache
def scheduler_mistake(scheduler: str) -> Wrong | None:
    """Of a scheduler's name."""
    names = [one.name for one in schedulers()]
    if scheduler in names:
        return None
    return f"no scheduler {scheduler!r}", "one of " + ", ".join(names)


@cache
def tunable_mistake(scheduler: str, name: str, value: str) -> Wrong | None:
    """Of a tunable of a scheduler, and its value."""
    names = [one.name for one in tunables(scheduler)]
    if name not in names:
        expected = "one of " + ", ".join(names) if names else "none, as it has none"
        return f"{scheduler} has no tunable {name!r}", expected
    return _trial(_TRIAL, scheduler=scheduler, tunables={name: value})


@cache
def setting_mistake(kind: str, name: str, value: str) -> Wrong | None:
    """Of a setting of ``queue`` or ``groups``."""
    # Weights are only taken of groups that a job is in.
    job = f"{_TRIAL}cgroup={name}\n" if kind == "groups" else _TRIAL
    return _trial(job, **{kind: {name: value}})


@cache
def runtime_mistake(runtime: str) -> Wrong | None:
    """Of how long a cell runs."""
    return _trial(_TRIAL, runtime=runtime)


def sections(source: str) -> list[str]:
    """The names of the jobs of a job file: its text, or ``@NAME`` of a built-in one.

    Raises :class:`bfq.JobFileError` if it is wrong. Grids may have a run time of their own, so a
    job file without one is right.
    """
    name, texts = (source, []) if source.startswith("@") else (FIRST_NAME, [(FIRST_NAME, source)])
    arguments = Arguments([name], device="", scheduler="", runtime="1s", texts=texts)
    return _bfq.check(arguments)[0]


def _trial(job: str, **options: object) -> Wrong | None:
    """What a simulation of a job of a single request says of these options."""
    try:
        simulate(job, timeline=0, **options)  # type: ignore[arg-type]
    except BfqError as error:
        wrong, expected = parted(error)
        (option,) = options.keys() - {"scheduler"}
        return wrong.removeprefix(option).lstrip(": "), expected  # the study names the key
    return None
