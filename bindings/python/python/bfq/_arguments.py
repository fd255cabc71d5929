# SPDX-License-Identifier: MIT OR Apache-2.0
"""What callers write, in the words of the command line, which the Rust half reads."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, List, Mapping, Optional, Sequence, Tuple, Union

from . import _bfq
from ._checks import count_in, flag_in, path_in, runtime_text, text_in, value_text, wrong
from ._texts import Texts

if TYPE_CHECKING:
    from .job import Job

Value = Union[str, int, float, bool, Decimal]
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

    job_files: List[str]
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
    texts: List[Tuple[str, str]] = field(default_factory=list)
    """What is no file, though its name stands above: the name and the text."""

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
        if isinstance(job, (str, os.PathLike)) or not isinstance(job, Sequence):
            jobs: Sequence[JobLike] = [job]
        else:
            jobs = job
        if not jobs:
            wrong("job", job, "a job file, or a list of one or more")
        job_files, texts = _job_files(jobs)
        named = path_in("device", device)
        profile = getattr(device, "_profile", None)
        if profile is not None:
            texts.put("device", profile.name, profile.text)
        else:
            # There may be values behind a colon.
            for name in (named, named.rpartition(":")[0]):
                if name not in _bfq.devices():
                    texts.check_is_none("device", name)
        return cls(
            job_files=job_files,
            device=named,
            scheduler=text_in("scheduler", scheduler),
            seed=count_in("seed", seed, 2**64 - 1),
            runtime=runtime_text(runtime),
            replay=None if replay is None else text_in("replay", replay),
            ignore_unsupported=flag_in("ignore_unsupported", ignore_unsupported),
            tunables=_settings("tunables", tunables),
            groups=_settings("groups", groups),
            queue=_settings("queue", queue),
            vm=_settings("vm", vm),
            texts=texts.listed(),
        )


def _settings(name: str, given: Settings) -> List[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [text_in(name, given)]
    if isinstance(given, Mapping):
        pairs = given.items()
        return [text_in(name, f"{key}={value_text(f'{name}: {key}', of)}") for key, of in pairs]
    if not isinstance(given, Sequence):
        wrong(name, given, "a dictionary, or a list of texts NAME=VALUE")
    return [text_in(name, setting) for setting in given]


def _job_files(jobs: Sequence[JobLike]) -> Tuple[List[str], Texts]:
    """The names of job files, and the texts that are in the place of some."""
    from .job import Job

    given = [_job_file(job) for job in jobs]
    texts = Texts(one for one in given if isinstance(one, str))
    for job in given:
        if isinstance(job, Job) and job._is_named:
            texts.put("job", job.name, job.text)

    def name(job: Union[str, Job]) -> str:
        if isinstance(job, str):
            return job
        return job.name if job._is_named else texts.put_unnamed(job.text)

    return [name(job) for job in given], texts


def _job_file(job: JobLike) -> Union[str, Job]:
    """The path of a job file, or the job that is no file."""
    from .job import Job

    if isinstance(job, str) and "\n" in job:
        return Job(text_in("job", job))
    if isinstance(job, (str, os.PathLike)):
        return path_in("job", job)
    if not isinstance(job, Job):
        wrong("job", job, "a path, the text of a job file, or a bfq.Job")
    return job
