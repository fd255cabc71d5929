// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slowest requests of the last minute, and who was served while they waited.

use super::turns::{Turn, TurnKeeper};
use crate::status::SlowRequest;
use base::text::time;
use blk::Done;
use std::collections::VecDeque;

/// How many are kept for each tenant.
const KEPT: usize = 32;
/// Those that ended longer ago are forgotten.
const KEPT_NS: u64 = 60_000_000_000;
/// How many of the last commands are remembered.
const SERVED: usize = 8192;

/// The most turns of others that are told, the longest.
const TURNS_TOLD: usize = 5;

/// A command that the disk has done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Served {
    pub tenant: usize,
    pub dispatched_ns: u64,
    pub ended_ns: u64,
    pub bytes: u64,
}

/// When a request was where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub arrived_ns: u64,
    /// Of several pieces the first one's, as is `dispatched_ns`.
    pub queued_ns: u64,
    pub dispatched_ns: u64,
    /// How long the other pieces waited before the disk had them, all together.
    pub pieces_waited_ns: u64,
    pub ended_ns: u64,
}

impl Times {
    /// Those of a request that arrives.
    pub fn new(arrived_ns: u64) -> Times {
        Times {
            arrived_ns,
            queued_ns: arrived_ns,
            dispatched_ns: arrived_ns,
            pieces_waited_ns: 0,
            ended_ns: 0,
        }
    }

    /// A piece of the request, or all of it, has ended; the next piece is submitted at once.
    pub fn piece_ended(&mut self, is_first: bool, done: &Done) {
        if is_first {
            self.queued_ns = done.queued_ns;
            self.dispatched_ns = done.dispatched_ns;
        } else {
            self.pieces_waited_ns += done.dispatched_ns.saturating_sub(self.ended_ns);
        }
        self.ended_ns = done.completed_ns;
    }

    pub fn latency_ns(&self) -> u64 {
        self.ended_ns - self.arrived_ns
    }

    fn in_disk_ns(&self) -> u64 {
        let since_ns = self.dispatched_ns.saturating_add(self.pieces_waited_ns);
        self.ended_ns.saturating_sub(since_ns)
    }
}

/// The slow requests of all tenants.
#[derive(Debug, Default)]
pub(super) struct SlowRequests {
    served: VecDeque<Served>,
    /// By tenant, the slowest first; times of the end beside them.
    slow: Vec<Vec<(u64, SlowRequest)>>,
}

impl SlowRequests {
    /// The disk has done a command.
    pub fn served(&mut self, served: Served) {
        if self.served.len() == SERVED {
            self.served.pop_front();
        }
        self.served.push_back(served);
    }

    /// Whether a request so slow is among the slowest.
    pub fn wants(&mut self, now_ns: u64, tenant: usize, latency_ns: u64) -> bool {
        if self.slow.len() <= tenant {
            self.slow.resize_with(tenant + 1, Vec::new);
        }
        let slow = &mut self.slow[tenant];
        if slow.len() == KEPT && slow.iter().any(|(ended_ns, _)| is_old(now_ns, *ended_ns)) {
            slow.retain(|(ended_ns, _)| !is_old(now_ns, *ended_ns));
        }
        slow.len() < KEPT || slow.last().is_some_and(|(_, last)| last.latency_ns < latency_ns)
    }

    /// Takes a request that is wanted; `name` is that of a tenant.
    pub fn take<'a>(
        &mut self,
        tenant: usize,
        request: SlowRequest,
        times: Times,
        turns: &TurnKeeper,
        name: impl Fn(usize) -> &'a str,
    ) {
        let request = SlowRequest {
            latency_ns: times.latency_ns(),
            before_scheduler_ns: times.queued_ns.saturating_sub(times.arrived_ns),
            in_scheduler_ns: times.dispatched_ns.saturating_sub(times.queued_ns)
                + times.pieces_waited_ns,
            in_disk_ns: times.in_disk_ns(),
            reasons: self.reasons(tenant, times, turns, name),
            ..request
        };
        let slow = &mut self.slow[tenant];
        let place = slow.partition_point(|(_, other)| other.latency_ns >= request.latency_ns);
        slow.insert(place, (times.ended_ns, request));
        slow.truncate(KEPT);
    }

    /// A tenant is gone.
    pub fn forget(&mut self, tenant: usize) {
        if let Some(slow) = self.slow.get_mut(tenant) {
            *slow = Vec::new();
        }
    }

    /// The slowest of a tenant, at most `count`.
    pub fn slowest(&self, now_ns: u64, tenant: usize, count: usize) -> Vec<SlowRequest> {
        let slow = self.slow.get(tenant).into_iter().flatten();
        slow.filter(|(ended_ns, _)| !is_old(now_ns, *ended_ns))
            .take(count)
            .map(|(ended_ns, request)| SlowRequest {
                ended_ago_ns: now_ns - ended_ns,
                ..request.clone()
            })
            .collect()
    }

    fn reasons<'a>(
        &self,
        own: usize,
        times: Times,
        turns: &TurnKeeper,
        name: impl Fn(usize) -> &'a str,
    ) -> Vec<String> {
        let mut reasons = Vec::new();
        let place_ns = times.queued_ns.saturating_sub(times.arrived_ns);
        if place_ns > 0 {
            let text = format!("{} until it had a place in the scheduler", time(place_ns));
            reasons.push((place_ns, text));
        }
        let waited_ns = times.dispatched_ns.saturating_sub(times.queued_ns);
        if waited_ns > 0 {
            let turns = turns.between(times.queued_ns, times.dispatched_ns);
            if turns.is_empty() {
                let meanwhile = self.meanwhile(own, times, &name);
                let time = time(waited_ns);
                let text = format!("{time} in the scheduler; meanwhile the disk did {meanwhile}");
                reasons.push((waited_ns, text));
            }
            let told = turns.into_iter().take(TURNS_TOLD);
            reasons.extend(told.map(|(ns, turn)| (ns, turn_words(ns, turn, own, &name))));
        }
        if times.pieces_waited_ns > 0 {
            let time = time(times.pieces_waited_ns);
            let text = format!("{time} in the scheduler between its pieces");
            reasons.push((times.pieces_waited_ns, text));
        }
        let disk_ns = times.in_disk_ns();
        let before = self.served.iter().rev().filter(|served| {
            served.dispatched_ns < times.dispatched_ns && served.ended_ns > times.dispatched_ns
        });
        let text = match before.count() {
            0 => format!("{} in the disk", time(disk_ns)),
            1 => format!("{} in the disk, with 1 older command", time(disk_ns)),
            older => format!("{} in the disk, with {older} older commands", time(disk_ns)),
        };
        reasons.push((disk_ns, text));
        reasons.sort_by_key(|(ns, _)| std::cmp::Reverse(*ns));
        reasons.into_iter().map(|(_, text)| text).collect()
    }

    /// Whose commands ended while a request waited, the most bytes first.
    fn meanwhile<'a>(&self, own: usize, times: Times, name: &impl Fn(usize) -> &'a str) -> String {
        let mut by_tenant: Vec<(u64, u64, usize)> = Vec::new();
        let until_ns = times.dispatched_ns;
        let recent = self.served.iter().rev();
        for served in recent.take_while(|served| served.ended_ns > times.queued_ns) {
            if served.dispatched_ns >= until_ns {
                continue;
            }
            match by_tenant.iter_mut().find(|(_, _, tenant)| *tenant == served.tenant) {
                Some((bytes, commands, _)) => {
                    *bytes += served.bytes;
                    *commands += 1;
                }
                None => by_tenant.push((served.bytes, 1, served.tenant)),
            }
        }
        by_tenant.sort_by(|one, other| other.cmp(one));
        let words = by_tenant.iter().map(|&(bytes, commands, tenant)| {
            let who = if tenant == own { "its own tenant" } else { name(tenant) };
            let s = if commands == 1 { "" } else { "s" };
            format!("{commands} command{s} of {who} ({})", base::text::size(bytes))
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    }
}

/// Whether what ended then is not told any more.
fn is_old(now_ns: u64, ended_ns: u64) -> bool {
    now_ns - ended_ns > KEPT_NS
}

/// What was done with the disk while a request waited for it.
fn turn_words<'a>(
    ns: u64,
    turn: Option<Turn>,
    own: usize,
    name: &impl Fn(usize) -> &'a str,
) -> String {
    let time = time(ns);
    let Some(Turn { tenant, kept }) = turn else {
        return format!("{time} while it was no tenant's turn");
    };
    let who = match tenant {
        Some(tenant) if tenant == own => "its own tenant",
        Some(tenant) => name(tenant),
        None => "no tenant in particular",
    };
    match kept {
        None => format!("{time} while {who} was served"),
        Some(rule) => format!("{time} while the disk was kept for {who}: {}", rule.because()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_request_says_who_was_served_meanwhile() {
        let mut slow = SlowRequests::default();
        let served = |tenant, dispatched_ns, ended_ns, bytes| Served {
            tenant,
            dispatched_ns,
            ended_ns,
            bytes,
        };
        slow.served(served(1, 0, 50, 4096));
        slow.served(served(1, 60, 200, 1 << 20));
        slow.served(served(0, 200, 1200, 4096));
        let times = Times { queued_ns: 100, dispatched_ns: 1000, ended_ns: 1500, ..Times::new(90) };
        assert!(slow.wants(1500, 0, times.latency_ns()));
        let name = |tenant: usize| ["small", "large"][tenant];
        let turns = TurnKeeper::default();
        slow.take(
            0,
            SlowRequest { export: "x".into(), ..SlowRequest::default() },
            times,
            &turns,
            name,
        );
        let slowest = slow.slowest(2000, 0, 9);
        assert_eq!(slowest.len(), 1);
        assert_eq!(slowest[0].ended_ago_ns, 500);
        assert_eq!(
            slowest[0].reasons,
            [
                "900 ns in the scheduler; meanwhile the disk did 1 command of large (1 MiB), \
                 1 command of its own tenant (4 KiB)",
                "500 ns in the disk, with 1 older command",
                "10 ns until it had a place in the scheduler",
            ]
        );
        assert_eq!(slow.slowest(2000 + KEPT_NS, 0, 9), []);
    }

    /// Each piece once overwrote the times of the one before.
    #[test]
    fn of_a_request_in_pieces_the_waits_of_the_later_ones_are_added_up() {
        let mut times = Times::new(10);
        let pieces = [(20, 50, 100), (110, 400, 450), (450, 460, 500)];
        for (place, (queued_ns, dispatched_ns, completed_ns)) in pieces.into_iter().enumerate() {
            let done = Done {
                token: 0,
                process: None,
                op: base::Op::Write,
                sector: 0,
                sectors: 8,
                result: Ok(()),
                submitted_ns: 0,
                queued_ns,
                dispatched_ns,
                completed_ns,
            };
            times.piece_ended(place == 0, &done);
        }
        let mut slow = SlowRequests::default();
        assert!(slow.wants(500, 0, times.latency_ns()));
        slow.take(0, SlowRequest::default(), times, &TurnKeeper::default(), |_| "a");
        let told = slow.slowest(500, 0, 1).remove(0);
        assert_eq!(
            (told.before_scheduler_ns, told.in_scheduler_ns, told.in_disk_ns, told.latency_ns),
            (10, 30 + 300 + 10, 50 + 50 + 40, 490)
        );
        assert_eq!(told.reasons[0], "310 ns in the scheduler between its pieces");
    }

    #[test]
    fn only_the_slowest_are_kept() {
        let mut slow = SlowRequests::default();
        for latency_ns in 1..=40 {
            let times = Times { ended_ns: latency_ns, ..Times::new(0) };
            assert!(slow.wants(latency_ns, 0, latency_ns));
            slow.take(0, SlowRequest::default(), times, &TurnKeeper::default(), |_| "a");
        }
        let latencies: Vec<u64> =
            slow.slowest(40, 0, 99).iter().map(|request| request.latency_ns).collect();
        assert_eq!(latencies, (9..=40).rev().collect::<Vec<_>>());
        assert!(!slow.wants(41, 0, 9));
    }

    #[test]
    fn a_bad_minute_is_forgotten_when_it_is_over() {
        let mut slow = SlowRequests::default();
        let mut ends = |latency_ns, ended_ns| {
            let arrived_ns = ended_ns - latency_ns;
            let times = Times { dispatched_ns: ended_ns, ended_ns, ..Times::new(arrived_ns) };
            if slow.wants(ended_ns, 0, latency_ns) {
                slow.take(0, SlowRequest::default(), times, &TurnKeeper::default(), |_| "a");
            }
            slow.slowest(ended_ns, 0, 99).len()
        };
        for count in 1..=KEPT {
            assert_eq!(ends(1_000_000_000, 2_000_000_000), count);
        }
        let later_ns = 2_000_000_000 + KEPT_NS;
        assert_eq!(ends(1_000_000, later_ns), KEPT, "the slow ones are of this minute");
        assert_eq!(ends(1_000_000, later_ns + 1), 1);
        assert_eq!(ends(1_000_000, later_ns + 2), 2);
    }
}
