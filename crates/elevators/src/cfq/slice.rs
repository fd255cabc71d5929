// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time slices: when they begin, and when they are used up (peers.md §5.3).

/// The present turn of a queue, or its last one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slice {
    /// When the queue was selected.
    pub selected_ticks: i64,
    /// Set by the first completion of the turn.
    span: Option<Span>,
    /// The last completion of the queue, in any turn.
    pub last_completion_ticks: i64,
    /// Requests dispatched in the turn.
    pub dispatched: i64,
    /// Whether deadlines were looked at in the turn.
    pub fifo_checked: bool,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start_ticks: i64,
    end_ticks: i64,
}

impl Slice {
    /// The turn of a queue that is selected now.
    pub fn selected(self, now_ticks: i64) -> Slice {
        let last_completion_ticks = self.last_completion_ticks;
        Slice { selected_ticks: now_ticks, last_completion_ticks, ..Slice::default() }
    }

    /// A request of the queue completes in its turn; the first one starts the slice.
    pub fn completed(&mut self, now_ticks: i64, length_ticks: i64) {
        self.span
            .get_or_insert(Span { start_ticks: now_ticks, end_ticks: now_ticks + length_ticks });
    }

    pub fn has_started(&self) -> bool {
        self.span.is_some()
    }

    /// Whether the time is over. A slice that has not started does not end.
    pub fn is_used_up(&self, now_ticks: i64) -> bool {
        self.span.is_some_and(|span| now_ticks >= span.end_ticks)
    }

    /// What is left of a slice that has started; negative if it is over.
    pub fn left_ticks(&self, now_ticks: i64) -> Option<i64> {
        self.span.map(|span| span.end_ticks - now_ticks)
    }

    /// The length of a slice that has started.
    pub fn length_ticks(&self) -> Option<i64> {
        self.span.map(|span| span.end_ticks - span.start_ticks)
    }

    /// The time used (§5.5): since the start, at most the length; before the start, since selection
    /// and at least 1.
    pub fn used_ticks(&self, now_ticks: i64) -> i64 {
        match self.span {
            Some(span) => (now_ticks - span.start_ticks).min(span.end_ticks - span.start_ticks),
            None => (now_ticks - self.selected_ticks).max(1),
        }
    }
}
