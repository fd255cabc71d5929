// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exchanging the observer of a scheduler at work: the scheduling goes on, and each observer is
//! told what is decided in its time.

use bfq::{
    Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Time,
    why::{Decision, Observer},
};

#[derive(Default)]
struct All(Vec<Decision>);

impl Observer for All {
    fn decided(&mut self, _: Time, decision: &Decision) {
        self.0.push(*decision);
    }
}

/// Watched at times.
type Watched = Scheduler<Option<All>>;

fn at_ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

/// The process reads, and its request is served and completed within the millisecond.
fn read(s: &mut Watched, process: ProcessId, ms: u64) {
    let read = NewRequest::read(process, ms * 1000, 8, at_ms(ms));
    s.insert(at_ms(ms), RequestId::from_index(0), &read, false).expect("the number is free");
    let served = s.dispatch(at_ms(ms)).expect("it waits");
    s.complete(at_ms(ms + 1), served).expect("it was dispatched");
}

#[test]
fn an_observer_sees_what_is_decided_while_it_is_there() {
    let attach = || Watched::with_observer(at_ms(0), Config::new(true, 8), None).expect("memory");
    let process = |s: &mut Watched| {
        let root = s.root_group();
        s.add_process(at_ms(0), root, ProcessAttributes::default()).expect("memory")
    };
    let watch = |s: &mut Watched| assert!(s.exchange_observer(Some(All::default())).is_none());
    let seen = |s: &mut Watched| s.exchange_observer(None).expect("it was watched").0;

    // Watched from beginning to end: what there is to see.
    let mut s = attach();
    let reader = process(&mut s);
    watch(&mut s);
    (1..=3).for_each(|step| read(&mut s, reader, 10 * step));
    s.on_timer(at_ms(100));
    let whole = seen(&mut s);
    assert!(whole.iter().any(|decision| matches!(decision, Decision::Finish { .. })));

    // The same, watched in the middle and at the end only.
    let mut s = attach();
    let reader = process(&mut s);
    read(&mut s, reader, 10);
    watch(&mut s);
    read(&mut s, reader, 20);
    let middle = seen(&mut s);
    read(&mut s, reader, 30);
    s.check();
    watch(&mut s);
    s.on_timer(at_ms(100));
    let end = seen(&mut s);

    let from = whole.windows(middle.len()).position(|part| part == middle);
    assert!(from.is_some_and(|from| from > 0), "{middle:?} is no part of {whole:?}");
    assert!(end.iter().any(|decision| matches!(decision, Decision::Expired { .. })), "{end:?}");
    assert!(whole.ends_with(&end), "{end:?} is not the end of {whole:?}");
}
