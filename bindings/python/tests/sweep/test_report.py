# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a report says, on figures of which the answer is known."""

import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from bfq.sweeps import Grid, Interest, JobFile, Measure, Settings, Study, SweepError
from bfq.sweeps.cell import pairs_of
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
from bfq.sweeps.report.markdown import _cell
from bfq.sweeps.report.outcomes import Figures, Outcomes, Setup
from bfq.sweeps.report.verdicts import Point, front
from bfq.sweeps.simulating import simulator_version
from bfq.sweeps.sweep import sweep
from bfq.sweeps.table import read_table
from studies import SMALL, study_of

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


def test_no_rate_is_shown_as_negative(monkeypatch: pytest.MonkeyPatch) -> None:
    scattered = Figures(throughput={1: 1e6, 2: 70e6}, wait={1: 1e3, 2: 70e3})
    outcomes = Outcomes.__new__(Outcomes)
    monkeypatch.setattr(outcomes, "of", lambda *_: scattered)
    shown = _cell(outcomes, "job", "disk", Setup("bfq"), [Setup("bfq")])
    assert "35.5 [0–" in shown and "[-" not in shown


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


SHARED = JobFile(
    "shared",
    "[global]\ndirect=1\nsize=1g\ntime_based\nruntime=300ms\nrw=randread\nbs=64k\nnumjobs=2\n"
    "[light]\ncgroup=light\n[heavy]\ncgroup=heavy\n",
)


def in_groups(folder: Path) -> None:
    """A sweep of the same cells but for the weights of their groups."""
    settings = [
        Settings(groups=pairs_of({"light": light, "heavy": heavy}))
        for light, heavy in ((100, 300), (300, 100))
    ]
    tunables = ((), *sets_of_tunables({"low_latency": [0]}, "each"))
    grids = (
        Grid((SHARED,), ("ssd-sata",), ("bfq",), (1, 2, 3), tunables, one) for one in settings
    )
    share = Interest("two groups", Measure("light", "read_p99_ns"), Measure("heavy", "share"), 0.75)
    sweep(Study("s", tuple(grids), interests=(("shared", share),)), folder)


def test_settings_that_differ_are_told_apart(tmp_path: Path) -> None:
    in_groups(tmp_path)
    outcomes = Outcomes(tmp_path)
    right, wrong = (f"groups heavy={heavy},light={400 - heavy}" for heavy in (300, 100))
    off = {
        setup: list(outcomes.of("shared", "ssd-sata", setup).unfairness.values())
        for setup in (Setup("bfq", "", right), Setup("bfq", "", wrong))
    }
    assert {len(seeds) for seeds in off.values()} == {3}
    assert max(off[Setup("bfq", "", right)]) < 0.1 < 0.4 < min(off[Setup("bfq", "", wrong)])
    text = sweep_report(tmp_path).read_text()
    assert f"|  | bfq ({wrong}) | bfq ({right}) |" in text
    # Each is compared with what has the same groups: that tunable changes little here.
    for groups in (right, wrong):
        row = f"| `bfq:low_latency=0 ({groups})` | "
        assert sum(line.startswith(row) for line in text.splitlines()) == 4
    front = [line for line in text.splitlines() if line.startswith("| ssd-sata | `")]
    assert all(any(groups in line for line in front) for groups in (right, wrong))
    one_by_one = " ".join(text.split())
    assert f"beside `bfq ({wrong})`, `bfq ({right})`, that of the same settings." in one_by_one


def test_settings_that_all_cells_of_a_job_have_are_not_named(tmp_path: Path) -> None:
    grids = tuple(
        Grid((replace(SMALL, name=job),), ("ssd-sata",), ("bfq", "none"), (1, 2), settings=settings)
        for job, settings in (("a", Settings("100ms")), ("b", Settings("200ms")))
    )
    sweep(Study("s", grids), tmp_path)
    outcomes = Outcomes(tmp_path)
    assert outcomes.setups == [Setup("bfq"), Setup("none")]
    assert outcomes.references() == [Setup("bfq")]


def test_a_table_that_does_not_tell_settings_apart_is_refused(tmp_path: Path) -> None:
    in_groups(tmp_path)
    for part in tmp_path.glob("part-*"):
        older = pq.read_table(part).drop_columns(["runtime", "queue", "groups"])
        pq.write_table(older, part)
    assert read_table(tmp_path).num_rows == 12
    with pytest.raises(SweepError, match="shared on ssd-sata under bfq.* has seed . twice"):
        sweep_report(tmp_path)


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
