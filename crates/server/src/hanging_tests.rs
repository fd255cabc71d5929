// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who is given a spare place, and when.

use super::*;
use base::Op;

const S: u64 = PATIENCE_NS;

fn command(tag: u32) -> Command {
    Command { tag: Tag(tag), op: Op::Read, sector: 0, sectors: 8 }
}

/// Commands of one owner that were handed over at such times.
fn placed(owner: Owner, tags: &[(u32, u64)]) -> Vec<Placed> {
    let placed = tags.iter();
    placed.map(|&(tag, since_ns)| Placed { tag: Tag(tag), owner, since_ns }).collect()
}

#[test]
fn a_command_is_overdue_after_a_second_and_the_next_ones_sooner() {
    let mut hanging = Hanging::new(8);
    for since_ns in [0, S / 10, S] {
        hanging.handed_over(Some(0), since_ns);
    }
    assert_eq!(hanging.look_ns(), Some(S));
    let three = placed(Some(0), &[(1, 0), (2, S / 10), (3, S)]);
    assert_eq!(hanging.look(S - 1, &three), []);
    assert_eq!(hanging.look_ns(), Some(S - 1 + LEAST_PATIENCE_NS), "not at once again");
    assert_eq!(hanging.look(S, &three), [Tag(1), Tag(2)], "the second has had half a second");
    assert_eq!(hanging.look_ns(), Some(S + S / 3));
    assert_eq!(hanging.look(S + S / 3, &three[2..]), [Tag(3)]);
    assert_eq!(hanging.look_ns(), None);
    hanging.handed_over(Some(1), 2 * S);
    assert_eq!(hanging.look_ns(), Some(3 * S), "others have a whole second");
}

#[test]
fn one_owner_has_half_of_the_spare_places_and_what_it_asks_beyond_is_held_back() {
    let mut hanging = Hanging::new(4);
    let three = placed(Some(0), &[(1, 0), (2, 0), (3, 0)]);
    assert!(!hanging.holds_back(Some(0), command(1)));
    assert_eq!(hanging.look(S, &three), [Tag(1), Tag(2)]);
    assert!(hanging.holds_back(Some(0), command(4)));
    assert!(hanging.holds_back(Some(0), command(5)));
    assert!(!hanging.holds_back(Some(1), command(6)), "another owner");
    assert!(hanging.next_held_back().is_none());

    assert_eq!(hanging.came_back(2 * S, Tag(3)), None, "it kept its place");
    assert_eq!(hanging.came_back(2 * S, Tag(2)), Some(0));
    assert_eq!(hanging.look_ns(), Some(2 * S));
    let (owner, next) = hanging.next_held_back().expect("there is a place");
    assert_eq!((owner, next.tag), (Some(0), Tag(4)));
    hanging.put_in_spare_place(owner, next.tag, 2 * S);
    assert!(hanging.next_held_back().is_none());
    assert!(hanging.holds_back(Some(0), command(7)), "1 and 4 are still out");
    assert_eq!(hanging.came_back(2 * S, Tag(1)), Some(0));
    assert_eq!(hanging.came_back(2 * S, Tag(4)), Some(2 * S), "it was held back until then");
    let (owner, last) = hanging.next_held_back().expect("there is a place");
    hanging.put_in_spare_place(owner, last.tag, 2 * S);
    hanging.came_back(2 * S + 1, last.tag);
}

#[test]
fn when_all_spare_places_are_taken_only_who_hangs_is_held_back() {
    let mut hanging = Hanging::new(4);
    for owner in [0, 1] {
        let first = owner as u32 * 2;
        hanging.look(S, &placed(Some(owner), &[(first, 0), (first + 1, 0)]));
    }
    assert_eq!(hanging.look(9 * S, &placed(Some(2), &[(9, 0)])), [], "no place");
    assert_eq!(hanging.look_ns(), None, "there is nothing to wait for");
    for (owner, is_held) in [(0, true), (1, true), (2, false)] {
        assert_eq!(hanging.holds_back(Some(owner), command(10)), is_held, "{owner}");
    }
}

#[test]
fn a_backend_without_spare_places_is_waited_for() {
    let mut hanging = Hanging::new(0);
    hanging.handed_over(None, 0);
    assert_eq!(hanging.look_ns(), None);
    assert_eq!(hanging.look(9 * S, &placed(None, &[(1, 0)])), []);
    assert!(!hanging.holds_back(None, command(2)));
}
