// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds for any job: I/O stays in the region, on its blocks, and comes in exactly the number
//! that the job asks for.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::tests::{job, region, run};
use super::{Issuer, IssuerStep};
use crate::io::IoKind;
use crate::layout::Region;

fn patterns() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["read", "write", "rw", "randread", "randwrite", "randrw"])
}

fn block_sizes() -> impl Strategy<Value = String> {
    let size = || proptest::sample::select(vec!["512", "1k", "4k", "12k", "64k"]);
    prop_oneof![
        size().prop_map(|size| format!("bs={size}")),
        (size(), size()).prop_map(|(read, write)| format!("bs={read},{write}")),
        (size(), size()).prop_map(|(one, other)| format!("bsrange={one}-{other}")),
        (size(), size(), 0..100).prop_map(|(one, other, percent)| {
            format!("bssplit={one}/{percent}:{other}/{}", 100 - percent)
        }),
    ]
}

fn extras() -> impl Strategy<Value = String> {
    let extra = prop_oneof![
        Just("norandommap".to_string()),
        (1..40).prop_map(|n| format!("iodepth={n} ioengine=libaio")),
        (1..5).prop_map(|n| format!("loops={n}")),
        (1..300).prop_map(|n| format!("number_ios={n}")),
        (1..900).prop_map(|n| format!("io_size={n}k")),
        (1..90).prop_map(|n| format!("thinktime={n}ms thinktime_blocks={}", 1 + n % 7)),
        (1..90).prop_map(|n| format!("thinktime={n}ms thinktime_iotime={n}ms")),
        (10..500).prop_map(|n| format!("rate_iops={n}")),
        (1..90).prop_map(|n| format!("ramp_time={n}ms")),
        (1..900).prop_map(|n| format!("runtime={n}ms time_based")),
        (1..9).prop_map(|n| format!("fsync={n} end_fsync=1")),
        (1..900u64, 128..900u64, 0..99u64).prop_map(|(size, range, skip)| {
            let (range, skip) = (range * 512, skip * 512);
            format!("zonemode=strided zonesize={size}k zonerange={range} zoneskip={skip}")
        }),
        (1..300).prop_map(|n| format!("random_distribution=zipf:{}", f64::from(n) / 99.5)),
        (1..99).prop_map(|n| format!("random_distribution=pareto:0.{n:02}:0.5")),
        (0..99).prop_map(|n| format!("random_distribution=normal:{n}")),
        (1..99).prop_map(|n| format!("random_distribution=zoned:{n}/5:{}/", 100 - n)),
        (10..500).prop_map(|n| format!("rate_iops={n} rate_process=poisson")),
        (1..9).prop_map(|n| format!("latency_target={n}ms latency_window=9ms iodepth={n}")),
    ];
    prop::collection::vec(extra, 0..4).prop_map(|extras| extras.join(" "))
}

proptest! {
    #[test]
    fn io_stays_in_the_region_and_on_its_blocks(
        rw in patterns(),
        sizes in block_sizes(),
        extras in extras(),
        length_blocks in 128u64..2000,
        offset_blocks in 0u64..1000,
        service_ms in 0u64..20,
    ) {
        let length_bytes = length_blocks * 512 + 511;
        let job = job(&format!(
            "rw={rw} {sizes} {extras} size={length_bytes} offset={}", offset_blocks * 512
        ));
        let region = region(&job);
        let run = run(&job, service_ms * 1_000_000, 3000);
        prop_assert!(!run.issued.is_empty());
        prop_assert!(run.most_in_flight <= job.queue_depth() as usize);
        for (number, (_, io)) in run.issued.iter().enumerate() {
            prop_assert_eq!(io.ticket.0, number as u32);
            let sizes = match io.kind {
                IoKind::Read => &job.block_sizes.read,
                IoKind::Write => &job.block_sizes.write,
                IoKind::Trim => &job.block_sizes.trim,
                _ => continue,
            };
            prop_assert!(io.offset_bytes >= region.start_bytes);
            let end_bytes = io.offset_bytes + u64::from(io.length_bytes);
            prop_assert!(end_bytes <= region.start_bytes + region.length_bytes);
            prop_assert!(io.length_bytes >= sizes.min_bytes());
            prop_assert!(io.length_bytes <= sizes.max_bytes());
            prop_assert!(io.offset_bytes % 512 == 0 && io.length_bytes % 512 == 0);
            // A zone may begin anywhere.
            if job.rw.is_random() && job.strides.is_none() {
                let within = io.offset_bytes - region.start_bytes;
                prop_assert_eq!(within % u64::from(sizes.min_bytes()), 0);
            }
        }
    }

    #[test]
    fn each_block_comes_exactly_once_a_pass(
        rw in proptest::sample::select(vec!["randread", "randwrite", "randrw"]),
        blocks in 1u64..400,
        loops in 1u64..4,
        rest_bytes in 0u64..4096,
    ) {
        let size = blocks * 4096 + rest_bytes;
        let run = run(&job(&format!("rw={rw} size={size} loops={loops}")), 0, 10_000);
        prop_assert_eq!(run.issued.len() as u64, blocks * loops);
        for pass in run.issued.chunks(blocks as usize) {
            let places: BTreeSet<u64> =
                pass.iter().map(|(_, io)| io.offset_bytes / 4096).collect();
            prop_assert_eq!(places, (0..blocks).collect::<BTreeSet<u64>>());
        }
    }

    #[test]
    fn sequential_io_comes_in_order_and_ends_with_the_region(
        blocks in 1u64..400,
        loops in 1u64..4,
        rest_bytes in 0u64..4096,
        depth in 1u32..9,
    ) {
        let size = blocks * 4096 + rest_bytes;
        let options = format!("size={size} loops={loops} ioengine=libaio iodepth={depth}");
        let run = run(&job(&options), 1, 10_000);
        let places: Vec<u64> = run.issued.iter().map(|(_, io)| io.offset_bytes / 4096).collect();
        let expected: Vec<u64> = (0..loops).flat_map(|_| 0..blocks).collect();
        prop_assert_eq!(places, expected);
    }

    #[test]
    fn the_number_of_ios_is_exact(
        rw in patterns(),
        ios in 1u64..500,
        loops in 1u64..4,
        map in any::<bool>(),
    ) {
        let map = if map { "" } else { "norandommap" };
        let run = run(
            &job(&format!("rw={rw} size=1g number_ios={ios} loops={loops} {map}")), 0, 10_000,
        );
        prop_assert_eq!(run.issued.len() as u64, ios * loops);
    }

    #[test]
    fn the_bytes_are_those_of_io_size_to_a_block(
        rw in patterns(),
        io_kib in 1u64..2000,
        size_kib in 4u64..200,
    ) {
        let options = format!("rw={rw} size={size_kib}k io_size={io_kib}k");
        let run = run(&job(&options), 0, 10_000);
        // Only at the end of the region it ends before its io_size, rather than behind it.
        let ios = run.issued.len() as u64;
        prop_assert!(ios == io_kib.div_ceil(4) || ios == io_kib / 4);
    }

    #[test]
    fn a_process_is_a_function_of_its_seed_job_and_clone(seed: u64, clone in 0u32..9) {
        let job = job("rw=randrw size=1g bsrange=4k-64k");
        let region = Region { start_bytes: 0, length_bytes: 1 << 30 };
        let first_ios = |clone: u32, seed: u64| {
            let mut process = Issuer::new(&job, clone, region, seed);
            let mut ios = Vec::new();
            for now_ns in 0..20 {
                if let IssuerStep::Submit(io) = process.poll(now_ns) {
                    process.completed(now_ns, io.ticket);
                    ios.push(io);
                }
            }
            ios
        };
        prop_assert_eq!(first_ios(clone, seed), first_ios(clone, seed));
        prop_assert_ne!(first_ios(clone, seed), first_ios(clone + 1, seed));
        prop_assert_ne!(first_ios(clone, seed), first_ios(clone, seed ^ 1));
    }
}

#[test]
fn randseed_takes_the_place_of_the_seed() {
    let first_io = |options: &str, seed: u64| {
        let job = job(options);
        match Issuer::new(&job, 0, region(&job), seed).poll(0) {
            IssuerStep::Submit(io) => io.offset_bytes,
            step => panic!("{step:?}"),
        }
    };
    let options = "rw=randread size=100g";
    let seeded = "rw=randread size=100g randseed=5";
    assert_eq!(first_io(seeded, 1), first_io(seeded, 2));
    assert_eq!(first_io(seeded, 1), first_io(options, 5));
    assert_ne!(first_io(options, 1), first_io(options, 2));
}
