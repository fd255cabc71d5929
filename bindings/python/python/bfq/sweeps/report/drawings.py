# SPDX-License-Identifier: MIT OR Apache-2.0
"""The drawings of a report, as SVG: settings by job as colours, latency against throughput."""

import math
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from .outcomes import Outcomes, Setup
from .verdicts import Point, changes, front, points

# Blue and orange differ for every eye; both drawings have their numbers in the tables, too.
_COLORS = "PuOr_r"
_WIDEST = 4.0
_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "bfq", "font.size": 8, "svg.fonttype": "none"}


def draw_settings(outcomes: Outcomes, device: str, path: Path) -> None:
    """Ratios of wait and of throughput, a row a setting, a column a job."""
    setups = list(outcomes.changed())
    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(11, 1.8 + 0.19 * len(setups)), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        rows = [changes(outcomes, device, setup) for setup in setups]
        waits = [[c.wait.value if c.wait else math.nan for c in row] for row in rows]
        speeds = [[c.throughput.value if c.throughput else math.nan for c in row] for row in rows]
        _heat(figure, left, waits, "wait beside the default (less is better)")
        # Less throughput is worse, more wait is worse: the same colour for both.
        _heat(figure, right, speeds, "throughput beside the default (more is better)", flip=True)
        for axes in (left, right):
            axes.set_xticks(range(len(outcomes.jobs)), outcomes.jobs, rotation=40, ha="right")
        left.set_yticks(range(len(setups)), [s.with_settings(s.tunables) for s in setups])
        figure.suptitle(device)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _heat(
    figure: Figure, axes: Axes, values: list[list[float]], title: str, *, flip: bool = False
) -> None:
    colors = _COLORS.removesuffix("_r") if flip else _COLORS
    scale = LogNorm(1 / _WIDEST, _WIDEST, clip=True)
    image = axes.imshow(values, aspect="auto", cmap=colors, norm=scale, interpolation="nearest")
    axes.set_title(title)
    bar = figure.colorbar(image, ax=axes, ticks=[0.25, 0.5, 1, 2, 4], shrink=0.6)
    bar.ax.set_yticklabels(["≤ ¼", "½", "1", "2", "≥ 4"])
    bar.ax.minorticks_off()


def draw_fronts(outcomes: Outcomes, references: list[Setup], path: Path) -> None:
    """Each setup as a point, a panel a device and reference; the front as a line."""
    drawn = list(product(outcomes.devices, references))
    columns = min(3, len(drawn))
    rows = math.ceil(len(drawn) / columns)
    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(3.6 * columns, 3.2 * rows), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).flat
        for axes, (device, reference) in zip(panels, drawn, strict=False):
            _front(axes, outcomes, device, reference)
        for axes in list(figure.axes)[len(drawn) :]:
            axes.set_axis_off()
        figure.savefig(path, format="svg", metadata={"Date": None})


def _front(axes: Axes, outcomes: Outcomes, device: str, reference: Setup) -> None:
    every = points(outcomes, device, reference)
    changed = [p for p in every if p.setup.tunables]
    axes.scatter(*_places(changed), s=9, c="#8073ac")
    axes.plot(*_places(front(every)), c="#e08214", lw=1)
    for place, names in _schedulers(every).items():
        axes.plot(*place, "ks", ms=4)
        axes.annotate(", ".join(names), place, (3, 3), textcoords="offset points")
    axes.set_yscale("log")
    axes.set_title(device)
    axes.set_xlabel(f"throughput beside {reference}")
    axes.set_ylabel(f"wait beside {reference}")


def _places(found: list[Point]) -> tuple[list[float], list[float]]:
    """Throughputs, and waits."""
    return [p.throughput.value for p in found], [p.wait.value for p in found]


def _schedulers(every: list[Point]) -> dict[tuple[float, float], list[str]]:
    """The schedulers as they come, by place: those in one place have one label."""
    places: dict[tuple[float, float], list[str]] = {}
    for point in every:
        if not point.setup.tunables:
            place = (round(point.throughput.value, 2), float(f"{point.wait.value:.2g}"))
            places.setdefault(place, []).append(point.setup.scheduler)
    return places
