# SPDX-License-Identifier: MIT OR Apache-2.0
"""Texts in the place of files: the names by which the Rust half, results and errors know them."""

from __future__ import annotations

from itertools import count
from typing import Dict, Iterable, List, Tuple

from .errors import UsageError

FIRST_NAME = "job.fio"
"""What a job file without a name is called; the next one with another text is ``job-2.fio``."""


class Texts:
    """The texts of a call, each with a name that nothing else of the call has."""

    def __init__(self, files: Iterable[str]) -> None:
        """``files`` are those on disk, or built in, which the call names."""
        self._files = frozenset(files)
        self._texts: Dict[str, str] = {}

    def put(self, argument: str, name: str, text: str) -> str:
        """Takes up a text that has a name; it is refused if the name means something else, too."""
        if name in self._files:
            raise UsageError(f"{argument} {name!r}: a file of that name is named, too; {_EXPECTED}")
        if self._texts.setdefault(name, text) != text:
            raise UsageError(f"{argument} {name!r}: two texts have that name; {_EXPECTED}")
        return name

    def check_is_none(self, argument: str, name: str) -> None:
        """Refuses the name of a file if a text has it, too."""
        if name in self._texts:
            raise UsageError(f"{argument} {name!r}: a text has that name, too; {_EXPECTED}")

    def put_unnamed(self, text: str) -> str:
        """Takes up a text, and gives it a name. Those that have one come first."""
        names = (FIRST_NAME if number == 1 else f"job-{number}.fio" for number in count(1))
        name = next(
            name
            for name in names
            if name not in self._files and self._texts.get(name, text) == text
        )
        return self.put("job", name, text)

    def listed(self) -> List[Tuple[str, str]]:
        """All of them, each behind its name."""
        return list(self._texts.items())


_EXPECTED = "expected another name=, or the same form for both (a path, or a Job)"
