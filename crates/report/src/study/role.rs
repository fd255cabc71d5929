// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a part of the jobs is there for, read off its options.

use crate::results::Run;
use crate::study::options::set;
use crate::study::parts::Participant;
use base::size::size_bytes;

/// The options that give sizes of blocks.
const BLOCK_SIZES: [&str; 5] = ["bs", "blocksize", "bsrange", "blocksize_range", "bssplit"];

/// What a part is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Its work has an end: a program that starts.
    Starts,
    /// A user waits for each of its I/Os.
    Waits,
    /// It moves as much as it can.
    Works,
}

pub(super) fn role(run: &Run, part: &Participant) -> Role {
    let job = part.jobs[0];
    let has = |name: &str| set(run, job, &[name]).is_some();
    if ["number_ios", "read_iolog"].into_iter().any(has) {
        return Role::Starts;
    }
    let paced = ["thinktime", "rate_iops", "rate", "fsync", "fdatasync"].into_iter().any(has);
    let alone = part.jobs.len() == run.summary.jobs.len();
    if paced || (!alone && is_small(run, job)) { Role::Waits } else { Role::Works }
}

/// Whether a job has little under way at a time, and another of its phase much more.
fn is_small(run: &Run, job: usize) -> bool {
    const SMALL_BYTES: u64 = 64 << 10;
    let jobs = &run.summary.jobs;
    let others = (0..jobs.len()).filter(|&other| jobs[other].phase == jobs[job].phase);
    let most = others.filter_map(|other| outstanding_bytes(run, other)).max().unwrap_or(0);
    outstanding_bytes(run, job).is_some_and(|bytes| bytes <= SMALL_BYTES && bytes * 8 <= most)
}

/// What a job has under way at a time, by its options.
fn outstanding_bytes(run: &Run, job: usize) -> Option<u64> {
    let depth = set(run, job, &["iodepth"]).and_then(|text| text.parse().ok()).unwrap_or(1);
    let bytes = set(run, job, &BLOCK_SIZES).map_or(Some(4096), greatest_size_bytes)?;
    bytes.checked_mul(depth)
}

/// The greatest of the sizes that an option names (`4k`, `4k-16k`, `4k,8k`, `4k/90:64k/10`), powers
/// of 1024.
fn greatest_size_bytes(text: &str) -> Option<u64> {
    let sizes = text.split([',', '-', ':']);
    let size = |size: &str| size_bytes(size.split_once('/').map_or(size, |(size, _)| size)).ok();
    sizes.filter_map(size).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::parts::parts;
    use crate::tests::samples::{JobSample, run};

    /// Beside 1 MiB under way 64 KiB are little, whatever the size is called.
    #[test]
    fn sizes_of_blocks_have_several_names() {
        for (option, size) in [
            ("bs", "1m"),
            ("blocksize", "1m"),
            ("bsrange", "4k-1m"),
            ("blocksize_range", "4k-1024k"),
            ("bssplit", "4k/90:1m/10"),
            ("bssplit", "4k/90:1m/"),
        ] {
            let (large, small) = ([(option, size)], [("blocksize", "64k")]);
            let jobs = [("small", &small), ("large", &large)]
                .map(|(name, options)| JobSample::steady(name, options, 1000, 4096));
            let mut run = run("bfq", &jobs, &[]);
            run.fio.global_options.insert("bs", "2m".to_owned());
            let parts = parts(&run);
            let roles: Vec<_> = parts.iter().map(|part| role(&run, part)).collect();
            assert_eq!(roles, [Role::Waits, Role::Works], "{option}={size}");
        }
    }
}
