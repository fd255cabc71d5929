# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a run has measured."""

from __future__ import annotations

import html
import json as _json
from functools import cached_property
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _bfq
from ._checks import count_in, text_in
from .errors import Mistake, UsageError
from .frame import Frame


class Result:
    """What one run has measured: the command's JSON, and tables of it.

    Sizes are bytes, times nanoseconds where a name ends in ``_ns``. A pickled result is its JSON:
    decisions, logs and notes stay behind.

    >>> import bfq
    >>> result = bfq.simulate("@two-groups", scheduler="bfq")
    >>> result
    <bfq.Result: bfq on hdd-desktop, seed 1, 2 jobs>
    >>> [round(share, 2) for share in result.jobs["share"]]
    [0.26, 0.74]
    """

    def __init__(self, results: _bfq.Results) -> None:
        self._results = results

    @classmethod
    def from_json(cls, text: str, run: Optional[int] = None) -> Result:
        """Reads ``json_text``, or what ``bfq sim --output-format json`` has written.

        If that has several runs, ``run`` is the place of the one that is meant, from 0;
        :meth:`list_from_json` reads them all.
        """
        place = None if run is None else count_in("run", run)
        return cls(_bfq.Results.from_json(text_in("text", text), place))

    @classmethod
    def list_from_json(cls, text: str) -> List[Result]:
        """Reads all runs of what ``bfq sim --output-format json`` has written, in its order."""
        return [cls(results) for results in _bfq.Results.list_from_json(text_in("text", text))]

    @cached_property
    def json_text(self) -> str:
        """The text that ``bfq sim --output-format json`` prints for the same input."""
        return self._results.to_json()

    @cached_property
    def json(self) -> Dict[str, Any]:
        """The same as a dictionary. ``docs/schema`` says what is in it."""
        parsed: Dict[str, Any] = _json.loads(self.json_text)
        return parsed

    @property
    def run(self) -> Dict[str, Any]:
        """The part of ``json`` that is about the run."""
        run: Dict[str, Any] = self.json["runs"][0]
        return run

    @property
    def fio(self) -> Dict[str, Any]:
        """What fio would print as JSON."""
        fio: Dict[str, Any] = self.run["fio"]
        return fio

    @property
    def scheduler(self) -> str:
        """The scheduler as it was asked for, with its tunables if any were."""
        return str(self.run.get("variant") or self.run["scheduler"])

    @property
    def device(self) -> str:
        """The name of the device's profile."""
        device = self.run["device"]
        return str(device.get("profile") or device.get("path"))

    @property
    def seed(self) -> int:
        """The seed of every random choice."""
        return int(self.json["seed"])

    @property
    def elapsed_ns(self) -> int:
        """How long the run took, in virtual time."""
        return int(self.run["plots"]["elapsed_ns"])

    @property
    def command(self) -> str:
        """The command that has the same result.

        Texts have to be in files of their names. As in the command's results, what only
        says how much is told is left out: with ``timeline=N`` it needs ``--timeline N``.
        """
        return str(self.run["scenario"]["command"])

    @cached_property
    def jobs(self) -> Frame:
        """A row for each job: its group, what it got, and its latencies by kind of I/O.

        ``share`` is its part of all bytes of its phase, 0 to 1; a phase is what lies between
        ``stonewall`` lines. ``read_p99_ns`` is the latency that 99 of 100 reads do not exceed;
        columns of I/O that a job did not do have ``None``.
        """
        return Frame(self._results.jobs())

    @cached_property
    def processes(self) -> Frame:
        """A row for each process, or for each reporting group, as in fio's ``jobs``."""
        return Frame(self._results.processes())

    @cached_property
    def groups(self) -> Frame:
        """A row for each control group and phase; none if no job is in a group."""
        return Frame(self._results.groups())

    @cached_property
    def latencies(self) -> Frame:
        """Latency histograms: how many ``ios`` of a job and kind took ``from_ns`` to ``until_ns``.

        Four bins to each power of two; empty ones are left out. ``job_row`` is the row of the job
        in ``jobs``, as names may come again.
        """
        return Frame(self._results.latencies())

    @cached_property
    def throughput(self) -> Frame:
        """Bytes of each job whose I/O ended in the slot of time that begins at ``at_ns``."""
        return Frame(self._results.throughput())

    @cached_property
    def requests(self) -> Frame:
        """What the device did in a part of the run: who was served when, and where on the disk.

        The part begins shortly before the process that starts last does its first I/O; ``timeline``
        of :func:`bfq.simulate` says how long it is. :func:`bfq.plot.schedule` draws it.
        """
        return Frame(self._results.requests())

    @cached_property
    def turns(self) -> Frame:
        """Turns of queues on the disk in the same part, and why each ended.

        Only bfq and tfq tell their turns.
        """
        return Frame(self._results.turns())

    @cached_property
    def waits(self) -> Frame:
        """When in the same part the disk was kept idle for a process, and the rule behind it."""
        return Frame(self._results.waits())

    @cached_property
    def decisions(self) -> Frame:
        """Every decision of the scheduler, if ``decisions=True`` was given to ``simulate``.

        ``at_ns`` says when, ``decision`` what, ``who`` whose queue it is about: the process that
        used it last. Every other column is a figure that some decisions have and others have not;
        ``queue``, ``process``, ``request`` and ``group`` are the scheduler's numbers, which are
        given again when their bearer is gone.
        """
        decisions = self._results.decisions()
        if decisions is None:
            raise UsageError("decisions were not recorded; expected simulate(…, decisions=True)")
        return Frame(decisions)

    @property
    def logs(self) -> Mapping[str, str]:
        """The logs that jobs asked for (``write_lat_log``, …), by the names of their files."""
        return self._results.logs

    @property
    def notes(self) -> Sequence[Mistake]:
        """Options of the job files that have no effect in the simulator."""
        return [Mistake.of(note) for note in self._results.notes]

    def __reduce__(self) -> Tuple[Any, Tuple[str]]:
        return Result.from_json, (self.json_text,)

    def __eq__(self, other: object) -> bool:
        return self.json_text == other.json_text if isinstance(other, Result) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.json_text)

    def __repr__(self) -> str:
        jobs = len(self.jobs)
        words = f"{jobs} job{'' if jobs == 1 else 's'}"
        return f"<bfq.Result: {self.scheduler} on {self.device}, seed {self.seed}, {words}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: who got how much, and how long that took."""
        head = "<tr><th>job</th><th>MB/s</th><th>share</th><th>I/O</th>" + "".join(
            f"<th>{name}</th>" for name in ("median", "99 %", "longest")
        )
        rows = [_row(job) for job in self.jobs.rows()]
        title = html.escape(f"{self.scheduler} on {self.device}, seed {self.seed}")
        return f"<table><caption>{title}</caption>{head}</tr>{''.join(rows)}</table>"


_KINDS = ("read", "write", "trim", "sync")


def _row(job: Mapping[str, Any]) -> str:
    kinds = [kind for kind in _KINDS if job[f"{kind}_ios"]]
    cells = [
        html.escape(job["job"]),
        f"{job['bw_bytes'] / 1e6:.1f}",
        f"{job['share']:.0%}",
        "<br>".join(kinds),
    ]
    for figure in ("p50_ns", "p99_ns", "max_ns"):
        cells.append("<br>".join(time_text(job[f"{kind}_{figure}"]) for kind in kinds))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def time_text(ns: float) -> str:
    """A time for people: ``1.23 ms``."""
    for unit, length in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= length:
            return f"{ns / length:.3g} {unit}"
    return f"{ns:.0f} ns"
