// SPDX-License-Identifier: MIT OR Apache-2.0
//! What counts as the last write of a block.

use super::*;

const VERIFY: Verify = Verify { reads_back: true, is_fatal: false, interval_bytes: 512 };

fn part(offset_bytes: u64, length_bytes: u64) -> VerifiedPart {
    VerifiedPart { process: 0, verify: VERIFY, offset_bytes, length_bytes }
}

fn written(verifier: &mut Verifier, part: VerifiedPart) -> Vec<u8> {
    let mut data = vec![0; part.length_bytes as usize];
    verifier.fill(part, part.offset_bytes, &mut data);
    data
}

fn is_right(verifier: &mut Verifier, part: VerifiedPart, data: &[u8]) -> bool {
    verifier.begins(0);
    verifier.check((0, part), "job", part.offset_bytes, data)
}

#[test]
fn an_overwritten_block_is_that_of_the_last_write() {
    let mut verifier = Verifier::new([512]);
    let place = part(4096, 1024);
    let first = written(&mut verifier, place);
    verifier.wrote(place, false);
    assert!(is_right(&mut verifier, place, &first));
    let second = written(&mut verifier, part(4608, 512));
    verifier.wrote(part(4608, 512), false);
    assert!(!is_right(&mut verifier, place, &first));
    let mismatches = verifier.take_mismatches();
    assert_eq!(mismatches.count, 1);
    assert_eq!(mismatches.first[0].offset_bytes, 4608);
    assert_eq!(mismatches.first[0].fault, Fault::Stale);
    assert!(is_right(&mut verifier, place, &[&first[..512], &second].concat()));
}

#[test]
fn of_writes_under_way_together_any_may_be_the_last() {
    let mut verifier = Verifier::new([512]);
    let place = part(0, 512);
    let (one, other) = (written(&mut verifier, place), written(&mut verifier, place));
    verifier.wrote(place, false);
    verifier.wrote(place, false);
    assert!(is_right(&mut verifier, place, &one));
    assert!(is_right(&mut verifier, place, &other));
}

#[test]
fn writes_under_way_together_may_leave_a_mix_but_not_the_block_of_another_place() {
    let mut verifier = Verifier::new([512]);
    let place = part(0, 512);
    let (one, other) = (written(&mut verifier, place), written(&mut verifier, place));
    verifier.wrote(place, false);
    verifier.wrote(place, false);
    let mix = [&one[..256], &other[256..]].concat();
    assert!(is_right(&mut verifier, place, &mix));
    assert!(!is_right(&mut verifier, place, &[0; 512]));
    let alone = written(&mut verifier, place);
    verifier.wrote(place, false);
    assert!(is_right(&mut verifier, place, &alone));
    assert!(!is_right(&mut verifier, place, &[&one[..256], &alone[256..]].concat()));
}

#[test]
fn of_a_block_that_was_trimmed_nothing_is_known_until_it_is_written() {
    let mut verifier = Verifier::new([512]);
    let place = part(0, 1536);
    let data = written(&mut verifier, place);
    verifier.wrote(place, false);
    // It reaches into the second block and into no third.
    verifier.trim_begins(part(0, 1024 - 256));
    verifier.trim_ends(part(0, 1024 - 256));
    assert!(is_right(&mut verifier, part(0, 1024), &[0; 1024]));
    assert!(!is_right(&mut verifier, part(1024, 512), &[0; 512]));
    assert!(is_right(&mut verifier, place, &data));
    // Also if this run had not written it.
    verifier.trim_begins(part(8192, 512));
    assert!(is_right(&mut verifier, part(8192, 512), &[0; 512]));
    let again = written(&mut verifier, part(0, 512));
    verifier.wrote(part(0, 512), false);
    assert!(is_right(&mut verifier, part(0, 512), &again));
    assert!(!is_right(&mut verifier, part(0, 512), &data[..512]));
}

#[test]
fn a_trim_of_one_job_reaches_into_blocks_of_another_length() {
    // Jobs check blocks of 512 and of 2048 bytes.
    let of = |interval_bytes, offset_bytes, length_bytes| VerifiedPart {
        verify: Verify { interval_bytes, ..VERIFY },
        ..part(offset_bytes, length_bytes)
    };
    let mut verifier = Verifier::new([2048, 512]);
    // A long trim, and a reader of short blocks that this run has not written.
    verifier.trim_begins(of(2048, 4096, 2048));
    verifier.trim_ends(of(2048, 4096, 2048));
    assert!(is_right(&mut verifier, of(512, 4096, 2048), &[0; 2048]));
    // A short trim in the middle of a long block.
    let mut data = [0; 2048];
    verifier.fill(of(2048, 0, 2048), 0, &mut data);
    verifier.wrote(of(2048, 0, 2048), false);
    verifier.trim_begins(of(512, 1024, 512));
    verifier.trim_ends(of(512, 1024, 512));
    assert!(is_right(&mut verifier, of(2048, 0, 2048), &[0; 2048]));
}

#[test]
fn a_write_beside_a_trim_leaves_what_nobody_knows() {
    let mut verifier = Verifier::new([512]);
    let place = part(0, 512);
    verifier.trim_begins(place);
    written(&mut verifier, place);
    verifier.wrote(place, false);
    // It is read before the trim ends, and afterwards.
    assert!(is_right(&mut verifier, place, &[0; 512]));
    verifier.trim_ends(place);
    assert!(is_right(&mut verifier, place, &[0; 512]));
}

#[test]
fn what_a_failed_write_has_left_is_not_known() {
    let mut verifier = Verifier::new([512]);
    let place = part(0, 512);
    written(&mut verifier, place);
    verifier.wrote(place, true);
    assert!(is_right(&mut verifier, place, &[0; 512]));
}

#[test]
fn a_block_that_is_written_while_it_is_read_is_not_checked() {
    let mut verifier = Verifier::new([512]);
    let place = part(0, 512);
    verifier.begins(5);
    written(&mut verifier, place);
    assert!(verifier.check((5, place), "job", 0, &[0; 512]));
    verifier.wrote(place, false);
    assert!(verifier.check((5, place), "job", 0, &[0; 512]));
    assert!(!is_right(&mut verifier, place, &[0; 512]));
}

#[test]
fn a_block_of_another_run_is_right_unless_this_run_has_written_there() {
    let place = part(0, 512);
    let old = written(&mut Verifier::new([512]), place);
    let mut verifier = Verifier::new([512]);
    assert!(is_right(&mut verifier, place, &old));
    written(&mut verifier, place);
    verifier.wrote(place, false);
    assert!(!is_right(&mut verifier, place, &old));
}
