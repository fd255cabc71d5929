# SPDX-License-Identifier: MIT OR Apache-2.0
"""Simulates one cell in this process."""

import hashlib
from importlib import metadata
from pathlib import Path
from typing import Any, cast

import bfq
from bfq import _bfq

from .cell import Cell


class CellError(Exception):
    """The simulator refused a cell, or failed."""


def simulator_version() -> str:
    """What tells results of different simulators apart: the version, and a digest of the code.

    Two builds differ though they have one version: processes of a sweep need the same wheel.
    """
    code = Path(_bfq.__file__).read_bytes()
    return f"{metadata.version('bfq')}+{hashlib.sha256(code).hexdigest()[:12]}"


def simulate_cell(cell: Cell) -> dict[str, Any]:
    """What the simulator's JSON has of the run, without the drawing of its schedule."""
    try:
        result = bfq.simulate(
            cell.job.text,
            device=cell.device if isinstance(cell.device, str) else cell.device.opened(),
            scheduler=cell.scheduler,
            seed=cell.seed,
            runtime=cell.settings.runtime,
            queue=dict(cell.settings.queue),
            groups=dict(cell.settings.groups),
            tunables=dict(cell.tunables),
            timeline=0,
        )
    except bfq.BfqError as error:
        raise CellError(str(error)) from error
    return cast(dict[str, Any], result.json["runs"][0])
