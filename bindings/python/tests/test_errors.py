# SPDX-License-Identifier: MIT OR Apache-2.0
"""Errors name the file and the line, and can be told apart."""

import bfq
import pytest

JOB = "[reader]\nrw=read\nsize=1m\n"


def test_all_mistakes_of_a_job_file_are_told():
    with pytest.raises(bfq.JobFileError) as told:
        bfq.simulate("[a]\nrw=red\n\n[b]\nbs=many\n")
    error = told.value
    assert (error.file, error.line) == ("job.fio", 2)
    assert [(mistake.file, mistake.line) for mistake in error.mistakes] == [
        ("job.fio", 2),
        ("job.fio", 5),
    ]
    assert 'job.fio:2: bad value "red"' in str(error)
    assert isinstance(error, ValueError) and isinstance(error, bfq.BfqError)


def test_a_mistake_in_a_file_that_is_included(tmp_path):
    (tmp_path / "outer.fio").write_text("[a]\nrw=read\ninclude inner.fio\n")
    (tmp_path / "inner.fio").write_text("size=8m\nbs=many\n")
    with pytest.raises(bfq.JobFileError) as told:
        bfq.simulate(tmp_path / "outer.fio")
    assert (told.value.file, told.value.line) == (str(tmp_path / "inner.fio"), 2)


def test_a_mistake_in_a_device_profile(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('description = "a disk"\nmodel = "warp"\n')
    for wrong in (lambda: bfq.Device(path), lambda: bfq.simulate(JOB, device=path)):
        with pytest.raises(bfq.DeviceError) as told:
            wrong()
        assert (told.value.file, told.value.line) == (str(path), 2)


def test_a_mistake_in_a_trace(tmp_path):
    path = tmp_path / "log"
    wrong = "fio version 2 iolog\n/x add\n/x open\n/x rad 0 4096\n"
    path.write_text(wrong + "/x read 0 4096\n")
    with pytest.raises(bfq.TraceError) as told:
        bfq.read_trace(path)
    assert (told.value.file, told.value.line) == (str(path), 4)
    assert len(bfq.read_trace(path, skip_bad=True)) == 1
    path.write_text(wrong)
    with pytest.raises(bfq.TraceError, match="no record is right, 1 wrong"):
        bfq.read_trace(path, skip_bad=True)


def test_what_cannot_be_converted_leaves_nothing(tmp_path):
    path, out = tmp_path / "log", tmp_path / "out"
    path.write_text("fio version 2 iolog\n/x add\n/x open\n/x read 0 4096\n/x rad 0 4096\n")
    with pytest.raises(bfq.TraceError) as told:
        bfq.convert_trace(path, out, to="msr")
    assert (told.value.file, told.value.line) == (str(path), 5)
    for to, wrong, text in [
        ("blktrace", out, "to blktrace: expected one of blkparse, "),
        ("msr", path, "it is an input"),
        ("msr", tmp_path / "nowhere" / "out", "there is no folder"),
        ("msr", tmp_path / "out.zst", r"\.zst is only read"),
    ]:
        with pytest.raises(bfq.UsageError, match=text):
            bfq.convert_trace(path, wrong, to=to)
    assert [file.name for file in tmp_path.iterdir()] == ["log"]
    assert bfq.convert_trace(path, out, to="msr", skip_bad=True) == (1, 0, 1)
    assert bfq.read_trace(path, skip_bad=True).convert("spc", tmp_path / "out.gz").skipped == 1


def test_a_mistake_in_a_recording(tmp_path, repository):
    path = tmp_path / "sda.rec"
    path.write_text("nothing")
    for options in ({}, {"program": "reader"}):
        with pytest.raises(bfq.RecordingError, match="byte 0: this is no recording") as told:
            bfq.explain(recording=path, **options)
        assert (told.value.file, told.value.line) == (str(path), None)
        assert isinstance(told.value, bfq.UsageError)
    kept = repository / "crates/explain/tests/data/two-readers.rec"
    whole = kept.read_bytes()
    path.write_bytes(whole[:-40] + b"\xff" * 40)
    with pytest.raises(bfq.RecordingError, match=r"sda\.rec: byte \d{4}: "):
        bfq.explain(recording=path)
    for wrong, told in [
        ({"recording": kept, "program": "slo"}, "did you mean `slow`"),
        ({"recording": kept, "program": "slow", "seed": 3}, "seed: expected no recording"),
        ({"recording": kept, "job": JOB}, "job: expected no recording"),
        ({}, "expected a job, or recording=FILE"),
        ({"job": JOB, "section": "reader", "program": "reader"}, "expected recording=FILE"),
    ]:
        with pytest.raises(bfq.UsageError, match=told):
            bfq.explain(**wrong)
    with pytest.raises(bfq.RecordingError, match="No such file"):
        bfq.explain(recording=tmp_path / "nowhere.rec")


@pytest.mark.parametrize(
    "exception, options, told",
    [
        (bfq.DeviceError, {"device": "hdd-deskto"}, "hdd-desktop"),
        (bfq.DeviceError, {"device": "hdd-desktop:depth=0"}, "depth"),
        (bfq.UsageError, {"scheduler": "bfg"}, "did you mean `bfq`"),
        (bfq.UsageError, {"scheduler": "bfq,none"}, "simulate_many"),
        (bfq.UsageError, {"scheduler": "all"}, "simulate_many"),
        (bfq.UsageError, {"runtime": "1.5"}, "expected a time"),
        (bfq.UsageError, {"runtime": 0}, "expected a time"),
        (bfq.UsageError, {"replay": "backwards"}, "expected timed"),
        (bfq.UsageError, {"replay": "chain"}, "none of the files is a trace"),
        (bfq.UsageError, {"tunables": {"slice_idl": 1}}, "^tunables slice_idl=1: "),
        (bfq.UsageError, {"queue": {"nr_request": 1}}, "nr_request"),
        (bfq.UsageError, {"groups": {"a": 0}}, "^groups a=0"),
        (bfq.UsageError, {"vm": {"dirty": 1}}, "^vm: "),
        (bfq.UsageError, {"scheduler": "none", "decisions": True}, "bfq or tfq"),
        (bfq.UsageError, {"seed": -1}, "seed -1"),
        (bfq.UsageError, {"seed": 2**64}, "seed 1"),
    ],
)
def test_arguments_that_are_wrong(exception, options, told):
    with pytest.raises(exception, match=told):
        bfq.simulate(JOB, **options)


def test_other_things_that_are_not_there(tmp_path):
    result = bfq.simulate(JOB)
    for wrong, exception, told in [
        (lambda: bfq.simulate("[a]\nrw=read\n"), bfq.JobFileError, "nothing to read"),
        (lambda: bfq.simulate("no-such.fio"), bfq.JobFileError, "no-such.fio"),
        (lambda: bfq.Job.from_file("no-such.fio"), bfq.JobFileError, "no-such.fio: No such file"),
        (lambda: bfq.simulate("@two-group"), bfq.UsageError, "@two-groups"),
        (lambda: bfq.Job.from_file("@two-group"), bfq.UsageError, "@two-groups"),
        (lambda: bfq.Job("[a]\nrw=red\n").sections, bfq.JobFileError, "job.fio:2"),
        (lambda: bfq.explain(JOB, "writer"), bfq.UsageError, "there are: reader"),
        (lambda: bfq.explain(JOB, "reader", scheduler="none"), bfq.UsageError, "bfq or tfq"),
        (lambda: bfq.explain("@two-groups"), bfq.UsageError, "^section NAME is needed, .*weight-"),
        (lambda: bfq.tunables("bfg"), bfq.UsageError, "bfq"),
        (lambda: bfq.read_trace(tmp_path / "none"), bfq.TraceError, "none"),
        (lambda: bfq.read_trace("@two-groups", format="fio"), bfq.UsageError, "expected one of"),
        (lambda: bfq.fit(tmp_path, tmp_path / "disk.ini"), bfq.UsageError, "^profile .*.toml"),
        (lambda: bfq.fit("/nowhere", tmp_path / "disk.toml"), bfq.UsageError, "No such file"),
        (lambda: bfq.Result.from_json("{}"), bfq.UsageError, "missing field"),
        (lambda: result.decisions, bfq.UsageError, "decisions=True"),
        (lambda: result.jobs["jo"], bfq.UsageError, "no column"),
    ]:
        with pytest.raises(exception, match=told):
            wrong()


def test_options_without_effect_are_noted():
    job = "[reader]\nrw=read\nsize=1m\nnice=5\n"
    expected = r"expected prio, or ignore_unsupported=True$"
    with pytest.raises(bfq.JobFileError, match=rf"^job\.fio:4: .*nice.*; {expected}") as told:
        bfq.simulate(job)
    assert told.value.mistakes[0].text.endswith("or ignore_unsupported=True")
    with pytest.raises(bfq.JobFileError, match="expected scheduler=NAME, or ignore_unsupported"):
        bfq.simulate("[a]\nioscheduler=bfq\n[b]\nnice=5\n")
    notes = bfq.simulate(job, ignore_unsupported=True).notes
    assert [note.line for note in notes if "is not supported" in note.text] == [4]


def test_a_file_as_a_whole_has_no_line():
    with pytest.raises(bfq.JobFileError) as told:
        bfq.simulate("no-such.fio")
    assert told.value.line is None and [mistake.line for mistake in told.value.mistakes] == [None]


def test_a_profile_in_a_text_has_a_name_that_lasts():
    for options, name in [({}, "device.toml"), ({"name": "mine"}, "mine")]:
        with pytest.raises(bfq.DeviceError) as told:
            bfq.Device.from_text("x=", **options)
        assert str(told.value).startswith(f"{name}:1: ")
        assert (told.value.file, told.value.line) == (name, 1)
