# SPDX-License-Identifier: MIT OR Apache-2.0
"""Where the time of I/O went: that of a simulated job, or of a program of a real machine."""

from __future__ import annotations

import html
import inspect
import json as _json
import os
from functools import cached_property
from typing import Any, Dict, List, Optional, Sequence, Union, overload

from . import _bfq
from ._arguments import Arguments, DeviceLike, JobLike, Runtime, Settings
from ._checks import count_in, path_in, text_in
from .errors import UsageError


class Explanation:
    """Why the I/O of a job took as long as it did, as ``bfq explain`` tells it.

    Each nanosecond of each I/O has one cause, so the parts add up to the latencies.
    """

    def __init__(self, json_text: str, text: str, glossary: str) -> None:
        self.json_text: str = json_text
        """The text that ``bfq explain --output-format json`` prints for the same input."""
        self.text: str = text
        """The explanation for people."""
        self.glossary: str = glossary
        """What the words of ``text`` mean."""

    @cached_property
    def json(self) -> Dict[str, Any]:
        """``json_text`` as a dictionary. ``docs/schema`` says what is in it."""
        parsed: Dict[str, Any] = _json.loads(self.json_text)
        return parsed

    @property
    def sentence(self) -> str:
        """The main reason, in words."""
        return str(self.json["sentence"])

    @property
    def causes(self) -> List[Dict[str, Any]]:
        """Where the time went: ``cause``, ``who``, ``rule``, ``ns`` and ``share`` of each."""
        causes: List[Dict[str, Any]] = self.json["causes"]
        return causes

    @property
    def slowest(self) -> List[Dict[str, Any]]:
        """The slowest I/Os, slowest first, with the steps that delayed each."""
        slowest: List[Dict[str, Any]] = self.json["slowest"]
        return slowest

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<bfq.Explanation of {self.json['job']}: {self.sentence}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text + self.glossary)}</pre>"


class Overview:
    """Who did I/O in a recording, for those who do not know yet which program to ask about."""

    def __init__(self, json_text: str, text: str) -> None:
        self.json_text: str = json_text
        """The text that ``bfq explain --recording FILE --output-format json`` prints."""
        self.text: str = text
        """The same for people."""

    @cached_property
    def json(self) -> Dict[str, Any]:
        """``json_text`` as a dictionary. ``docs/schema`` says what is in it."""
        parsed: Dict[str, Any] = _json.loads(self.json_text)
        return parsed

    @property
    def programs(self) -> List[Dict[str, Any]]:
        """The programs, that with the most requests first: ``name``, ``ios`` and more of each."""
        programs: List[Dict[str, Any]] = self.json["programs"]
        return programs

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<bfq.Overview of {self.json['device']}: {len(self.programs)} programs>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


@overload
def explain(
    job: Union[JobLike, Sequence[JobLike]],
    section: Optional[str] = None,
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
    slowest: int = 5,
) -> Explanation: ...


@overload
def explain(
    *, recording: Union[str, os.PathLike[str]], program: str, slowest: int = 5
) -> Explanation: ...


@overload
def explain(*, recording: Union[str, os.PathLike[str]]) -> Overview: ...


def explain(
    job: Union[JobLike, Sequence[JobLike], None] = None,
    section: Optional[str] = None,
    *,
    recording: Union[str, os.PathLike[str], None] = None,
    program: Optional[str] = None,
    slowest: int = 5,
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
) -> Union[Explanation, Overview]:
    """Says where the time of a job's I/O went: in a simulation, or in a recording of the kernel.

    A job file is simulated. ``section`` is the name of the job in it to be explained, which a job
    file with one job need not name; ``slowest`` is how many of its slowest I/Os are told step by
    step, ``scheduler`` is ``"bfq"`` or ``"tfq"``. All else is as for :func:`bfq.simulate`.

    >>> import bfq
    >>> explanation = bfq.explain("@two-groups", "weight-100", runtime=2)
    >>> sum(cause["ns"] for cause in explanation.causes) == explanation.json["latency_ns"]
    True

    ``recording`` is a file that ``bfq explain --kernel DISK --save FILE`` has kept: what the kernel
    module decided on a real machine. ``program`` is the name of the program to be explained.
    Without it an :class:`Overview` says which programs did I/O.
    """
    options = {
        "device": device,
        "scheduler": scheduler,
        "seed": seed,
        "runtime": runtime,
        "queue": queue,
        "groups": groups,
        "tunables": tunables,
        "vm": vm,
        "replay": replay,
        "ignore_unsupported": ignore_unsupported,
    }
    slowest = count_in("slowest", slowest)
    if recording is not None:
        _refuse({"job": job, "section": section, **options})
        path = path_in("recording", recording)
        if program is None:
            return Overview(*_bfq.recording_overview(path))
        return Explanation(*_bfq.explain_recording(path, text_in("program", program), slowest))
    if job is None:
        raise UsageError("explain: expected a job, or recording=FILE")
    if program is not None:
        raise UsageError("program: expected recording=FILE with it; of a job, give the section")
    arguments = Arguments.of(job, **options)  # type: ignore[arg-type]
    named = None if section is None else text_in("section", section)
    return Explanation(*_bfq.explain(arguments, named, slowest))


def _refuse(options: Dict[str, object]) -> None:
    """Refuses what says how something is run, where nothing is."""
    for name, value in options.items():
        if value != inspect.signature(explain).parameters[name].default:
            raise UsageError(f"{name}: expected no recording with it, which is not run")
