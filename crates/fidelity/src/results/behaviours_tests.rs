// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is worse, and for whom.

use super::*;

fn comparison(kernel: Service, improved: Service) -> BehaviourComparison {
    let case = Case { scenario: "s".into(), disk: "hdd".into(), depth: 1, scheduler: "bfq".into() };
    BehaviourComparison { case, kernel, improved }
}

#[test]
fn more_throughput_is_better_and_a_longer_wait_is_worse() {
    use Standing::{Better, Same, Worse};
    let service = |total_mb_per_s, longest_wait_ms, start_up_s| Service {
        total_mb_per_s,
        longest_wait_ms,
        start_up_s,
        ..Service::default()
    };
    let kernel = service(100.0, 1000.0, Some(2.0));
    for (improved, standings) in [
        (service(104.9, 1049.0, Some(2.09)), [Same, Same, Same]),
        (service(105.1, 1051.0, Some(2.11)), [Better, Worse, Worse]),
        (service(94.9, 949.0, Some(1.89)), [Worse, Better, Better]),
        (service(100.0, 1000.0, None), [Same, Same, Same]),
    ] {
        let comparison = comparison(kernel, improved);
        let standing = |index: usize| SERVICE_FIGURES[index].standing(&comparison);
        assert_eq!([standing(0), standing(2), standing(4)], standings, "{improved:?}");
    }
}

#[test]
fn shares_are_measured_against_the_weights_of_those_that_always_ask() {
    let text = "[global]\nrw=read\nsize=1m\n[a]\nprio=0\nprioclass=2\n[b]\nprio=7\nprioclass=2\n\
                [thinks]\nthinktime=1000\n[idle]\nprioclass=3\n";
    let jobs = workload::parse(text, "t").unwrap();
    assert!(unfairness(&jobs, &[0.4, 0.05, 0.3, 0.25]) < 1e-9, "80 to 10");
    let off = unfairness(&jobs, &[0.25, 0.25, 0.5, 0.0]);
    assert!((off - (8.0 / 9.0 - 0.5)).abs() < 1e-9, "{off}");
}

#[test]
fn who_gets_nothing_until_the_end_has_waited_so_long() {
    let text = "[a]\nrw=read\nbs=64k\nsize=1g\ntime_based\nruntime=2\nprioclass=1\nprio=0\n\
                [b]\nrw=read\nbs=64k\nsize=1g\ntime_based\nruntime=2\n";
    let jobs = workload::parse(text, "t").unwrap();
    let case =
        Case { scenario: "s".into(), disk: "hdd".into(), depth: 1, scheduler: "bfq-ll0".into() };
    let comparison = compare_behaviours(&case, &jobs).unwrap();
    for service in [comparison.kernel, comparison.improved] {
        assert!((1990.0..2100.0).contains(&service.longest_wait_ms), "{service:?}");
        assert!(service.total_mb_per_s > 80.0, "{service:?}");
    }
}
