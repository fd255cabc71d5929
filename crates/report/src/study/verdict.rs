// SPDX-License-Identifier: MIT OR Apache-2.0
//! A verdict in words: what the schedulers made of what a scenario is about, and what it cost.

use super::measure::Measure;
use crate::study::column::Column;
use crate::study::kind::MeasureKind;

/// One sentence for each of the first measures, and one for throughput.
pub(super) fn verdict(columns: &[Column], measures: &[Measure]) -> Vec<String> {
    const MOST: usize = 3;
    let last = |measure: &&Measure| measure.kind == MeasureKind::Throughput;
    let told = measures.iter().take(MOST).chain(measures.iter().skip(MOST).find(last));
    told.filter_map(|measure| sentence(columns, measure)).collect()
}

/// A scheduler, and the value that it reached.
#[derive(Clone, Copy)]
struct Rated<'a> {
    label: &'a str,
    value: f64,
}

fn sentence(columns: &[Column], measure: &Measure) -> Option<String> {
    let rated = rated(columns, measure);
    let unfinished = unfinished(columns, measure);
    let Some(best) = measure.best() else {
        let who = measure.name.split_once(" of ").map_or("", |(_, who)| who);
        return (!unfinished.is_empty())
            .then(|| format!("The start of “{who}” is {}.", unfinished.join("; ")));
    };
    let (leaders, behind): (Vec<Rated>, Vec<Rated>) =
        rated.iter().partition(|one| measure.is_best(one.value));
    let subject = subject(measure);
    if behind.is_empty() && unfinished.is_empty() {
        let all = rated.len() > 1 && rated.len() == columns.len();
        let leading = if all { "every scheduler".to_owned() } else { names(&leaders) };
        return Some(format!("{subject}{} under {leading}.", about(measure, &leaders)));
    }
    let rest = clusters(&behind).into_iter().map(|cluster| {
        let value = cluster[0].value;
        let figure = match ratio(measure, value, best) {
            Some(ratio) => format!("{} ({ratio})", about(measure, &cluster)),
            None => about(measure, &cluster),
        };
        format!("{figure} under {}", names(&cluster))
    });
    let rest: Vec<String> = rest.chain(unfinished).collect();
    let leading = names(&leaders);
    Some(format!("{subject}{} under {leading}; {}.", about(measure, &leaders), rest.join("; ")))
}

/// That it was not done, of the schedulers of which that is so: the longest time first.
fn unfinished(columns: &[Column], measure: &Measure) -> Vec<String> {
    let of =
        |(&place, &ns): (&usize, &u64)| Rated { label: &columns[place].label, value: ns as f64 };
    let mut all: Vec<Rated> = measure.unfinished_ns.iter().map(of).collect();
    all.sort_by(|one, other| other.value.total_cmp(&one.value));
    let clusters = clusters(&all).into_iter();
    clusters
        .map(|one| format!("not done after {} under {}", about(measure, &one), names(&one)))
        .collect()
}

/// The schedulers in the order of their values, the best first.
fn rated<'a>(columns: &'a [Column], measure: &Measure) -> Vec<Rated<'a>> {
    let values = columns.iter().zip(&measure.values);
    let mut rated: Vec<Rated> = values
        .filter_map(|(column, value)| Some(Rated { label: &column.label, value: (*value)? }))
        .collect();
    rated.sort_by(|one, other| {
        let order = one.value.total_cmp(&other.value);
        if measure.kind.is_cost() { order } else { order.reverse() }
    });
    rated
}

/// How a sentence about a measure begins.
pub(crate) fn subject(measure: &Measure) -> String {
    let who = || measure.name.split_once(" of ").map_or("", |(_, who)| who);
    match measure.kind {
        MeasureKind::StartUp => format!("The start of “{}” takes ", who()),
        MeasureKind::Latency => {
            let (ios, who) = who().split_once(" of ").unwrap_or(("I/Os", who()));
            format!("99 of 100 {ios} of “{}” take at most ", who.trim_end_matches(", 99 %"))
        }
        MeasureKind::Shares => "Shares are off their weights by ".to_owned(),
        MeasureKind::Share => format!("“{}” gets ", who()),
        MeasureKind::Rate => format!("“{}” moves ", who()),
        MeasureKind::Throughput => "Throughput is ".to_owned(),
        MeasureKind::Fairness => "The worst R of a process is ".to_owned(),
        MeasureKind::Useful => "The useful time is ".to_owned(),
    }
}

/// The value of a cluster, in words that leave room if not all of it has exactly that. Shares count
/// as equal within half a point, which may be several times a small one: both ends are told.
fn about(measure: &Measure, cluster: &[Rated]) -> String {
    let mut shown = cluster.iter().map(|one| measure.kind.show(one.value));
    let first = shown.next().unwrap_or_default();
    if shown.all(|other| other == first) {
        return first;
    }
    match measure.kind {
        MeasureKind::Shares | MeasureKind::Share => {
            let values = || cluster.iter().map(|one| one.value);
            let least = values().fold(f64::INFINITY, f64::min);
            let greatest = values().fold(f64::NEG_INFINITY, f64::max);
            format!("{least:.1} to {}", measure.kind.show(greatest))
        }
        _ => format!("about {first}"),
    }
}

/// How much worse a value is than the best one.
pub(crate) fn ratio(measure: &Measure, value: f64, best: f64) -> Option<String> {
    match measure.kind {
        MeasureKind::Shares | MeasureKind::Share | MeasureKind::Fairness => None,
        MeasureKind::Rate | MeasureKind::Throughput | MeasureKind::Useful => {
            Some(format!("{:.0} %", value * 100.0 / best))
        }
        MeasureKind::StartUp | MeasureKind::Latency => match value / best.max(1.0) {
            times @ ..10.0 => Some(format!("{times:.1} ×")),
            times => Some(format!("{times:.0} ×")),
        },
    }
}

/// Neighbours whose values hardly differ, together.
fn clusters<'a>(rated: &[Rated<'a>]) -> Vec<Vec<Rated<'a>>> {
    let mut clusters: Vec<Vec<Rated>> = Vec::new();
    for &entry in rated {
        let near = |first: f64| (entry.value - first).abs() <= first.abs() * 0.03;
        match clusters.last_mut().filter(|cluster| near(cluster[0].value)) {
            Some(cluster) => cluster.push(entry),
            None => clusters.push(vec![entry]),
        }
    }
    clusters
}

fn names(rated: &[Rated]) -> String {
    let names: Vec<&str> = rated.iter().map(|one| one.label).collect();
    listed(&names)
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
