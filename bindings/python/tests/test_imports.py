# SPDX-License-Identifier: MIT OR Apache-2.0
"""The package loads where nothing but Python is, and says what a sweep needs more."""

import subprocess
import sys

import pytest

# What the extras bring is not there.
ALONE = """
import sys
extras = {"matplotlib", "numpy", "pandas", "polars", "pyarrow", "ray", "rich", "scipy"}
class Nowhere:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in extras:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nowhere)
"""


def run_alone(script: str) -> str:
    run = subprocess.run([sys.executable, "-c", ALONE + script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_everything_that_is_exported_loads_without_other_packages():
    script = "from bfq import *\nprint(simulate('@two-groups', runtime=0.1).jobs['job'])"
    assert run_alone(script) == "['weight-100', 'weight-300']\n"


@pytest.mark.parametrize("name", ["sweep", "sweep_report"])
def test_a_sweep_says_what_it_needs(name):
    said = run_alone(f"import bfq\ntry: bfq.{name}\nexcept ImportError as error: print(error)")
    if sys.version_info < (3, 11):
        assert said.startswith("bfq.sweeps needs Python 3.11 or newer; this is 3.")
    else:
        assert said.startswith(f"bfq.{name} needs ")
        assert said.endswith(": pip install 'bfq[sweep]'\n")
