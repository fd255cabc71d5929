# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sweeps: studies of many simulations, on one machine or on a cluster, into one table.

``bfq.sweep`` simulates the cells of a study that its folder does not have yet, ``bfq.sweep_report``
says what came out. This package is light to import: what needs pyarrow comes with them.
"""

import sys

if sys.version_info < (3, 11):
    raise ImportError(f"bfq.sweeps needs Python 3.11 or newer; this is {sys.version.split()[0]}")

from .cell import Cell, Disk, JobFile, Settings
from .grid import Grid, sets_of_tunables
from .limits import Limits
from .mistakes import FolderError, StudyError, SweepError
from .study import Interest, Measure, Study
from .study_file import read_study

__all__ = [
    "Cell",
    "Disk",
    "FolderError",
    "Grid",
    "Interest",
    "JobFile",
    "Limits",
    "Measure",
    "Settings",
    "Study",
    "StudyError",
    "SweepError",
    "read_study",
    "sets_of_tunables",
]
