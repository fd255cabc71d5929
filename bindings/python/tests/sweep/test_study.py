# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which cells a study has, who they are, and what is said of a study that is wrong."""

import pickle
import time
from dataclasses import replace
from pathlib import Path

import bfq
import pytest
from bfq.sweeps import Cell, Disk, Grid, JobFile, Settings, Study, StudyError, read_study
from bfq.sweeps.grid import sets_of_tunables
from bfq.sweeps.row import row_of_result
from bfq.sweeps.simulating import simulate_cell

JOB = JobFile("reader", "[reader]\nrw=read\n")
CELL = Cell(JOB, "hdd-desktop", "bfq", 1, (("slice_idle", "0"),))


def test_every_part_of_a_cell_is_in_its_identity() -> None:
    others = [
        replace(CELL, job=JobFile("reader", "[reader]\nrw=write\n")),
        replace(CELL, device="ssd-sata"),
        replace(CELL, device=Disk("hdd-desktop", "model")),
        replace(CELL, scheduler="none"),
        replace(CELL, seed=2),
        replace(CELL, tunables=()),
        replace(CELL, settings=Settings(runtime="1s")),
        replace(CELL, settings=Settings(queue=(("nr_requests", "64"),))),
        replace(CELL, settings=Settings(groups=(("a", "200"),))),
    ]
    identities = [cell.identity("1") for cell in (CELL, *others)] + [CELL.identity("2")]
    assert len(set(identities)) == len(identities)


def test_a_seed_is_one_that_the_table_can_tell() -> None:
    assert replace(CELL, seed=2**63 - 1).seed == 2**63 - 1
    for seed in (2**63, -1, "1"):
        with pytest.raises(bfq.UsageError, match=f"^seed {seed!r}: expected a whole number"):
            replace(CELL, seed=seed)  # type: ignore[arg-type]


def test_a_cell_is_the_same_after_a_journey() -> None:
    cell = replace(CELL, settings=Settings("2s", (("nr_requests", "64"),), (("a", "200"),)))
    assert Cell.from_json(cell.to_json()) == cell
    own = replace(cell, device=Disk("mine:depth=1", "a profile"))
    assert Cell.from_json(own.to_json()) == own
    assert Cell.from_json(cell.to_json()).identity("1") == cell.identity("1")


@pytest.mark.parametrize(
    ("vary", "expected"),
    [
        ("each", ["a=1", "a=2", "b=3", "c=4"]),
        ("pairs", ["a=1,b=3", "a=2,b=3", "a=1,c=4", "a=2,c=4", "b=3,c=4"]),
        ("all", ["a=1,b=3,c=4", "a=2,b=3,c=4"]),
    ],
)
def test_tunables_vary_alone_in_pairs_or_all_together(vary: str, expected: list[str]) -> None:
    sets = sets_of_tunables({"a": [1, 2], "b": [3], "c": [4]}, vary)  # type: ignore[arg-type]
    assert [",".join(f"{n}={v}" for n, v in one) for one in sets] == expected


def test_a_cell_of_two_grids_is_there_once() -> None:
    first = Grid((JOB,), ("hdd-desktop",), ("bfq", "none"), (1, 2))
    second = Grid((JOB,), ("hdd-desktop", "ssd-sata"), ("bfq",), (2, 3))
    cells = list(Study("two", (first, second)))
    assert len(cells) == len(set(cells)) == len(Study("two", (first, second))) == 4 + 3


def test_cells_may_be_listed_and_a_cell_of_a_grid_is_there_once() -> None:
    grid = Grid((JOB,), ("hdd-desktop",), ("bfq", "none"), tuple(range(100)))
    listed = (CELL, CELL, replace(CELL, tunables=(), seed=7), replace(CELL, device="ssd-sata"))
    study = Study("listed", (grid,), cells=listed)
    assert list(study) == [*grid, CELL, listed[3]]
    assert len(study) == 202
    assert '"ssd-sata"' in study.description("1")
    assert list(Study("alone", cells=listed)) == [CELL, *listed[2:]]


def test_many_grids_and_many_cells_are_not_compared_each_with_each() -> None:
    def seconds(count: int) -> float:
        grids = tuple(Grid((JOB,), ("ssd-sata",), ("bfq",), (seed,)) for seed in range(count))
        cells = tuple(replace(CELL, seed=seed) for seed in range(count))
        best = float("inf")
        for _ in range(3):
            began = time.process_time()
            assert len(Study("many", grids, cells=cells)) == 2 * count
            best = min(best, time.process_time() - began)
        return best

    # Twenty times as many would take 400 times as long, were each compared with each other.
    assert seconds(20_000) < 100 * seconds(1_000)


def test_listed_cells_are_read(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(GOOD_JOB + """
        [[cells]]
        job = "r"
        device = "hdd-desktop"
        scheduler = "bfq"
        tunables = { slice_idle = 0 }
        [[cells]]
        job = "r"
        device = "ssd-sata"
        scheduler = "none"
        seed = 3
        runtime = "2s"
    """)
    job = JobFile("r", "[r]")
    assert list(read_study(study)) == [
        Cell(job, "hdd-desktop", "bfq", 1, (("slice_idle", "0"),)),
        Cell(job, "ssd-sata", "none", 3, (), Settings(runtime="2s")),
    ]


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "reader.fio").write_text(JOB.text)
    study = tmp_path / "study.toml"
    study.write_text("""
        seeds = 3
        [[jobs]]
        file = "reader.fio"
        wait = "reader.read_p99_ns"
        [[grids]]
        devices = ["hdd-desktop", "ssd-sata"]
        schedulers = "bfq"
        tunables = { slice_idle = [0, 2], low_latency = 0 }
        runtime = "2s"
    """)
    cells = list(read_study(study))
    assert len(cells) == 2 * 3 * 3
    assert cells[0].job == JOB
    assert cells[0].settings == Settings(runtime="2s")
    assert {cell.tunables_text() for cell in cells} == {
        "slice_idle=0", "slice_idle=2", "low_latency=0",
    }  # fmt: skip


GOOD_JOB = '[[jobs]]\nname = "r"\ntext = "[r]"\n'
def test_built_in_job_files_and_disks_of_ones_own(tmp_path: Path, repository: Path) -> None:
    profile = (repository / "crates/device/profiles/ssd-sata.toml").read_text()
    (tmp_path / "mine.toml").write_text(profile)
    study = tmp_path / "study.toml"
    study.write_text(
        """
        [[jobs]]
        file = "@two-groups"
        [[profiles]]
        file = "mine.toml"
        [[profiles]]
        name = "other"
        text = '''"""
        + profile
        + """'''
        [[grids]]
        devices = ["ssd-sata:depth=1", "mine:depth=1", "other"]
        schedulers = "bfq"
        runtime = "200ms"
        """
    )
    cells = list(read_study(study))
    assert [str(cell.device) for cell in cells] == ["ssd-sata:depth=1", "mine:depth=1", "other"]
    assert {cell.job for cell in cells} == {JobFile("two-groups", "@two-groups")}
    built_in, mine, other = (simulate_cell(cell) for cell in cells)
    assert built_in["fio"]["jobs"] == mine["fio"]["jobs"] != other["fio"]["jobs"]
    assert row_of_result(cells[1], "1", mine)["device"] == "mine:depth=1"


BAD_PROFILE = "[[profiles]]\nname = 'mine'\ntext = 'model = \"warp\"'\n"
GOOD_CELL = '[[cells]]\njob = "r"\ndevice = "ssd-sata"\nscheduler = "bfq"\n'
GOOD_GRID = '[[grids]]\ndevices = "ssd-sata"\nschedulers = "bfq"\n'


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("name = ", "file", "TOML"),
        (GOOD_GRID, "jobs", "one or more [[jobs]]"),
        (GOOD_JOB, "grids", "one or more [[grids]]"),
        (GOOD_JOB + GOOD_JOB + GOOD_GRID, "jobs[1].name", "a name of its own"),
        ('[[jobs]]\nname = "r"\n' + GOOD_GRID, "jobs[0]", "one of the two"),
        ('[[jobs]]\nfile = "nowhere.fio"\n' + GOOD_GRID, "jobs[0].file", "a job file"),
        ('[[jobs]]\nfile = "@two-group"\n' + GOOD_GRID, "jobs[0].file", "`@two-groups`"),
        (GOOD_JOB + BAD_PROFILE + GOOD_GRID, "profiles[0].text", 'one of "simple"'),
        (
            GOOD_JOB + BAD_PROFILE.replace("mine", "hdd-desktop") + GOOD_GRID,
            "profiles[0].name",
            "a name of its own",
        ),
        (GOOD_JOB + "[[profiles]]\nfile = 'no.toml'\n", "profiles[0].file", "a profile of a disk"),
        (GOOD_JOB + 'wait = "r.speed"\n' + GOOD_GRID, "jobs[0].wait", "JOB.STATISTIC"),
        (GOOD_JOB + 'wait = "r.bytes_per_s"\n' + GOOD_GRID, "jobs[0].wait", "of runtime_ms, read_"),
        (GOOD_JOB + 'wait = "r.read_count"\n' + GOOD_GRID, "jobs[0].wait", "of runtime_ms, read_"),
        (
            GOOD_JOB + 'share = "r.bytes"\ndue = 0.5\n' + GOOD_GRID,
            "jobs[0].share",
            "a statistic of share",
        ),
        (GOOD_JOB + 'share = "r.share"\n' + GOOD_GRID, "jobs[0]", "both, or neither"),
        ("depth = 3\n" + GOOD_JOB + GOOD_GRID, "depth", "one of name, title"),
        (GOOD_JOB + GOOD_GRID + "sedes = 3\n", "grids[0].sedes", "one of jobs, devices"),
        (GOOD_JOB + GOOD_GRID + "jobs = 'x'\n", "grids[0].jobs", "one of r"),
        (GOOD_JOB + '[[grids]]\nschedulers = "bfq"\n', "grids[0].devices", "one or more values"),
        (GOOD_JOB + GOOD_GRID + "seeds = 0\n", "grids[0].seeds", "one or more"),
        (GOOD_JOB + GOOD_GRID + "seeds = [1, 1]\n", "grids[0].seeds", "none twice"),
        (GOOD_JOB + GOOD_GRID + "vary = 'some'\n", "grids[0].vary", "one of each, pairs, all"),
        (
            GOOD_JOB + GOOD_GRID + "tunables = { slice_idle = true }\n",
            "grids[0].tunables.slice_idle",
            "a number or a text",
        ),
        (
            GOOD_JOB + '[[grids]]\ndevices = "my.toml"\nschedulers = "bfq"\n',
            "grids[0].devices",
            "a built-in device",
        ),
        (
            GOOD_JOB + '[[grids]]\ndevices = "ssd-sata"\nschedulers = "bfq:low_latency=0"\n',
            "grids[0].schedulers",
            "its name only",
        ),
        (GOOD_JOB + GOOD_CELL.replace('"r"', '"x"'), "cells[0].job", "one of r"),
        (GOOD_JOB + GOOD_CELL.replace("ssd-sata", "my.toml"), "cells[0].device", "a built-in"),
        (GOOD_JOB + GOOD_CELL.replace('"bfq"', '"bfq:a=1"'), "cells[0].scheduler", "its name only"),
        (GOOD_JOB + GOOD_CELL + "seed = [1]\n", "cells[0].seed", "a number"),
        (GOOD_JOB + GOOD_CELL + "seeds = 2\n", "cells[0].seeds", "one of job, device"),
        (GOOD_JOB + GOOD_CELL + "seed = -1\n", "cells[0].seed", "0 to 2**63 - 1"),
        (GOOD_JOB + GOOD_GRID + "seeds = [1, -1]\n", "grids[0].seeds", "0 to 2**63 - 1"),
        ('name = ""\n' + GOOD_JOB + GOOD_GRID, "name", "a plain file name"),
        ('name = "../x"\n' + GOOD_JOB + GOOD_GRID, "name", "a plain file name"),
    ],
)
def test_a_mistake_names_file_and_key_and_what_was_expected(
    tmp_path: Path, text: str, key: str, expected: str
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(text)
    with pytest.raises(StudyError) as caught:
        read_study(study)
    assert (caught.value.where, caught.value.key) == (str(study), key)
    assert expected in caught.value.expected
    for part in (str(study), key, expected):
        assert part in str(caught.value)
    assert isinstance(caught.value, bfq.UsageError) and caught.value.file == str(study)


OWN_AND_NONE = '[[grids]]\ndevices = "mine"\nschedulers = ["bfq", "none"]\n'
BUILT_IN = "[[jobs]]\nfile = '@two-groups'\n"


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        (GOOD_GRID.replace("ssd-sata", "ssd-sat"), "grids[0].devices", "one of mine, reference"),
        (GOOD_GRID.replace("ssd-sata", "ssd-sata:depth=0"), "grids[0].devices", "1 to"),
        (GOOD_GRID.replace("bfq", "bfg"), "grids[0].schedulers", "one of bfq, tfq"),
        (
            GOOD_GRID + "tunables = { slice_idl = [0] }\n",
            "grids[0].tunables.slice_idl",
            "slice_idle",
        ),
        (
            GOOD_GRID + "tunables = { slice_idle = [0, 'x'] }\n",
            "grids[0].tunables.slice_idle",
            "decimal number",
        ),
        (
            OWN_AND_NONE + "tunables = { slice_idle = 0 }\n",
            "grids[0].tunables.slice_idle",
            "none, as it has none",
        ),
        (GOOD_GRID + 'runtime = "2x"\n', "grids[0].runtime", "a time"),
        (GOOD_GRID + "queue = { nr_req = 64 }\n", "grids[0].queue.nr_req", "nr_requests"),
        (GOOD_GRID + "groups = { a = 0 }\n", "grids[0].groups.a", "1 to 10000"),
        (GOOD_CELL.replace("ssd-sata", "ssd-sat"), "cells[0].device", "one of mine, "),
        (GOOD_CELL.replace("bfq", "bfg"), "cells[0].scheduler", "one of bfq, tfq"),
        (
            GOOD_CELL + "tunables = { slice_idl = 0 }\n",
            "cells[0].tunables.slice_idl",
            "slice_idle",
        ),
        (BUILT_IN + "wait = 'weight.read_p99_ns'\n", "jobs[1].wait", "weight-100,"),
        (BUILT_IN + "share = 'x.share'\ndue = 0.5\n", "jobs[1].share", "weight-100,"),
        ("[[jobs]]\nname = 'w'\ntext = '''\n[w]\nrw=red\n'''\n", "jobs[1].text", "read, write"),
    ],
)
def test_names_that_the_simulator_does_not_know(
    tmp_path: Path, repository: Path, text: str, key: str, expected: str
) -> None:
    (tmp_path / "mine.toml").write_text(
        (repository / "crates/device/profiles/ssd-sata.toml").read_text()
    )
    study = tmp_path / "study.toml"
    study.write_text(GOOD_JOB + "[[profiles]]\nfile = 'mine.toml'\n" + text)
    with pytest.raises(StudyError) as caught:
        read_study(study)
    assert caught.value.key == key and caught.value.line is not None
    assert expected in caught.value.expected
    assert "--" not in str(caught.value)


def test_what_has_no_line_names_none(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text("[[jobs]]\nname = 'g'\ntext = '''\n[global]\nbs=4k\n'''\n" + GOOD_GRID)
    with pytest.raises(StudyError, match="there is no job") as caught:
        read_study(study)
    assert "None" not in str(caught.value)


GROUPED_JOB = "[a]\nrw=read\nsize=4k\ncgroup=a\n[b]\nrw=read\nsize=4k\ncgroup=c/d\n"


@pytest.mark.parametrize("entry", [GOOD_GRID, GOOD_CELL])
def test_groups_have_the_weights_of_the_study(tmp_path: Path, entry: str) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        f"[[jobs]]\nname = 'r'\ntext = '''\n{GROUPED_JOB}'''\n{entry}"
        'groups = { a = 200, "c/d" = 300 }\n'
    )
    (cell,) = read_study(study)
    assert cell.settings.groups == (("a", "200"), ("c/d", "300"))
    assert {"/a", "/c/d"} <= simulate_cell(cell)["group_stats"].keys()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name = ", 1),
        (GOOD_JOB + GOOD_GRID + "\nsedes = 3\n", 8),
        (GOOD_JOB + GOOD_GRID + "[[grids]]\nschedulers = 'bfq'\n", 7),
        (GOOD_JOB.replace('"[r]"', "'''\n[r]\nruntime=1\n'''") + "runtime = 3\n", 7),
        (GOOD_JOB + GOOD_GRID + "[grids.tunables]\nslice_idle = 1.5\n", 8),
        (GOOD_JOB + GOOD_CELL + GOOD_CELL + "seed = 'x'\n", 12),
        (GOOD_GRID, None),
    ],
)
def test_a_mistake_names_the_line(tmp_path: Path, text: str, line: int | None) -> None:
    study = tmp_path / "study.toml"
    study.write_text(text)
    with pytest.raises(bfq.BfqError) as caught:
        read_study(study)
    assert (caught.value.file, caught.value.line) == (str(study), line)
    assert line is None or f"{study}:{line}: " in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.line) == (str(caught.value), line)
