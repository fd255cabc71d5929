# SPDX-License-Identifier: MIT OR Apache-2.0
"""Modelled disks, by name or from a profile."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from . import _bfq
from ._checks import path_in, text_in, value_text
from .errors import DeviceError


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


class _Profile:
    """The text of a profile, in a temporary file that goes when nothing refers to it any more."""

    def __init__(self, text: str) -> None:
        folder = tempfile.mkdtemp(prefix="bfq-device-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.text = text
        self.path = str(Path(folder) / "device.toml")
        Path(self.path).write_text(text, encoding="utf-8")

    def __fspath__(self) -> str:
        return self.path

    def __reduce__(self) -> Tuple[Any, ...]:
        # A copy, perhaps in another process, has a file of its own.
        return type(self), (self.text,)


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
        self._described: Dict[str, Any] = _bfq.device(argument)
        own = name if isinstance(name, _Profile) else getattr(name, "_profile", None)
        self._profile: Optional[_Profile] = own
        # Copies have another file.
        self._named: str = argument[len(own.path) :] if own else argument

    @classmethod
    def from_text(
        cls, text: str, *, name: str = "device.toml", **overrides: Union[str, int, float, bool]
    ) -> Device:
        """A disk whose profile is a text, in TOML as the files of ``bfq bench --fit`` are.

        ``name`` is what errors call it. The text is kept in a temporary file for as long as the
        device, or one made of it, is there.
        """
        profile = _Profile(text_in("text", text))
        try:
            return cls(profile, **overrides)
        except DeviceError as error:
            # The file is gone when somebody reads this.
            mistakes = [(name, line or 0, what) for _, line, what in error.mistakes]
            raise DeviceError(str(error).replace(profile.path, name), mistakes) from None

    @property
    def argument(self) -> str:
        """The device as ``bfq sim --device`` names it."""
        return self._profile.path + self._named if self._profile else self._named

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

    def _key(self) -> Tuple[Optional[str], str]:
        return self._profile.text if self._profile else None, self._named

    def __repr__(self) -> str:
        return f"bfq.Device({self.argument!r})"
