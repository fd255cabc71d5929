// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random runs: each I/O ends exactly once, whatever the jobs, the device and the order.

use super::tests::Bench;
use crate::SimultaneousOrder;
use proptest::prelude::*;
use report::Run;

const MS: u64 = 1_000_000;

/// A section of a job file with a fixed number of I/Os.
fn section() -> impl Strategy<Value = String> {
    let rw = prop::sample::select(vec!["read", "write", "randread", "randwrite"]);
    let bytes_kib = prop::sample::select(vec![4_u32, 16, 64, 1024]);
    (rw, bytes_kib, 1..=8_u32, 1..=3_u32, 1..=20_u32, 0..=3_u32, any::<bool>()).prop_map(
        |(rw, bytes_kib, depth, clones, ios, think_ms, wall)| {
            format!(
                "[job]\nrw={rw}\nbs={bytes_kib}k\nsize=32m\nioengine=libaio\niodepth={depth}\n\
                 numjobs={clones}\nnumber_ios={ios}\nthinktime={}\n{}",
                think_ms * 1000,
                if wall { "stonewall\n" } else { "" }
            )
        },
    )
}

fn total_ios(run: &Run) -> u64 {
    run.fio.jobs.iter().map(|job| job.read.total_ios + job.write.total_ios).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_io_ends_once(
        sections in prop::collection::vec(section(), 1..5),
        depth in 1..40_u32,
        latency_ns in 1..(3 * MS),
        shuffle in any::<u64>(),
    ) {
        let text = sections.concat();
        let jobs = workload::parse(&text, "random.fio").unwrap();
        let wanted: u64 = jobs.iter().map(|job| job.number_ios.unwrap() * u64::from(job.numjobs)).sum();
        let mut bench = Bench::with(&text, depth, |config| {
            config.order = SimultaneousOrder::Shuffled { seed: shuffle };
        });
        bench.latency_ns = latency_ns;
        let (run, _) = bench.run();
        prop_assert_eq!(total_ios(&run), wanted);
    }

    #[test]
    fn an_error_costs_no_other_job_anything(
        sections in prop::collection::vec(section(), 1..5),
        depth in 1..40_u32,
        failing in 0..60_usize,
    ) {
        let mut bench = Bench::with(&sections.concat(), depth, |config| {
            // One bio a command, so that one error is one process's.
            config.settings.nomerges = blk::NoMerges::Off;
        });
        bench.failing = Some(failing);
        let (run, log) = bench.run();
        let failed = run.fio.jobs.iter().filter(|job| job.error != 0).count();
        prop_assert_eq!(failed, usize::from(failing < log.len()));
        for (job, stats) in workload::parse(&sections.concat(), "random.fio").unwrap().iter()
            .flat_map(|job| std::iter::repeat_n(job, job.numjobs as usize))
            .zip(&run.fio.jobs)
        {
            if stats.error == 0 {
                let ios = stats.read.total_ios + stats.write.total_ios;
                prop_assert_eq!(Some(ios), job.number_ios);
            }
        }
    }
}
