// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which jobs were stopped by errors, in words.

use crate::study::column::Column;
use crate::study::verdict::listed;

/// A sentence for each job and error: `“start” was stopped by error 5 under none and kyber.`
pub(super) fn stopped(columns: &[Column]) -> Vec<String> {
    let mut all: Vec<(&str, i32, Vec<&str>)> = Vec::new();
    for Column { label, run, .. } in columns {
        for job in run.summary.jobs.iter().filter(|job| job.error != 0) {
            let of_it = |(name, errno, _): &&mut (&str, i32, Vec<&str>)| {
                (*name, *errno) == (&*job.jobname, job.error)
            };
            match all.iter_mut().find(of_it) {
                Some((.., labels)) => labels.push(label),
                None => all.push((&job.jobname, job.error, vec![label])),
            }
        }
    }
    all.into_iter()
        .map(|(name, errno, labels)| {
            format!("“{name}” was stopped by error {errno} under {}.", listed(&labels))
        })
        .collect()
}
