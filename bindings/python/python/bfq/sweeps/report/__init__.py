# SPDX-License-Identifier: MIT OR Apache-2.0
"""What came out of a sweep: which scheduler wins where, which tunables matter, what they cost."""

from .writing import sweep_report

__all__ = ["sweep_report"]
