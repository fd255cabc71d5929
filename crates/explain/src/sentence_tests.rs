// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first sentence, of causes that are made up.

use super::*;
use crate::cause::Reason;
use crate::explanation::About;
use crate::record::PoolLimit;

/// The beginning of the sentence about one I/O that took 1 ms; of each cause who is behind it, if
/// anybody, and how many µs it took.
fn sentence(causes: &[(CauseKind, Option<usize>, u64)]) -> String {
    let row = |&(kind, job, us): &(CauseKind, Option<usize>, u64)| CauseRow {
        cause: kind.name(),
        who: job.map(|job| format!("r{job}")),
        group: None,
        rule: None,
        ns: us * 1000,
        share: us as f64 / 1e3,
        reason: Reason { kind, who: job.map(Who::Job), rule: None },
    };
    let about = About {
        bfq_version: String::new(),
        mode: "sim".into(),
        scheduler: "bfq".into(),
        seed: None,
        device: "disk".into(),
        elapsed_ns: 0,
        note: None,
    };
    let explanation = Explanation {
        about,
        job: "me".into(),
        group: None,
        processes: 1,
        sentence: String::new(),
        ios: 1,
        failed: 0,
        flushes: 0,
        flush_latency_ns: 0,
        latency_ns: 1_000_000,
        latency_mean_ns: 1_000_000,
        latency_max_ns: 1_000_000,
        causes: causes.iter().map(row).collect(),
        counts: Vec::new(),
        slowest: Vec::new(),
    };
    let sentence = of(&explanation, &Counts::default());
    sentence.split_once(';').unwrap().0.to_owned()
}

#[test]
fn culprits_are_added_up() {
    use CauseKind::{BehindHeld, BehindServed, DeviceBehind, Nobody, Own};
    let behind = |kind, us: &[u64]| -> Vec<(CauseKind, Option<usize>, u64)> {
        us.iter().enumerate().map(|(job, &us)| (kind, Some(job + 1), us)).collect()
    };
    for (causes, expected) in [
        (behind(BehindServed, &[1000]), "1.00 ms of its 1.00 ms mean latency for turns of r1"),
        (behind(BehindServed, &[400, 300]), "400 µs of its 1.00 ms mean latency for turns of r1"),
        (
            behind(BehindServed, &[200, 240, 260]),
            "700 µs of its 1.00 ms mean latency for turns of r3 and 2 others",
        ),
        (
            behind(DeviceBehind, &[90, 100, 80, 90, 90]),
            "450 µs of its 1.00 ms mean latency for older requests of r2 and 4 others in the \
             device",
        ),
        // What another reason takes does not hide two culprits, of whom each took less.
        (
            [behind(BehindServed, &[310, 290]), vec![(Own, None, 400)]].concat(),
            "600 µs of its 1.00 ms mean latency for turns of r1 and r2",
        ),
        // Turns of one are told together, however they were spent.
        (
            vec![
                (BehindServed, Some(1), 200),
                (BehindHeld, Some(1), 200),
                (BehindServed, Some(2), 300),
                (Nobody, None, 300),
            ],
            "400 µs of its 1.00 ms mean latency for turns of r1",
        ),
    ] {
        assert_eq!(sentence(&causes), format!("me waited {expected}"));
    }
}

#[test]
fn what_kept_it_from_a_request_is_told() {
    let causes = |whole_us, share_us| {
        [
            (CauseKind::Pool(PoolLimit::Whole), None, whole_us),
            (CauseKind::Pool(PoolLimit::Share), None, share_us),
        ]
    };
    let waited = "me waited 900 µs of its 1.00 ms mean latency for a free request";
    for (causes, why) in [
        (causes(600, 300), "all are in use"),
        (causes(200, 700), "it or its group has its share of them"),
    ] {
        assert_eq!(sentence(&causes), format!("{waited}: {why}"));
    }
}
