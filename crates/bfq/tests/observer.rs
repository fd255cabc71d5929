// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exchanging the observer of a scheduler at work: the scheduling goes on, and each observer is
//! told what is decided in its time.

use bfq::{
    Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Time,
    why::{Decision, Observer, Silent},
};

#[derive(Default)]
struct All(Vec<Decision>);

impl Observer for All {
    fn decided(&mut self, _: Time, decision: &Decision) {
        self.0.push(*decision);
    }
}

fn at_ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

/// The process reads, and its request is served and completed within the millisecond.
fn read<O: Observer>(s: &mut Scheduler<O>, process: ProcessId, ms: u64) {
    let read = NewRequest::read(process, ms * 1000, 8, at_ms(ms));
    s.insert(at_ms(ms), RequestId::from_index(0), read, false).expect("the number is free");
    let served = s.dispatch(at_ms(ms)).expect("it waits");
    s.complete(at_ms(ms + 1), served).expect("it was dispatched");
}

#[test]
fn an_observer_sees_what_is_decided_while_it_is_there() {
    let attach = || Scheduler::new(at_ms(0), Config::new(true, 8)).expect("memory");
    let process = |s: &mut Scheduler| {
        let root = s.root_group();
        s.add_process(at_ms(0), root, ProcessAttributes::default()).expect("memory")
    };

    // Watched from beginning to end: what there is to see.
    let mut quiet = attach();
    let reader = process(&mut quiet);
    let mut watched = quiet.replace_observer(All::default());
    (1..=3).for_each(|step| read(&mut watched, reader, 10 * step));
    watched.on_timer(at_ms(100));
    let whole = core::mem::take(&mut watched.observer_mut().0);
    assert!(whole.iter().any(|decision| matches!(decision, Decision::Finish { .. })));

    // The same, watched in the middle only.
    let mut quiet = attach();
    let reader = process(&mut quiet);
    read(&mut quiet, reader, 10);
    let mut watched = quiet.replace_observer(All::default());
    read(&mut watched, reader, 20);
    let middle = core::mem::take(&mut watched.observer_mut().0);
    let mut quiet = watched.replace_observer(Silent);
    read(&mut quiet, reader, 30);
    quiet.check();
    let mut last = quiet.replace_observer(All::default());
    last.on_timer(at_ms(100));
    let end = core::mem::take(&mut last.observer_mut().0);

    let from = whole.windows(middle.len()).position(|part| part == middle);
    assert!(from.is_some_and(|from| from > 0), "{middle:?} is no part of {whole:?}");
    assert!(end.iter().any(|decision| matches!(decision, Decision::Expired { .. })), "{end:?}");
    assert!(whole.ends_with(&end), "{end:?} is not the end of {whole:?}");
}
