# SPDX-License-Identifier: MIT OR Apache-2.0
"""What callers write, in the words of the command line, which the Rust half reads."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import timedelta
from typing import List, Mapping, Optional, Sequence, Tuple, Union

Value = Union[str, int, float, bool]
Settings = Union[Mapping[str, Value], Sequence[str], None]
"""Settings by their names, or as the command has them: ``["slice_idle=0"]``."""
Runtime = Union[int, float, str, timedelta, None]
"""Seconds, a text such as ``"500ms"``, or a :class:`datetime.timedelta`."""


@dataclass
class Arguments:
    """What is run: the attributes that the Rust half reads."""

    job_files: List[Tuple[str, Optional[str]]]
    device: str
    scheduler: str
    seed: int = 1
    runtime: Optional[str] = None
    replay: Optional[str] = None
    ignore_unsupported: bool = False
    tunables: List[str] = field(default_factory=list)
    groups: List[str] = field(default_factory=list)
    queue: List[str] = field(default_factory=list)
    vm: List[str] = field(default_factory=list)


def settings(given: Settings) -> List[str]:
    """Settings as the command has them: ``["slice_idle=0"]``."""
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [f"{name}={_text(value)}" for name, value in given.items()]
    return list(given)


def _text(value: Value) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def runtime_text(given: Runtime) -> Optional[str]:
    """A run time as the command has it."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, timedelta):
        return f"{given // timedelta(microseconds=1)}us"
    if isinstance(given, float):
        return f"{round(given * 1e6)}us"
    return f"{given}s"


def job_file(job: object) -> Tuple[str, Optional[str]]:
    """A job file's name, and its text if it is no file on disk."""
    text = getattr(job, "text", None)
    if isinstance(text, str):
        return getattr(job, "name"), text
    if isinstance(job, str) and "\n" in job:
        return "job.fio", job
    return os.fspath(job), None  # type: ignore[arg-type]
