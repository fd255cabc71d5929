# SPDX-License-Identifier: MIT OR Apache-2.0
"""What one cell may take, and how often it is tried again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of each cell."""

    seconds: float = 60.0
    memory_bytes: int = 1 << 30
    retries: int = 2
    """How often a cell is tried again whose process, or machine, has ended."""
