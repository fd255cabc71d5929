# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a run has measured."""

from __future__ import annotations

import json as _json
from functools import cached_property
from typing import Any, Dict, Tuple

from . import _bfq


class Result:
    """What one run has measured: the command's JSON, and tables of it."""

    def __init__(self, results: _bfq.Results) -> None:
        self._results = results

    @classmethod
    def from_json(cls, text: str, run: int = 0) -> Result:
        """Reads ``json_text``, or what ``bfq sim --output-format json`` has written.

        If it has several runs, ``run`` is the place of the one that is meant.
        """
        return cls(_bfq.Results.from_json(text, run))

    @cached_property
    def json_text(self) -> str:
        """The text that ``bfq sim --output-format json`` prints for the same input."""
        return self._results.to_json()

    @cached_property
    def json(self) -> Dict[str, Any]:
        """The same as a dictionary; ``docs/schema`` describes it."""
        parsed: Dict[str, Any] = _json.loads(self.json_text)
        return parsed

    @property
    def run(self) -> Dict[str, Any]:
        """The part of ``json`` that is about the run."""
        run: Dict[str, Any] = self.json["runs"][0]
        return run

    @property
    def fio(self) -> Dict[str, Any]:
        """What fio would print as JSON."""
        fio: Dict[str, Any] = self.run["fio"]
        return fio

    @property
    def command(self) -> str:
        """The command that has the same result."""
        return str(self.run["scenario"]["command"])

    def __reduce__(self) -> Tuple[Any, Tuple[str]]:
        return Result.from_json, (self.json_text,)
