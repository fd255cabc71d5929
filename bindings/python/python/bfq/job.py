# SPDX-License-Identifier: MIT OR Apache-2.0
"""Job files, written in code or as text."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Iterable, List, Mapping, Optional, Sequence, Tuple, Union, overload

from . import _bfq
from ._arguments import Arguments, Value
from ._checks import path_in, text_in, value_text, wrong
from ._texts import FIRST_NAME
from .errors import JobFileError, Mistake

OptionValue = Union[Value, timedelta, "os.PathLike[str]", None]
"""A value of an option. True is 1, False is 0; None: as if the option were not there."""
Sections = Union[
    Mapping[str, Mapping[str, OptionValue]],
    Iterable[Tuple[str, Mapping[str, OptionValue]]],
]
"""Sections by their names. In a list of pairs a name may come again."""


class Job:
    """A job file in memory: what processes do, in the language of fio.

    ``source`` is the text of a job file, or its sections with their options. ``name`` is what
    results and errors call it; without one it is ``job.fio``, and in a list of jobs that differ
    the next is ``job-2.fio``. Files to which it refers are looked for in the current folder.

    >>> import bfq
    >>> job = bfq.Job({
    ...     "global": {"size": "64m", "bs": "128k"},
    ...     "reader": {"rw": "read", "time_based": True, "runtime": 2},
    ... })
    >>> print(job.text)
    [global]
    size=64m
    bs=128k
    <BLANKLINE>
    [reader]
    rw=read
    time_based=1
    runtime=2
    <BLANKLINE>
    >>> job.sections
    ['reader']
    """

    @overload
    def __init__(
        self, source: Mapping[str, Mapping[str, OptionValue]], *, name: Optional[str] = None
    ) -> None: ...

    @overload
    def __init__(
        self,
        source: Union[str, Iterable[Tuple[str, Mapping[str, OptionValue]]]],
        *,
        name: Optional[str] = None,
    ) -> None: ...

    def __init__(self, source: Union[str, Sections], *, name: Optional[str] = None) -> None:
        text = source if isinstance(source, str) else _text(source)
        self.text: str = text_in("source", text)
        """The text of the job file."""
        self.name: str = FIRST_NAME if name is None else path_in("name", name)
        """What results and errors call it."""
        if self.name.startswith(_BUILT_IN):
            wrong("name", name, "that of a file; Job.from_file reads what is built in")
        self._is_named = name is not None

    @classmethod
    def from_file(cls, path: Union[str, os.PathLike[str]]) -> Job:
        """Reads a job file; with ``@NAME``, a built-in one, and what that refers to is built in."""
        name = path_in("path", path)
        if name.startswith(_BUILT_IN):
            job = cls(_bfq.scenario(text_in("path", name)))
            job.name, job._is_named = name, True
            return job
        try:
            with open(name, encoding="utf-8") as file:
                return cls(file.read(), name=name)
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise JobFileError(f"{name}: {why}", [(name, 0, why)]) from error

    @property
    def sections(self) -> List[str]:
        """The names of its jobs, in order. Raises :class:`bfq.JobFileError` if it is wrong."""
        return self._checked()[0]

    @property
    def notes(self) -> Sequence[Mistake]:
        """Options of it that have no effect in the simulator."""
        return [Mistake.of(note) for note in self._checked()[1]]

    def _checked(self) -> Tuple[List[str], List[Tuple[str, int, str]]]:
        texts = [(self.name, self.text)]
        return _bfq.check(Arguments([self.name], device="", scheduler="", texts=texts))

    def save(self, path: Union[str, os.PathLike[str], None] = None) -> str:
        """Writes it to a file, ``name`` if nothing is said; gives the path.

        ``@FOLDER/NAME``, which is built in, becomes ``FOLDER-NAME.fio``. Files to which a job
        refers are not written.
        """
        written = path_in("path", path) if path is not None else _file_name(self.name)
        with open(written, "w", encoding="utf-8") as file:
            file.write(self.text)
        return written

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Job):
            return NotImplemented
        return (self.text, self.name) == (other.text, other.name)

    def __hash__(self) -> int:
        return hash((self.text, self.name))

    def __repr__(self) -> str:
        if self.name.startswith(_BUILT_IN):
            return f"bfq.Job.from_file({self.name!r})"
        name = f", name={self.name!r}" if self._is_named else ""
        return f"bfq.Job({self.text!r}{name})"


_BUILT_IN = "@"
"""What the names of built-in job files begin with."""


def _file_name(name: str) -> str:
    """What a file is called that has the text of the job of this name."""
    if not name.startswith(_BUILT_IN):
        return name
    return name[len(_BUILT_IN) :].replace("/", "-").removesuffix(".fio") + ".fio"


def _text(sections: Sections) -> str:
    expected = "the text of a job file, or its sections, each with a dictionary of its options"
    if not isinstance(sections, Iterable):
        wrong("source", sections, expected)
    pairs = list(sections.items() if isinstance(sections, Mapping) else sections)
    for pair in pairs:
        is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
        if not is_pair or not isinstance(pair[1], Mapping):
            wrong("source", sections, expected)
    return "\n".join(_section(name, options) for name, options in pairs)


def _section(name: str, options: Mapping[str, OptionValue]) -> str:
    given = [
        f"{option}={value_text(f'[{name}] {option}', value)}"
        for option, value in options.items()
        if value is not None
    ]
    return "\n".join([f"[{name}]", *given, ""])
