# SPDX-License-Identifier: MIT OR Apache-2.0
"""Files of a table appear whole or not at all, and the table knows what it has."""

import errno
import os
import time
from pathlib import Path

import pytest
from bfq.sweeps import SweepError
from bfq.sweeps.row import DONE, FAILED, row_of_failure
from bfq.sweeps.table import Folder, Identities, Writer, read_table
from studies import study_of

ROWS = [row_of_failure(cell, "1", FAILED, "why") for cell in study_of(3)]


def test_identities_of_all_rows_are_found_and_no_others(tmp_path: Path) -> None:
    # Zeros at the end are digits as all others.
    for number, identity in enumerate(("a" * 30 + "00", "0" * 32, "b" * 32)):
        ROWS[number]["identity"] = identity
    with Folder(tmp_path) as folder:
        writer = Writer(folder)
        for row in ROWS:
            writer.add(row)
        writer.flush()
    there = Identities(tmp_path)
    assert len(there) == len(ROWS)
    assert all(row["identity"] in there for row in ROWS)
    assert "a" * 32 not in there and "c" * 32 not in there


def test_a_row_is_written_though_no_other_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bfq.sweeps.table._SECONDS_OF_A_FILE", 0.05)
    with Folder(tmp_path) as folder:
        writer = Writer(folder)
        for number, row in enumerate(ROWS[:2], start=1):
            writer.add(row)
            began = time.monotonic()
            while len(Identities(tmp_path)) < number:
                assert time.monotonic() - began < 60
                time.sleep(0.01)
        writer.flush()
    assert len(Identities(tmp_path)) == 2


def test_a_disk_that_is_full_when_nobody_looks_is_told_with_the_next_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bfq.sweeps.table._SECONDS_OF_A_FILE", 0.05)
    with Folder(tmp_path) as folder:
        writer = Writer(folder)
        with monkeypatch.context() as full:
            full.setattr(os, "fsync", _no_space)
            writer.add(ROWS[0])
            began = time.monotonic()
            while not writer._failed:
                assert time.monotonic() - began < 60
                time.sleep(0.01)
            with pytest.raises(SweepError, match="No space left") as caught:
                writer.add(ROWS[1])
        assert caught.value.file is not None and caught.value.file.startswith(str(tmp_path))
        writer.flush()
    assert len(Identities(tmp_path)) == 2


def test_a_full_disk_leaves_what_was_whole_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Folder(tmp_path) as folder:
        writer = Writer(folder)
        writer.add(ROWS[0])
        writer.flush()
        writer.add(ROWS[1])
        with monkeypatch.context() as full:
            full.setattr(os, "fsync", _no_space)
            with pytest.raises(SweepError, match="No space left.*goes on from there"):
                writer.flush()
        assert len(Identities(tmp_path)) == 1
        assert not list(tmp_path.glob(".part*"))
        writer.flush()
    assert len(Identities(tmp_path)) == 2


def test_an_error_without_a_text_is_told_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_text(_: int) -> None:
        raise PermissionError

    with Folder(tmp_path) as folder:
        writer = Writer(folder)
        writer.add(ROWS[0])
        monkeypatch.setattr(os, "fsync", no_text)
        with pytest.raises(SweepError, match="PermissionError; what was written"):
            writer.flush()


def test_what_a_killed_sweep_left_half_written_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".part-1.parquet.new").write_bytes(b"PAR1 and no more")
    with Folder(tmp_path):
        assert not list(tmp_path.glob(".part*"))


def test_two_sweeps_cannot_write_to_one_folder(tmp_path: Path) -> None:
    with Folder(tmp_path), pytest.raises(SweepError, match="another sweep"), Folder(tmp_path):
        pass
    with Folder(tmp_path):
        pass


def test_failures_can_be_forgotten(tmp_path: Path) -> None:
    done = {**ROWS[2], "status": DONE, "error": None}
    with Folder(tmp_path) as folder:
        writer = Writer(folder)
        for row in (ROWS[1], done):
            writer.add(row)
        writer.flush()
        folder.forget_failures()
    assert read_table(tmp_path)["status"].to_pylist() == [DONE]


def _no_space(_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
