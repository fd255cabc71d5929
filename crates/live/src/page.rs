// SPDX-License-Identifier: MIT OR Apache-2.0
//! A page of the kernel's ring buffer of trace events, as `trace_pipe_raw` gives it.
//!
//! A page has a time, the length of what follows, and records: a word of 5 bits for its kind or
//! length and 27 bits for the time since the record before, then its bytes.

/// Bytes before the first record.
const HEADER_BYTES: usize = 16;

/// In the length: events were lost before this page.
const EVENTS_WERE_LOST: u64 = 1 << 31;

/// In the length: how many they were stands behind the records.
const LOST_IS_STORED: u64 = 1 << 30;

/// The part of the length that is one.
const LENGTH_MASK: u64 = (1 << 20) - 1;

/// Kinds of records that are no events; smaller ones are lengths in words, 0 says that the length
/// follows.
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;

/// The bits of the time in the word of a record.
const DELTA_BITS: u32 = 27;

/// A page, read event by event.
#[derive(Clone, Debug)]
pub struct Page<'p> {
    records: &'p [u8],
    time_ns: u64,
    lost_events: u64,
}

impl<'p> Page<'p> {
    /// Reads the beginning of a page; none if it has none. (Numbers are in the machine's byte
    /// order.)
    pub fn new(bytes: &'p [u8]) -> Option<Self> {
        let time_ns = number_at(bytes, 0)?;
        let commit = number_at(bytes, 8)?;
        let length = (commit & LENGTH_MASK) as usize;
        let records = bytes.get(HEADER_BYTES..HEADER_BYTES + length)?;
        let lost_events = match commit & EVENTS_WERE_LOST != 0 {
            false => 0,
            true if commit & LOST_IS_STORED != 0 => {
                number_at(bytes, HEADER_BYTES + length).unwrap_or(1)
            }
            // At least one; the kernel had no room to say how many.
            true => 1,
        };
        Some(Page { records, time_ns, lost_events })
    }

    /// How many events were lost before this page, at least.
    pub fn lost_events(&self) -> u64 {
        self.lost_events
    }

    /// The time up to which it was read; at first that of its beginning.
    pub fn time_ns(&self) -> u64 {
        self.time_ns
    }

    fn take_word(&mut self) -> Option<u32> {
        let (word, rest) = self.records.split_first_chunk::<4>()?;
        self.records = rest;
        Some(u32::from_ne_bytes(*word))
    }

    fn take(&mut self, length: usize) -> Option<&'p [u8]> {
        let (taken, rest) = self.records.split_at_checked(length)?;
        self.records = rest;
        Some(taken)
    }
}

/// The events of a page: when each was, and its bytes. What is malformed ends the page.
impl<'p> Iterator for Page<'p> {
    type Item = (u64, &'p [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let word = self.take_word()?;
            let (kind, delta) = (word & 31, word >> 5);
            match kind {
                TIME_EXTEND | TIME_STAMP => {
                    let high = u64::from(self.take_word()?) << DELTA_BITS;
                    let time_ns = high + u64::from(delta);
                    match kind {
                        TIME_EXTEND => self.time_ns = self.time_ns.wrapping_add(time_ns),
                        // A whole time has 59 bits; the others are those of the page.
                        _ => self.time_ns = time_ns | self.time_ns & (31 << 59),
                    }
                    continue;
                }
                // Without a time, the rest of the page is padding.
                PADDING if delta == 0 => return None,
                _ => {}
            }
            self.time_ns = self.time_ns.wrapping_add(u64::from(delta));
            let length = match kind {
                0 | PADDING => (self.take_word()? as usize).checked_sub(4)?,
                words => words as usize * 4,
            };
            let bytes = self.take(length)?;
            if kind != PADDING {
                return Some((self.time_ns, bytes));
            }
        }
    }
}

fn number_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(time_ns: u64, flags: u64, words: &[u32], behind: &[u8]) -> Vec<u8> {
        let mut bytes = time_ns.to_ne_bytes().to_vec();
        bytes.extend(((words.len() as u64 * 4) | flags).to_ne_bytes());
        words.iter().for_each(|word| bytes.extend(word.to_ne_bytes()));
        bytes.extend(behind);
        bytes
    }

    fn event(kind: u32, delta: u32) -> u32 {
        (delta << 5) | kind
    }

    #[test]
    fn events_have_the_time_of_the_page_and_all_that_passed_since() {
        let words = [
            event(1, 10),
            0xaaaa,
            event(TIME_EXTEND, 5),
            1,
            event(0, 1),
            12,
            0xbbbb,
            0xcccc,
            event(PADDING, 7),
            8,
            0xdead,
            event(2, 0),
            1,
            2,
            event(PADDING, 0),
            0xdead,
        ];
        let bytes = page(1000, 0, &words, &[]);
        let found: Vec<_> =
            Page::new(&bytes).unwrap().map(|(time_ns, bytes)| (time_ns, bytes.len())).collect();
        let extended = 1016 + (1 << DELTA_BITS);
        assert_eq!(found, [(1010, 4), (extended, 8), (extended + 7, 8)]);
    }

    #[test]
    fn lost_events_are_counted() {
        for (flags, behind, lost) in [
            (0, vec![], 0),
            (EVENTS_WERE_LOST, vec![], 1),
            (EVENTS_WERE_LOST | LOST_IS_STORED, 77_u64.to_ne_bytes().to_vec(), 77),
        ] {
            let bytes = page(0, flags, &[event(1, 0), 0], &behind);
            let page = Page::new(&bytes).unwrap();
            assert_eq!((page.lost_events(), page.count()), (lost, 1));
        }
    }

    #[test]
    fn a_page_that_is_cut_has_the_events_before_the_cut() {
        let bytes = page(0, 0, &[event(1, 0), 0, event(9, 0), 0], &[]);
        assert_eq!(Page::new(&bytes).unwrap().count(), 1);
        assert!(Page::new(&bytes[..20]).is_none());
    }
}
