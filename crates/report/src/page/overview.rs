//! What a reader sees first: every scenario under every scheduler, and the verdicts.

use crate::study::{Chapter, Column, Kind, Measure, Stage, Study};
use maud::{Markup, html};

/// The table of all stages.
pub(super) fn overview(study: &Study) -> Markup {
    let schedulers = study.schedulers();
    html! {
        section.overview aria-labelledby="overview" {
            h2 #overview { "Overview" }
            table.overview {
                thead {
                    tr {
                        th scope="col" { "Scenario" }
                        @for scheduler in &schedulers { th scope="col" { (scheduler) } }
                    }
                }
                @for (chapter, stage) in study.stages() {
                    (row(chapter, stage, &schedulers))
                }
            }
            p.key {
                span.best { "best" }
                " marks what is as good as the best of its row, where there is a difference."
            }
        }
    }
}

fn row(chapter: &Chapter, stage: &Stage, schedulers: &[&str]) -> Markup {
    let main = stage.measures.first();
    html! {
        tbody {
            tr {
                th scope="row" {
                    a href={ "#" (stage.id) } { (chapter.title()) }
                    div.where {
                        (stage.device.name())
                        @if let Some(measure) = main { " · " (measure.name) }
                    }
                }
                @for scheduler in schedulers {
                    td data-label=(scheduler) {
                        @for (place, column) in stage.columns.iter().enumerate() {
                            @if column.run.scheduler == **scheduler {
                                (cell(stage, place, column, main))
                            }
                        }
                    }
                }
            }
            tr.verdict { td colspan=(schedulers.len() + 1) { (stage.verdict.join(" ")) } }
        }
    }
}

fn cell(stage: &Stage, place: usize, column: &Column, main: Option<&Measure>) -> Markup {
    let value = main.and_then(|measure| Some((measure, (*measure.values.get(place)?)?)));
    let throughput = stage.measures.iter().find(|measure| measure.kind == Kind::Throughput);
    let beside = throughput.filter(|_| main.is_some_and(|main| main.kind != Kind::Throughput));
    let mut aside = vec![column.variant().to_owned()];
    aside.extend(beside.and_then(|of| of.values[place]).map(|value| Kind::Throughput.show(value)));
    aside.retain(|text| !text.is_empty());
    html! {
        div.figure {
            @if let Some((measure, value)) = value {
                @let best = measure.tells_apart() && measure.is_best(value);
                span class=(if best { "best" } else { "other" }) { (measure.kind.show(value)) }
            } @else {
                span.other { "–" }
            }
            @if !aside.is_empty() { span.aside { (aside.join(" · ")) } }
        }
    }
}

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
