# SPDX-License-Identifier: MIT OR Apache-2.0
"""What tests share: where the repository and the command are."""

import os
import sys
from pathlib import Path

import pytest

# Notebooks and types are tested with the packages of requirements.txt, which want Python 3.11.
if sys.version_info < (3, 11):
    collect_ignore = ["test_notebooks.py", "test_stubs.py"]

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def command() -> str:
    """The command ``bfq``, of the same commit."""
    path = Path(os.environ.get("BFQ", REPOSITORY / "target/release/bfq"))
    assert path.exists(), f"{path} is not there: make build, or BFQ=PATH"
    return str(path)
