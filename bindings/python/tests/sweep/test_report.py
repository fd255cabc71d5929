# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a report says, on figures of which the answer is known."""

import math
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bfq.sweeps import Grid, Interest, JobFile, Measure, Study, SweepError
from bfq.sweeps.grid import sets_of_tunables
from bfq.sweeps.report import sweep_report
from bfq.sweeps.report.effects import (
    Interval,
    difference,
    interval,
    ratio,
    side_of_difference,
    side_of_ratio,
    with_bounds,
)
from bfq.sweeps.report.outcomes import Setup
from bfq.sweeps.report.verdicts import Point, front
from bfq.sweeps.simulating import simulator_version
from bfq.sweeps.sweep import sweep
from studies import study_of

CONTEST = JobFile(
    "contest",
    "[global]\ndirect=1\nsize=1g\ntime_based\nruntime=1500ms\n"
    "[reader]\nrw=read\nbs=1m\nnumjobs=3\n"
    "[click]\nrw=randread\nbs=4k\nstartdelay=500ms\nruntime=1\n",
)


def test_an_interval_is_that_of_students_t() -> None:
    found = interval([1.0, 2.0, 3.0])
    # From a table: t(2; 0.995) = 9.925; the standard error is 1/sqrt(3).
    half = 9.925 / math.sqrt(3)
    assert found.value == 2
    assert (found.low, found.high) == pytest.approx((2 - half, 2 + half), rel=1e-4)
    assert interval([1.0]).high == math.inf


def test_a_value_has_its_bounds_and_no_exponent() -> None:
    assert with_bounds(Interval(0.3456, 0.31, 0.4)) == "0.346 [0.31–0.4]"
    assert with_bounds(Interval(3.478e9, 3.4e9, 3.5e9), 1e6) == "3480 [3400–3500]"
    assert with_bounds(Interval(2.0, -math.inf, math.inf)) == "2"


@pytest.mark.parametrize(
    ("of", "to", "side"),
    [
        ({1: 2.0, 2: 2.1}, {1: 1.0, 2: 1.05}, 1),
        ({1: 1.0, 2: 1.05}, {1: 2.0, 2: 2.1}, -1),
        ({1: 1.04, 2: 2.08}, {1: 1.0, 2: 2.0}, 0),  # sure, and too small to count
        ({1: 5.0, 2: 1.0}, {1: 1.0, 2: 1.0}, 0),  # large, and not sure
        ({1: 5.0}, {1: 1.0}, 0),  # one seed tells nothing
        ({1: 5.0}, {2: 1.0}, 0),  # no pair
    ],
)
def test_a_ratio_counts_if_it_is_large_and_sure(
    of: dict[int, float], to: dict[int, float], side: int
) -> None:
    assert side_of_ratio(ratio(of, to)) == side


def test_a_share_counts_beyond_two_points() -> None:
    due = {1: 0.10, 2: 0.11}
    assert side_of_difference(difference({1: 0.15, 2: 0.16}, due)) == 1
    assert side_of_difference(difference({1: 0.11, 2: 0.12}, due)) == 0


def test_the_front_is_what_nothing_else_beats_in_both() -> None:
    places = {"a": (1.0, 1.0), "b": (2.0, 1.5), "c": (2.0, 0.9), "d": (3.0, 1.5), "e": (0.5, 0.2)}
    candidates = [
        Point(Setup(name), *(Interval(value, value, value) for value in place))
        for name, place in places.items()
    ]
    assert [point.setup.scheduler for point in front(candidates)] == ["e", "a", "b"]


def test_a_report_names_the_winner_and_what_settings_change(tmp_path: Path) -> None:
    seeds = (1, 2, 3, 4)
    devices = ("hdd-desktop",)
    alone = Grid((CONTEST,), devices, ("bfq", "none"), seeds)
    tunables = sets_of_tunables({"low_latency": [0], "fifo_expire_async": [60]}, "each")
    changed = Grid((CONTEST,), devices, ("bfq",), seeds, tunables)
    share = Measure("click", "share")
    wait = Interest("a click beside readers", Measure("click", "read_mean_ns"), share, 0.25)
    sweep(Study("s", (alone, changed), "Who wins?", (("contest", wait),)), tmp_path)
    path = sweep_report(tmp_path)
    text = path.read_text()
    assert text.startswith("# Who wins?\n") and "16 simulated; 4 seeds" in text
    assert f"Simulated by bfq {simulator_version()}." in " ".join(text.split())
    row = next(line for line in text.splitlines() if line.startswith("| hdd-desktop | **"))
    bfq, none = row.split(" | ")[1:3]
    assert bfq.startswith("**") and not none.startswith("**")
    for cell in (bfq, none):
        for unit in (" MB/s", " points off"):
            assert "]" in cell.partition(unit)[0].rpartition(", ")[2], "throughput, shares, too"
    # Nothing is written asynchronously: that deadline changes nothing.
    assert "| `bfq:fifo_expire_async=60` |  |" in text
    # Of each figure a table with a number for each setting, and of what is on the front.
    same = "| `bfq:fifo_expire_async=60` | 1 [1–1] |"
    assert text.count(same) == 2 and "| `bfq:fifo_expire_async=60` | 0 [0–0] |" in text
    assert "| hdd-desktop | `bfq` | × 1 [1–1] | × 1 [1–1] |" in text
    for name in ("front.svg", "settings-hdd-desktop.svg"):
        assert name in text
        assert ElementTree.parse(tmp_path / name).getroot().tag.endswith("svg")
    again = sweep_report(tmp_path, tmp_path / "again" / "report.md")
    assert (again.parent / "front.svg").read_bytes() == (tmp_path / "front.svg").read_bytes()


def test_a_folder_without_a_sweep_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="no sweep is there"):
        sweep_report(tmp_path)


def test_a_report_names_the_command_that_wrote_it(tmp_path: Path) -> None:
    folder = tmp_path / "s.sweep"
    sweep(study_of(1), folder)
    assert "Written by `bfq sweep report s.sweep`." in one_line(sweep_report(folder))
    elsewhere = sweep_report(folder, tmp_path / "new.md")
    assert "Written by `bfq sweep report s.sweep -o new.md`." in one_line(elsewhere)


def one_line(path: Path) -> str:
    return " ".join(path.read_text().split())
