# SPDX-License-Identifier: MIT OR Apache-2.0
"""The same input has the same result as the command has, byte for byte."""

import os
import pickle
import shlex
import subprocess
from pathlib import Path

import bfq
import pytest

RUNS = 50


def printed(command: str, result: bfq.Result, folder: Path, *options: str) -> str:
    """What the command prints for what a result says it is the result of."""
    words = [*shlex.split(result.command)[1:], *options, "--output-format", "json", "--quiet"]
    run = subprocess.run([command, *words], cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout


def built_in():
    """The first job files, each on one of the disks and under one of the schedulers."""
    disks = [disk.name for disk in bfq.devices()]
    schedulers = [scheduler.name for scheduler in bfq.schedulers()]
    for place, scenario in enumerate(bfq.scenarios()[:RUNS]):
        device = disks[place % len(disks)]
        yield scenario.name, device, schedulers[place % len(schedulers)], 1 + place % 3


@pytest.mark.parametrize("name, device, scheduler, seed", list(built_in()))
def test_built_in_job_files(name, device, scheduler, seed, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Long enough for what starts later, too.
    seconds = 3 if "startdelay" in bfq.Job.from_file(name).text else 0.25
    options = {"device": device, "scheduler": scheduler, "seed": seed, "runtime": seconds}
    try:
        result = bfq.simulate(name, **options)
    except bfq.BfqError as error:
        # What does not fit the disk, fits it nowhere.
        words = ["sim", name, "--device", device, "--scheduler", scheduler]
        words += ["--runtime", f"{seconds * 1000:g}ms"]
        run = subprocess.run([command, *words, "--quiet"], capture_output=True, text=True)
        assert run.returncode != 0
        assert str(error) in run.stderr
        return
    assert result.json_text == printed(command, result, tmp_path)


def test_there_are_fifty_job_files():
    assert len(list(built_in())) == RUNS


def test_all_that_can_be_set(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    job = bfq.Job(
        [
            ("global", {"size": "64m", "bs": "64k", "direct": False, "time_based": True}),
            ("writer", {"rw": "write", "cgroup": "a b"}),
            ("reader", {"rw": "randread", "cgroup": "c", "thinktime": "2ms"}),
        ],
        name="it's mine.fio",
    )
    job.save()
    result = bfq.simulate(
        job,
        device=bfq.Device("hdd-desktop", depth=4),
        scheduler="bfq:low_latency=0",
        seed=2**64 - 1,
        runtime="1500ms",
        queue={"nr_requests": 64, "read_ahead_kb": 256},
        groups={"a b": 200, "c": 700},
        tunables={"slice_idle": 4},
        vm=["dirty_ratio=10"],
        timeline=400,
    )
    assert result.json_text == printed(command, result, tmp_path)
    assert result.scheduler == "bfq:low_latency=0,slice_idle=4"
    assert result.seed == 2**64 - 1


def test_a_job_as_text_in_a_file_and_in_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "[reader]\nrw=randread\nsize=8m\n"
    path = Path("job.fio")
    path.write_text(text)
    in_code = bfq.Job({"reader": {"rw": "randread", "size": "8m"}})
    results = [bfq.simulate(job) for job in (text, path, "job.fio", bfq.Job(text), in_code)]
    assert len({result.json_text for result in results}) == 1


def test_several_files_run_one_after_the_other(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = bfq.Job("[a]\nrw=read\nsize=4m\n", name="first.fio")
    second = bfq.Job("[b]\nrw=read\nsize=4m\n", name="second.fio")
    first.save()
    second.save()
    result = bfq.simulate([first, second])
    assert result.jobs["phase"] == [0, 1]
    assert result.json_text == printed(command, result, tmp_path)


def test_the_length_of_the_schedule_is_no_part_of_the_command(command, tmp_path):
    result = bfq.simulate("@two-groups", runtime=1, timeline=7)
    assert result.json_text == printed(command, result, tmp_path, "--timeline", "7")


def test_texts_have_the_result_of_files(command, tmp_path, monkeypatch, repository):
    monkeypatch.chdir(tmp_path)
    text = (repository / "crates/device/profiles/ssd-sata.toml").read_text(encoding="utf-8")
    jobs = [bfq.Job({name: {"rw": "read", "size": "1m"}}, name=f"{name}.fio") for name in "ab"]

    def simulated() -> bfq.Result:
        disk = bfq.Device.from_text(text, name="a disk.toml", depth=4)
        return bfq.simulate(jobs, device=disk)

    result = simulated()
    assert result.device == "a disk" and simulated().json_text == result.json_text
    for job in jobs:
        job.save()
    (tmp_path / "a disk.toml").write_text(text, encoding="utf-8")
    assert result.json_text == printed(command, result, tmp_path)


def test_a_trace_is_replayed(command, tmp_path, repository):
    path = repository / "jobs/start-ups/git-status.blkparse.gz"
    for trace in (path, bfq.read_trace(path)):
        result = bfq.simulate(trace, device="ssd-sata", replay="chain")
        assert result.json_text == printed(command, result, tmp_path)


def test_explain_is_that_of_the_command(command, tmp_path):
    explanation = bfq.explain("@two-groups", "weight-100", runtime=1, slowest=2)
    words = "explain @two-groups --job weight-100 --runtime 1s --slowest 2 --output-format json"
    run = subprocess.run([command, *words.split()], cwd=tmp_path, capture_output=True, text=True)
    assert explanation.json_text == run.stdout
    assert len(explanation.slowest) == 2
    assert sum(cause["ns"] for cause in explanation.causes) == explanation.json["latency_ns"]
    assert explanation.sentence in " ".join(str(explanation).split())


def printed_of_recording(command: str, recording: Path, *words: str) -> str:
    """What ``bfq explain`` says of a recording."""
    line = [command, "explain", "--recording", os.fspath(recording), *words]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout


def test_a_recording_is_explained_as_by_the_command(command, repository):
    path = repository / "crates/explain/tests/data/two-readers.rec"
    in_json = ["--output-format", "json"]
    overview = bfq.explain(recording=path)
    assert overview.json_text == printed_of_recording(command, path, *in_json)
    assert overview.text == printed_of_recording(command, path)
    assert sorted(program["name"] for program in overview.programs) == ["fast", "slow"]
    for program in ("fast", "slow"):
        explanation = bfq.explain(recording=path, program=program, slowest=2)
        words = ["--job", program, "--slowest", "2"]
        assert isinstance(explanation, bfq.Explanation)
        assert explanation.json_text == printed_of_recording(command, path, *words, *in_json)
        assert explanation.text == printed_of_recording(command, path, *words)
        assert explanation.json["mode"] == "recording"
        assert sum(cause["ns"] for cause in explanation.causes) == explanation.json["latency_ns"]
        assert len(explanation.slowest) == 2


def test_info_of_a_trace_is_that_of_the_command(command, repository):
    path = os.fspath(repository / "jobs/start-ups/bash.blkparse.gz")
    run = subprocess.run(
        [command, "trace", "info", path, "--output-format", "json"], capture_output=True, text=True
    )
    assert [bfq.read_trace(path).info] == bfq.traces.json.loads(run.stdout)["traces"]


@pytest.mark.parametrize("to", ["blkparse", "iolog2", "iolog3", "msr", "alibaba", "tencent", "spc"])
def test_a_trace_is_converted_as_by_the_command(to, command, tmp_path, repository):
    path = repository / "jobs/start-ups/git-status.blkparse.gz"
    ours, again, theirs = (tmp_path / name for name in ("ours", "again", "theirs"))
    line = [command, "trace", "convert", path, theirs, "--to", to]
    run = subprocess.run(line, capture_output=True, text=True, check=True)
    converted = bfq.convert_trace(path, ours, to=to)
    trace = bfq.read_trace(path)
    assert trace.convert(to, again) == converted
    assert ours.read_bytes() == again.read_bytes() == theirs.read_bytes()
    assert run.stderr.startswith(f"bfq: {converted.requests} requests from blkparse to {to}")
    assert converted.requests + converted.left_out == trace["event"].count("queued")
    assert bfq.read_trace(ours).info["format"] == to


def test_results_of_the_command_are_read(command, tmp_path):
    words = "sim @two-groups --scheduler bfq,none --runtime 1s --output-format json --quiet"
    run = subprocess.run([command, *words.split()], cwd=tmp_path, capture_output=True, text=True)
    several = [bfq.Result.from_json(run.stdout, place) for place in (0, 1)]
    assert [result.scheduler for result in several] == ["bfq", "none"]
    simulated = bfq.simulate_many("@two-groups", schedulers=["bfq", "none"], runtime="1s")
    assert [result.fio for result in several] == [result.fio for result in simulated]
    assert bfq.Result.list_from_json(run.stdout) == several
    with pytest.raises(bfq.UsageError, match="there is no run 2"):
        bfq.Result.from_json(run.stdout, 2)
    both = r"has 2 runs \(0: bfq on hdd-desktop, 1: none on hdd-desktop\); expected run=0 to 1"
    with pytest.raises(bfq.UsageError, match=both):
        bfq.Result.from_json(run.stdout)


def test_a_result_can_be_pickled():
    result = bfq.simulate("@two-groups", runtime=1)
    again = pickle.loads(pickle.dumps(result))
    assert again == result and again.jobs.to_dict() == result.jobs.to_dict()
