// SPDX-License-Identifier: MIT OR Apache-2.0
//! The policies that scenarios are played under: what only one of them can be asked, and what each
//! promises about waiting.

use crate::host::{Host, Tally};
use bfq::{
    Budget, Policy, ProcessId, Scheduler, Span, Time, TimeFair,
    tunables::{Strict, Tunable},
    why::WithholdRule as Rule,
};

const NS_PER_MS: u64 = 1_000_000;
/// How long Time Fair Queueing serves a queue alone, to see what its requests take.
const LONGEST_PROBE_NS: u64 = 10 * NS_PER_MS;

/// A policy under which scenarios are played.
pub trait Played: Policy {
    /// The longest time that it keeps the disk idle, without settings.
    const LONGEST_IDLE_NS: u64;
    /// The longest time that a queue is served before others, in a calm scenario.
    const SLOT_NS: u64;

    /// Nothing was handed out although something waits, and `in_flight` requests of this scheduler
    /// are in the device: asserts that this is meant, and will end.
    fn check_idleness(host: &Host<Self>, in_flight: usize);

    /// Whether requests of no process go first.
    fn sends_nobody_first(host: &Host<Self>) -> bool;

    /// Asserts that the queue of a process can be looked at, if it has one; returns whether it has.
    fn check_queue_of(scheduler: &Scheduler<Tally, Self>, process: ProcessId) -> bool;
}

/// Whether only one request at a time goes to the device.
pub fn is_strict<P: Played>(scheduler: &Scheduler<Tally, P>) -> bool {
    P::TUNABLES.contains(&Tunable::StrictGuarantees) && scheduler.tunables().strict_guarantees
}

/// I5 and I8 of docs/tfq.md: whoever waits is told why, the reason is one that ends, and none that
/// a setting rules out.
fn check_reason(host: &Host<TimeFair>, in_flight: usize) {
    let tally = host.scheduler.observer();
    let (rule, until) = tally.withheld.expect("work is kept back without a reason");
    let strict = host.scheduler.tunables().strict;
    let longest_ns = match rule {
        // The device works, and its completions decide.
        Rule::Full
        | Rule::Unknown
        | Rule::Slot
        | Rule::BeforeSlot
        | Rule::Visit
        | Rule::OneAtATime => {
            assert!(in_flight > 0, "{rule:?}, and the device is empty");
            0
        }
        Rule::Expected => {
            assert!(in_flight > 0 || until.is_some(), "a hold without an end");
            // Twice the longest wait; four times its mean pause plus a bit is less.
            2 * if host.options.rotational { 8 * NS_PER_MS } else { 4 * NS_PER_MS }
        }
        Rule::Alone => LONGEST_PROBE_NS,
        Rule::ReadAhead => 8 * NS_PER_MS,
        Rule::WriteCache => TimeFair::LONGEST_IDLE_NS,
    };
    let latest = Time::from_ns(host.now) + Span::from_ns(longest_ns);
    assert!(until.is_none_or(|until| until <= latest), "{rule:?} for too long");
    assert!(strict != Strict::OneAtATime || in_flight == 0 || rule == Rule::OneAtATime);
    assert!(strict == Strict::OneAtATime || rule != Rule::OneAtATime);
    assert!(!host.options.calm || tally.loans == 0, "low_latency=0, and a queue is on loan");
}

impl Played for Budget {
    /// The idle timer waits at least this long for a raised queue.
    const LONGEST_IDLE_NS: u64 = 20 * NS_PER_MS;
    const SLOT_NS: u64 = 125 * NS_PER_MS;

    /// The disk is kept idle for a queue in service that has nothing itself.
    fn check_idleness(host: &Host<Self>, in_flight: usize) {
        if is_strict(&host.scheduler) && in_flight > 0 {
            return;
        }
        let timer = host.scheduler.next_timer();
        let queue = host.scheduler.queue_in_service().expect("work is kept back for no queue");
        let state = host.scheduler.queue_state(queue).expect("it exists");
        assert_eq!(state.waiting, 0, "the queue in service has requests");
        assert!(timer.is_some() || state.in_flight > 0, "idling will never end");
        let longest = Time::from_ns(host.now + host.longest_idle_ns);
        assert!(timer.is_none_or(|at| at <= longest), "idling for too long");
    }

    fn sends_nobody_first(host: &Host<Self>) -> bool {
        host.options.behaviour.is_reference()
    }

    fn check_queue_of(scheduler: &Scheduler<Tally>, process: ProcessId) -> bool {
        let queue = scheduler.queue_of_process(process, true);
        assert!(queue.is_none_or(|queue| scheduler.queue_state(queue).is_some()));
        queue.is_some()
    }
}

impl Played for TimeFair {
    /// How long a disk with moving parts may empty its cache before a reader's slot.
    const LONGEST_IDLE_NS: u64 = 400 * NS_PER_MS;
    /// The longest slot on a disk with moving parts.
    const SLOT_NS: u64 = 400 * NS_PER_MS;

    /// The device works, or is kept free for a process that is expected soon.
    fn check_idleness(host: &Host<Self>, in_flight: usize) {
        check_reason(host, in_flight);
        if in_flight > 0 {
            return;
        }
        let timer = host.scheduler.next_timer().expect("an idle device, and idling never ends");
        let rotational = host.options.rotational;
        let longest_ns = if rotational { Self::LONGEST_IDLE_NS } else { LONGEST_PROBE_NS };
        let longest = Time::from_ns(host.now + longest_ns);
        assert!(timer <= longest, "idling for too long");
        // A timer that is due already has had no effect, unless this host lets it fire late.
        assert!(timer.as_ns() > host.now || host.options.late_timers > 0, "idling goes on");
    }

    fn sends_nobody_first(_: &Host<Self>) -> bool {
        false
    }

    fn check_queue_of(_: &Scheduler<Tally, Self>, _: ProcessId) -> bool {
        false
    }
}
