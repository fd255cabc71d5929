// SPDX-License-Identifier: MIT OR Apache-2.0
//! Those who watch the live page: each has a stream of events, of which it may miss some.

use hyper::body::{Body, Bytes, Frame};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// How many may watch at a time.
const MAX_WATCHERS: usize = 32;

/// The streams of all clients that watch the live page.
#[derive(Debug, Default)]
pub(super) struct Watchers(Mutex<Vec<Sender<Bytes>>>);

/// The stream of one who watches, as the body of an answer.
#[derive(Debug)]
pub(super) struct Events(Receiver<Bytes>);

impl Watchers {
    fn all(&self) -> MutexGuard<'_, Vec<Sender<Bytes>>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|watcher| !watcher.is_closed());
        all
    }

    /// Whether any client watches at present; those that are gone do not count.
    pub(super) fn are_there(&self) -> bool {
        !self.all().is_empty()
    }

    /// One more who watches, if there is room.
    pub(super) fn watch(&self) -> Option<Events> {
        let mut all = self.all();
        if all.len() >= MAX_WATCHERS {
            return None;
        }
        let (sender, receiver) = channel(1);
        all.push(sender);
        Some(Events(receiver))
    }

    /// Tells all. Who has not taken the last event yet misses this one: nothing piles up.
    pub(super) fn tell(&self, event: &Bytes) {
        self.all().retain(|watcher| {
            !matches!(watcher.try_send(event.clone()), Err(TrySendError::Closed(_)))
        });
    }
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_read_misses_events_and_who_is_gone_is_forgotten() {
        let watchers = Watchers::default();
        let mut slow = watchers.watch().unwrap();
        for text in ["one", "two", "three"] {
            watchers.tell(&Bytes::from(text));
        }
        assert_eq!(slow.0.try_recv().unwrap(), "one");
        assert!(slow.0.try_recv().is_err());
        let more: Vec<_> = std::iter::from_fn(|| watchers.watch()).collect();
        assert_eq!(more.len(), MAX_WATCHERS - 1);
        drop((slow, more));
        assert!(!watchers.are_there());
    }
}
