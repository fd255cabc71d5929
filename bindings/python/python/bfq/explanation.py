# SPDX-License-Identifier: MIT OR Apache-2.0
"""Where the time of a job's I/O went."""

from __future__ import annotations

import html
import json as _json
from functools import cached_property
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _bfq
from ._arguments import Arguments, DeviceLike, JobLike, Runtime, Settings


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


def explain(
    job: Union[JobLike, Sequence[JobLike]],
    section: str,
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
) -> Explanation:
    """Simulates a job file and explains one of its jobs: where the time of its I/O went.

    ``section`` is the name of that job, ``slowest`` how many of its slowest I/Os are told step by
    step, ``scheduler`` is ``"bfq"`` or ``"tfq"``. All else is as for :func:`bfq.simulate`.

    >>> import bfq
    >>> explanation = bfq.explain("@two-groups", "weight-100", runtime=2)
    >>> sum(cause["ns"] for cause in explanation.causes) == explanation.json["latency_ns"]
    True
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
    return Explanation(*_bfq.explain(arguments, section, slowest))
