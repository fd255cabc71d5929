// SPDX-License-Identifier: MIT OR Apache-2.0
//! The announcement of 2010: cold-cache start of a command beside readers and writers, bfq against
//! the cfq of Linux 2.6.32 and of 2.6.35.

use crate::claim::{Claim, Limit};
use crate::scenario::Scenario;

const DISK: &str = "hdd-desktop-2008";
const RIVALS: [(&str, &str, f64); 2] =
    [("cfq", "2.6.32: 5 to 9 times", 5.0), ("cfq:generation=2.6.35", "2.6.35: 6 to 14 times", 6.0)];
const STARTS: [(&str, &str, &str); 8] = [
    ("bash", "10 sequential readers", "2010-announcement/bash-10-sequential-readers.fio"),
    ("bash", "10 random readers", "2010-announcement/bash-10-random-readers.fio"),
    (
        "bash",
        "5 sequential readers, 5 writers",
        "2010-announcement/bash-5-sequential-readers-5-writers.fio",
    ),
    (
        "bash",
        "5 random readers, 5 writers",
        "2010-announcement/bash-5-random-readers-5-writers.fio",
    ),
    ("Writer", "10 sequential readers", "2010-announcement/writer-10-sequential-readers.fio"),
    ("Writer", "10 random readers", "2010-announcement/writer-10-random-readers.fio"),
    (
        "Writer",
        "5 sequential readers, 5 writers",
        "2010-announcement/writer-5-sequential-readers-5-writers.fio",
    ),
    (
        "Writer",
        "5 random readers, 5 writers",
        "2010-announcement/writer-5-random-readers-5-writers.fio",
    ),
];
/// Where it is less than claimed: how many times it is at least.
const KNOWN_MISSES: [((&str, &str), f64); 2] = [
    (("2010-announcement/bash-10-random-readers.fio", "cfq:generation=2.6.35"), 5.0),
    (("2010-announcement/writer-5-sequential-readers-5-writers.fio", "cfq:generation=2.6.35"), 4.0),
];

pub fn claims() -> Vec<Claim> {
    let mut claims = Vec::new();
    for (program, load, file) in STARTS {
        let scenario = Scenario::new(file);
        let start_ms = |scheduler| scenario.run(DISK, scheduler).runtime_ms("command");
        let bfq_ms = start_ms("bfq");
        for (rival, claimed, least) in RIVALS {
            let rival_ms = start_ms(rival);
            let what =
                format!("{program} starts beside {load}; times faster than cfq of {claimed}");
            let command = scenario.command(DISK, &["bfq", rival]);
            let limit = Limit::TimesAtLeast(least);
            let claim = Claim::new(what, DISK, limit, rival_ms / bfq_ms, &command);
            let claim = claim.detail(format!("bfq {bfq_ms:.0} ms, cfq {rival_ms:.0} ms"));
            let known = KNOWN_MISSES.iter().find(|miss| miss.0 == (file, rival));
            claims.push(claim.known_to_miss(known.map(|miss| Limit::TimesAtLeast(miss.1))));
        }
    }
    claims
}
