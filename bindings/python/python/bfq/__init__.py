# SPDX-License-Identifier: MIT OR Apache-2.0
"""I/O schedulers in a simulator that repeats byte for byte.

An I/O scheduler decides whose requests a disk serves next. :func:`simulate` plays a load on a
modelled disk under one of eight schedulers and tells who got how much, and how long that took:

>>> import bfq
>>> job = bfq.Job({
...     "global": {"rw": "read", "bs": "128k", "size": "1g", "time_based": True, "runtime": 10},
...     "light": {"cgroup": "light", "cgroup_weight": 100},
...     "heavy": {"cgroup": "heavy", "cgroup_weight": 300},
... })
>>> result = bfq.simulate(job, device="hdd-desktop", scheduler="bfq")
>>> [f"{name}: {share:.0%}" for name, share in zip(result.jobs["job"], result.jobs["share"])]
['light: 25%', 'heavy: 75%']

:func:`explain` says where the time of a job's I/O went, in a simulation or in a recording of the
kernel module, :func:`read_trace` reads traces of real machines, :func:`convert_trace` writes them
in another format, :func:`fit` brings a real disk into the simulator, and :mod:`bfq.plot` draws.
:func:`sweep` runs a study of thousands of simulations, on a cluster if there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._bfq import __version__ as __version__
from .device import Device, DeviceValue
from .errors import (
    BfqError,
    DeviceError,
    JobFileError,
    Mistake,
    RecordingError,
    SimulationError,
    TraceError,
    UsageError,
)
from .explanation import Explanation, Overview, explain
from .fitting import Fit, FitFigure, fit
from .frame import Frame
from .job import Job
from .lists import Scenario, Scheduler, Tunable, devices, scenarios, schedulers, tunables
from .result import Result
from .runs import simulate, simulate_many
from .traces import Converted, Trace, convert_trace, read_trace

if TYPE_CHECKING:
    from .sweeps.report import sweep_report as sweep_report
    from .sweeps.sweep import sweep as sweep

# Without ``sweep`` and ``sweep_report``, so that ``from bfq import *`` needs no other package.
__all__ = [
    "BfqError",
    "Converted",
    "Device",
    "DeviceError",
    "DeviceValue",
    "Explanation",
    "Fit",
    "FitFigure",
    "Frame",
    "Job",
    "JobFileError",
    "Mistake",
    "Overview",
    "RecordingError",
    "Result",
    "Scenario",
    "Scheduler",
    "SimulationError",
    "Trace",
    "TraceError",
    "Tunable",
    "UsageError",
    "convert_trace",
    "devices",
    "explain",
    "fit",
    "read_trace",
    "scenarios",
    "schedulers",
    "simulate",
    "simulate_many",
    "tunables",
]


def __getattr__(name: str) -> object:
    """Sweeps, when they are first asked for: they need packages that nothing else needs."""
    if name not in ("sweep", "sweep_report"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        if name == "sweep":
            from .sweeps.sweep import sweep

            return sweep
        from .sweeps.report import sweep_report

        return sweep_report
    except ModuleNotFoundError as error:
        hint = f"bfq.{name} needs {error.name}: pip install 'bfq[sweep]'"
        raise ImportError(hint, name=error.name) from error
