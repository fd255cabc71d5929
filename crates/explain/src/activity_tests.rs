// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of decisions made by hand, and what is told of them.

use super::*;
use crate::cast::{Cast, JobNames};
use crate::slow::Slowest;
use base::Class;
use bfq::why::{IdlingRule, LoanEnd, RaiseKind};
use bfq::{GroupId, ProcessId, RequestId, Service, Span, Time, Weight};

fn queue(place: usize) -> QueueId {
    QueueId::from_index(place)
}

fn process(place: usize) -> ProcessId {
    ProcessId::from_index(place)
}

/// What is told of decisions at times; the queues 0 and 1 are of the programs `a` and `b`.
fn told(stream: &[(u64, Decision)]) -> Activity {
    let job = |name: &str| JobNames { name: name.into(), group: None, processes: 1 };
    let cast = Cast::everybody_of(vec![job("a"), job("b")], vec![(0, 1), (1, 2)]);
    let mut follower = Follower::new(cast, Slowest::new(0, None));
    let group = GroupId::from_index(0);
    for place in 0..2 {
        follower.follow(0, &Decision::ProcessAdded { process: process(place), group });
        let (queue, process) = (queue(place), Some(process(place)));
        let (class, weight) = (Class::BestEffort, Weight::DEFAULT_GROUP);
        let created = Decision::QueueCreated { queue, process, group, sync: true, class, weight };
        follower.follow(0, &created);
    }
    let mut tallies = Tallies::default();
    for (now_ns, decision) in stream {
        follower.follow(*now_ns, decision);
        tallies.goes_on(*now_ns, &follower);
        tallies.decided(decision, &follower);
    }
    let elapsed_ns = stream.last().map_or(0, |(now_ns, _)| *now_ns);
    Activity { scheduler: "it".to_owned(), elapsed_ns, ..tallies.activity(&follower) }
}

fn queued(place: usize) -> Decision {
    let (queue, process) = (queue(place), Some(process(place)));
    Decision::Queued { queue, request: RequestId::from_index(place), process }
}

fn served(place: usize) -> Decision {
    let request = RequestId::from_index(place);
    Decision::Served { queue: queue(place), request, charged: Service::of(8) }
}

fn completed(place: usize) -> Decision {
    Decision::Completed { request: RequestId::from_index(place), queue: Some(queue(place)) }
}

fn raise_checked(place: usize) -> Decision {
    Decision::RaiseChecked {
        queue: queue(place),
        age: Span::from_ms(1),
        period: Span::from_ms(100),
        coefficient: 30,
        weight: Weight::of(3000),
        base_weight: Weight::DEFAULT_GROUP,
    }
}

#[test]
fn turns_idling_raises_and_merges_are_told() {
    let until = Time::from_ns(u64::MAX);
    let (raised, rule) = (RaiseKind::Interactive, IdlingRule::Asymmetric);
    let (queue_0, queue_1, period) = (queue(0), queue(1), Span::from_ms(100));
    let activity = told(&[
        (0, queued(0)),
        (0, Decision::Raised { queue: queue_0, kind: raised, coefficient: 30, period }),
        (100, Decision::InService { queue: queue_0, budget: Service::of(1000) }),
        (100, served(0)),
        (100, raise_checked(0)),
        // All that it has is in the disk, then nothing, and the disk is kept for it.
        (300, completed(0)),
        (300, Decision::Idling { queue: queue_0, rule, until }),
        (300, queued(1)),
        (500, Decision::Merged { queue: queue_1, target: queue_0, process: process(1) }),
        (1000, queued(1)),
    ]);
    assert_eq!(activity.nobody_ns, 100);
    let [alone, shared] = [0, 1].map(|place| {
        let mut by_name: Vec<&Holder> = activity.holders.iter().collect();
        by_name.sort_by(|one, other| one.who.cmp(&other.who));
        by_name[place].clone()
    });
    let kept = |rule: Option<Rule>, ns, idle_ns| Kept {
        rule: rule.map(Rule::name),
        because: rule.map(Rule::because),
        ns,
        idle_ns,
    };
    assert_eq!((alone.who.as_str(), alone.ns), ("a", 400));
    assert_eq!(alone.kept, [kept(None, 200, 0), kept(Some(rule.into()), 200, 200)]);
    assert_eq!((&alone.raises[..], alone.raised_requests), (&["interactive"][..], 1));
    assert_eq!((shared.who.as_str(), shared.ns), ("a+b", 500));
    assert_eq!(activity.merges, [Merge { who: "b".to_owned(), queue: "a+b".to_owned() }]);
    assert_eq!(
        activity.lines(),
        [
            "it had the disk serve a+b 50 % (50 % idle: to keep the shares), \
             a 40 % (20 % kept, 20 % idle: to keep the shares), no process 10 %",
            "a raised (interactive) for 1 request",
            "shared queues: b in a+b",
        ]
    );
}

#[test]
fn loans_of_tfq_are_told() {
    let activity = told(&[
        (0, Decision::LoanBegan { queue: queue(1) }),
        (0, queued(1)),
        (0, served(1)),
        (700, completed(1)),
        (700, Decision::LoanEnded { queue: queue(1), reason: LoanEnd::Time }),
        (1000, queued(0)),
    ]);
    let [holder] = &activity.holders[..] else { panic!("{activity:?}") };
    assert_eq!((holder.who.as_str(), holder.loans, holder.loan_ns), ("b", 1, 700));
    assert_eq!(
        activity.lines(),
        ["it had the disk serve b 70 %, no process 30 %", "b on loan for 700 ns"]
    );
}

#[test]
fn of_many_that_were_raised_some_are_named_and_the_rest_counted() {
    let holder = |number: u32| Holder {
        who: format!("p{number}"),
        raises: vec!["interactive"],
        raised_requests: 1,
        ..Holder::default()
    };
    let activity = Activity { holders: (0..40).map(holder).collect(), ..Activity::default() };
    let lines = activity.lines();
    assert!(lines[1].ends_with("p3 raised (interactive) for 1 request, and 36 more"), "{lines:?}");
}
