# SPDX-License-Identifier: MIT OR Apache-2.0
"""The table of a sweep: a folder of Parquet files, each written once and whole."""

import fcntl
import hashlib
import os
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .mistakes import FolderError, SweepError
from .row import DONE, SETTINGS, STATISTICS, Row


def _type_of(statistic: str) -> pa.DataType:
    real = statistic == "share" or statistic.endswith("mean_ns")
    return pa.float64() if real else pa.int64()


_FIGURES = pa.struct(
    [("name", pa.string()), *((statistic, _type_of(statistic)) for statistic in STATISTICS)]
)

SCHEMA = pa.schema(
    [
        ("identity", pa.string()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("job", pa.string()),
        ("device", pa.string()),
        ("scheduler", pa.string()),
        ("tunables", pa.string()),
        ("seed", pa.int64()),
        *((setting, pa.string()) for setting in SETTINGS),
        ("version", pa.string()),
        ("bytes_per_s", pa.int64()),
        ("runtime_ms", pa.int64()),
        ("jobs", pa.list_(_FIGURES)),
    ]
)
"""The columns. docs/sweeps.md says what each means. Those that a file does not have are null."""

_ROWS_OF_A_FILE = 500
_SECONDS_OF_A_FILE = 20.0
_COMPRESSION = "zstd"
_PARTS = "part-*.parquet"


def read_table(folder: str | Path) -> pa.Table:
    """All rows, sorted by identity; equal sweeps have equal tables, however they came about."""
    parts = sorted(Path(folder).glob(_PARTS))
    if not parts:
        raise SweepError.of(folder, f"no table of a sweep (no file {_PARTS})")
    return pa.concat_tables([_read_part(part) for part in parts]).sort_by("identity")


def _read_part(part: Path, columns: list[str] | None = None) -> pa.Table:
    """The rows of a file of the table."""
    try:
        return pq.read_table(part, schema=SCHEMA, columns=columns)
    except (OSError, pa.ArrowException) as error:
        raise SweepError.of(
            part,
            f"it is no whole Parquet file of a sweep ({_reason(error)}); if it is removed, bfq "
            "sweep simulates its cells again",
        ) from error


def _reason(error: Exception) -> str:
    """Why something failed: without the number and the path, which other words say."""
    told = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return (told.splitlines() or [type(error).__name__])[0]


class Identities:
    """Which cells a folder has, in 32 bytes each."""

    def __init__(self, folder: Path) -> None:
        found = [np.empty(0, dtype="S32")]
        for part in sorted(folder.glob(_PARTS)):
            column = _read_part(part, ["identity"])["identity"]
            found.append(np.array(column.to_pylist(), dtype="S32"))
        self._sorted = np.sort(np.concatenate(found))

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, identity: str) -> bool:
        sought = identity.encode()
        place = int(np.searchsorted(self._sorted, sought))
        return place < len(self._sorted) and bool(self._sorted[place] == sought)


class Folder:
    """A folder that this process alone writes to, while it is entered."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = -1

    def __enter__(self) -> "Folder":
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            why = "it is no folder" if self.path.is_file() else _reason(error)
            expected = "expected a folder that can be written to, or a new name for one"
            raise FolderError.of(self.path, f"{why}; {expected}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise SweepError.of(self.path, "another sweep is writing there") from error
        for left in self.path.glob(".*.new"):
            left.unlink()  # of a sweep that was killed
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._lock)

    def forget_failures(self) -> None:
        """Takes the rows of cells without a result out of the table."""
        for part in sorted(self.path.glob(_PARTS)):
            rows = _read_part(part)
            done = rows.filter(pc.equal(rows["status"], DONE))
            if done.num_rows < rows.num_rows:
                self.write(part.name, partial(pq.write_table, done, compression=_COMPRESSION))

    def write(self, name: str, write: Callable[[Path], None]) -> None:
        """A file that appears whole or not at all, and is there after a crash."""
        new = self.path / f".{name}.new"
        try:
            write(new)
            with open(new, "rb") as file:
                os.fsync(file.fileno())
            os.replace(new, self.path / name)
            folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            new.unlink(missing_ok=True)
            raise SweepError.of(
                self.path / name,
                f"{_reason(error)}; what was written before is whole, and the same "
                "command goes on from there",
            ) from error


class Writer:
    """Writes rows to a folder as they come, some hundred to a file.

    A clock of its own writes what has waited long enough while no further row comes.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._rows: list[Row] = []
        self._lock = threading.Lock()
        self._clock: threading.Timer | None = None
        self._failed = False

    def add(self, row: Row) -> None:
        """One more row; it is safe on the disk after some seconds, or ``flush``."""
        with self._lock:
            self._rows.append(row)
            if len(self._rows) >= _ROWS_OF_A_FILE or self._failed:
                self._write()
            elif self._clock is None:
                self._clock = threading.Timer(_SECONDS_OF_A_FILE, self._late)
                self._clock.daemon = True
                self._clock.start()

    def flush(self) -> None:
        """Writes what has not been written."""
        with self._lock:
            self._write()

    def _late(self) -> None:
        with self._lock:
            try:
                self._write()
            except SweepError:
                self._failed = True  # The rows are kept; whoever adds or flushes next is told.

    def _write(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        if not self._rows:
            return
        rows = pa.Table.from_pylist(self._rows, schema=SCHEMA)
        name = f"part-{_digest(row['identity'] for row in self._rows)}.parquet"
        self._folder.write(name, partial(pq.write_table, rows, compression=_COMPRESSION))
        self._rows.clear()
        self._failed = False


def _digest(identities: Iterable[str]) -> str:
    return hashlib.sha256("".join(identities).encode()).hexdigest()[:16]
