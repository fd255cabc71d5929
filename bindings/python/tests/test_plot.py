# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures have what the results have."""

import io

import bfq
import bfq.plot
import pytest
from matplotlib.figure import Figure

LOAD = bfq.Job(
    {
        "global": {"rw": "read", "size": "64m", "bs": "128k", "time_based": True, "runtime": 2},
        "light": {"cgroup": "light", "cgroup_weight": 100},
        "heavy": {"cgroup": "heavy", "cgroup_weight": 300},
    }
)


@pytest.fixture(scope="module")
def results():
    return bfq.simulate_many(LOAD, schedulers=["bfq", "none"])


def png(figure) -> bytes:
    return figure._repr_png_() if hasattr(figure, "_repr_png_") else saved(figure)


def saved(figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def test_bars_are_as_long_as_the_shares(results):
    figure = bfq.plot.shares(results)
    axes = figure.axes[0]
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == [share for result in results for share in result.jobs["share"]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["bfq", "none"]
    # The mark of the weights: at a quarter.
    assert [list(line.get_xdata()) for line in axes.lines] == [[0.25, 0.25]] * 2
    assert png(figure).startswith(b"\x89PNG")


def test_marks_follow_the_weights_down_the_groups():
    def marks(*groups):
        sections = {
            f"job{place}": {"rw": "read", "size": "1m", "cgroup": group, "cgroup_weight": weight}
            for place, (group, weight) in enumerate(groups)
        }
        axes = bfq.plot.shares(bfq.simulate(bfq.Job(sections), groups=inner)).axes[0]
        return [line.get_xdata()[0] for line in axes.lines]

    inner = {"prod": 300}
    assert marks(("dev", 100), ("prod/web", 200), ("prod/db", 600)) == [0.25, 0.25 + 0.1875]
    # A job beside groups has no weight that is told.
    assert marks(("prod", 300), ("prod/web", 200)) == []


def test_numbers_in_bars_can_be_read():
    inks = {color: bfq.plot._ink(color) for color in bfq.plot.COLORS}
    assert inks["#0072b2"] == "white"
    assert {inks[color] for color in ("#e69f00", "#56b4e9", "#b9bec4")} == {"black"}


def test_curves_of_latencies_fall_from_all_to_the_slowest(results):
    axes = bfq.plot.latencies(results[0]).axes[0]
    assert len(axes.lines) == 2
    for line in axes.lines:
        parts = list(line.get_ydata())
        assert parts[0] == 1 and parts == sorted(parts, reverse=True) and parts[-1] > 0
    two = bfq.plot.latencies(results, job="light", kind="read")
    assert [text.get_text() for text in two.axes[0].get_legend().get_texts()] == ["bfq", "none"]
    png(two)
    with pytest.raises(bfq.UsageError, match="'nobody'"):
        bfq.plot.latencies(results, job="nobody")


def test_a_schedule_has_a_row_for_each_process(results):
    for result in results:
        figure = bfq.plot.schedule(result)
        labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert sorted(labels) == ["heavy", "light"]
        png(figure)
    with pytest.raises(bfq.UsageError, match="no schedule"):
        bfq.plot.schedule(bfq.simulate(LOAD, timeline=0))


def test_throughput_adds_up_to_what_was_moved(results):
    figure = bfq.plot.throughput(results[0])
    slot_s = results[0].run["plots"]["throughput"]["slot_ns"] / 1e9
    moved = sum(sum(line.get_ydata()) for line in figure.axes[0].lines) * slot_s * 1e6
    assert moved == pytest.approx(sum(results[0].jobs["io_bytes"]), rel=0.01)
    png(figure)


def test_jobs_of_one_name_are_told_apart():
    load = [
        ("a", {"rw": "randread", "bs": "4k", "size": "1m"}),
        ("a", {"rw": "randread", "bs": "64k", "size": "4m", "stonewall": True}),
    ]
    result = bfq.simulate(bfq.Job(load))
    assert set(zip(result.latencies["job"], result.latencies["job_row"])) == {("a", 0), ("a", 1)}
    lines = bfq.plot.latencies(result).axes[0].lines
    assert len(lines) == 2
    for line in lines:
        assert list(line.get_ydata()) == sorted(line.get_ydata(), reverse=True)
    bars = bfq.plot.shares(result).axes[0]
    assert len({bar.get_facecolor() for bar in bars.patches}) == 2
    axes = bfq.plot.throughput(result).axes[0]
    slot_s = result.run["plots"]["throughput"]["slot_ns"] / 1e9
    moved = [sum(line.get_ydata()) * slot_s for line in axes.lines]
    assert moved == pytest.approx([size / 1e6 for size in result.jobs["io_bytes"]])
    for drawn in (axes, bars, bfq.plot.latencies(result, job="a", kind="read").axes[0]):
        assert [text.get_text() for text in drawn.get_legend().get_texts()] == ["a", "a (2)"]


def test_axes_of_ones_own_are_drawn_into(results):
    figure = Figure()
    axes = figure.subplots(4)
    drawn = [
        bfq.plot.shares(results, ax=axes[0]),
        bfq.plot.latencies(results, ax=axes[1]),
        bfq.plot.schedule(results[0], ax=axes[2]),
        bfq.plot.throughput(results[0], ax=axes[3]),
    ]
    assert all(one is figure for one in drawn)
    assert len(set(bfq.plot.COLORS)) == 8
    png(figure)
    with pytest.raises(bfq.UsageError):
        bfq.plot.shares([])
