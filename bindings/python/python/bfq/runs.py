# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs on modelled devices."""

from __future__ import annotations

import os
from typing import List, Optional, Sequence, Union

from . import _bfq
from ._arguments import Arguments, Runtime, Settings, job_file, runtime_text, settings
from .result import Result

JobLike = Union[str, "os.PathLike[str]"]
"""A job file: its path, ``@NAME`` of a built-in one, its text (with a line break)."""

TIMELINE_ENTRIES = 400
"""How many entries of the schedule a result has, as in the command."""


def simulate(
    job: Union[JobLike, Sequence[JobLike]],
    *,
    device: Union[str, "os.PathLike[str]"] = "hdd-desktop",
    scheduler: str = "bfq",
    seed: int = 1,
    runtime: Runtime = None,
    queue: Settings = None,
    groups: Settings = None,
    tunables: Settings = None,
    vm: Settings = None,
    replay: Optional[str] = None,
    ignore_unsupported: bool = False,
    timeline: int = TIMELINE_ENTRIES,
) -> Result:
    """Simulates a job file on a device under a scheduler."""
    arguments = Arguments(
        job_files=[job_file(job)]
        if isinstance(job, (str, os.PathLike)) or not isinstance(job, Sequence)
        else [job_file(one) for one in job],
        device=os.fspath(device),
        scheduler=scheduler,
        seed=seed,
        runtime=runtime_text(runtime),
        replay=replay,
        ignore_unsupported=ignore_unsupported,
        tunables=settings(tunables),
        groups=settings(groups),
        queue=settings(queue),
        vm=settings(vm),
    )
    return Result(_bfq.simulate(arguments, timeline))


def simulate_many(
    job: Union[JobLike, Sequence[JobLike]],
    *,
    devices: Sequence[Union[str, "os.PathLike[str]"]] = ("hdd-desktop",),
    schedulers: Sequence[str] = ("bfq",),
    seeds: Sequence[int] = (1,),
    **options: object,
) -> List[Result]:
    """Simulates a job file on each device, under each scheduler, with each seed."""
    return [
        simulate(job, device=device, scheduler=scheduler, seed=seed, **options)  # type: ignore
        for device in devices
        for scheduler in schedulers
        for seed in seeds
    ]
