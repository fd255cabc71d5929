// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a request takes in each scheduler, for 16, 1,000 and 10,000 processes: `make times`.
//!
//! Criterion repeats each loop, gives the time with its interval, and says what changed since the
//! last run. Compare times of one run with each other, not with those of another machine.

use cost::closed_loop::{ClosedLoop, PROCESSES};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Turns that are timed at once; after the first round each of them serves a request.
const TURNS: u64 = 10_000;

fn closed_loop(criterion: &mut Criterion) {
    for scheduler in elevators::names() {
        let mut group = criterion.benchmark_group(scheduler);
        group.throughput(Throughput::Elements(TURNS));
        for processes in PROCESSES {
            let mut load = ClosedLoop::new(scheduler, processes).expect("the scheduler is known");
            // Every process has been served, so what it needs is in memory.
            load.run(u64::from(processes) * 10);
            group.bench_function(BenchmarkId::from_parameter(processes), |bencher| {
                bencher.iter(|| load.run(TURNS));
            });
        }
        group.finish();
    }
}

criterion_group!(schedulers, closed_loop);
criterion_main!(schedulers);
