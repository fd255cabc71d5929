# SPDX-License-Identifier: MIT OR Apache-2.0
"""What there is to choose from."""

from __future__ import annotations

from typing import List, NamedTuple

from . import _bfq
from ._checks import text_in
from .device import Device


class Scheduler(NamedTuple):
    """A scheduler that can be simulated."""

    name: str
    """What :func:`bfq.simulate` calls it."""
    about: str
    """What it is, in a sentence."""


class Tunable(NamedTuple):
    """A tunable of a scheduler."""

    name: str
    """What it is called."""
    default: str
    """Its value if none is given."""
    values: str
    """Which values there are."""
    unit: str
    """The unit of these."""
    about: str
    """What it does."""


class Scenario(NamedTuple):
    """A built-in job file."""

    name: str
    """What :func:`bfq.simulate` calls it: ``@two-groups``."""
    title: str
    """What it is about."""


def schedulers() -> List[Scheduler]:
    """The schedulers.

    >>> import bfq
    >>> [scheduler.name for scheduler in bfq.schedulers()][:2]
    ['bfq', 'tfq']
    """
    return [Scheduler(*row) for row in _bfq.schedulers()]


def devices() -> List[Device]:
    """The built-in modelled disks.

    >>> import bfq
    >>> [disk.name for disk in bfq.devices() if not disk.rotational and disk.depth > 32]
    ['ssd-nvme']
    """
    return [Device(name) for name in _bfq.devices()]


def tunables(scheduler: str) -> List[Tunable]:
    """The tunables of a scheduler.

    >>> import bfq
    >>> [tunable.name for tunable in bfq.tunables("mq-deadline")][:2]
    ['read_expire', 'write_expire']
    """
    return [Tunable(*row) for row in _bfq.tunables(text_in("scheduler", scheduler))]


def scenarios() -> List[Scenario]:
    """The built-in job files.

    >>> import bfq
    >>> [one.title for one in bfq.scenarios() if one.name == "@two-groups"]
    ['Weights at work: two groups that always have more to do.']
    """
    return [Scenario(*row) for row in _bfq.scenarios()]
