// SPDX-License-Identifier: MIT OR Apache-2.0
//! Start-up under load: a program of 200 small dependent reads beside readers and writers.

use crate::claim::{Claim, Limit};
use crate::measure::measure;

const PROGRAM: &str = "command";

/// The loads: what they are called, the job file, and how many times slower than on the idle disk
/// a program may start beside them.
const LOADS: [(&str, &str, f64); 2] = [
    ("10 readers", "start-up-readers.fio", 1.5),
    ("5 readers and 5 writers", "start-up-readers-writers.fio", 2.0),
];

fn start_up_ms(file: &str, device: &str, scheduler: &str) -> f64 {
    measure(file, device, scheduler).runtime_ms(PROGRAM)
}

pub fn claims() -> Vec<Claim> {
    let mut claims = Vec::new();
    for device in ["ssd-sata", "hdd-desktop"] {
        let idle_ms = start_up_ms("start-up-idle.fio", device, "bfq");
        for (load, file, most) in LOADS {
            let command = [("start-up-idle.fio", "bfq"), (file, "bfq,mq-deadline,none")]
                .map(|(file, schedulers)| {
                    format!("bfq sim jobs/{file} --device {device} --scheduler {schedulers}")
                })
                .join("\n");
            let bfq_ms = start_up_ms(file, device, "bfq");
            let claim = Claim::new(
                format!("start-up beside {load}, against the idle disk"),
                device,
                Limit::TimesAtMost(most),
                bfq_ms / idle_ms,
                &command,
            );
            claims.push(claim.detail(format!("{bfq_ms} ms, idle {idle_ms} ms")));
            for rival in ["mq-deadline", "none"] {
                let rival_ms = start_up_ms(file, device, rival);
                let claim = Claim::new(
                    format!("the same, faster than {rival}"),
                    device,
                    Limit::TimesAtLeast(5.0),
                    rival_ms / bfq_ms,
                    &command,
                );
                claims.push(claim.detail(format!("{rival} {rival_ms} ms")));
            }
        }
    }
    claims
}
