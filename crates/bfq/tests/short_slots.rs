// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a slot of less than 20 ms is charged (spec 3.9; docs/decisions.md, "A short slot can be
//! slow as well"). Times are in ms.

use bfq::{
    Behaviour, Config, NewRequest, ProcessAttributes, RequestId, Scheduler, Time,
    tunables::Tunable,
    why::{Decision, Observer},
};

/// The charges for time: how long a slot was, in ms.
#[derive(Default)]
struct Charges(Vec<u64>);

impl Observer for Charges {
    fn decided(&mut self, _: Time, decision: &Decision) {
        if let Decision::ChargedTime { length, .. } = decision {
            self.0.push(length.as_ms());
        }
    }
}

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

/// A process reads `sectors` in one go, which takes the disk 9 ms, and then thinks for longer
/// than the disk is kept idle for it, which begins at 9 ms.
fn charged(behaviour: Behaviour, rotational: bool, slice_idle_ms: u64, sectors: u32) -> Vec<u64> {
    let config = Config { behaviour, ..Config::new(rotational, 64) };
    let mut s = Scheduler::with_observer(ms(0), config, Charges::default()).expect("memory");
    s.set_tunable(ms(0), Tunable::LowLatency, 0);
    s.set_tunable(ms(0), Tunable::SliceIdle, slice_idle_ms);
    let root = s.root_group();
    let reader = s.add_process(ms(0), root, ProcessAttributes::default()).expect("memory");
    let id = RequestId::from_index(0);
    s.insert(ms(0), id, &NewRequest::read(reader, 0, sectors, ms(0)), false).expect("free");
    assert_eq!(s.dispatch(ms(0)), Some(id));
    s.complete(ms(9), id).expect("dispatched");
    assert_eq!(s.dispatch(ms(9)), None, "it may go on");
    if slice_idle_ms > 0 {
        assert_eq!(s.next_timer(), Some(ms(9 + slice_idle_ms)));
        s.on_timer(ms(9 + slice_idle_ms));
    }
    s.check();
    core::mem::take(&mut s.observer_mut().0)
}

#[test]
fn a_short_slot_that_moved_little_is_charged_what_it_kept_the_disk() {
    use Behaviour::{Improved, Linux6_1, Linux6_12};
    // The largest budget is 16384 sectors for 125 ms: 1179 in 9 ms, and 589 are half of that.
    for (behaviour, rotational, slice_idle_ms, sectors, expected) in [
        (Improved, true, 8, 128, &[17][..]),
        (Improved, true, 4, 128, &[13]),
        (Improved, true, 0, 128, &[]),
        (Improved, true, 8, 588, &[17]),
        (Improved, true, 8, 589, &[]),
        (Improved, false, 8, 128, &[]),
        (Linux6_1, true, 8, 128, &[]),
        (Linux6_12, true, 8, 128, &[]),
    ] {
        let seen = charged(behaviour, rotational, slice_idle_ms, sectors);
        let disk = if rotational { "rotational" } else { "flash" };
        assert_eq!(
            seen, expected,
            "{behaviour:?}, {disk}, slice_idle {slice_idle_ms} ms, {sectors} sectors"
        );
    }
}
