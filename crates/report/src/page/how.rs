// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the drawings mean.

use maud::{Markup, html};

/// What the drawings mean: names, and what there is to say of each.
const DRAWINGS: [(&str, &str); 6] = [
    (
        "Colours",
        "Within a scenario each job has one colour everywhere; the one that the scenario is about \
         has the first of the palette. Groups are grey.",
    ),
    (
        "Throughput, shares",
        "A bar for each scheduler, made of the jobs or groups. Marks on the shares show where the \
         weights put the borders.",
    ),
    (
        "Latency",
        "How many I/Os took how long, on a logarithmic axis. Heights are square roots, so that the \
         few slow ones are seen. The long mark is the median, the short one the 99 % percentile, \
         the dot the longest.",
    ),
    ("Throughput over time", "What the jobs moved, stacked, to the same scale for all schedulers."),
    (
        "Schedule",
        "A lane for each process (or job), around the time when the last one begins. A tint is a \
         turn of its queue on the disk; a bar is the device at work for it; a thin line a request \
         that waits in the device; a dark line the disk kept idle for it. Queues that processes \
         share have lanes of their own. Ticks below say why turns ended and what else was decided, \
         in the colour of whom it was about. Schedulers that have no turns, or tell nothing, show \
         only requests.",
    ),
    (
        "Head",
        "Where on a hard disk was read and written. Thin lines are the way from one request to the \
         next: steep ones are seeks.",
    ),
];

/// The keys of a schedule that has the focus.
const KEYS: [(&str, &str); 7] = [
    ("+", "zooms in"),
    ("−", "zooms out"),
    ("← →", "move"),
    ("0", "shows what was seen first"),
    ("a", "shows all that was recorded"),
    ("n", "reads out the next turn"),
    ("p", "reads out the one before"),
];

/// What the drawings mean, to be unfolded.
pub(super) fn how_to_read() -> Markup {
    html! {
        details.how {
            summary { "How to read the drawings" }
            dl {
                @for (name, meaning) in DRAWINGS { dt { (name) } dd { (meaning) } }
                dt { "Keys, with the focus on a schedule" }
                dd {
                    @for (place, (key, does)) in KEYS.iter().enumerate() {
                        @if place > 0 { ", " }
                        kbd { (key) } " " (does)
                    }
                    "."
                }
            }
        }
    }
}
