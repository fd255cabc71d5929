# SPDX-License-Identifier: MIT OR Apache-2.0
"""The text of a report, in Markdown."""

import math
from collections.abc import Iterable
from textwrap import TextWrapper

from ..row import STATUSES
from .effects import CONFIDENCE, COUNTS_POINTS, COUNTS_RATIO, interval, ratio, side_of_ratio
from .outcomes import Outcomes, Setup
from .verdicts import Point, changes, front, points

FRONT = "front.svg"

_WRAPPER = TextWrapper(
    width=100, subsequent_indent="", break_long_words=False, break_on_hyphens=False
)


def text_of(outcomes: Outcomes, command: str) -> str:
    """The whole report."""
    parts = [
        f"# {outcomes.study['title']}",
        _beginning(outcomes, command),
        "## Which scheduler wins where",
        *_winners(outcomes),
    ]
    if any(outcomes.changed()):
        parts += ["## What each setting changes", *_settings(outcomes)]
    parts += ["## Latency against throughput", *_fronts(outcomes)]
    return "\n\n".join(_wrapped(part) for part in parts) + "\n"


def _wrapped(part: str) -> str:
    """A part in lines of a fit width; tables stay, for each of their rows is one line."""
    if part.startswith(("|", "#", "!")):
        return part
    return "\n".join(_WRAPPER.fill(line) if line else "" for line in part.split("\n"))


def name_of_drawing(device: str) -> str:
    """The file of the drawing of a device's settings."""
    return f"settings-{device.replace(':', '-').replace('=', '-').replace('/', '-')}.svg"


def _beginning(outcomes: Outcomes, command: str) -> str:
    statuses = outcomes.statuses
    cells = ", ".join(f"{count:,} {STATUSES[status]}" for status, count in statuses.most_common())
    return (
        f"Cells: {cells}; {len(outcomes.seeds)} seeds. Written by `{command}`.\n\n"
        f"Intervals, in brackets, are of {CONFIDENCE:.0%} (Student's t over the seeds, in pairs of "
        f"the same seed). A ratio counts if its whole interval is beyond {COUNTS_RATIO:g} or below "
        f"1/{COUNTS_RATIO:g}; a share, if it is beyond {COUNTS_POINTS:.0%} of all bytes."
    )


def _winners(outcomes: Outcomes) -> Iterable[str]:
    schedulers = list(outcomes.schedulers())
    yield (
        "Each scheduler as it comes. First the wait (less is better), then the throughput. In "
        "bold: better than each other one by a difference that counts."
    )
    for job in outcomes.jobs:
        about = outcomes.study["jobs"].get(job, {}).get("about") or job
        wait = outcomes.wait_of(job)
        yield f"### {about[0].upper()}{about[1:]} (`{job}`)"
        yield f"Wait: `{wait}`." if wait else "Nobody waits in it: throughput only."
        head = ["", *(str(setup) for setup in schedulers)]
        rows = [
            [device, *(_cell(outcomes, job, device, setup, schedulers) for setup in schedulers)]
            for device in outcomes.devices
        ]
        yield table([head, *rows])


def _cell(outcomes: Outcomes, job: str, device: str, setup: Setup, schedulers: list[Setup]) -> str:
    figures = outcomes.of(job, device, setup)
    if not figures.throughput:
        return "–"
    others = [outcomes.of(job, device, other) for other in schedulers if other != setup]
    waits = all(side_of_ratio(ratio(figures.wait, other.wait)) < 0 for other in others)
    fast = all(side_of_ratio(ratio(figures.throughput, o.throughput)) > 0 for o in others)
    parts = []
    if figures.wait:
        parts.append(_bold(_time(list(figures.wait.values())), waits and bool(others)))
    speed = interval(list(figures.throughput.values())).value / 1e6
    parts.append(_bold(f"{speed:.3g} MB/s", fast and bool(others)))
    if figures.unfairness:
        off = interval(list(figures.unfairness.values())).value * 100
        parts.append(f"{off:.1f} points off")
    return ", ".join(parts)


def _bold(text: str, bold: bool) -> str:
    return f"**{text}**" if bold else text


def _time(values: list[float]) -> str:
    """A time in a fit unit, with its interval."""
    found = interval(values)
    unit, scale = next(
        (u, s) for u, s in (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)) if found.value >= s
    ) if found.value >= 1 else ("ns", 1.0)  # fmt: skip
    text = f"{found.value / scale:.3g}"
    if not math.isinf(found.high):
        low, high = (max(0.0, x) / scale for x in (found.low, found.high))
        text += f" [{low:.3g}–{high:.3g}]"
    return f"{text} {unit}"


def _settings(outcomes: Outcomes) -> Iterable[str]:
    yield (
        "In how many of the jobs something gets better (+) or worse (−) by a difference that "
        "counts, beside the scheduler as it comes; nothing where no difference counts. In bold: "
        "better in some, and worse in none."
    )
    rows = [["", *outcomes.devices]]
    better = []
    for setup in outcomes.changed():
        row = [f"`{setup}`"]
        for device in outcomes.devices:
            found = changes(outcomes, device, setup)
            gains = [change for change in found if change.gains()]
            harms = [change for change in found if change.harms()]
            text = " ".join([f"+{len(gains)}"] * bool(gains) + [f"−{len(harms)}"] * bool(harms))
            row.append(_bold(text, bool(gains) and not harms))
            if gains and not harms:
                said = "; ".join(change.sentence() for change in gains)
                better.append(f"* `{setup}` on {device}: {said}")
        rows.append(row)
    yield table(rows)
    if better:
        yield "Better in some jobs, and worse in none:"
        yield "\n".join(better)
    for device in outcomes.devices:
        yield f"![What each setting changes on {device}]({name_of_drawing(device)})"


def _fronts(outcomes: Outcomes) -> Iterable[str]:
    reference = next(outcomes.schedulers(), None)
    if reference is None:
        yield "No scheduler was simulated as it comes, to compare with."
        return
    yield (
        "Each setup over all jobs: the geometric means of wait and throughput beside "
        f"`{reference}`. Listed are those that no other beats in both, from the shortest wait to "
        "the most throughput."
    )
    rows = [["device", "setup", "wait", "throughput"]]
    for device in outcomes.devices:
        rows += [_point(device, point) for point in front(points(outcomes, device, reference))]
    yield table(rows)
    yield f"![Latency against throughput]({FRONT})"


def _point(device: str, point: Point) -> list[str]:
    return [device, f"`{point.setup}`", f"× {point.wait:.3g}", f"× {point.throughput:.3g}"]


def table(rows: list[list[str]]) -> str:
    """A table in Markdown, the first row its head."""
    head, *others = rows
    lines = [head, ["---"] * len(head), *others]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
