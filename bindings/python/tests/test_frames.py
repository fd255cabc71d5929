# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables go to other libraries as they lie in memory, and say what the JSON says."""

import copy
import pickle
import re
from pathlib import Path

import bfq
import pandas
import polars
import pyarrow
import pytest

LOAD = """\
[global]
size=64m
time_based
runtime=2
[light]
cgroup=light
cgroup_weight=100
rw=read
bs=128k
[heavy]
cgroup=heavy
cgroup_weight=300
rw=read
bs=128k
[clicks]
rw=randread
bs=4k
thinktime=50ms
[writes]
rw=write
bs=64k
fsync=16
"""


@pytest.fixture(scope="module")
def result() -> bfq.Result:
    return bfq.simulate(LOAD, decisions=True)


def frames(result):
    names = "jobs processes groups latencies throughput requests turns waits decisions"
    return [(name, getattr(result, name)) for name in names.split()]


def test_nothing_is_copied(result):
    def addresses(table: pyarrow.Table):
        return [
            buffer.address
            for column in table.columns
            for chunk in column.chunks
            for buffer in chunk.buffers()
            if buffer is not None
        ]

    for name, frame in frames(result):
        first, second = frame.to_arrow(), pyarrow.table(frame)
        # Both look at the same memory: that of the table itself.
        assert addresses(first) == addresses(second) != [], name
        assert first.num_rows == len(frame) > 0, name
        first.validate(full=True)


def test_a_table_goes_to_other_processes(result, repository):
    trace = bfq.read_trace(repository / "jobs/start-ups/bash.blkparse.gz")
    for name, frame in [*frames(result), ("trace", trace)]:
        for again in (pickle.loads(pickle.dumps(frame)), copy.deepcopy(frame)):
            assert type(again) is type(frame) and again.to_dict() == frame.to_dict(), name
            assert again.to_arrow().schema == frame.to_arrow().schema, name
    again = pickle.loads(pickle.dumps(trace))
    assert (again.path, again.info) == (trace.path, trace.info)


def test_memory_outlives_the_result():
    table = bfq.simulate(LOAD, runtime=0.5).jobs.to_arrow()
    assert table.column("job").to_pylist() == ["light", "heavy", "clicks", "writes"]


def test_all_libraries_have_the_same_values(result):
    for name, frame in frames(result):
        values = frame.to_dict()
        assert frame.to_arrow().to_pydict() == values, name
        assert frame.to_polars().to_dict(as_series=False) == values, name
        assert list(frame.to_pandas().columns) == frame.columns == list(values), name
        rows = [tuple(row.values()) for row in frame.rows()]
        assert rows == list(zip(*values.values())), name
    assert isinstance(result.jobs.to_pandas(), pandas.DataFrame)
    assert isinstance(result.jobs.to_polars(), polars.DataFrame)
    schema = pyarrow.schema(result.jobs)
    assert schema.field("io_bytes").type == pyarrow.uint64()


def test_a_gap_is_none(result):
    jobs = result.jobs
    assert jobs["write_p99_ns"][:3] == [None] * 3 and jobs["write_p99_ns"][3] > 0
    assert jobs["sync_ios"][3] > 0
    assert jobs.to_pandas()["write_p99_ns"].isna().tolist() == [True, True, True, False]


def test_jobs_and_groups_are_those_of_the_json(result):
    summary = result.run["summary"]
    for row, job in zip(result.jobs.rows(), summary["jobs"]):
        assert (row["job"], row["group"], row["phase"]) == (job["jobname"], job["cgroup"], 0)
        for name in ("processes", "io_bytes", "bw_bytes", "share", "error"):
            assert row[name] == job[name]
        for kind, key in [("read", "read_clat_ns"), ("write", "write_clat_ns")]:
            latency = job.get(key, {})
            for column, name in [("ios", "N"), ("p99_ns", "p99"), ("mean_ns", "mean")]:
                assert row[f"{kind}_{column}"] == latency.get(name)
        assert (row["scheduler"], row["device"], row["seed"]) == ("bfq", "hdd-desktop", 1)
    assert result.groups["weight"] == [group.get("weight") for group in summary["groups"]]
    assert result.processes["read_ios"] == [job["read"]["total_ios"] for job in result.fio["jobs"]]


def test_histograms_have_every_io(result):
    counted = {}
    for row in result.latencies.rows():
        assert row["from_ns"] < row["until_ns"]
        key = (row["job"], row["kind"])
        counted[key] = counted.get(key, 0) + row["ios"]
    for row in result.jobs.rows():
        for kind in ("read", "write", "sync"):
            assert counted.get((row["job"], kind)) == row[f"{kind}_ios"]


def test_decisions(result):
    decisions = result.decisions
    times = decisions["at_ns"]
    assert times == sorted(times)
    rows = list(decisions.rows())
    served = [row for row in rows if row["decision"] == "served"]
    assert {row["who"] for row in served} >= {"light", "heavy", "clicks", "writes"}
    assert all(row["charged"] > 0 and row["reason"] is None for row in served)
    ended = {row["reason"] for row in rows if row["decision"] == "expired"}
    assert "budget_exhausted" in ended or "budget_timeout" in ended
    created = [row for row in rows if row["decision"] == "queue_created" and row["sync"]]
    assert {row["class"] for row in created} == {"best_effort"}
    assert all(row["weight"] > 0 for row in created)
    told = bfq.simulate(LOAD, scheduler="tfq", decisions=True).decisions
    assert "served" in told["decision"]


def test_looking_at_decisions_changes_nothing(result):
    assert result.json_text == bfq.simulate(LOAD).json_text


def test_a_notebook_shows_tables(result):
    for shown in (result._repr_html_(), result.jobs._repr_html_(), result.decisions._repr_html_()):
        assert shown.startswith("<table>") and "light" in shown
    left_out = len(result.decisions) - 20
    assert f"<p>… and {left_out} more rows</p>" in result.decisions._repr_html_()
    strange = bfq.simulate("[<b>&]\nrw=read\nsize=1m\n")
    assert "<b>" not in strange._repr_html_() and "&lt;b&gt;&amp;" in strange._repr_html_()


def test_what_is_not_shown_is_not_converted(result):
    class Asked:
        """A table that keeps which parts of it were wanted."""

        limits = []

        def __len__(self):
            return len(result.decisions)

        def columns(self):
            return result.decisions.columns

        def column(self, name, limit=None):
            self.limits.append(limit)
            return result.decisions[name][:limit]

    shown = bfq.Frame(Asked())._repr_html_()
    assert shown == result.decisions._repr_html_() and set(Asked.limits) == {20}


def test_a_trace_as_a_table(repository):
    trace = bfq.read_trace(repository / "jobs/start-ups/bash.blkparse.gz")
    assert set(trace["event"]) == {"queued"} or "queued" in trace["event"]
    queued = [row for row in trace.rows() if row["event"] == "queued"]
    assert len(queued) == trace.info["requests"]
    assert trace.to_polars()["length_bytes"].sum() == sum(trace["length_bytes"])


def documented_columns(section: str) -> set[str]:
    """The columns that a section of the page lists, with those of each kind of I/O it names."""
    cells = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    columns = {column for cell in cells for column in re.findall(r"`(\w+)`", cell)}
    for prefix in re.findall(r"`(write_|trim_|sync_)`", section):
        columns |= {re.sub("^read_", prefix, column) for column in columns}
    return columns - set(re.findall(r"no `(\w+)`", section))


def test_the_columns_of_each_table_are_documented_and_no_others(result: bfq.Result) -> None:
    text = (Path(__file__).parents[3] / "docs" / "python-tables.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"(?ms)^## `(\w+)`(.*?)(?=^## |\Z)", text))
    tables = [*frames(result), ("read_trace", bfq.read_trace("@start-ups/bash.blkparse.gz"))]
    assert set(told) == {name for name, _ in tables}
    for name, frame in tables:
        columns = set(frame.columns)
        # A recording of decisions has only the columns of those that were taken.
        documented = documented_columns(told[name])
        assert columns - documented == set(), name
        assert name == "decisions" or documented - columns == set(), name


def test_no_figure_of_a_decision_is_lost(result):
    decisions = result.decisions.to_arrow().to_pylist()
    sectors = {"max_budget": [], "rate_reset": []}
    for row in decisions:
        if row["decision"] in sectors:
            sectors[row["decision"]].append(row["sectors"])
    # One has a sign, the other has none; they share a column.
    assert all(sectors.values()), sectors
    assert None not in sectors["max_budget"] + sectors["rate_reset"]
