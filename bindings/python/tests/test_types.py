# SPDX-License-Identifier: MIT OR Apache-2.0
"""What is of a wrong type, or no number, is an error of this package that names the argument."""

import os
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path

import bfq
import pytest

JOB = "[reader]\nrw=read\nsize=1m\n"
RESULT = bfq.simulate(JOB)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"job": None}, "job None: expected a path"),
        ({"job": []}, "job .*: expected a job file"),
        ({"job": [JOB, 3]}, "job 3: expected a path"),
        ({"device": None}, "device None: expected a path"),
        ({"scheduler": ["bfq"]}, "scheduler .*: expected a text"),
        ({"seed": "1"}, "seed '1': expected a whole number"),
        ({"seed": 1.5}, "seed 1.5: expected a whole number"),
        ({"runtime": float("nan")}, "runtime nan: expected a number"),
        ({"runtime": float("inf")}, "runtime inf: expected a number"),
        ({"runtime": [1]}, "runtime .*: expected a number"),
        ({"timeline": -1}, "timeline -1: expected a whole number"),
        ({"timeline": 2**64}, "timeline 1.*: expected a whole number"),
        ({"decisions": 1}, "decisions 1: expected True or False"),
        ({"ignore_unsupported": "no"}, "ignore_unsupported 'no': expected True"),
        ({"replay": 1}, "replay 1: expected a text"),
        ({"runtime": 10**400}, "runtime 1.*: expected a number"),
        ({"tunables": 3}, "tunables 3: expected a dictionary"),
        ({"tunables": [3]}, "tunables 3: expected a text"),
        ({"tunables": {"slice_idle": [0]}}, "tunables: slice_idle .*: expected a text, a number"),
    ],
)
def test_of_a_run(options, told):
    with pytest.raises(bfq.UsageError, match=f"^{told}"):
        bfq.simulate(**{"job": JOB, **options})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"devices": []}, "devices .*: expected a list"),
        ({"devices": None}, "devices None: expected a list"),
        ({"schedulers": [None]}, "scheduler None: expected a text"),
        ({"seeds": 3}, "seeds 3: expected a list"),
    ],
)
def test_of_many_runs(options, told):
    with pytest.raises(bfq.UsageError, match=f"^{told}"):
        bfq.simulate_many(JOB, **options)


def test_of_other_calls(tmp_path):
    for wrong, told in [
        (lambda: bfq.explain(JOB, slowest=-1), "slowest -1"),
        (lambda: bfq.explain(JOB, 3), "3: expected a text"),
        (lambda: bfq.explain(recording=3), "recording 3: expected a path"),
        (lambda: bfq.Result.from_json(RESULT.json_text, run=-1), "run -1"),
        (lambda: bfq.Result.from_json(None), "text None"),
        (lambda: bfq.Job(3), "source 3"),
        (lambda: bfq.Job({"a": 3}), "source .*: expected the text"),
        (lambda: bfq.Job({"a": {"rw": ["read"]}}), r"\[a\] rw .*: expected a text, a number"),
        (lambda: bfq.Job.from_file(None), "path None"),
        (lambda: bfq.Device(None), "device None"),
        (lambda: bfq.Device("hdd-desktop", depth=[1]), "depth .*: expected"),
        (lambda: bfq.read_trace(None), "path None"),
        (lambda: bfq.convert_trace(None, tmp_path / "out", to="msr"), "trace None"),
        (lambda: bfq.tunables(3), "scheduler 3: expected a text"),
        (lambda: bfq.fit(tmp_path, tmp_path / "a.toml", seconds="1"), "seconds '1'"),
        (lambda: bfq.fit(tmp_path, tmp_path / "a.toml", seconds=-1), "seconds -1: expected a num"),
        (lambda: bfq.fit(tmp_path, tmp_path / "a.toml", seconds=0), "seconds 0: expected a num"),
        (lambda: bfq.fit(tmp_path, tmp_path / "a.toml", seconds=1e30), r"seconds 1e\+30: expect"),
        (lambda: bfq.fit(tmp_path, tmp_path / "a.toml", size_bytes=1.5), "size_bytes 1.5"),
    ]:
        with pytest.raises(bfq.UsageError, match=told):
            wrong()


LONE = "\ud800"
"""Half of a character, which no text in UTF-8 has."""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"job": f"{JOB}# {LONE}\n"}, "job"),
        ({"job": f"{LONE}.fio"}, "job"),
        ({"device": LONE}, "device"),
        ({"scheduler": LONE}, "scheduler"),
        ({"runtime": LONE}, "runtime"),
        ({"replay": LONE}, "replay"),
        ({"tunables": {LONE: 0}}, "tunables"),
        ({"tunables": {"slice_idle": LONE}}, "tunables: slice_idle"),
        ({"queue": LONE}, "queue"),
        ({"vm": [LONE]}, "vm"),
    ],
)
def test_what_is_no_unicode_is_named(options, told):
    with pytest.raises(bfq.UsageError, match=rf"^{told} '\\ud800(\.fio)?': expected a (text|path)"):
        bfq.simulate(**{"job": JOB, **options})


def test_what_is_no_unicode_is_named_by_other_calls():
    for wrong, told in [
        (lambda: bfq.tunables(LONE), "scheduler"),
        (lambda: bfq.Job(LONE), "source"),
        (lambda: bfq.Job({"a": {"description": LONE}}), r"\[a\] description"),
        (lambda: bfq.Job.from_file(f"@{LONE}"), "path"),
        (lambda: bfq.Device("hdd-desktop", depth=LONE), "depth"),
        (lambda: bfq.Device.from_text(LONE), "text"),
        (lambda: bfq.Result.from_json(LONE), "text"),
        (lambda: bfq.read_trace(LONE), "path"),
    ]:
        with pytest.raises(bfq.UsageError, match=rf"^{told} '@?\\ud800'"):
            wrong()


def test_the_name_of_a_job_file_need_not_be_unicode(tmp_path):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.fio")
    bfq.Job(JOB).save(name)
    assert bfq.simulate(bfq.Job.from_file(name)).jobs["job"] == ["reader"]


def test_one_device_or_scheduler_need_not_be_in_a_list():
    results = bfq.simulate_many(JOB, devices="ssd-sata", schedulers="none", seeds=range(2))
    assert [(one.device, one.scheduler, one.seed) for one in results] == [
        ("ssd-sata", "none", 0),
        ("ssd-sata", "none", 1),
    ]


def test_all_schedulers():
    names = [scheduler.name for scheduler in bfq.schedulers()]
    results = bfq.simulate_many(JOB, schedulers=["all"], timeline=0)
    assert [result.scheduler for result in results] == names
    assert len(names) == 8 and "one of eight schedulers" in " ".join(bfq.__doc__.split())


def test_decisions_of_many_runs():
    told = bfq.simulate_many(JOB, schedulers=["bfq", "tfq"], decisions=True)
    assert all(len(result.decisions) > 0 for result in told)


def test_a_time_in_a_job():
    job = bfq.Job({"x": {"rw": "read", "size": "1m", "runtime": timedelta(milliseconds=1500)}})
    assert "runtime=1500000us" in job.text
    assert bfq.simulate(job).jobs["job"] == ["x"]


class Named(str, Enum):
    """Texts whose str() is not the text."""

    SCHEDULER = "tfq"
    JOB = "named.fio"
    TUNABLE = "0"


def test_a_text_may_be_of_an_enumeration():
    tunables = {"low_latency": Named.TUNABLE}
    result = bfq.simulate(JOB, scheduler=Named.SCHEDULER, tunables=tunables)
    assert result.scheduler == "tfq:low_latency=0"
    job = bfq.Job(JOB, name=Named.JOB)
    assert type(job.name) is str and job.name == "named.fio"


def test_paths_and_decimals_in_a_job():
    job = bfq.Job({"x": {"read_iolog": Path("a/x.log"), "thinktime": Decimal(5)}})
    assert "read_iolog=a/x.log\nthinktime=5\n" in job.text


def test_truths_of_numpy():
    numpy = pytest.importorskip("numpy")
    yes, no = numpy.array([1, 0]) > 0
    assert "direct=1\nfsync=0\n" in bfq.Job({"x": {"direct": yes, "fsync": no}}).text
    assert len(bfq.simulate(JOB, decisions=yes).decisions) > 0
    with pytest.raises(bfq.UsageError, match="expected True or False"):
        bfq.simulate(JOB, decisions=numpy.array([True, False]))


def test_the_only_job_need_not_be_named():
    assert bfq.explain(JOB).json_text == bfq.explain(JOB, "reader").json_text


def test_the_version_is_that_of_the_package():
    from importlib import metadata

    assert bfq.__version__ == metadata.version("bfq")
