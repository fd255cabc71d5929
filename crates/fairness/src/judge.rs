// SPDX-License-Identifier: MIT OR Apache-2.0
//! What processes got, beside what they would have got at their fair shares.

use crate::tree::{Tree, TreeGroup};

/// What a process does with the device to itself. Its demand is in the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alone {
    /// Throughput alone, in bytes a second.
    pub rate: f64,
}

/// When a process was there, and what it moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// When it began to compete, ns.
    pub started_ns: u64,
    /// From when on its bytes count, ns: from the start, or the end of its ramp.
    pub counts_from_ns: u64,
    /// Until when it had more to ask for, ns: to its end; or to the end of its runtime, after which
    /// it only waited for what it had begun.
    pub goes_on_until_ns: u64,
    /// When it ended, ns.
    pub ended_ns: u64,
    /// Bytes that it moved while they counted.
    pub bytes: u64,
}

impl Life {
    fn counted_ns(&self) -> u64 {
        self.ended_ns.saturating_sub(self.counts_from_ns)
    }
}

/// A process, or a group of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judged {
    /// The share of the device's time that it was due, on average over the time that counts: of a
    /// group, that in which any member does.
    pub share: f64,
    /// Bytes a second that it would have moved at that share.
    pub fair_rate: f64,
    /// What it got of what it was due; none if it was due nothing, or most of that only when it had
    /// nothing more to ask for.
    pub r: Option<f64>,
}

/// What all processes got.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The processes, in the order of the tree.
    pub processes: Vec<Judged>,
    /// The groups, the root first. They have no rate of their own.
    pub groups: Vec<Judged>,
    /// The least of the processes' R.
    pub worst: Option<f64>,
    /// Useful time: the device time that all would have needed one by one, each alone, for what
    /// they got, in each second in which any of them was there.
    pub useful: f64,
}

/// Device time, s: what a process was due, and what it got, expressed in time that it needs alone.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    due_s: f64,
    got_s: f64,
}

/// Device time that a process was due, s.
#[derive(Clone, Copy, Debug, Default)]
struct Due {
    /// As long as it was there.
    all_s: f64,
    /// Of that, as long as it went on.
    going_on_s: f64,
}

impl Due {
    /// Whether it says what was due. Processes that are to end at the same time end with their last
    /// completions, one some milliseconds after the other, and the last is due all of the device
    /// for so long: of one that was due nothing before, that would be all.
    fn is_telling(self) -> bool {
        self.going_on_s >= self.all_s / 2.0
    }
}

/// Judges a run; `lives` and `alone` are in the order of the tree's processes. A process that did
/// not live long enough to be counted has no life.
pub fn judge(tree: &Tree, alone: &[Alone], lives: &[Option<Life>]) -> Verdict {
    let due = due(tree, lives);
    let times: Vec<Times> = tree
        .processes()
        .iter()
        .zip(alone)
        .zip(lives.iter().zip(&due))
        .map(|((process, alone), (life, due))| {
            let bytes = life.map_or(0, |life| life.bytes) as f64;
            let alone_s = if alone.rate > 0.0 { bytes / alone.rate } else { 0.0 };
            Times { due_s: due.all_s, got_s: process.demand * alone_s }
        })
        .collect();
    let processes: Vec<Judged> = (0..times.len())
        .map(|place| {
            let counted_s = lives[place].map_or(0.0, |life| seconds(life.counted_ns()));
            let share = if counted_s > 0.0 { times[place].due_s / counted_s } else { 0.0 };
            let demand = tree.processes()[place].demand;
            let part = if demand > 0.0 { share / demand } else { 0.0 };
            let is_judged = alone[place].rate > 0.0 && due[place].is_telling();
            let r = ratio(times[place]).filter(|_| is_judged);
            Judged { share, fair_rate: alone[place].rate * part, r }
        })
        .collect();
    let of_group = |group| of_group(tree, group, lives, &times, &processes);
    let groups = tree.groups().map(of_group).collect();
    let worst = processes.iter().filter_map(|one| one.r).reduce(f64::min);
    Verdict { groups, worst, useful: useful(&times, lives), processes }
}

fn ratio(times: Times) -> Option<f64> {
    (times.due_s > 0.0).then(|| times.got_s / times.due_s)
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// The members of a group together. They need not have been there at the same time, so their shares
/// are no parts of one whole: what they were due is.
fn of_group(
    tree: &Tree,
    group: TreeGroup,
    lives: &[Option<Life>],
    times: &[Times],
    processes: &[Judged],
) -> Judged {
    let members = || {
        let all = tree.processes().iter().enumerate();
        all.filter(|(_, process)| tree.is_within(process, group)).map(|(place, _)| place)
    };
    let sum = members().fold(Times::default(), |sum, place| Times {
        due_s: sum.due_s + times[place].due_s,
        got_s: sum.got_s + times[place].got_s,
    });
    let counted = || members().filter_map(|place| Some((place, lives[place]?)));
    let counted_s =
        seconds(covered_ns(counted().map(|(_, life)| (life.counts_from_ns, life.ended_ns))));
    if counted_s <= 0.0 {
        return Judged::default();
    }
    let fair_bytes: f64 = counted()
        .map(|(place, life)| processes[place].fair_rate * seconds(life.counted_ns()))
        .sum();
    Judged { share: sum.due_s / counted_s, fair_rate: fair_bytes / counted_s, r: ratio(sum) }
}

/// How much time these spans cover, however many of them at once.
fn covered_ns(spans: impl Iterator<Item = (u64, u64)>) -> u64 {
    let mut spans: Vec<(u64, u64)> = spans.collect();
    spans.sort_unstable();
    let (mut covered_ns, mut until_ns) = (0, 0);
    for (from_ns, to_ns) in spans {
        covered_ns += to_ns.saturating_sub(from_ns.max(until_ns));
        until_ns = until_ns.max(to_ns);
    }
    covered_ns
}

/// The device time that each was due while it counted: the share follows who is there.
fn due(tree: &Tree, lives: &[Option<Life>]) -> Vec<Due> {
    let mut due = vec![Due::default(); lives.len()];
    for (from_ns, to_ns) in stretches(lives) {
        let present: Vec<bool> = lives
            .iter()
            .map(|life| {
                life.is_some_and(|life| life.started_ns <= from_ns && to_ns <= life.ended_ns)
            })
            .collect();
        for (place, share) in tree.shares(&present).into_iter().enumerate() {
            let Some(life) = lives[place] else { continue };
            if present[place] && life.counts_from_ns <= from_ns {
                let due_s = share * seconds(to_ns - from_ns);
                due[place].all_s += due_s;
                if to_ns <= life.goes_on_until_ns {
                    due[place].going_on_s += due_s;
                }
            }
        }
    }
    due
}

/// The stretches of time between two changes of who is there or counts.
fn stretches(lives: &[Option<Life>]) -> Vec<(u64, u64)> {
    let changes =
        |life: &Life| [life.started_ns, life.counts_from_ns, life.goes_on_until_ns, life.ended_ns];
    let mut times: Vec<u64> = lives.iter().flatten().flat_map(changes).collect();
    times.sort_unstable();
    times.dedup();
    times.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Each process counts at its rate for as long as it was there, its ramp included.
fn useful(times: &[Times], lives: &[Option<Life>]) -> f64 {
    let there = lives.iter().flatten().map(|life| (life.started_ns, life.ended_ns));
    let all_ns = covered_ns(there);
    let got_s = times.iter().zip(lives).filter_map(|(times, life)| {
        let life = life.filter(|life| life.counted_ns() > 0)?;
        let there_s = seconds(life.ended_ns - life.started_ns);
        Some(times.got_s / seconds(life.counted_ns()) * there_s)
    });
    let got_s: f64 = got_s.sum();
    if all_ns > 0 { got_s / seconds(all_ns) } else { 0.0 }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
