# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of results, by Matplotlib (the extra ``plot`` of the package).

Each function draws into the Axes that it is given, or into a new Figure, and gives the Figure,
which a notebook shows and ``savefig`` writes. The colours are told apart by colour-blind people,
too (those of Okabe and Ito); what a colour says is said by a label or a place as well.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import UsageError
from .result import Result, time_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS: Sequence[str] = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#e69f00",
    "#56b4e9",
    "#cc79a7",
    "#5c6b7a",
    "#b9bec4",
)
"""The colours of jobs, in their order."""

_LINES = ("-", "--", "-.", ":")


def shares(results: Union[Result, Sequence[Result]], *, ax: Optional[Axes] = None) -> Figure:
    """Draws who got which part of all bytes: a bar for each result, a piece for each job.

    Jobs in control groups with weights have a mark where their piece would end if bytes were shared
    by the weights.
    """
    several = _several(results)
    axes = _axes(ax, height=1.2 + 0.5 * len(several))
    names = _job_names(several)
    for row, result in enumerate(several):
        begin = 0.0
        for name, share in zip(_labels(result), result.jobs["share"]):
            color = _color(names, name)
            axes.barh(row, share, left=begin, color=color, edgecolor="white", height=0.7)
            if share > 0.08:
                text = f"{share:.0%}"
                ink = _ink(color)
                axes.text(begin + share / 2, row, text, ha="center", va="center", color=ink)
            begin += share
        for end in list(accumulate(_due_shares(result)))[:-1]:
            axes.plot([end, end], [row - 0.42, row + 0.42], color="black", lw=1.5, ls=":")
    axes.set_yticks(range(len(several)), [_title(result, several) for result in several])
    axes.invert_yaxis()
    axes.set_xlim(0, max([1.0, *(sum(result.jobs["share"]) for result in several)]))
    axes.xaxis.set_major_formatter(_percent)
    axes.set_xlabel("part of all bytes (dotted: by the weights)")
    _legend(axes, [(name, {"color": _color(names, name), "lw": 6}) for name in names])
    return _figure(axes)


def _ink(ground: str) -> str:
    """White or black: what is read more easily on this colour, by the contrast of WCAG."""
    parts = [int(ground[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "white" if 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 else "black"


def latencies(
    results: Union[Result, Sequence[Result]],
    *,
    job: Optional[str] = None,
    kind: Optional[str] = None,
    ax: Optional[Axes] = None,
) -> Figure:
    """Draws how many I/Os took longer than a time: a line for each job and kind of I/O.

    Both axes are logarithmic, so that the rare slow ones are seen: where a line crosses 1 %, one in
    a hundred took longer. ``job`` and ``kind`` (``"read"``, ``"write"``, ``"trim"``, ``"sync"``)
    choose some. With several results, a colour is a result, else it is a job.
    """
    several = _several(results)
    axes = _axes(ax, height=4.0)
    lines: List[Tuple[str, Dict[str, Any]]] = []
    for place, result in enumerate(several):
        names, labels = result.jobs["job"], _labels(result)
        chosen = {
            (labels[row], what): bins
            for (row, what), bins in _histograms(result).items()
            if job in (None, names[row]) and kind in (None, what)
        }
        for number, ((name, what), bins) in enumerate(chosen.items()):
            words = [_title(result, several)] if len(several) > 1 else []
            words += [name] if name != job else []
            words += [what] if kind is None else []
            style = {
                "color": COLORS[(place if len(several) > 1 else number) % len(COLORS)],
                "ls": _LINES[(number if len(several) > 1 else 0) % len(_LINES)],
            }
            _exceeding(axes, bins, style)
            lines.append((", ".join(words) or name, style))
    if not lines:
        raise UsageError(f"no result has I/O of job {job!r} and kind {kind!r}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(_duration)
    axes.yaxis.set_major_formatter(_percent)
    axes.set_xlabel("latency")
    axes.set_ylabel("I/Os that took longer")
    axes.grid(True, which="major", color="#d9dad6", lw=0.5)
    _legend(axes, lines)
    return _figure(axes)


def schedule(result: Result, *, ax: Optional[Axes] = None) -> Figure:
    """Draws who was served when, in the part of the run that was recorded: a row for each process.

    A bar is what the disk did for it. Under bfq and tfq a pale band is its turn on the disk, and a
    hatched one the time during which the disk was kept idle for it.
    """
    requests = result.requests
    if not len(requests):
        raise UsageError("the result has no schedule; expected simulate(…, timeline=400)")
    names = list(dict.fromkeys(name or "?" for name in requests["who"]))
    rows = {name: row for row, name in enumerate(names)}
    # A job has the same colour in all pictures; processes of one with several follow.
    colored = list(dict.fromkeys([*_job_names([result]), *names]))
    axes = _axes(ax, height=1.2 + 0.45 * len(names))
    for bands, begin, end, style in (
        (result.turns, "from_ns", "until_ns", {"alpha": 0.2, "lw": 0}),
        (result.waits, "from_ns", "until_ns", {"hatch": "////", "lw": 0.5}),
        (requests, "dispatched_ns", "ended_ns", {"lw": 0}),
    ):
        height = 0.5 if bands is requests else 0.9
        for name, row in rows.items():
            pieces = [
                (start / 1e6, (until - start) / 1e6)
                for who, start, until in zip(bands["who"], bands[begin], bands[end])
                if (who or "?") == name
            ]
            color = _color(colored, name)
            filling = "none" if "hatch" in style else color
            axes.broken_barh(
                pieces, (row - height / 2, height), facecolor=filling, edgecolor=color, **style
            )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(min(requests["dispatched_ns"]) / 1e6, max(requests["ended_ns"]) / 1e6)
    axes.set_xlabel("virtual time, ms")
    axes.set_title(_title(result, [result]), loc="left")
    return _figure(axes)


def throughput(result: Result, *, ax: Optional[Axes] = None) -> Figure:
    """Draws bytes a second of each job over time."""
    axes = _axes(ax, height=3.0)
    rows = result.throughput
    slot_ns = int(result.run["plots"]["throughput"]["slot_ns"])
    names = _job_names([result])
    for row, name in enumerate(names):
        points = [
            (at_ns / 1e9, moved / 1e6 / (slot_ns / 1e9))
            for job, at_ns, moved in zip(rows["job_row"], rows["at_ns"], rows["bytes"])
            if job == row
        ]
        if points:
            times, rates = zip(*points)
            axes.step(times, rates, where="post", color=_color(names, name))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("virtual time, s")
    axes.set_ylabel("MB/s")
    axes.set_title(_title(result, [result]), loc="left")
    _legend(axes, [(name, {"color": _color(names, name)}) for name in names])
    return _figure(axes)


def _several(results: Union[Result, Sequence[Result]]) -> Sequence[Result]:
    several = [results] if isinstance(results, Result) else list(results)
    if not several:
        raise UsageError("there is no result to be drawn")
    return several


def _axes(ax: Optional[Axes], *, height: float) -> Axes:
    if ax is not None:
        return ax
    from ._picture import Picture

    return Picture(figsize=(8.0, height), layout="constrained").add_subplot()


def _figure(axes: Axes) -> Figure:
    from matplotlib.figure import Figure

    figure = axes.get_figure(root=True) if hasattr(axes.get_figure(), "parent") else axes.figure
    assert isinstance(figure, Figure)
    return figure


def _job_names(results: Sequence[Result]) -> List[str]:
    return list(dict.fromkeys(name for result in results for name in _labels(result)))


def _labels(result: Result) -> List[str]:
    """What tells the jobs from each other: their names, with a number where one comes again."""
    labels: List[str] = []
    seen: Counter[str] = Counter()
    for name in result.jobs["job"]:
        seen[name] += 1
        labels.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return labels


def _color(names: Sequence[str], name: str) -> str:
    return COLORS[names.index(name) % len(COLORS)]


def _title(result: Result, among: Sequence[Result]) -> str:
    """What tells a result from the others."""
    words = [result.scheduler]
    if len(among) == 1 or len({other.device for other in among}) > 1:
        words.append(f"on {result.device}")
    if len({other.seed for other in among}) > 1:
        words.append(f"seed {result.seed}")
    return " ".join(words)


def _due_shares(result: Result) -> List[float]:
    """The shares of the jobs by the weights of their groups; none if these do not tell them."""
    weights = {
        group: weight
        for group, weight in zip(result.groups["group"], result.groups["weight"])
        if weight is not None
    }
    own = result.jobs["group"]
    # They do not of jobs in one group, of a job beside groups, and of phases.
    shared = len(set(own)) < len(own) or not {_parent(group) for group in weights}.isdisjoint(own)
    if shared or not weights.keys() >= set(own) or any(result.jobs["phase"]):
        return []
    return [_due_share(group, weights) for group in own]


def _due_share(group: str, weights: Mapping[str, int]) -> float:
    """What of all is due to a group: a part of what is due to its parent."""
    if group not in weights:
        return 1.0
    parent = _parent(group)
    siblings = sum(weight for other, weight in weights.items() if _parent(other) == parent)
    return weights[group] / siblings * _due_share(parent, weights)


def _parent(group: str) -> str:
    return group.rpartition("/")[0] or "/"


def _histograms(result: Result) -> Dict[Tuple[int, str], List[Tuple[int, int]]]:
    """For each job, by its row, and kind: where bins end, and how many I/Os they have."""
    table = result.latencies
    histograms: Dict[Tuple[int, str], List[Tuple[int, int]]] = {}
    for row, kind, until_ns, ios in zip(
        table["job_row"], table["kind"], table["until_ns"], table["ios"]
    ):
        histograms.setdefault((row, kind), []).append((until_ns, ios))
    return histograms


def _exceeding(axes: Axes, bins: Sequence[Tuple[int, int]], style: Dict[str, Any]) -> None:
    left = total = sum(ios for _, ios in bins)
    points: List[Tuple[float, float]] = []
    for until_ns, ios in bins:
        points.append((until_ns, left / total))
        left -= ios
    times, parts = zip(*points)
    axes.step(times, parts, where="pre", **style)


def _legend(axes: Axes, entries: Sequence[Tuple[str, Dict[str, Any]]]) -> None:
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], **style) for _, style in entries]
    names = [name for name, _ in entries]
    axes.legend(lines, names, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _percent(part: float, _: object) -> str:
    return f"{part * 100:.3g} %"


def _duration(ns: float, _: object) -> str:
    return time_text(ns)
