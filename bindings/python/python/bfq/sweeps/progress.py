# SPDX-License-Identifier: MIT OR Apache-2.0
"""How far a sweep is, on a terminal."""

from collections import Counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .reasons import Reasons
from .row import DONE, Row


class SweepProgress:
    """A bar with the time that is left, and how many cells have no result."""

    def __init__(self, cells: int, *, shown: bool) -> None:
        self.outcomes: Counter[str] = Counter()
        self.reasons = Reasons()
        self.earlier = 0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=Console(stderr=True),
            disable=not shown,
        )
        self._task = self._progress.add_task("cells", total=cells)

    def __enter__(self) -> "SweepProgress":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def pass_over(self) -> None:
        """One more cell was there already."""
        self.earlier += 1
        self._progress.update(self._task, advance=1)

    def add(self, row: Row) -> None:
        """One more cell has ended."""
        self.outcomes[row["status"]] += 1
        self.reasons.add(row)
        wrong = sum(count for status, count in self.outcomes.items() if status != DONE)
        text = f"cells ({wrong} without a result)" if wrong else "cells"
        self._progress.update(self._task, advance=1, description=text)
