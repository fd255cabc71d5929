# SPDX-License-Identifier: MIT OR Apache-2.0
"""Why cells have no result: the errors of a sweep, and how many cells have each."""

from collections import Counter

from .row import DONE, Row

_KINDS = 200
"""The most errors that are told apart, so that the memory does not grow with the cells."""
_SHOWN = 5


class Reasons:
    """How often cells ended without a result, by status and error."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._others = 0

    def add(self, row: Row) -> None:
        """One more cell has ended."""
        if row["status"] == DONE:
            return
        reason = (row["status"], row["error"])
        if reason in self._counts or len(self._counts) < _KINDS:
            self._counts[reason] += 1
        else:
            self._others += 1

    def lines(self) -> list[str]:
        """The most frequent errors, a line each: ``14 failed: …``."""
        frequent = self._counts.most_common(_SHOWN)
        lines = [f"{count:,} {status}: {_in_a_line(error)}" for (status, error), count in frequent]
        rest = self._counts.total() + self._others - sum(count for _, count in frequent)
        return [*lines, f"{rest:,} for other reasons"] if rest else lines


def _in_a_line(error: str | None) -> str:
    return " ".join((error or "").split())
