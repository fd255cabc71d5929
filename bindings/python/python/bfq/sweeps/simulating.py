# SPDX-License-Identifier: MIT OR Apache-2.0
"""Simulates one cell in this process. (For now by the command.)"""

import json
import os
import subprocess
import tempfile
from typing import Any

from .cell import Cell

BFQ = os.environ.get("BFQ", "bfq")


class CellError(Exception):
    """The simulator refused a cell, or failed."""


def simulator_version() -> str:
    return subprocess.run([BFQ, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def simulate_cell(cell: Cell) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile("w", suffix=".fio") as file:
        file.write(cell.job.text)
        file.flush()
        scheduler = cell.scheduler + (":" + cell.tunables_text() if cell.tunables else "")
        command = [BFQ, "sim", file.name, "--device", cell.device, "--scheduler", scheduler,
                   "--seed", str(cell.seed), "--output-format", "json", "--quiet", "--timeline", "0"]
        if cell.settings.runtime:
            command += ["--runtime", cell.settings.runtime]
        got = subprocess.run(command, capture_output=True, text=True)
        if got.returncode < 0:
            import sys
            sys.stderr.write(got.stderr)
            os._exit(1)
        if got.returncode:
            raise CellError(got.stderr.strip())
        return json.loads(got.stdout)["runs"][0]
