# SPDX-License-Identifier: MIT OR Apache-2.0
"""The text of a report, in Markdown."""

from collections.abc import Iterable
from itertools import product
from textwrap import TextWrapper

from ..row import STATUSES
from .effects import (
    CONFIDENCE,
    COUNTS_POINTS,
    COUNTS_RATIO,
    Interval,
    interval,
    ratio,
    side_of_difference,
    side_of_ratio,
    with_bounds,
)
from .outcomes import Outcomes, Setup
from .verdicts import Change, Point, changes, front, points, times

FRONT = "front.svg"

_WRAPPER = TextWrapper(
    width=100, subsequent_indent="", break_long_words=False, break_on_hyphens=False
)


def text_of(outcomes: Outcomes, command: str) -> str:
    """The whole report."""
    parts = [
        f"# {outcomes.study['title']}",
        _beginning(outcomes, command),
        *_reasons(outcomes),
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
        f"Cells: {cells}; {len(outcomes.seeds)} seeds. Simulated by bfq "
        f"{outcomes.study['version']}. Written by `{command}`.\n\n"
        f"Intervals, in brackets, are of {CONFIDENCE:.0%} (Student's t over the seeds, in pairs of "
        f"the same seed). A ratio counts if its whole interval is beyond {COUNTS_RATIO:g} or below "
        f"1/{COUNTS_RATIO:g}; a share, if it is beyond {COUNTS_POINTS:.0%} of all bytes."
    )


def _reasons(outcomes: Outcomes) -> Iterable[str]:
    """Why some cells have no result."""
    if lines := outcomes.reasons.lines():
        yield "Cells without a result:"
        yield "\n".join(f"* {line}" for line in lines)


def _winners(outcomes: Outcomes) -> Iterable[str]:
    schedulers = list(outcomes.schedulers())
    rivals = "each other one" + " of the same settings" * (len(outcomes.references()) > 1)
    yield (
        "Each scheduler as it comes. First the wait (less is better), then the throughput. In "
        f"bold: better than {rivals} by a difference that counts."
    )
    for job in outcomes.jobs:
        about = outcomes.study["jobs"].get(job, {}).get("about") or job
        wait = outcomes.wait_of(job)
        yield f"### {about[0].upper()}{about[1:]} (`{job}`)"
        yield f"Wait: `{wait}`." if wait else "No user waits in it: throughput only."
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
    rivals = [one for one in schedulers if one != setup and one.settings == setup.settings]
    others = [outcomes.of(job, device, rival) for rival in rivals]
    waits = all(side_of_ratio(ratio(figures.wait, other.wait)) < 0 for other in others)
    fast = all(side_of_ratio(ratio(figures.throughput, o.throughput)) > 0 for o in others)
    parts = []
    if figures.wait:
        parts.append(_bold(_time(list(figures.wait.values())), waits and bool(others)))
    speed = with_bounds(_not_negative(interval(list(figures.throughput.values()))), 1e6)
    parts.append(_bold(f"{speed} MB/s", fast and bool(others)))
    if figures.unfairness:
        off = with_bounds(_not_negative(interval(list(figures.unfairness.values()))), 0.01)
        parts.append(f"{off} points off")
    return ", ".join(parts)


def _bold(text: str, bold: bool) -> str:
    return f"**{text}**" if bold else text


def _not_negative(found: Interval) -> Interval:
    return Interval(found.value, *(max(0.0, x) for x in (found.low, found.high)))


def _time(values: list[float]) -> str:
    """A time in a fit unit, with its interval."""
    found = _not_negative(interval(values))
    units = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))
    unit, scale = next((u for u in units if found.value >= u[1]), ("ns", 1.0))
    return f"{with_bounds(found, scale)} {unit}"


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
    yield (
        "How much each setting changes, by disk and job, each with its interval. In bold: a "
        "difference that counts."
    )
    for device in outcomes.devices:
        yield f"### Settings on {device}"
        yield f"![What each setting changes on {device}]({name_of_drawing(device)})"
        yield from _sensitivities(outcomes, device)


def _sensitivities(outcomes: Outcomes, device: str) -> Iterable[str]:
    """A table for each figure: a row a setting, a column a job that has the figure."""
    every = {setup: changes(outcomes, device, setup) for setup in outcomes.changed()}
    for title, text in (
        ("Wait, beside that of the scheduler as it comes (less is better)", _wait),
        ("Throughput, beside that of the scheduler as it comes (more is better)", _throughput),
        ("Points further off the due share than the scheduler as it comes", _share),
    ):
        cells = {setup: [text(change) for change in found] for setup, found in every.items()}
        columns = [c for c in range(len(outcomes.jobs)) if any(row[c] for row in cells.values())]
        if not columns:
            continue
        yield f"{title}:"
        head = ["", *(outcomes.jobs[column] for column in columns)]
        rows = [[f"`{s}`", *(row[column] for column in columns)] for s, row in cells.items()]
        yield table([head, *rows])


def _wait(change: Change) -> str:
    return _effect(change.wait, side_of_ratio(change.wait))


def _throughput(change: Change) -> str:
    return _effect(change.throughput, side_of_ratio(change.throughput))


def _share(change: Change) -> str:
    return _effect(change.unfairness, side_of_difference(change.unfairness), 0.01)


def _effect(found: Interval | None, side: int, scale: float = 1.0) -> str:
    return _bold(with_bounds(found, scale), side != 0) if found else ""


def _fronts(outcomes: Outcomes) -> Iterable[str]:
    references = outcomes.references()
    if not references:
        yield "No scheduler was simulated as it comes, to compare with."
        return
    beside = ", ".join(f"`{reference}`" for reference in references)
    same = ", that of the same settings" * (len(references) > 1)
    yield (
        f"Each setup over all jobs: the geometric means of wait and throughput beside {beside}"
        f"{same}. Listed are those that no other beats in both, from the shortest wait to the most "
        "throughput."
    )
    rows = [["device", "setup", "wait", "throughput"]]
    for device, reference in product(outcomes.devices, references):
        rows += [_point(device, point) for point in front(points(outcomes, device, reference))]
    yield table(rows)
    yield f"![Latency against throughput]({FRONT})"


def _point(device: str, point: Point) -> list[str]:
    return [device, f"`{point.setup}`", times(point.wait), times(point.throughput)]


def table(rows: list[list[str]]) -> str:
    """A table in Markdown, the first row its head."""
    head, *others = rows
    lines = [head, ["---"] * len(head), *others]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
