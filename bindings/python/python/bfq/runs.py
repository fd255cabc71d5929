# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs on modelled devices."""

from __future__ import annotations

import os
from itertools import product
from typing import Any, Iterable, List, Optional, Sequence, Union

from . import _bfq
from ._arguments import Arguments, DeviceLike, JobLike, Runtime, Settings
from ._checks import count_in, flag_in, text_in, wrong
from .lists import schedulers as all_schedulers
from .result import Result

TIMELINE_ENTRIES = 400
"""How many entries of the schedule a result has, as in the command."""


def simulate(
    job: Union[JobLike, Sequence[JobLike]],
    *,
    device: DeviceLike = "hdd-desktop",
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
    decisions: bool = False,
) -> Result:
    """Simulates a job file on a disk under a scheduler, in virtual time.

    The same input has the same result, byte for byte, everywhere: it is that of ``bfq sim``. Other
    threads of Python go on meanwhile; Ctrl-C ends it.

    Args:
        job: A job file of fio: its path, ``"@NAME"`` of a built-in one (:func:`bfq.scenarios`), a
            :class:`bfq.Job`, or its text, which is known by its line breaks. Or a trace, which is
            replayed. Or a list of these, each of which begins when the one before has ended.
        device: A disk: a name (:func:`bfq.devices`), the path of a profile, or a
            :class:`bfq.Device`.
        scheduler: A scheduler (:func:`bfq.schedulers`), perhaps with its tunables:
            ``"bfq:slice_idle=0"``.
        seed: Decides every random choice.
        runtime: How long every job runs, whatever its file says: seconds, ``"500ms"``, or a
            ``timedelta``.
        queue: Settings of the block layer: ``{"nr_requests": 64}``.
        groups: Weights of control groups: ``{"a": 300}``.
        tunables: Tunables of the scheduler (:func:`bfq.tunables`): ``{"slice_idle": 0}``.
        vm: Settings of the page cache: ``{"dirty_ratio": 10}``.
        replay: How traces are replayed: ``"timed"``, ``"chain"`` or ``"fast"``.
        ignore_unsupported: Pass over options of the job file that fio has and bfq does not support.
        timeline: How many entries of the schedule the result has for drawings.
        decisions: Whether the result has the decisions of the scheduler (bfq and tfq).

    Raises:
        JobFileError: The job file is wrong. The error names file and line.
        DeviceError: The device is wrong.
        UsageError: Another argument is wrong.
        SimulationError: The simulation cannot go on.

    >>> import bfq
    >>> job = "[reader]\\nrw=read\\nsize=16m\\n"
    >>> result = bfq.simulate(job, device="ssd-sata", scheduler="none")
    >>> result.fio["jobs"][0]["read"]["io_bytes"]
    16777216
    >>> bfq.simulate("[reader]\\nrw=red\\n")
    Traceback (most recent call last):
        ...
    bfq.errors.JobFileError: job.fio:2: bad value "red" for option "rw"; expected read, write, ...
    """
    arguments = Arguments.of(
        job,
        device=device,
        scheduler=scheduler,
        seed=seed,
        runtime=runtime,
        queue=queue,
        groups=groups,
        tunables=tunables,
        vm=vm,
        replay=replay,
        ignore_unsupported=ignore_unsupported,
    )
    entries, wanted = count_in("timeline", timeline), flag_in("decisions", decisions)
    return Result(_bfq.simulate(arguments, entries, wanted))


def simulate_many(
    job: Union[JobLike, Sequence[JobLike]],
    *,
    devices: Union[DeviceLike, Sequence[DeviceLike]] = ("hdd-desktop",),
    schedulers: Union[str, Sequence[str]] = ("bfq",),
    seeds: Sequence[int] = (1,),
    runtime: Runtime = None,
    queue: Settings = None,
    groups: Settings = None,
    vm: Settings = None,
    replay: Optional[str] = None,
    ignore_unsupported: bool = False,
    timeline: int = TIMELINE_ENTRIES,
    decisions: bool = False,
) -> List[Result]:
    """Simulates a job file on each of the devices, under each of the schedulers, with each seed.

    The results are in that order, seeds fastest, and each is that of :func:`bfq.simulate` of the
    same input, whose arguments the others are. Tunables stand in the names of the schedulers:
    ``"bfq:low_latency=0"``; ``"all"`` is every scheduler. ``decisions`` wants schedulers that tell
    theirs. One device or scheduler need not be in a list.

    >>> import bfq
    >>> results = bfq.simulate_many("@two-groups", schedulers=["bfq", "none"])
    >>> [round(result.jobs["share"][1], 2) for result in results]
    [0.74, 0.47]
    """
    axes = (_listed("devices", devices), _schedulers(schedulers), _listed("seeds", seeds))
    return [
        simulate(
            job,
            device=device,
            scheduler=scheduler,
            seed=seed,
            runtime=runtime,
            queue=queue,
            groups=groups,
            vm=vm,
            replay=replay,
            ignore_unsupported=ignore_unsupported,
            timeline=timeline,
            decisions=decisions,
        )
        for device, scheduler, seed in product(*axes)
    ]


def _listed(name: str, given: Any) -> List[Any]:
    """What a list has: one or more; of devices and schedulers, one alone is a list, too."""
    if isinstance(given, (str, os.PathLike)):
        return [given]
    listed = list(given) if isinstance(given, Iterable) else []
    if not listed:
        wrong(name, given, "a list of one or more")
    return listed


def _schedulers(given: Union[str, Sequence[str]]) -> List[str]:
    """Schedulers, with each of all in the place of ``"all"``."""
    names: List[str] = []
    for name in _listed("schedulers", given):
        every = text_in("scheduler", name) == "all"
        names += [scheduler.name for scheduler in all_schedulers()] if every else [name]
    return names
