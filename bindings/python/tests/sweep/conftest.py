# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sweeps need the extra ``sweep``; without it their tests are skipped."""

import sys

import pytest

if sys.version_info < (3, 11):
    collect_ignore_glob = ["*.py"]
else:
    for module in ("numpy", "pyarrow", "rich", "scipy", "matplotlib"):
        pytest.importorskip(module)
