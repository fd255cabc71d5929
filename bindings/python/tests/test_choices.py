# SPDX-License-Identifier: MIT OR Apache-2.0
"""Jobs and devices in code, and what there is to choose from."""

import copy
import datetime
import os
import pickle
import subprocess
import sys
from pathlib import Path

import bfq
import pytest


def test_a_job_in_code_is_the_text_it_would_be():
    job = bfq.Job(
        [
            ("a", {"rw": "read", "size": "1m", "direct": True, "bs": None}),
            ("a", {"rw": "write", "size": 4096, "direct": False}),
        ]
    )
    assert job.text == "[a]\nrw=read\nsize=1m\ndirect=1\n\n[a]\nrw=write\nsize=4096\ndirect=0\n"
    assert job.sections == ["a", "a"]
    assert job == bfq.Job(job.text) and job != bfq.Job(job.text, name="other.fio")
    assert eval(repr(job)) == job


def test_a_job_of_a_file(tmp_path):
    path = bfq.Job("[a]\nrw=read\nsize=1m\n").save(tmp_path / "a.fio")
    assert bfq.Job.from_file(path).name == path


def test_a_built_in_job_is_what_its_name_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for scenario in bfq.scenarios():
        assert bfq.Job.from_file(scenario.name).sections, scenario.name
    # It refers to a recording, which is built in beside it.
    name = "@2010-announcement/bash-10-sequential-readers"
    job = bfq.Job.from_file(name)
    assert (job.name, eval(repr(job))) == (name, job)
    assert bfq.simulate(job, runtime=0.1) == bfq.simulate(name, runtime=0.1)
    assert job.save() == "2010-announcement-bash-10-sequential-readers.fio"


def test_the_name_of_a_text_does_not_hide_it():
    assert bfq.Job(A, name="two-groups.fio").sections == ["a"]
    assert bfq.simulate(bfq.Job(A, name="two-groups")).jobs["job"] == ["a"]
    with pytest.raises(bfq.UsageError, match="^name '@two-groups': expected that of a file"):
        bfq.Job(A, name="@two-groups")


A, B = "[a]\nrw=read\nsize=1m\n", "[b]\nrw=write\nsize=2m\n"


def test_each_of_several_jobs_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("job.fio").write_text(B)
    for jobs, ran, files in [
        ([A, B], ["a", "b"], ["job.fio", "job-2.fio"]),
        ([bfq.Job(A), bfq.Job(B)], ["a", "b"], ["job.fio", "job-2.fio"]),
        ([A, B, A], ["a", "b", "a"], ["job.fio", "job-2.fio", "job.fio"]),
        (["job.fio", A], ["b", "a"], ["job.fio", "job-2.fio"]),
        ([A, Path("job.fio")], ["a", "b"], ["job-2.fio", "job.fio"]),
        ([A, bfq.Job(B, name="job.fio")], ["a", "b"], ["job-2.fio", "job.fio"]),
    ]:
        result = bfq.simulate(jobs)
        assert (result.jobs["job"], result.run["scenario"]["files"]) == (ran, files)
        assert result.command.startswith(f"bfq sim {' '.join(files)} --device")
    assert bfq.explain([bfq.Job(A), bfq.Job(B)], "b").json["job"] == "b"


def test_the_name_of_a_job_is_no_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert bfq.simulate(bfq.Job(A, name="hdd-desktop"), device="hdd-desktop:depth=1").jobs
    for device in ["disk.toml", "disk.toml:depth=1"]:
        with pytest.raises(bfq.UsageError, match="a text has that name, too; expected another"):
            bfq.simulate(bfq.Job(A, name="disk.toml"), device=device)


def test_one_name_means_one_job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.fio").write_text(B)
    job = bfq.Job(A, name="x.fio")
    assert bfq.simulate([job, job]).jobs["job"] == ["a", "a"]
    with pytest.raises(bfq.UsageError, match="^job 'x.fio': two texts have that name; expected"):
        bfq.simulate([job, bfq.Job(B, name="x.fio")])
    for jobs in ([job, "x.fio"], [Path("x.fio"), job]):
        with pytest.raises(bfq.UsageError, match="^job 'x.fio': a file of that name is named, too"):
            bfq.simulate(jobs)


@pytest.mark.parametrize(
    "runtime, text",
    [
        (2, "2s"),
        (2.0, "2s"),
        (0.5, "500000us"),
        ("3m", "3m"),
        (datetime.timedelta(milliseconds=7), "7000us"),
    ],
)
def test_times(runtime, text):
    command = bfq.simulate("[a]\nrw=read\nsize=1m\n", runtime=runtime).command
    assert command.endswith(f"--runtime {text}")


def test_a_device_with_other_values(tmp_path):
    disk = bfq.Device("hdd-desktop", depth=1, rotational=False)
    assert (disk.depth, disk.rotational, disk.name) == (1, False, "hdd-desktop")
    assert disk == bfq.Device("hdd-desktop:depth=1,rotational=0") != bfq.Device("hdd-desktop")
    assert bfq.Device(disk, depth=2).depth == 2
    values = {value.name: value for value in disk.values}
    assert values["depth"].text == "1" and values["depth"].about
    profile = tmp_path / "mine.toml"
    text = 'description = "Mine."\nmodel = "simple"\n'
    profile.write_text(text)
    with pytest.raises(bfq.DeviceError):
        bfq.Device(profile)


PROFILES = Path(__file__).parents[3] / "crates/device/profiles"
PROFILE = (PROFILES / "ssd-sata.toml").read_text(encoding="utf-8")


def test_a_device_from_text():
    disk = bfq.Device(bfq.Device.from_text(PROFILE, name="mine.toml", depth=4), depth=2)
    assert (disk.name, disk.depth, disk.model) == ("mine", 2, "flash")
    job = "[a]\nrw=randread\nsize=1m\n"
    ours = bfq.simulate(job, device=disk).requests
    assert ours.to_dict() == bfq.simulate(job, device="ssd-sata:depth=2").requests.to_dict()
    assert bfq.explain(job, device=disk).json["latency_ns"] > 0
    with pytest.raises(bfq.DeviceError, match=r"^device\.toml"):
        bfq.Device.from_text("model = 1\n")
    for name in ("ssd-sata", "a:b"):
        with pytest.raises(bfq.UsageError, match=f"^name '{name}': expected a name of its own"):
            bfq.Device.from_text(PROFILE, name=name)
    with pytest.raises(bfq.UsageError, match="^device 'x': two texts have that name"):
        bfq.simulate(bfq.Job(job, name="x"), device=bfq.Device.from_text(PROFILE, name="x"))


def test_a_copy_of_a_device_from_text_is_equal():
    for copied in (copy.copy, copy.deepcopy, lambda disk: pickle.loads(pickle.dumps(disk))):
        disk = bfq.Device(bfq.Device.from_text(PROFILE), depth=4)
        other = copied(disk)
        assert other == disk and hash(other) == hash(disk)
        assert bfq.Device(other, rotational=True).depth == 4
        assert bfq.simulate("[a]\nrw=read\nsize=4k\n", device=other).jobs["job"] == ["a"]
    assert other != bfq.Device.from_text(PROFILE) != bfq.Device("ssd-sata")
    assert copy.deepcopy(bfq.Device("ssd-sata")) == bfq.Device("ssd-sata")


def test_lists():
    assert {"bfq", "tfq", "none", "mq-deadline"} <= {row.name for row in bfq.schedulers()}
    assert all(row.about for row in bfq.schedulers())
    assert "hdd-desktop" in [disk.name for disk in bfq.devices()]
    tunables = {row.name: row for row in bfq.tunables("bfq")}
    assert tunables["slice_idle"].unit and tunables["slice_idle"].about
    assert bfq.tunables("none") == []
    assert "@two-groups" in [row.name for row in bfq.scenarios()]


def test_fitting_says_what_it_needs(tmp_path):
    for profile, told in [("disk.ini", "ends in .toml"), ("no/disk.toml", "expected a folder")]:
        with pytest.raises(bfq.UsageError, match=told):
            bfq.fit(tmp_path, tmp_path / profile)
    with pytest.raises(bfq.UsageError):
        bfq.fit(tmp_path / "nowhere" / "nothing", tmp_path / "disk.toml")


@pytest.fixture
def disk_in_memory(tmp_path):
    """A block device whose bytes are in memory: fast, quiet, and not in use."""
    if os.geteuid() != 0:
        pytest.skip("a loop device needs root")
    with open("/dev/shm/bfq-python-test-disk", "wb") as file:
        file.truncate(80 << 20)
    try:
        words = ["losetup", "--find", "--show", file.name]
        made = subprocess.run(words, capture_output=True, text=True)
        if made.returncode != 0:
            pytest.skip(f"no loop device: {made.stderr}")
        yield made.stdout.strip()
        subprocess.run(["losetup", "--detach", made.stdout.strip()], check=True)
    finally:
        os.unlink(file.name)


UNRESTORABLE = """
import os, signal, subprocess, sys
from pathlib import Path
import bfq

# Nothing of this is seen outside of the name space.
journals = Path("/var/lib/bfq")
journals.mkdir(parents=True, exist_ok=True)
subprocess.run(["mount", "-t", "tmpfs", "journals", journals], check=True)

class Told(Exception): pass

def handler(*_):
    for journal in journals.glob("*.journal"):
        # Since its second line the disk is being measured. No folder can be removed as a file is.
        if journal.is_file() and len(journal.read_text().splitlines()) > 1:
            journal.unlink()
            journal.mkdir()
            raise Told

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
try:
    bfq.fit(sys.argv[1], sys.argv[2], seconds=600)
except bfq.SimulationError as error:
    print(type(error.__cause__).__name__, error)
"""


def test_who_interrupts_a_fit_is_told_what_could_not_be_put_back(disk_in_memory, tmp_path):
    alone = ["unshare", "--mount"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        pytest.skip("no name space of its own for mounts")
    words = [*alone, sys.executable, "-c", UNRESTORABLE, disk_in_memory, tmp_path / "mine.toml"]
    process = subprocess.run(words, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("Told ") and "remove the journal" in process.stdout
    assert not (tmp_path / "mine.toml").exists()


@pytest.mark.filterwarnings("ignore:THE DISK WAS NOT QUIET")
def test_a_disk_is_fitted_and_the_simulator_plays_it(disk_in_memory, tmp_path):
    fitted = bfq.fit(disk_in_memory, tmp_path / "mine.toml", seconds=1, allow_write=True)
    assert fitted.device == bfq.Device(tmp_path / "mine.toml")
    assert fitted.device.capacity_bytes == 80 << 20
    assert all(figure.measured > 0 and figure.simulated > 0 for figure in fitted.figures)
    assert "random reads" in fitted.text
    result = bfq.simulate("[a]\nrw=read\nsize=1m\n", device=fitted.device)
    assert result.jobs["io_bytes"] == [1 << 20]
