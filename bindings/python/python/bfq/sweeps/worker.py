# SPDX-License-Identifier: MIT OR Apache-2.0
"""One process that simulates cells, as its parent sees it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cell import Cell
from .mistakes import SweepError

_SAID_BYTES = 2000


@dataclass(slots=True)
class Attempt:
    """A cell that is to be simulated, and how many processes have ended over it."""

    cell: Cell
    deaths: int = 0


class Worker:
    """A process and the cells that it was given, the first of which it is simulating."""

    def __init__(self, memory_bytes: int) -> None:
        package = str(Path(__file__).resolve().parents[2])
        paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bfq.sweeps.child", str(memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C is for the parent, whose end ends this
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._questions = self._process.stdin
        self._answers = self._process.stdout
        self._partial = b""
        self._began = time.monotonic()
        self.given: deque[Attempt] = deque()
        self.ready = False

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def fileno(self) -> int:
        """Where answers come."""
        return self._answers.fileno()

    def give(self, attempt: Attempt) -> None:
        """One more cell to simulate, after those that it has."""
        if not self.given:
            self._began = time.monotonic()
        self.given.append(attempt)
        try:
            self._questions.write(attempt.cell.to_json().encode() + b"\n")
            self._questions.flush()
        except BrokenPipeError:
            pass  # It has ended: that shows where answers come.

    def receive(self) -> list[dict[str, Any]] | None:
        """The answers that have come; None if the process has ended."""
        text = os.read(self.fileno(), 1 << 16)
        if not text:
            return None
        *lines, self._partial = (self._partial + text).split(b"\n")
        if lines:
            self._began = time.monotonic()
        return [json.loads(line) for line in lines]

    def seconds(self) -> float:
        """How long it has been at its present cell, or at its start."""
        return time.monotonic() - self._began

    def end(self) -> str:
        """Ends the process if it has not ended, and says how it did."""
        self._process.kill()
        code = self._process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        said = self._said()
        for file in (self._answers, self._errors):
            file.close()
        try:
            self._questions.close()
        except BrokenPipeError:
            pass
        return f"{how}: {said}" if said else how

    def _said(self) -> str:
        """The end of what it wrote to its standard error."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _SAID_BYTES))
        return self._errors.read().decode(errors="replace").strip()


def cannot_start(why: str) -> SweepError:
    """No cell can be simulated here."""
    return SweepError(f"the process that simulates cells cannot start: {why}")
