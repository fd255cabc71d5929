# SPDX-License-Identifier: MIT OR Apache-2.0
"""How much one figure differs from another, over the seeds, and whether that counts.

Cells with the same seed have the same random choices, so they are compared in pairs.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.99
"""Of every interval: Student's t over the seeds."""

COUNTS_RATIO = 1.05
"""A ratio counts if its whole interval is beyond this, or below its reciprocal."""

COUNTS_POINTS = 0.02
"""A difference of shares counts if its whole interval is beyond two percentage points."""

BySeed = Mapping[int, float]


@dataclass(frozen=True)
class Interval:
    """A value, and between what it lies; without an interval if there is one seed only."""

    value: float
    low: float
    high: float

    def to_exp(self) -> "Interval":
        """The same of exponentials."""
        return Interval(*(math.exp(x) for x in (self.value, self.low, self.high)))


def interval(values: list[float]) -> Interval:
    """The mean of some values, with its interval."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return Interval(mean, -math.inf, math.inf)
    t = stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)
    half = float(t * np.std(values, ddof=1) / math.sqrt(len(values)))
    return Interval(mean, mean - half, mean + half)


def ratio(of: BySeed, to: BySeed) -> Interval | None:
    """The geometric mean of the ratios of pairs; None if there is no pair.

    >>> ratio({1: 2.0, 2: 4.0}, {1: 1.0, 2: 2.0})
    Interval(value=2.0, low=2.0, high=2.0)
    """
    found = ratios(of, to)
    return interval([math.log(one) for one in found.values()]).to_exp() if found else None


def ratios(of: BySeed, to: BySeed) -> dict[int, float]:
    """The ratio of each pair, by seed."""
    seeds = [seed for seed in of if seed in to and of[seed] > 0 and to[seed] > 0]
    return {seed: of[seed] / to[seed] for seed in seeds}


def difference(of: BySeed, to: BySeed) -> Interval | None:
    """The mean of the differences of pairs; None if there is no pair."""
    values = [of[seed] - to[seed] for seed in of if seed in to]
    return interval(values) if values else None


def side_of_ratio(found: Interval | None) -> int:
    """-1 if it is less, 1 if it is more, 0 if neither counts."""
    if found is None:
        return 0
    return int(found.low > COUNTS_RATIO) - int(found.high < 1 / COUNTS_RATIO)


def side_of_difference(found: Interval | None) -> int:
    """-1 if it is less, 1 if it is more, 0 if neither counts."""
    if found is None:
        return 0
    return int(found.low > COUNTS_POINTS) - int(found.high < -COUNTS_POINTS)


def with_bounds(found: Interval, scale: float = 1.0) -> str:
    """A value in units of ``scale``, with its interval if there is one: ``0.35 [0.31–0.4]``."""
    text = _three(found.value / scale)
    if math.isinf(found.high):
        return text
    return f"{text} [{_three(found.low / scale)}–{_three(found.high / scale)}]"


def _three(value: float) -> str:
    """Three digits that count, and no exponent."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{float(f'{value:.3g}'):.0f}"
