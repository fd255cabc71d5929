// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small recording of the scheduler, as its readers get it.

use bfq::{Config, NewRequest, ProcessAttributes, RequestId, Span, Time};
use recording::{Comm, DeviceName, Record, Recorded, Sink};

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn write(&mut self, bytes: &[u8]) -> bool {
        self.0.extend_from_slice(bytes);
        true
    }
}

/// One `reader` reads ten times 4 KiB from sda, 2 ms each, under bfq.
pub fn recording() -> Vec<u8> {
    recording_by::<bfq::Budget>()
}

/// The same under another policy.
pub fn recording_by<P: bfq::Policy>() -> Vec<u8> {
    let us = |us: u64| Time::from_ns(us * 1000);
    let (config, device) = (Config::new(true, 8), DeviceName::new(b"sda"));
    let mut scheduler = Recorded::<_, P>::attach(us(0), config, device, Bytes(Vec::new())).unwrap();
    let group = scheduler.root_group();
    let process = scheduler.add_process(us(1), group, ProcessAttributes::default()).unwrap();
    let named = Record::Process { process, group, pid: 7, comm: Comm::new(b"reader") };
    scheduler.note(|| named);
    for number in 0..10 {
        let (asked, request) = (us(2 + 2_000 * number), RequestId::from_index(3));
        let read = NewRequest::read(process, number * 8, 8, asked);
        scheduler.insert(asked, request, &read, false).unwrap();
        assert_eq!(scheduler.dispatch(asked), Some(request));
        scheduler.complete(asked + Span::from_ms(2), request).unwrap();
    }
    let mut recorder = scheduler.end().expect("it is recorded");
    core::mem::take(&mut recorder.sink_mut().0)
}
