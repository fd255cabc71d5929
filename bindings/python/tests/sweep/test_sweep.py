# SPDX-License-Identifier: MIT OR Apache-2.0
"""A sweep that is stopped, killed or out of disk space goes on; the table is that of any other."""

import resource
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import bfq
import pytest
from bfq.sweeps import Cell, Disk, FolderError, JobFile, Limits, Study, SweepError
from bfq.sweeps.__main__ import main
from bfq.sweeps.report import sweep_report
from bfq.sweeps.row import FAILED, Row, row_of_failure
from bfq.sweeps.sweep import sweep
from bfq.sweeps.table import read_table
from studies import (
    ENDLESS,
    GENEROUS,
    LIMITS,
    SMALL,
    SMALL_STUDY,
    WRONG,
    odd_study,
    statuses,
    study_of,
    undisturbed,
)


def start(
    study: Path, folder: Path, before: Callable[[], object] | None = None
) -> "subprocess.Popen[str]":
    """A sweep in a process of its own."""
    command = [sys.executable, "-m", "bfq.sweeps", str(study), "--out", str(folder), "--quiet"]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before
    )


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(SMALL_STUDY)
    return path


def test_the_table_does_not_depend_on_who_simulated_it(tmp_path: Path) -> None:
    first = undisturbed(study_of(6), tmp_path / "a")
    sweep(study_of(6), tmp_path / "b", workers=1)
    assert first.equals(read_table(tmp_path / "b"))
    assert first.num_rows == 24


def test_the_folder_has_the_name_of_the_study_unless_it_is_named(
    tmp_path: Path, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.write_text(SMALL_STUDY.replace("seeds = 300", "seeds = 1"))
    monkeypatch.chdir(tmp_path)
    assert bfq.sweep(study).folder == Path("small.sweep")
    assert read_table("small.sweep").num_rows == 4


def test_what_is_there_is_not_simulated_again(tmp_path: Path) -> None:
    sweep(study_of(2), tmp_path / "a")
    swept = sweep(study_of(6), tmp_path / "a")
    assert (swept.earlier, swept.outcomes) == (8, {"done": 16})
    swept = sweep(study_of(6), tmp_path / "a")
    assert (swept.earlier, swept.outcomes) == (24, {})
    assert read_table(tmp_path / "a").equals(undisturbed(study_of(6), tmp_path / "b"))


def test_a_sweep_says_why_cells_have_no_result(tmp_path: Path) -> None:
    swept = sweep(study_of(2, WRONG, SMALL), tmp_path)
    (reason,) = swept.reasons
    assert reason.startswith('8 failed: job.fio:2: bad value "sideways"')
    assert str(swept) == f"{tmp_path}: 8 done, 8 failed\n  {reason}"
    assert f"* {reason}" in " ".join(sweep_report(tmp_path).read_text().split())


def test_a_folder_that_is_named_after_a_study_is_a_plain_one() -> None:
    with pytest.raises(bfq.UsageError, match="expected a plain file name"):
        sweep(replace(study_of(1), name="../x"))


def test_cells_without_a_result_are_tried_again_if_asked(tmp_path: Path) -> None:
    swept = sweep(odd_study(), tmp_path, limits=LIMITS)
    assert swept.outcomes == {"done": 12, "timeout": 1, "memory": 1, "failed": 1}
    assert sweep(odd_study(), tmp_path, limits=LIMITS).outcomes == {}
    swept = sweep(odd_study(), tmp_path, limits=LIMITS, again=True)
    assert (swept.earlier, sum(swept.outcomes.values())) == (12, 3)
    assert read_table(tmp_path).num_rows == 15
    assert statuses(read_table(tmp_path))["endless"] == "timeout"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_sweep_goes_on(tmp_path: Path, study: Path, number: signal.Signals) -> None:
    folder = tmp_path / "disturbed"
    process = start(study, folder)
    while process.poll() is None and not list(folder.glob("part-*.parquet")):
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate()
    there = read_table(folder).num_rows
    assert 500 <= there <= 1200
    again = start(study, folder)
    said, errors = again.communicate()
    assert again.returncode == 0, errors
    assert there == 1200 or f"{there:,} there already, {1200 - there:,} done" in said
    assert read_table(folder).equals(undisturbed_table(study, tmp_path / "undisturbed"))


def test_a_full_disk_ends_the_sweep_and_the_same_command_goes_on(
    tmp_path: Path, study: Path
) -> None:
    folder = tmp_path / "disturbed"

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    process = start(study, folder, no_room)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "File too large" in errors and "goes on from there" in errors
    assert not list(folder.glob("*.parquet")) and not list(folder.glob(".*.new"))
    again = start(study, folder)
    _, errors = again.communicate()
    assert again.returncode == 0, errors
    assert read_table(folder).equals(undisturbed_table(study, tmp_path / "undisturbed"))


def test_processes_end_with_the_sweep(tmp_path: Path) -> None:
    code = (
        "from bfq.sweeps.pool import Pool; from bfq.sweeps import Cell, Limits\n"
        "from bfq.sweeps.simulating import simulator_version\n"
        "from bfq.sweeps.cell import JobFile\n"
        f"pool = Pool(1, Limits(), simulator_version())\n"
        f"cell = Cell(JobFile('endless', {ENDLESS.text!r}), 'ssd-nvme', 'bfq', 1)\n"
        "def cells():\n"
        "    yield cell\n"
        "    print(pool.workers[0].pid, flush=True)\n"
        "list(pool.run(cells()))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = Path("/proc") / parent.stdout.readline().strip()
    assert worker.exists()
    parent.kill()
    parent.communicate()
    while _runs(worker):
        time.sleep(0.02)


def test_another_simulator_needs_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(study_of(1), tmp_path)
    monkeypatch.setattr("bfq.sweeps.sweep.simulator_version", lambda: "9.9")
    with pytest.raises(SweepError, match=r"this is 9\.9; expected another folder"):
        sweep(study_of(1), tmp_path)


def test_another_text_of_a_job_needs_another_folder(tmp_path: Path) -> None:
    folder = tmp_path / "swept"
    other = JobFile("other", SMALL.text)
    sweep(study_of(1, SMALL, other), folder)
    sweep(study_of(1), folder)  # who sweeps a part of a study does not change the other part
    changed = JobFile("other", SMALL.text.replace("4k", "256k"))
    with pytest.raises(FolderError, match="another text of job other; expected another folder"):
        sweep(study_of(1, changed), folder)
    assert read_table(folder).num_rows == 8
    sweep(study_of(2, SMALL, other), folder)
    assert read_table(folder).num_rows == 16


def test_another_profile_of_a_disk_needs_another_folder(tmp_path: Path) -> None:
    def study(profile: str) -> Study:
        return Study("s", cells=(Cell(SMALL, Disk("mine:depth=1", profile), "bfq", 1),))

    sweep(study("no profile"), tmp_path)
    with pytest.raises(FolderError, match="another text of disk mine"):
        sweep(study("nor this"), tmp_path)
    both = Study("s", cells=(*study("one").cells, *study("two").cells))
    with pytest.raises(bfq.UsageError, match="s: disk mine has several texts"):
        sweep(both, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nowhere.toml"], 2, "nowhere.toml: No such file or directory; expected a study in TOML"),
        (["report", "nowhere"], 2, "nowhere: no sweep is there (no study.json); expected a folder"),
        (["{study}", "--out", "{file}"], 2, "file: it is no folder; expected a folder"),
        (["{study}", "--out", "/proc/x"], 2, "/proc/x: No such file or directory; expected a"),
        (["{study}", "--workers", "0"], 2, "workers: 0; expected 1 or more"),
        (["{study}", "--workers", "-1"], 2, "workers: -1; expected 1 or more"),
        (["{study}", "--workers", "100000"], 2, "workers: 100000; expected 1 to "),
        (["report", "{swept}", "-o", "{file}.html"], 2, "expected a name that ends in .md"),
        (["report", "{swept}", "-o", "/proc/x.md"], 1, "/proc/x.md: it cannot be written: No such"),
        (["report", "{swept}", "-o", "{folder}.md"], 1, "it cannot be written: Is a directory"),
        (["report", "{broken}"], 1, "it is no whole Parquet file of a sweep ("),
        (["{study}", "--out", "{broken}"], 1, "it is no whole Parquet file of a sweep ("),
        (["report", "{odd}"], 2, "study.json: no title; expected JSON"),
    ],
)
def test_exit_codes(
    words: list[str],
    code: int,
    said: str,
    places: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["bfq.sweeps", *(word.format(**places) for word in words)])
    assert main() == code
    told = capsys.readouterr().err
    assert said in told and "Errno" not in told


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A study, and folders and files that are right and wrong."""
    root = tmp_path_factory.mktemp("places")
    places = {name: root / name for name in ("study", "file", "folder", "swept", "broken", "odd")}
    places["study"].write_text(SMALL_STUDY.replace("seeds = 300", "seeds = 1"))
    places["file"].write_text("nothing")
    (root / "folder.md").mkdir()
    for name in ("swept", "broken"):
        sweep(study_of(1), places[name])
    (part,) = places["broken"].glob("part-*")
    part.write_bytes(part.read_bytes()[:100])
    places["odd"].mkdir()
    (places["odd"] / "study.json").write_text("{}")
    return places


class AtOnce:
    """A backend that answers without a simulation."""

    def __enter__(self) -> "AtOnce":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, cells: Iterable[Cell]) -> Iterator[Row]:
        return (row_of_failure(cell, "1", FAILED, "why") for cell in cells)


def test_the_memory_of_the_driver_does_not_grow_with_the_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bfq.sweeps.sweep._backend", lambda *_: lambda _: AtOnce())

    def most_bytes(seeds: int) -> int:
        tracemalloc.start()
        swept = sweep(study_of(seeds), tmp_path / str(seeds), progress=False)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert swept.outcomes == {"failed": 4 * seeds}
        return most

    most_bytes(500)  # what is imported and kept at the first time
    # The study itself has its seeds as a list; a row that is kept has some thousand bytes.
    assert most_bytes(5_000) < most_bytes(500) + 4_500 * 4 * 100


def undisturbed_table(study: Path, folder: Path):  # type: ignore[no-untyped-def]
    """The table of the study of a file that nothing disturbs."""
    sweep(study, folder, limits=Limits(GENEROUS.seconds))
    return read_table(folder)


def _runs(process: Path) -> bool:
    """Whether it runs: a process that was not waited for is no more than a name."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
