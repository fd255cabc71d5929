// SPDX-License-Identifier: MIT OR Apache-2.0
//! Nothing to gain: random readers of equal weight on flash.

use crate::claim::{Claim, Limit};
use crate::measure::measure;
use crate::stand_in::own_or;

const FILE: &str = "random-readers.fio";

pub fn claims() -> Vec<Claim> {
    let mut claims = Vec::new();
    for device in ["ssd-sata", "ssd-nvme"] {
        let command = format!("bfq sim jobs/{FILE} --device {device} --scheduler bfq,none");
        let bfq = measure(FILE, device, "bfq");
        let none = measure(FILE, device, "none");
        let iops = |measured: &crate::measure::Measured| measured.bytes_per_s() / 4096.0;
        let claim =
            |what: &str, promised, measured| Claim::new(what, device, promised, measured, &command);
        claims.push(
            claim(
                "random reads, of none's",
                Limit::PercentAtLeast(98.0),
                iops(&bfq) / iops(&none) * 100.0,
            )
            .detail(format!("{:.0} and {:.0} IOPS", iops(&bfq), iops(&none))),
        );
        // How often the device was kept free for a queue, as each policy calls it.
        let idlings = own_or(|| bfq.scheduler_stat("idlings"), || bfq.scheduler_stat("holds"));
        claims.push(claim("idlings", Limit::Count(0), idlings));
    }
    claims
}
