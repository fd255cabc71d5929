// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that listens and does handshakes, none of which may hold up another.

use super::handshake::{Failed, Progress, Shaking};
use super::listening::Listening;
use super::origins::{Candidate, Origins};
use super::shared::Shared;
use crate::config::{ServerLimits, TlsPolicy};
use crate::log_limit::MayLog;
use crate::net::{Interest, Poller, Waker};
use crate::places::Place;
use rustls::ServerConfig;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What has happened is told by these numbers; smaller ones are handshakes.
const WAKER: u64 = u64::MAX;
const LISTENERS: u64 = 1 << 32;

/// The most clients that a listener lets in before others are looked after.
const ACCEPTED_AT_A_TIME: usize = 64;

/// How long no client is let in when there are no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// What clients are met with.
pub struct Reception {
    /// The sockets on which clients come, and whether they use TLS there.
    pub listeners: Vec<(Arc<Listening>, TlsPolicy)>,
    /// For those that use TLS.
    pub tls: Option<Arc<ServerConfig>>,
    /// How long a handshake may take.
    pub limits: ServerLimits,
}

/// How other threads reach the one that listens.
pub struct Front {
    receptions: Sender<Option<Reception>>,
    waker: Arc<Waker>,
    thread: Option<JoinHandle<()>>,
}

impl Front {
    /// Starts to listen.
    ///
    /// # Errors
    /// What the system says.
    pub fn start(shared: Arc<Shared>, reception: Reception) -> io::Result<Front> {
        let waker = Arc::new(Waker::new()?);
        let poller = Poller::new()?;
        poller.add(&*waker, WAKER, Interest::READ)?;
        let (receptions, receiver) = channel();
        let mut desk = Desk {
            shared,
            poller,
            receptions: receiver,
            waker: Arc::clone(&waker),
            reception,
            shaking: Vec::new(),
            deadlines: VecDeque::new(),
            origins: Origins::default(),
            serials: 0,
            paused_until: None,
        };
        desk.watch_listeners()?;
        let run = move || {
            if let Err(error) = desk.run() {
                tracing::error!("no clients can come any more: {error}");
            }
        };
        let thread = std::thread::Builder::new().name("handshakes".into()).spawn(run)?;
        Ok(Front { receptions, waker, thread: Some(thread) })
    }

    /// Meets clients with this from now on; with nothing, no client comes in any more.
    pub fn receive_with(&self, reception: Option<Reception>) {
        // If the thread has ended there is no reader.
        let _ = self.receptions.send(reception);
        self.waker.wake();
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.receive_with(None);
        if let Some(thread) = self.thread.take() {
            // A panic in it has been reported.
            let _ = thread.join();
        }
    }
}

/// What the thread that meets clients has: the listeners, and the handshakes under way.
struct Desk {
    shared: Arc<Shared>,
    poller: Poller,
    receptions: Receiver<Option<Reception>>,
    waker: Arc<Waker>,
    reception: Reception,
    /// By number; each with a serial that tells it from others that had the number before.
    shaking: Vec<Option<(u64, Shaking)>>,
    /// In the order of their coming, also of handshakes that are over.
    deadlines: VecDeque<(Instant, usize, u64)>,
    origins: Origins,
    serials: u64,
    /// There were no descriptors left.
    paused_until: Option<Instant>,
}

impl Desk {
    fn run(&mut self) -> io::Result<()> {
        let mut happened = Vec::new();
        loop {
            let now = Instant::now();
            let next = self.deadlines.front().map(|(deadline, ..)| *deadline);
            let next = [next, self.paused_until, self.shared.tell_left_out()];
            let next = next.into_iter().flatten().min();
            let wait = next.map(|next| next.saturating_duration_since(now));
            self.poller.wait(wait, &mut happened)?;
            for event in happened.drain(..) {
                match event.key {
                    WAKER => {
                        self.waker.clear();
                        while let Ok(reception) = self.receptions.try_recv() {
                            let Some(reception) = reception else {
                                self.shared.tell_all_left_out();
                                return Ok(());
                            };
                            self.reception = reception;
                            self.watch_listeners()?;
                        }
                    }
                    listener if listener >= LISTENERS => {
                        self.accept((listener - LISTENERS) as usize)?;
                    }
                    number => self.shake(number as usize),
                }
            }
            self.look_at_the_clock()?;
        }
    }

    fn watch_listeners(&self) -> io::Result<()> {
        for (number, (listener, _)) in self.reception.listeners.iter().enumerate() {
            let key = LISTENERS + number as u64;
            self.poller.add(listener, key, Interest::READ)?;
            self.poller.change(listener, key, Interest::READ)?;
        }
        Ok(())
    }

    fn look_at_the_clock(&mut self) -> io::Result<()> {
        let now = Instant::now();
        while let Some(&(deadline, number, serial)) = self.deadlines.front()
            && deadline <= now
        {
            self.deadlines.pop_front();
            if shaking_of(&self.shaking, number, serial).is_some() {
                self.close(number, "too long", "its handshake takes too long");
            }
        }
        if self.paused_until.is_some_and(|until| until <= now) {
            self.paused_until = None;
            self.watch_listeners()?;
        }
        Ok(())
    }

    fn accept(&mut self, number: usize) -> io::Result<()> {
        for _ in 0..ACCEPTED_AT_A_TIME {
            let listener = self.reception.listeners.get(number);
            let Some(&(ref listener, policy)) = listener else { return Ok(()) };
            let (socket, peer, name) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => {
                    if let Some(MayLog { left_out }) = self.shared.may_log("accept", "") {
                        tracing::warn!(left_out, "no client is let in for a moment: {error}");
                    }
                    return self.pause();
                }
            };
            let Some(place) = self.place_for(&peer.origin) else {
                self.shared.refused.fetch_add(1, Ordering::Relaxed);
                if let Some(MayLog { left_out }) = self.shared.may_log("too many", &peer.origin) {
                    tracing::warn!(
                        peer = name,
                        left_out,
                        "connections refused: there are too many"
                    );
                }
                continue;
            };
            let tls = self.reception.tls.clone();
            let shaking = Shaking::new(socket, peer, name, place, (policy, tls));
            self.begin(shaking);
        }
        Ok(())
    }

    /// A place for a client from there, if need be that of another in its handshake.
    fn place_for(&mut self, origin: &str) -> Option<Place> {
        if let Some(place) = self.shared.places.take() {
            return Some(place);
        }
        let is_over =
            |&(_, number, serial): &_| shaking_of(&self.shaking, number, serial).is_none();
        while self.deadlines.front().is_some_and(is_over) {
            self.deadlines.pop_front();
        }
        let now = Instant::now();
        let oldest_first = self.deadlines.iter().filter_map(|&(_, number, serial)| {
            let shaking = shaking_of(&self.shaking, number, serial)?;
            let age = now.saturating_duration_since(shaking.since());
            Some(Candidate { number, age, origin: shaking.origin() })
        });
        let leaves = self.origins.who_leaves(origin, oldest_first)?;
        self.close(leaves, "displaced", "all places are taken, and a newcomer gets this one");
        self.shared.places.take()
    }

    /// Lets no client in for a moment.
    fn pause(&mut self) -> io::Result<()> {
        self.paused_until = Some(Instant::now() + PAUSE);
        let nothing = Interest { read: false, write: false };
        for (number, (listener, _)) in self.reception.listeners.iter().enumerate() {
            self.poller.change(listener, LISTENERS + number as u64, nothing)?;
        }
        Ok(())
    }

    fn begin(&mut self, shaking: Shaking) {
        let number = self.shaking.iter().position(Option::is_none).unwrap_or(self.shaking.len());
        if let Err(error) = self.poller.add(shaking.socket(), number as u64, Interest::READ) {
            return tracing::warn!("a client is not let in: {error}");
        }
        self.serials += 1;
        self.origins.begin(shaking.origin());
        let entry = Some((self.serials, shaking));
        match self.shaking.get_mut(number) {
            Some(free) => *free = entry,
            None => self.shaking.push(entry),
        }
        self.shared.handshakes.fetch_add(1, Ordering::Relaxed);
        let deadline = Instant::now() + self.reception.limits.handshake;
        self.deadlines.push_back((deadline, number, self.serials));
        self.shake(number);
    }

    fn shake(&mut self, number: usize) {
        let Some(Some((_, shaking))) = self.shaking.get_mut(number) else { return };
        match shaking.go_on(&self.shared) {
            Ok(Progress::Waits(interest)) => {
                let told = self.poller.change(shaking.socket(), number as u64, interest);
                if let Err(error) = told {
                    self.close(number, "poller", &error.to_string());
                }
            }
            Ok(Progress::Accepted(accepted)) => {
                let Some((_, shaking)) = self.take(number) else { return };
                // The disk's thread has a poller of its own.
                if self.poller.remove(shaking.socket()).is_ok() {
                    shaking.hand_over(accepted, self.reception.limits.stuck);
                }
            }
            // It asked what there is, or changed its mind, and said so.
            Err(Failed::Aborted) => drop(self.take(number)),
            Err(why) => self.close(number, why.kind(), &why.to_string()),
        }
    }

    fn close(&mut self, number: usize, kind: &'static str, why: &str) {
        let Some((_, shaking)) = self.take(number) else { return };
        self.shared.refused.fetch_add(1, Ordering::Relaxed);
        if let Some(MayLog { left_out }) = self.shared.may_log(kind, shaking.origin()) {
            let peer = shaking.name();
            tracing::warn!(peer, left_out, "connection closed in its handshake: {why}");
        }
    }

    fn take(&mut self, number: usize) -> Option<(u64, Shaking)> {
        let taken = self.shaking[number].take()?;
        self.origins.end(taken.1.origin());
        self.shared.handshakes.fetch_sub(1, Ordering::Relaxed);
        Some(taken)
    }
}

/// The handshake of this number, if it has this serial.
fn shaking_of(shaking: &[Option<(u64, Shaking)>], number: usize, serial: u64) -> Option<&Shaking> {
    let (own, shaking) = shaking[number].as_ref()?;
    (*own == serial).then_some(shaking)
}
