# SPDX-License-Identifier: MIT OR Apache-2.0
"""A real disk in the simulator."""

from __future__ import annotations

import os
import warnings
from typing import List, NamedTuple, Optional, Union

from . import _bfq
from ._checks import count_in, flag_in, path_in, seconds_in
from .device import Device


class FitFigure(NamedTuple):
    """A figure of a disk, measured and simulated: bytes or operations a second."""

    name: str
    """What was played."""
    measured: float
    """What the disk did: the median over the rounds."""
    spread_percent: float
    """By how much the rounds differ."""
    simulated: float
    """What the model does under the profile that was found."""


class Fit(NamedTuple):
    """A profile for a disk, and how well it plays it."""

    device: Device
    """The profile, for :func:`bfq.simulate`."""
    figures: List[FitFigure]
    """What the profile plays beside what was measured."""
    text: str
    """The same for people."""


def fit(
    target: Union[str, os.PathLike[str]],
    profile: Union[str, os.PathLike[str]],
    *,
    seconds: Optional[float] = None,
    size_bytes: Optional[int] = None,
    allow_write: bool = False,
) -> Fit:
    """Measures a real disk and finds a profile with which a simulated disk does what it does.

    As ``bfq bench TARGET --fit PROFILE``: ``target`` is a folder (in which a scratch file of
    ``size_bytes`` is made), a file or a block device; ``profile`` is a new file with the ending
    ``.toml``; it takes about ``seconds`` (30). With ``allow_write`` a file or device is written to,
    which destroys its data. A disk that was not quiet is warned about.
    """
    path = path_in("profile", profile)
    text, doubt, figures = _bfq.fit(
        path_in("target", target),
        path,
        seconds_in("seconds", seconds),
        None if size_bytes is None else count_in("size_bytes", size_bytes),
        flag_in("allow_write", allow_write),
    )
    if doubt is not None:
        warnings.warn(doubt, stacklevel=2)
    return Fit(Device(path), [FitFigure(*row) for row in figures], text)
