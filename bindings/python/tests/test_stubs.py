# SPDX-License-Identifier: MIT OR Apache-2.0
"""Types are right: those of the Python half among themselves, and those of the Rust half."""

import re
import subprocess
import sys
from pathlib import Path

import bfq

PROJECT = Path(__file__).resolve().parents[1]


def checked(*words: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", *words], cwd=PROJECT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_types():
    checked("mypy", "--cache-dir", "/dev/null")


def test_types_of_the_first_example(tmp_path):
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"(?s)```python\n(.*?)```", readme)
    path = tmp_path / "example.py"
    path.write_text(example, encoding="utf-8")
    checked("mypy", "--cache-dir", "/dev/null", str(path))


def test_stubs_of_the_rust_half():
    checked("mypy.stubtest", "bfq._bfq", "--mypy-config-file", "pyproject.toml")


def test_everything_has_words():
    for name in [*bfq.__all__, "sweep", "sweep_report"]:
        thing = getattr(bfq, name)
        assert (thing.__doc__ or "").strip(), name
        for key, member in vars(thing).items() if isinstance(thing, type) else ():
            if not key.startswith("_") and (callable(member) or isinstance(member, property)):
                assert member.__doc__, f"{name}.{key}"
