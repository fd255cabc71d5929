// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which pages a miss or a marker has read: Linux's on-demand read-ahead (mm/readahead.c as of
//! 6.1), in our own words.
//!
//! An open file has a *window*: pages asked for at once, of which the last `ahead` are more than
//! anybody needs yet. The first of these carries a *marker*. Whoever reaches the marker has the
//! next window read, so that it arrives before it is needed.
//!
//! * The first window is as large as the read, rounded up to a power of two, times four (times two
//!   if that is more than a quarter of the most); each next one twice the one before (four times
//!   while it is less than a sixteenth), up to the most: `read_ahead_kb`.
//! * A miss is sequential if it is at the start of the file, at the window's end, or where the last
//!   read ended. One that follows a run of cached pages longer than itself continues that run:
//!   another process's stream, or one whose window was lost.
//! * Any other miss is random: only what was asked for is read, and the window stays as it is.
//! * A read larger than the window's most is asked for as a whole, up to the largest request.

use crate::advice::Advice;
use std::ops::Range;

use super::pages::{Flag, Pages, Word};

/// Pages to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// The number of the first page.
    pub start: u64,
    /// How many pages are read.
    pub pages: u64,
    /// How many of them, the last ones, are ahead of need; the first of these is marked.
    pub ahead: u64,
}

impl Window {
    pub(super) fn range(&self) -> Range<u64> {
        self.start..self.start + self.pages
    }

    /// The page that has the next window read.
    pub(super) fn marker(&self) -> Option<u64> {
        (self.ahead > 0).then(|| self.start + self.pages - self.ahead)
    }
}

/// The read-ahead of one open file.
#[derive(Clone, Debug)]
pub(super) struct ReadAhead {
    /// The pages of the file.
    file: Range<u64>,
    advice: Advice,
    /// `read_ahead_kb`, pages, after advice.
    most: u64,
    /// The largest request of the device, pages.
    largest_request: u64,
    window: Window,
    /// Where the last read ended: a page and the bytes of it that were read.
    last_end_bytes: Option<u64>,
}

impl ReadAhead {
    /// Of a file just opened. `most` (the device's setting) and `largest_request` in pages.
    pub(super) fn new(
        file: Range<u64>,
        advice: Advice,
        most: u64,
        largest_request: u64,
    ) -> ReadAhead {
        let most = if advice == Advice::Sequential { 2 * most } else { most };
        let window = Window::default();
        ReadAhead { file, advice, most, largest_request, window, last_end_bytes: None }
    }

    /// A read has got to that byte of the target.
    pub(super) fn has_read_to(&mut self, end_bytes: u64) {
        self.last_end_bytes = Some(end_bytes);
    }

    /// Whether a read from that byte on goes on within the page where the last one ended.
    pub(super) fn goes_on_in_page(&self, start_bytes: u64) -> bool {
        let page = |bytes: u64| bytes / base::PAGE_BYTES;
        self.last_end_bytes.is_some_and(|end| end > 0 && page(end - 1) == page(start_bytes))
    }

    /// `page` is not in the cache; the read needs `wanted` pages from there on.
    pub(super) fn on_miss(&mut self, page: u64, wanted: u64, pages: &Pages) -> Window {
        if self.advice == Advice::Random {
            return self.within_file(Window { start: page, pages: wanted, ahead: 0 });
        }
        if self.most == 0 {
            return Window { start: page, pages: 1, ahead: 0 };
        }
        let most = self.most_for(wanted);
        let old = self.window;
        if page == self.file.start {
            return self.begin(page, wanted, most);
        }
        if old.pages > 0 && (page == old.start + old.pages || Some(page) == old.marker()) {
            return self.advance(page, most);
        }
        if wanted > most || self.follows_last_read(page) {
            return self.begin(page, wanted, most);
        }
        // How long a run of cached pages ends here?
        let reach = self.file.start.max(page.saturating_sub(most))..page;
        let uncached = |word: &Word| !word.of(Flag::Cached);
        let run = page - pages.last(reach.clone(), uncached).map_or(reach.start, |gap| gap + 1);
        if run <= wanted {
            return self.within_file(Window { start: page, pages: wanted, ahead: 0 });
        }
        // A run that began with the file counts twice.
        let from_start = run >= page - self.file.start;
        let run = if from_start { 2 * run } else { run };
        self.window = Window { start: page, pages: (run + wanted).min(most), ahead: 1 };
        self.submit(page, most)
    }

    /// The marker at `page` was reached by a read that needs `wanted` pages from there on. None: a
    /// long way ahead is cached already.
    pub(super) fn on_marker(&mut self, page: u64, wanted: u64, pages: &Pages) -> Option<Window> {
        let most = self.most_for(wanted);
        if most == 0 {
            return None;
        }
        let old = self.window;
        if old.pages > 0 && (page == old.start + old.pages || Some(page) == old.marker()) {
            return Some(self.advance(page, most));
        }
        // Another stream's marker: go on behind what is cached.
        let reach = page + 1..(page + 1 + most).min(self.file.end.max(page + 1));
        let start = pages.first(reach, |word| !word.of(Flag::Cached))?;
        let size = next_size(start - page + wanted, most);
        self.window = Window { start, pages: size, ahead: size };
        Some(self.submit(page, most))
    }

    fn most_for(&self, wanted: u64) -> u64 {
        if wanted > self.most && self.largest_request > self.most {
            wanted.min(self.largest_request)
        } else {
            self.most
        }
    }

    fn follows_last_read(&self, page: u64) -> bool {
        let last = self.last_end_bytes.map(|end| end / base::PAGE_BYTES);
        last.is_some_and(|last| page == last || page == last + 1)
    }

    /// The window of a new stream at `page`, of which `wanted` pages are needed at once.
    fn begin(&mut self, page: u64, wanted: u64, most: u64) -> Window {
        let pages = first_size(wanted, most);
        let ahead = if pages > wanted { pages - wanted } else { pages };
        self.window = Window { start: page, pages, ahead };
        self.submit(page, most)
    }

    /// The next window of a stream.
    fn advance(&mut self, page: u64, most: u64) -> Window {
        let size = next_size(self.window.pages, most);
        self.window =
            Window { start: self.window.start + self.window.pages, pages: size, ahead: size };
        self.submit(page, most)
    }

    /// A window whose first page is needed at once and marked, too, is
    /// joined with the one after it.
    fn submit(&mut self, page: u64, most: u64) -> Window {
        let window = &mut self.window;
        if page == window.start && window.pages == window.ahead {
            let next = next_size(window.pages, most);
            if window.pages + next <= most {
                window.ahead = next;
                window.pages += next;
            } else {
                window.pages = most;
                window.ahead = most / 2;
            }
        }
        self.within_file(self.window)
    }

    /// As much of a window as the file has. The marker stays where it is, or is gone.
    fn within_file(&self, window: Window) -> Window {
        let end = (window.start + window.pages).min(self.file.end).max(window.start);
        let marker = window.marker().filter(|&marker| marker < end);
        Window {
            start: window.start,
            pages: end - window.start,
            ahead: marker.map_or(0, |marker| end - marker),
        }
    }
}

/// The size of the first window of a stream, pages.
fn first_size(wanted: u64, most: u64) -> u64 {
    let size = wanted.next_power_of_two();
    if size <= most / 32 {
        size * 4
    } else if size <= most / 4 {
        size * 2
    } else {
        most
    }
}

/// The size of the window after one of `size` pages.
fn next_size(size: u64, most: u64) -> u64 {
    if size < most / 16 {
        size * 4
    } else if size <= most / 2 {
        size * 2
    } else {
        most
    }
}
