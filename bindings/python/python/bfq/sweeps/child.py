# SPDX-License-Identifier: MIT OR Apache-2.0
"""The process that simulates cells, one after the other: ``python -m bfq.sweeps.child``.

It reads cells from its standard input, a line each, and answers each by a line: its row. It first
says which version of the simulator it is. A process of its own can be limited, and can die, without
harm to the sweep.
"""

import json
import os
import queue
import resource
import sys
import threading
from typing import Any, TextIO

from .cell import Cell
from .row import FAILED, MEMORY, Row, row_of_failure, row_of_result
from .simulating import CellError, simulate_cell, simulator_version


def main() -> None:
    """Answers cells until no more are asked for."""
    answers = _answers_only()
    limit_bytes = int(sys.argv[1])
    version = simulator_version()
    cells: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(cells,), daemon=True).start()
    _limit_memory(limit_bytes)
    _say(answers, {"version": version})
    while (line := cells.get()) is not None:
        _say(answers, _row(Cell.from_json(line), version, limit_bytes))


def _row(cell: Cell, version: str, limit_bytes: int) -> Row:
    try:
        return row_of_result(cell, version, simulate_cell(cell))
    except MemoryError:
        return row_of_failure(cell, version, MEMORY, out_of_memory(limit_bytes))
    except CellError as error:
        return row_of_failure(cell, version, FAILED, str(error))


def out_of_memory(limit_bytes: int) -> str:
    """What the row of a cell says that wanted more memory than it may have."""
    return f"more than {limit_bytes >> 20} MiB of memory"


def _answers_only() -> TextIO:
    """Standard output for answers; what anything else prints goes to the standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _listen(cells: "queue.SimpleQueue[str | None]") -> None:
    """Passes cells on; when the other end is closed (or dead), ends the process at once."""
    for line in sys.stdin:
        cells.put(line)
    # Also in the middle of a cell, whose result is not wanted any more.
    os._exit(0)


def _limit_memory(limit_bytes: int) -> None:
    """Lets this process have `limit_bytes` more address space than it has now."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        pages = int(statm.read().split()[0])
    limit = pages * resource.getpagesize() + limit_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _say(answers: TextIO, what: dict[str, Any]) -> None:
    answers.write(json.dumps(what, separators=(",", ":")) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
