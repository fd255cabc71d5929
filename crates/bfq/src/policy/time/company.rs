// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks with moving parts: with whom a queue reads a stream, and what it has lent the others.

use crate::units::Span;

/// A stream that several queues read: each was served in a slot of one of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StreamId(u32);

/// The streams of a disk.
#[derive(Debug)]
pub(super) struct Streams {
    begun: u32,
}

impl Streams {
    pub const fn new() -> Self {
        Streams { begun: 0 }
    }

    /// A stream that no queue reads yet. After 2³² of them one may be begun anew that a queue
    /// remembers: to the others it is a reader like those, if it is near to them.
    pub fn begin(&mut self) -> StreamId {
        self.begun = self.begun.wrapping_add(1);
        StreamId(self.begun)
    }
}

/// With whom a queue reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// It was not served together with others yet.
    None,
    /// With those of a stream. `lent` is what it paid for slots of others since one of them came to
    /// where it waited.
    Stream { id: StreamId, lent: Span },
    /// It paid for others, and they did not come: from now on it pays for none, and none for it.
    Left,
}

impl Company {
    /// The stream that it reads with others.
    pub fn stream(self) -> Option<StreamId> {
        match self {
            Company::Stream { id, .. } => Some(id),
            Company::None | Company::Left => None,
        }
    }

    /// It is served together with the readers of a stream.
    pub fn join(&mut self, id: StreamId) {
        match self {
            Company::None => *self = Company::Stream { id, lent: Span::ZERO },
            Company::Stream { id: known, .. } => *known = id,
            Company::Left => {}
        }
    }

    /// One of the others came to where it waited.
    pub fn met(&mut self) {
        if let Company::Stream { lent, .. } = self {
            *lent = Span::ZERO;
        }
    }

    /// It paid for a slot of another one.
    pub fn lend(&mut self, paid: Span) {
        if let Company::Stream { lent, .. } = self {
            *lent += paid;
        }
    }

    /// Leaves the others if it has lent more than they are worth.
    pub fn leave_if_lent(&mut self, most: Span) {
        if matches!(self, Company::Stream { lent, .. } if *lent > most) {
            *self = Company::Left;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_lends_in_vain_leaves_for_good() {
        let ms = Span::from_ms;
        let mut streams = Streams::new();
        let (one, other) = (streams.begin(), streams.begin());
        let mut company = Company::None;
        company.lend(ms(500));
        company.leave_if_lent(ms(400));
        assert_eq!(company, Company::None, "there was none to lend to");
        company.join(one);
        company.lend(ms(300));
        company.join(other);
        company.leave_if_lent(ms(400));
        assert_eq!(company, Company::Stream { id: other, lent: ms(300) });
        company.met();
        company.lend(ms(300));
        company.leave_if_lent(ms(400));
        assert_eq!(company.stream(), Some(other));
        company.lend(ms(101));
        company.leave_if_lent(ms(400));
        company.join(one);
        assert_eq!((company, company.stream()), (Company::Left, None));
    }
}
