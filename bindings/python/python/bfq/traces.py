# SPDX-License-Identifier: MIT OR Apache-2.0
"""Traces: recordings of the I/O of real machines."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional, Union

from . import _bfq
from .frame import Frame


class Trace(Frame):
    """The records of a trace: a row for each thing that happened to a request.

    ``event`` is ``queued`` (a process handed it to the block layer: the one event that every format
    has), ``issued`` or ``completed``; ``response_ns`` is how long the request took, where its format
    tells that along with it.
    """

    def __init__(self, table: _bfq.Table, info: Dict[str, Any], path: str) -> None:
        super().__init__(table)
        self.info: Dict[str, Any] = info
        """What ``bfq trace info`` says: requests, sizes, order, think times."""
        self.path: str = path
        """Where it was read from, to be given to :func:`bfq.simulate`."""

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<bfq.Trace: {len(self)} records of {self.path}>"


def read_trace(
    path: Union[str, os.PathLike[str]], *, format: Optional[str] = None, skip_bad: bool = False
) -> Trace:
    """Reads a trace: blkparse, blktrace, fio's iolog, MSR, Alibaba, Tencent, SPC and others.

    The format is known by its content, unless ``format`` names it; .gz and .zst are unpacked. With
    ``skip_bad`` records that are wrong are passed over. To replay it, give its path to
    :func:`bfq.simulate`.

    >>> import bfq
    >>> trace = bfq.read_trace("@start-ups/bash.blkparse.gz")
    >>> trace["op"][0], trace.info["format"]
    ('read', 'blkparse')
    """
    name = os.fspath(path)
    table, info = _bfq.read_trace(name, format, skip_bad)
    return Trace(table, json.loads(info), name)
