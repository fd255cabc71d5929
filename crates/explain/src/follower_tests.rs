// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of decisions made by hand, and the parts that follow from them.

use super::*;
use crate::cast::JobNames;
use crate::counts::CountRow;
use crate::explanation::{About, Explanation};
use crate::record::Shown;
use base::Class;
use bfq::{
    Service, Span, Weight,
    why::{IdlingRule, InjectionRule, LoanEnd, Reason as End, WithholdRule},
};

const ME: ProcessNumber = 0;

fn queue(place: usize) -> QueueId {
    QueueId::from_index(place)
}

fn request(place: usize) -> RequestId {
    RequestId::from_index(place)
}

fn process(place: usize) -> ProcessId {
    ProcessId::from_index(place)
}

/// Me, and a job of two processes; the queues 0, 1 and 2 are theirs.
fn follower() -> Follower {
    let job = |name: &str, processes| JobNames { name: name.into(), group: None, processes };
    let cast = Cast::of(vec![job("me", 1), job("they", 2)], "me").unwrap();
    let mut follower = Follower::new(cast, Slowest::new(3, None));
    let group = GroupId::from_index(0);
    for place in 0..3 {
        let process = process(place);
        follower.follow(0, &Decision::ProcessAdded { process, group });
    }
    for place in 0..3 {
        let created = Decision::QueueCreated {
            queue: queue(place),
            process: Some(process(place)),
            group,
            sync: true,
            class: Class::BestEffort,
            weight: Weight::DEFAULT_GROUP,
        };
        follower.follow(0, &created);
    }
    follower
}

fn queued(place: usize, tag: usize) -> Decision {
    Decision::Queued { queue: queue(place), request: request(tag), process: Some(process(place)) }
}

fn in_service(place: usize) -> Decision {
    Decision::InService { queue: queue(place), budget: Service::of(1000) }
}

fn served(place: usize, tag: usize) -> Decision {
    Decision::Served { queue: queue(place), request: request(tag), charged: Service::of(8) }
}

fn completed(place: usize, tag: usize) -> Decision {
    Decision::Completed { request: request(tag), queue: Some(queue(place)) }
}

fn expired(place: usize, reason: End) -> Decision {
    let queue = queue(place);
    Decision::Expired { queue, reason, slow: false, in_flight: 0, short_think_time: true }
}

fn idling(place: usize) -> Decision {
    let until = Time::from_ns(u64::MAX);
    Decision::Idling { queue: queue(place), rule: IdlingRule::Asymmetric, until }
}

/// An I/O of mine under the number `tag` ends.
fn end(follower: &mut Follower, tag: u32, submitted_ns: u64, issued_ns: u64, ended_ns: u64) {
    let io = Io {
        process: ME,
        op: base::Op::Read,
        sector: 0,
        sectors: 8,
        submitted_ns,
        queued_ns: submitted_ns,
        served_ns: issued_ns,
        issued_ns,
        ended_ns,
        queue: None,
        order: u64::MAX,
        raised: None,
    };
    let io = follower.io(blk::Tag(tag), io);
    follower.account(io, None);
    follower.forget_request(blk::Tag(tag));
}

fn explained(follower: &Follower) -> Explanation {
    let about = About {
        bfq_version: "0".into(),
        mode: "sim".into(),
        scheduler: "bfq".into(),
        seed: Some(1),
        device: "nothing".into(),
        elapsed_ns: 0,
        note: None,
    };
    crate::explained::explanation(follower, about)
}

/// What an explanation says: cause, who, ns.
fn causes(explanation: &Explanation) -> Vec<(&str, &str, u64)> {
    let sum: u64 = explanation.causes.iter().map(|row| row.ns).sum();
    assert_eq!(sum, explanation.latency_ns);
    let row = |row: &'_ crate::CauseRow| (row.cause, row.ns);
    let who = explanation.causes.iter().map(|row| row.who.as_deref().unwrap_or(""));
    explanation.causes.iter().map(row).zip(who).map(|((cause, ns), who)| (cause, who, ns)).collect()
}

fn count(explanation: &Explanation, name: &str) -> u64 {
    let row = |row: &&CountRow| row.name == name;
    explanation.counts.iter().find(row).map_or(0, |row| row.count)
}

#[test]
fn a_request_behind_a_turn_an_idle_time_and_a_preemption() {
    let mut follower = follower();
    let stream = [
        (0, queued(1, 10)),
        (0, in_service(1)),
        (0, served(1, 10)),
        // I come when the other's request is in the device.
        (100, queued(0, 11)),
        (150, Decision::Plugged { queue: queue(1), rule: IdlingRule::ProtectsRaised }),
        (300, completed(1, 10)),
        (300, idling(1)),
        // A request of the third is injected while the disk is kept idle.
        (400, queued(2, 12)),
        (400, Decision::Injected { queue: queue(2), into: queue(1), rule: InjectionRule::Limit }),
        (400, served(2, 12)),
        (450, completed(2, 12)),
        (500, expired(1, End::Preempted)),
        (500, Decision::PreemptedBy { queue: queue(1), by: queue(0) }),
        (530, in_service(0)),
        (530, served(0, 11)),
    ];
    for (at_ns, decision) in stream {
        follower.follow(at_ns, &decision);
    }
    end(&mut follower, 11, 100, 530, 900);
    let explanation = explained(&follower);
    assert_eq!(
        causes(&explanation),
        [
            ("behind_held", "they", 50),
            ("behind_held", "they", 150),
            ("behind_idling", "they", 150),
            ("behind_injected", "they", 50),
            ("nobody_in_service", "", 30),
            ("device", "", 370),
        ]
    );
    assert_eq!((explanation.ios, explanation.latency_max_ns), (1, 800));
    assert_eq!(count(&explanation, "preempting"), 1);
    assert_eq!(count(&explanation, "slots"), 1);
    assert!(
        explanation
            .sentence
            .starts_with("me waited 400 ns of its 800 ns mean latency for turns of they")
    );
    let steps: Vec<_> = explanation.slowest[0].steps.iter().collect();
    let kinds: Vec<_> = steps.iter().map(|step| (step.kind.as_str(), step.at_ns)).collect();
    assert_eq!(kinds, [("turn", 0), ("preempts", 400), ("nobody", 400), ("device", 430)]);
    assert!(steps[0].text.contains("turn of they.0 (began 100 ns before)"), "{}", steps[0].text);
}

#[test]
fn shares_of_one_queue_and_older_requests_in_the_device() {
    let mut follower = follower();
    let stream = [
        (0, Decision::Merged { queue: queue(0), target: queue(1), process: process(0) }),
        (0, queued(1, 10)),
        (0, in_service(1)),
        (0, served(1, 10)),
        (10, Decision::Queued { queue: queue(1), request: request(11), process: Some(process(0)) }),
        (40, served(1, 11)),
        (90, completed(1, 10)),
    ];
    for (at_ns, decision) in stream {
        follower.follow(at_ns, &decision);
    }
    end(&mut follower, 11, 10, 40, 100);
    let explanation = explained(&follower);
    assert_eq!(
        causes(&explanation),
        [("own_turn", "", 30), ("device_behind", "they", 50), ("device", "", 10)]
    );
    assert_eq!(count(&explanation, "merges"), 1);
    let shared = follower.queues.get(queue(1)).unwrap();
    assert!(shared.is_target);
    assert_eq!(follower.queues.parties.name(shared.party, &follower.cast), "me+they.0");
}

#[test]
fn raises_are_counted_by_the_requests_that_profit() {
    let mut follower = follower();
    let raised = Decision::Raised {
        queue: queue(0),
        kind: RaiseKind::Interactive,
        coefficient: 30,
        period: Span::from_ms(1000),
    };
    let coefficient = |coefficient| Decision::Coefficient { queue: queue(0), coefficient };
    let stream = [
        (0, coefficient(30)),
        (0, raised),
        (0, queued(0, 1)),
        (0, in_service(0)),
        (0, served(0, 1)),
        (5, coefficient(1)),
        (5, queued(0, 2)),
        (5, served(0, 2)),
    ];
    for (at_ns, decision) in stream {
        follower.follow(at_ns, &decision);
    }
    end(&mut follower, 1, 0, 0, 10);
    end(&mut follower, 2, 5, 5, 10);
    let explanation = explained(&follower);
    assert_eq!(count(&explanation, "raises_interactive"), 1);
    assert_eq!(count(&explanation, "raised_ios_interactive"), 1);
    assert!(explanation.sentence.contains("for 1 of its 2 I/Os (interactive)"));
}

#[test]
fn under_tfq_each_wait_has_its_reason() {
    let mut follower = follower();
    let withheld = |place, rule| {
        let until = Some(Time::from_ns(1000));
        Decision::Withheld { queue: queue(place), rule, until }
    };
    let stream = [
        (0, Decision::LoanBegan { queue: queue(1) }),
        (0, queued(1, 10)),
        (0, queued(2, 12)),
        (0, served(1, 10)),
        // I come while one that is on loan has the device, and then is expected back.
        (100, queued(0, 11)),
        (100, withheld(1, WithholdRule::Full)),
        (200, completed(1, 10)),
        (200, withheld(1, WithholdRule::Expected)),
        // It does not come; the other one has a slot, and wrote.
        (300, Decision::LoanEnded { queue: queue(1), reason: LoanEnd::Pauses }),
        (300, Decision::SlotBegan { queue: queue(2) }),
        (300, served(2, 12)),
        (300, withheld(2, WithholdRule::Slot)),
        (450, completed(2, 12)),
        (460, Decision::SlotEnded { queue: queue(2), reason: End::NoMoreRequests }),
        (460, withheld(2, WithholdRule::WriteCache)),
        // At last it is my turn, but I am to be alone in the device.
        (600, withheld(0, WithholdRule::Alone)),
        (700, served(0, 11)),
    ];
    for (at_ns, decision) in stream {
        follower.follow(at_ns, &decision);
    }
    end(&mut follower, 11, 100, 700, 900);
    let explanation = explained(&follower);
    let rules: Vec<_> = explanation.causes.iter().map(|row| row.rule).collect();
    assert_eq!(
        causes(&explanation),
        [
            ("behind_held", "they", 150),
            ("behind_held", "they", 100),
            ("behind_idling", "they", 10),
            ("behind_idling", "they", 100),
            ("write_cache", "they", 140),
            ("own_turn_kept", "", 100),
            ("device", "", 200),
        ]
    );
    let [slot, loan, alone] = [Some("slot"), Some("on_loan"), Some("alone")];
    assert_eq!(rules, [slot, loan, slot, loan, None, alone, None]);
    let steps: Vec<_> =
        explanation.slowest[0].steps.iter().map(|step| (step.kind.as_str(), step.at_ns)).collect();
    let [first, second] = [("turn", 0), ("turn", 200)];
    assert_eq!(steps, [first, second, ("write_cache", 360), ("own_turn", 500), ("device", 600)]);
    let words = &explanation.slowest[0].steps[0].text;
    assert!(words.contains("on loan, it starts"), "{words}");
}

#[test]
fn slots_are_counted_for_whom_they_are_and_for_who_pays() {
    let mut follower = follower();
    let stream = [
        (0, queued(0, 11)),
        (0, queued(1, 10)),
        (0, Decision::SlotBegan { queue: queue(1) }),
        (0, Decision::SlotPaid { queue: queue(1), payer: queue(0) }),
        (0, served(1, 10)),
        (100, completed(1, 10)),
        (100, Decision::SlotEnded { queue: queue(1), reason: End::NoMoreRequests }),
        (100, Decision::SlotBegan { queue: queue(0) }),
        (100, served(0, 11)),
    ];
    for (at_ns, decision) in stream {
        follower.follow(at_ns, &decision);
    }
    end(&mut follower, 11, 0, 100, 200);
    let explanation = explained(&follower);
    for (name, expected) in [("slots", 1), ("slots_paid", 1), ("slots_given", 0)] {
        let row = explanation.counts.iter().find(|row| row.name == name);
        assert_eq!(row.map_or(0, |row| row.count), expected, "{name}");
    }
}

#[test]
fn a_request_that_was_merged_away_leaves_its_queue() {
    let mut follower = follower();
    let stream = [
        (0, queued(1, 1)),
        (0, queued(1, 2)),
        (0, in_service(1)),
        (0, served(1, 1)),
        (5, Decision::Removed { request: request(2) }),
        (9, completed(1, 1)),
    ];
    for (at_ns, decision) in stream {
        follower.follow(at_ns, &decision);
    }
    let doing = |shown: Shown| shown.scene.slot.map(|slot| slot.doing);
    let scenes: Vec<_> = follower.record.scenes(0, 20).map(doing).collect();
    assert_eq!(scenes, [Doing::Served(None), Doing::Held(None), Doing::Idling(None)].map(Some));
}
