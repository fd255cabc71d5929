# SPDX-License-Identifier: MIT OR Apache-2.0
"""I/O schedulers in a simulator that repeats byte for byte."""

from __future__ import annotations

from .errors import BfqError, JobFileError, Mistake, SimulationError, UsageError
from .result import Result
from .runs import simulate, simulate_many

__all__ = [
    "BfqError",
    "JobFileError",
    "Mistake",
    "Result",
    "SimulationError",
    "UsageError",
    "simulate",
    "simulate_many",
]
