# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sweeps on a cluster of three nodes on this machine: the table is that of one without faults."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from bfq.sweeps import StudyError, SweepError, read_study
from bfq.sweeps.sweep import sweep
from bfq.sweeps.table import Writer, read_table
from studies import GENEROUS, LIMITS, SMALL_STUDY, odd_study, study_of, undisturbed

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    head = {"num_cpus": 1, "include_dashboard": False}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(num_cpus=1)
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield cluster
    cluster.shutdown()


def test_odd_cells_are_the_same_rows_as_on_one_machine(cluster: Any, tmp_path: Path) -> None:
    sweep(odd_study(), tmp_path / "ray", backend="ray", address=cluster.address, limits=LIMITS)
    expected = undisturbed(odd_study(), tmp_path / "undisturbed", LIMITS)
    assert read_table(tmp_path / "ray").equals(expected)


def test_a_node_that_dies_costs_retries_only(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = Writer.add
    rows = count()

    def add_and_kill(writer: Writer, row: Any) -> None:
        add(writer, row)
        if next(rows) == 100:
            cluster.remove_node(list(cluster.worker_nodes)[0], allow_graceful=False)

    with monkeypatch.context() as killing:
        killing.setattr(Writer, "add", add_and_kill)
        swept = sweep(study_of(100), tmp_path / "ray", backend="ray", address=cluster.address)
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    assert swept.outcomes == {"done": 400}
    expected = undisturbed(study_of(100), tmp_path / "undisturbed")
    assert read_table(tmp_path / "ray").equals(expected)


def test_a_killed_driver_goes_on(cluster: Any, tmp_path: Path) -> None:
    study, folder = tmp_path / "study.toml", tmp_path / "ray"
    study.write_text(SMALL_STUDY)
    command = [sys.executable, "-m", "bfq.sweeps", str(study), "--out", str(folder), "--quiet"]
    command += ["--ray", cluster.address]
    driver = subprocess.Popen(command)
    while driver.poll() is None and not list(folder.glob("part-*.parquet")):
        time.sleep(0.02)
    driver.kill()
    driver.wait()
    there = read_table(folder).num_rows
    assert 500 <= there <= 1200
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    assert there == 1200 or f"{there:,} there already, {1200 - there:,} done" in said
    sweep(read_study(study), tmp_path / "undisturbed", limits=GENEROUS)
    assert read_table(folder).equals(read_table(tmp_path / "undisturbed"))


def test_a_full_disk_ends_the_sweep_and_it_goes_on(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, os.strerror(28))

    study = study_of(3)
    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(SweepError, match="No space left"):
            sweep(study, tmp_path / "ray", backend="ray", address=cluster.address)
    sweep(study, tmp_path / "ray", backend="ray", address=cluster.address)
    expected = undisturbed(study, tmp_path / "undisturbed")
    assert read_table(tmp_path / "ray").equals(expected)


def test_an_address_without_a_cluster_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match=r"no cluster of Ray at 127\.0\.0\.1:1") as caught:
        sweep(study_of(1), tmp_path, backend="ray", address="127.0.0.1:1")
    assert not isinstance(caught.value, StudyError)
