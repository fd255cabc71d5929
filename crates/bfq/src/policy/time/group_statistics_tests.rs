// SPDX-License-Identifier: MIT OR Apache-2.0
//! What groups are told of the time of the device that they got.

use super::state::TimeFair;
use crate::{
    Config, NewRequest, ProcessAttributes, RequestId, Time, scheduler::Scheduler,
    tunables::Tunable, why::Silent,
};

const MS: u64 = 1_000_000;

/// A process that reads one by one: each read takes 5 ms, the next comes 1 ms later.
#[test]
fn a_group_is_told_of_its_time() {
    for (rotational, charged_ms) in [(true, 5 * 40 + 38..=5 * 40 + 40), (false, 195..=300)] {
        let config = Config::new(rotational, 64);
        let mut scheduler: Scheduler<Silent, TimeFair> =
            Scheduler::attach(Time::ZERO, config, Silent).expect("memory");
        scheduler.set_tunable(Time::ZERO, Tunable::LowLatency, 0);
        scheduler.set_detailed_statistics(Time::ZERO, true);
        let group = scheduler.add_group(Time::ZERO, scheduler.root_group()).expect("memory");
        let attributes = ProcessAttributes::default();
        let process = scheduler.add_process(Time::ZERO, group, attributes).expect("memory");
        let mut now = Time::ZERO;
        for number in 0..40 {
            let id = RequestId::from_index(0);
            let new = NewRequest::read(process, number * 100_000, 8, now);
            scheduler.insert(now, id, &new, false).expect("a living process");
            assert_eq!(scheduler.dispatch(now), Some(id));
            now = Time::from_ns(now.as_ns() + 5 * MS);
            scheduler.complete(now, id).expect("it was dispatched");
            // The disk is kept free for what comes next, if a queue is waited for that long.
            assert_eq!(scheduler.dispatch(now), None);
            now = Time::from_ns(now.as_ns() + MS);
        }
        let statistics = scheduler.group_statistics(group).expect("it exists");
        let in_service_ms = statistics.own.in_service.as_ms();
        assert!(charged_ms.contains(&in_service_ms), "{rotational}: {in_service_ms} ms");
        // On flash no queue is waited for 1 ms, so it leaves.
        let (idle_ms, dequeues) = (statistics.idle.as_ms(), statistics.dequeues);
        assert_eq!(idle_ms > 0, rotational, "{idle_ms} ms");
        assert_eq!(dequeues > 0, !rotational, "{dequeues}");
    }
}
