# SPDX-License-Identifier: MIT OR Apache-2.0
"""What can be wrong with a sweep as a whole; what is wrong with one cell is a row of its table."""


class SweepError(Exception):
    """A sweep cannot go on; what is in its folder is whole, and the same command continues."""


class StudyError(SweepError):
    """A study is wrong: where, in which key, and what was expected."""

    def __init__(self, where: str, key: str, wrong: str, expected: str) -> None:
        super().__init__(f"{where}: {key}: {wrong}; expected {expected}")
        self.where = where
        self.key = key
        self.expected = expected
