# SPDX-License-Identifier: MIT OR Apache-2.0
"""Traces: recordings of the I/O of real machines."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

from . import _bfq
from ._checks import flag_in, path_in, text_in
from .frame import Frame


class Converted(NamedTuple):
    """How much of a trace went into another format."""

    requests: int
    """Requests that were written."""
    left_out: int
    """Requests that have no place in that format: flushes and discards, in most."""
    skipped: int
    """Wrong records that were passed over."""


class Trace(Frame):
    """The records of a trace: a row for each thing that happened to a request.

    ``event`` is ``queued`` (a process handed it to the block layer: the one event that every format
    has), ``issued`` or ``completed``; ``response_ns`` is how long the request took, where its
    format tells that along with it.
    """

    def __init__(
        self,
        table: _bfq.Table,
        info: Dict[str, Any],
        path: str,
        format: Optional[str] = None,
        skip_bad: bool = False,
    ) -> None:
        super().__init__(table)
        self.info: Dict[str, Any] = info
        """What ``bfq trace info`` says: requests, sizes, order, think times."""
        self.path: str = path
        """Where it was read from, to be given to :func:`bfq.simulate`.

        That replays the file: it knows the format by the content, and passes over nothing. A trace
        that was read with ``format`` or ``skip_bad`` is replayed from what :meth:`convert` writes.
        """
        self._format = format
        self._skip_bad = skip_bad

    def convert(self, to: str, path: Union[str, os.PathLike[str]]) -> Converted:
        """Writes it to a file in the format ``to``: :func:`bfq.convert_trace` of its own file."""
        return convert_trace(self.path, path, to=to, format=self._format, skip_bad=self._skip_bad)

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<bfq.Trace: {len(self)} records of {self.path}>"


def read_trace(
    path: Union[str, os.PathLike[str]], *, format: Optional[str] = None, skip_bad: bool = False
) -> Trace:
    """Reads a trace: blkparse, blktrace, fio's iolog, MSR, Alibaba, Tencent, SPC and others.

    The format is known by its content, unless ``format`` names it; .gz and .zst are unpacked. With
    ``skip_bad`` records that are wrong are passed over, unless all are. To replay it, give it, or
    its path, to :func:`bfq.simulate` (see :attr:`Trace.path`).

    >>> import bfq
    >>> trace = bfq.read_trace("@start-ups/bash.blkparse.gz")
    >>> trace["op"][0], trace.info["format"]
    ('read', 'blkparse')
    """
    name = path_in("path", path)
    format, skip_bad = _reading(format, skip_bad)
    table, info = _bfq.read_trace(name, format, skip_bad)
    return Trace(table, json.loads(info), name, format, skip_bad)


def convert_trace(
    trace: Union[str, os.PathLike[str]],
    path: Union[str, os.PathLike[str]],
    *,
    to: str,
    format: Optional[str] = None,
    skip_bad: bool = False,
) -> Converted:
    """Writes a trace to the file ``path`` in another format, as ``bfq trace convert`` does.

    ``to`` is ``blkparse``, ``iolog2``, ``iolog3``, ``msr``, ``alibaba``, ``tencent`` or ``spc``.
    The file appears whole or not at all, and is compressed if its name ends in .gz. No more than a
    few records are held at a time, however long the trace is. ``format`` and ``skip_bad`` are
    those of :func:`bfq.read_trace`.
    """
    files = path_in("trace", trace), path_in("path", path)
    return Converted(*_bfq.convert_trace(*files, text_in("to", to), *_reading(format, skip_bad)))


def _reading(format: Optional[str], skip_bad: bool) -> Tuple[Optional[str], bool]:
    """How a trace is read, if both are what they should be."""
    return None if format is None else text_in("format", format), flag_in("skip_bad", skip_bad)
