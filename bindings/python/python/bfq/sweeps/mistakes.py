# SPDX-License-Identifier: MIT OR Apache-2.0
"""What can be wrong with a sweep as a whole; what is wrong with one cell is a row of its table."""

import os
from typing import Self

from ..errors import BfqError, UsageError


class SweepError(BfqError):
    """A sweep cannot go on; what is in its folder is whole, and the same command continues."""

    @classmethod
    def of(cls, file: str | os.PathLike[str], wrong: str) -> Self:
        """The error of a file or folder, which it has as ``file``."""
        return cls(f"{file}: {wrong}", [(os.fspath(file), 0, wrong)])


class FolderError(SweepError, UsageError):
    """A folder or file that was named is wrong: there is no sweep, or it cannot be written to."""


class StudyError(SweepError, UsageError):
    """A study is wrong: in which file, line and key, and what was expected.

    ``key`` is empty where the file as a whole is meant.
    """

    def __init__(self, where: str, key: str, wrong: str, expected: str, line: int = 0) -> None:
        text = f"{key}: {wrong}; expected {expected}" if key else f"{wrong}; expected {expected}"
        place = f"{where}:{line}" if line else where
        super().__init__(f"{place}: {text}", [(where, line, text)])
        self.where = where
        self.key = key
        self.wrong = wrong
        self.expected = expected

    def __reduce__(self) -> tuple[object, ...]:
        """How it is made again in another process."""
        return type(self), (self.where, self.key, self.wrong, self.expected, self.line or 0)
