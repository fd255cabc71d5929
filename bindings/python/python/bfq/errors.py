# SPDX-License-Identifier: MIT OR Apache-2.0
"""What can go wrong, as exceptions that name the file and the line.

All of them are :class:`BfqError`. What a caller has written wrong is a :class:`UsageError`, which
is a :class:`ValueError`, too.
"""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple


class Mistake(NamedTuple):
    """Something in a file that is wrong."""

    file: str
    """The file, by the name it was given."""
    line: Optional[int]
    """Its line, from 1; None if the file as a whole is meant."""
    text: str
    """What is wrong, and what was expected."""

    @classmethod
    def of(cls, mistake: Tuple[str, int, str]) -> Mistake:
        """What the Rust half tells, which has line 0 for the file as a whole."""
        file, line, text = mistake
        return cls(file, line or None, text)


class BfqError(Exception):
    """Any error of this package."""

    file: Optional[str] = None
    """The file that is wrong, if it is one."""
    line: Optional[int] = None
    """The line that is wrong, from 1, if it is one."""
    mistakes: List[Mistake]
    """All that is wrong in files; ``file`` and ``line`` are of the first."""

    def __init__(self, message: str, mistakes: Sequence[Tuple[str, int, str]] = ()) -> None:
        super().__init__(message, mistakes)
        self.mistakes = [Mistake.of(mistake) for mistake in mistakes]
        if self.mistakes:
            self.file = self.mistakes[0].file
            self.line = self.mistakes[0].line

    def __str__(self) -> str:
        return str(self.args[0])


class UsageError(BfqError, ValueError):
    """An argument is wrong: a name that there is not, a value out of range."""


class JobFileError(UsageError):
    """A job file is wrong, or cannot be read."""


class DeviceError(UsageError):
    """A device profile is wrong or unknown, or a value in place of its own is."""


class TraceError(UsageError):
    """A trace is wrong, or cannot be read."""


class RecordingError(UsageError):
    """A recording of the kernel module is wrong, or cannot be read; the text names the byte."""


class SimulationError(BfqError, RuntimeError):
    """Something failed while it ran: a simulation that cannot go on, a disk under measurement."""
