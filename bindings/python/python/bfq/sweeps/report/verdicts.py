# SPDX-License-Identifier: MIT OR Apache-2.0
"""Whether a setup is better or worse than its scheduler as it comes, job by job."""

import math
from dataclasses import dataclass

from .effects import (
    Interval,
    difference,
    interval,
    ratio,
    ratios,
    side_of_difference,
    side_of_ratio,
    with_bounds,
)
from .outcomes import Outcomes, Setup


@dataclass(frozen=True)
class Change:
    """What a setup changes in one job on one device."""

    job: str
    wait: Interval | None
    throughput: Interval | None
    unfairness: Interval | None

    def gains(self) -> bool:
        """Something gets better that counts."""
        return 1 in self._sides()

    def harms(self) -> bool:
        """Something gets worse that counts."""
        return -1 in self._sides()

    def _sides(self) -> tuple[int, int, int]:
        """Better 1, worse -1, of each figure."""
        return (
            -side_of_ratio(self.wait),
            side_of_ratio(self.throughput),
            -side_of_difference(self.unfairness),
        )

    def sentence(self) -> str:
        """What changes, of that which counts."""
        wait, throughput, unfairness = self._sides()
        parts = []
        if wait and self.wait:
            parts.append(f"wait {times(self.wait)}")
        if throughput and self.throughput:
            parts.append(f"throughput {times(self.throughput)}")
        if unfairness and self.unfairness:
            points = self.unfairness.value * 100
            parts.append(f"{abs(points):.0f} points {'nearer to' if points < 0 else 'off'} its due")
        return f"{self.job}: {', '.join(parts)}"


def change(outcomes: Outcomes, job: str, device: str, setup: Setup) -> Change:
    """What a setup changes in a job on a device, beside its scheduler as it comes."""
    of = outcomes.of(job, device, setup)
    to = outcomes.of(job, device, setup.plain())
    return Change(
        job,
        ratio(of.wait, to.wait),
        ratio(of.throughput, to.throughput),
        difference(of.unfairness, to.unfairness),
    )


def changes(outcomes: Outcomes, device: str, setup: Setup) -> list[Change]:
    """The same of all jobs."""
    return [change(outcomes, job, device, setup) for job in outcomes.jobs]


@dataclass(frozen=True)
class Point:
    """A setup on a device, over all jobs: geometric means beside the reference."""

    setup: Setup
    wait: Interval
    throughput: Interval


def points(outcomes: Outcomes, device: str, reference: Setup) -> list[Point]:
    """Each setup on a device with the settings of the reference, for the front of both."""
    return [
        point
        for setup in outcomes.setups
        if setup.settings == reference.settings
        and (point := _point(outcomes, device, setup, reference)) is not None
    ]


def front(candidates: list[Point]) -> list[Point]:
    """Those that no other beats in both, by ascending wait."""
    best: list[Point] = []
    for point in sorted(candidates, key=lambda p: (p.wait.value, -p.throughput.value)):
        if not best or point.throughput.value > best[-1].throughput.value:
            best.append(point)
    return best


def _point(outcomes: Outcomes, device: str, setup: Setup, reference: Setup) -> Point | None:
    waits, throughputs = [], []
    for job in outcomes.jobs:
        of, to = (outcomes.of(job, device, which) for which in (setup, reference))
        if not of.throughput or not to.throughput:
            return None  # It was not simulated with every job: its mean would be of others.
        throughputs.append(ratios(of.throughput, to.throughput))
        waits.extend([ratios(of.wait, to.wait)] if of.wait else [])
    wait, throughput = _over_all(waits), _over_all(throughputs)
    return Point(setup, wait, throughput) if wait and throughput else None


def _over_all(by_job: list[dict[int, float]]) -> Interval | None:
    """The geometric mean over the jobs, with its interval over the seeds that all jobs have."""
    if not by_job:
        return None
    seeds = [seed for seed in by_job[0] if all(seed in job for job in by_job)]
    means = [sum(math.log(job[seed]) for job in by_job) / len(by_job) for seed in seeds]
    return interval(means).to_exp() if means else None


def times(found: Interval) -> str:
    """A ratio with its interval: ``× 0.35 [0.31–0.40]``."""
    return f"× {with_bounds(found)}"
