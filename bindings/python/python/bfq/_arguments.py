# SPDX-License-Identifier: MIT OR Apache-2.0
"""What callers write, in the words of the command line, which the Rust half reads."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import UsageError

if TYPE_CHECKING:
    from .job import Job

Value = Union[str, int, float, bool]
"""A value of a setting."""
Settings = Union[Mapping[str, Value], Sequence[str], None]
"""Settings by their names, or as the command has them: ``["slice_idle=0"]``."""
Runtime = Union[int, float, str, timedelta, None]
"""Seconds, a text such as ``"500ms"``, or a :class:`datetime.timedelta`."""
JobLike = Union[str, "os.PathLike[str]", "Job"]
"""A job file: a path, ``@NAME`` of a built-in one, a :class:`Job`, or its text, which has a line
break. A trace by its path, which is replayed."""
DeviceLike = Union[str, "os.PathLike[str]"]
"""A device: its name, the path of a profile, or a :class:`Device`."""


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

    @classmethod
    def of(
        cls,
        job: Union[JobLike, Sequence[JobLike]],
        *,
        device: DeviceLike,
        scheduler: str,
        seed: int,
        runtime: Runtime,
        queue: Settings,
        groups: Settings,
        tunables: Settings,
        vm: Settings,
        replay: Optional[str],
        ignore_unsupported: bool,
    ) -> Arguments:
        """From what a caller has written."""
        if not 0 <= seed < 2**64:
            raise UsageError(f"seed {seed}: expected 0 to 2**64 - 1")
        if isinstance(job, (str, os.PathLike)) or not isinstance(job, Sequence):
            jobs: Sequence[JobLike] = [job]
        else:
            jobs = job
        return cls(
            job_files=[_job_file(one) for one in jobs],
            device=os.fspath(device),
            scheduler=scheduler,
            seed=seed,
            runtime=_runtime_text(runtime),
            replay=replay,
            ignore_unsupported=ignore_unsupported,
            tunables=_settings(tunables),
            groups=_settings(groups),
            queue=_settings(queue),
            vm=_settings(vm),
        )


def text_of(value: Value) -> str:
    """A value as the command has it."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _settings(given: Settings) -> List[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [f"{name}={text_of(value)}" for name, value in given.items()]
    return list(given)


def _runtime_text(given: Runtime) -> Optional[str]:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, timedelta):
        return f"{given // timedelta(microseconds=1)}us"
    if isinstance(given, float) and not given.is_integer():
        return f"{round(given * 1e6)}us"
    return f"{int(given)}s"


def _job_file(job: JobLike) -> Tuple[str, Optional[str]]:
    if isinstance(job, str):
        return ("job.fio", job) if "\n" in job else (job, None)
    if isinstance(job, os.PathLike):
        return os.fspath(job), None
    return job.name, job.text
