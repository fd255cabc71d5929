# SPDX-License-Identifier: MIT OR Apache-2.0
"""Modelled disks, by name or from a profile."""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from . import _bfq
from ._checks import path_in, text_in, value_text, wrong


class DeviceValue(NamedTuple):
    """A value of a device profile."""

    name: str
    """What it is called, in a profile and as a keyword of :class:`Device`."""
    text: str
    """The number, in ``unit``."""
    unit: str
    """Its unit; empty for plain numbers."""
    tolerance_percent: int
    """How far off the real disks may be; 0: the value is exact."""
    source: str
    """Where it comes from."""
    about: str
    """What it means."""


class _Profile(NamedTuple):
    """The text of a profile, and what it is called in the place of a file."""

    name: str
    text: str

    def __fspath__(self) -> str:
        return self.name


class Device:
    """A modelled disk: a built-in one by its name, or one from a TOML file
    (:meth:`from_text`: from a text).

    Keywords override values of the profile; a value is a number in the unit that the profile uses,
    or a text with a unit (``"12ms"``).

    >>> import bfq
    >>> disk = bfq.Device("hdd-desktop", depth=1)
    >>> disk
    bfq.Device('hdd-desktop:depth=1')
    >>> disk.rotational, disk.depth
    (True, 1)
    """

    def __init__(
        self, name: Union[str, os.PathLike[str]], **overrides: Union[str, int, float, bool]
    ) -> None:
        argument = path_in("device", name)
        if overrides:
            values = ",".join(f"{key}={value_text(key, value)}" for key, value in overrides.items())
            argument += ("," if ":" in argument else ":") + values
        own = name if isinstance(name, _Profile) else getattr(name, "_profile", None)
        self._profile: Optional[_Profile] = own
        texts = [(own.name, own.text)] if own else []
        self._described: Dict[str, Any] = _bfq.device(argument, texts)
        self._argument = argument

    @classmethod
    def from_text(
        cls, text: str, *, name: str = "device.toml", **overrides: Union[str, int, float, bool]
    ) -> Device:
        """A disk whose profile is a text, in TOML as the files of ``bfq bench --fit`` are.

        ``name`` is what results and errors call it, as if it were a file of that name.
        """
        called = text_in("name", name)
        if ":" in called or called in _bfq.devices():
            wrong("name", name, "a name of its own, without a colon")
        return cls(_Profile(called, text_in("text", text)), **overrides)

    @property
    def argument(self) -> str:
        """The device as ``bfq sim --device`` names it, which needs a text in a file of its name."""
        return self._argument

    @property
    def name(self) -> str:
        """The name of the profile."""
        return str(self._described["name"])

    @property
    def description(self) -> str:
        """What disk it is, in a sentence."""
        return str(self._described["description"])

    @property
    def model(self) -> str:
        """The kind of model: ``hdd``, ``flash`` or ``simple``."""
        return str(self._described["model"])

    @property
    def depth(self) -> int:
        """How many requests it takes at a time."""
        return int(self._described["depth"])

    @property
    def rotational(self) -> bool:
        """Whether it has moving parts, so that seeks cost."""
        return bool(self._described["rotational"])

    @property
    def capacity_bytes(self) -> int:
        """Its size in bytes."""
        return int(self._described["capacity_bytes"])

    @property
    def values(self) -> List[DeviceValue]:
        """All values of its profile, with their sources."""
        return [DeviceValue(*value) for value in self._described["values"]]

    def __fspath__(self) -> str:
        return self.argument

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> Tuple[Optional[_Profile], str]:
        return self._profile, self._argument

    def __repr__(self) -> str:
        return f"bfq.Device({self.argument!r})"
