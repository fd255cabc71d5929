# SPDX-License-Identifier: MIT OR Apache-2.0
"""What can go wrong, as exceptions that name the file and the line."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence, Tuple


class Mistake(NamedTuple):
    """Something in a file that is wrong."""

    file: str
    """The file, by the name it was given."""
    line: int
    """Its line, from 1; 0 if the file as a whole is meant."""
    text: str
    """What is wrong, and what was expected."""


class BfqError(Exception):
    """Any error of this package."""

    file: Optional[str] = None
    """The file that is wrong, if it is one."""
    line: Optional[int] = None
    """Its line, if it is one, from 1."""


class UsageError(BfqError, ValueError):
    """An argument is wrong: a name that there is not, a value out of range."""


class JobFileError(UsageError):
    """A job file is wrong, or cannot be read."""

    mistakes: Sequence[Mistake]
    """All of its mistakes."""

    def __init__(self, message: str, mistakes: Sequence[Tuple[str, int, str]] = ()) -> None:
        super().__init__(message, mistakes)
        self.mistakes = [Mistake(*mistake) for mistake in mistakes]
        if self.mistakes:
            self.file = self.mistakes[0].file
            self.line = self.mistakes[0].line or None

    def __str__(self) -> str:
        return str(self.args[0])


class SimulationError(BfqError, RuntimeError):
    """A simulation cannot go on."""
