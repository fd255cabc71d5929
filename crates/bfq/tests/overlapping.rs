// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests that wait may overlap. A bio is added to the one that it continues, whatever starts
//! between the two (spec 2.7).

use bfq::{
    BioMerge, Config, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Side, Time,
};

const NOW: Time = Time::ZERO;

/// A disk, and the reads of one process, each from a sector and so long, that wait for it.
fn waiting(reads: &[(u64, u32)]) -> (Scheduler, ProcessId) {
    let mut s = Scheduler::new(NOW, Config::new(true, 64)).expect("memory");
    let process = s.add_process(NOW, s.root_group(), ProcessAttributes::default()).expect("memory");
    for (at, &(sector, sectors)) in reads.iter().enumerate() {
        let read = NewRequest::read(process, sector, sectors, NOW);
        s.insert(NOW, RequestId::from_index(at), &read, false).expect("a free tag");
    }
    s.check();
    (s, process)
}

/// The request that 8 sectors from `sector` on may be added to at its end.
fn continued(s: &mut Scheduler, process: ProcessId, sector: u64) -> Option<usize> {
    let bio = NewRequest::read(process, sector, 8, NOW);
    let [back, _] = s.merge_candidates(NOW, &bio);
    assert!(back.is_none_or(|BioMerge { side, .. }| side == Side::Back));
    let back = back.map(|found| found.request);
    assert_eq!(s.insertion_merge_candidate(&bio), back, "for a request it is the same");
    back.map(RequestId::index)
}

#[test]
fn what_starts_later_does_not_hide_the_one_that_is_continued() {
    for (reads, sector, expected) in [
        (&[(0, 16)][..], 16, Some(0)),
        (&[(0, 16), (8, 4)], 16, Some(0)),
        (&[(0, 16), (0, 8)], 16, Some(0)),
        (&[(8, 4), (0, 16), (0, 8), (10, 2), (11, 1)], 16, Some(1)),
        // Two end there, and one starts there: the nearer one is taken.
        (&[(0, 16), (12, 4), (16, 8), (14, 1)], 16, Some(1)),
        // Longer than the distance, but it ends elsewhere.
        (&[(0, 12), (8, 7), (14, 1)], 16, None),
        (&[(0, 4), (100, 16)], 16, None),
        (&[(16, 8)], 16, None),
    ] {
        let (mut s, process) = waiting(reads);
        assert_eq!(continued(&mut s, process, sector), expected, "{reads:?} at {sector}");
    }
}

#[test]
fn one_that_has_grown_is_found_by_its_new_end() {
    let (mut s, process) = waiting(&[(8, 8), (12, 2)]);
    let grown = RequestId::from_index(0);
    s.merged(NOW, grown, Side::Back, 8, 16).expect("it waits");
    s.check();
    assert_eq!(continued(&mut s, process, 16), None);
    assert_eq!(continued(&mut s, process, 24), Some(0));
    s.merged(NOW, grown, Side::Front, 0, 24).expect("it waits");
    s.check();
    assert_eq!(continued(&mut s, process, 24), Some(0));
}

#[test]
fn one_that_has_absorbed_another_is_found_by_its_new_end() {
    let (mut s, process) = waiting(&[(0, 16), (16, 16), (8, 4)]);
    let [survivor, absorbed] = [0, 1].map(RequestId::from_index);
    s.coalesced(NOW, survivor, absorbed, 32).expect("both wait");
    s.check();
    assert_eq!(continued(&mut s, process, 32), Some(0));
}
