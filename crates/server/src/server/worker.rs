// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread of a disk: it alone touches the disk and its clients, so that no request takes a
//! lock. Other threads ask it by [`Handle::ask`], which it does between two requests.

pub mod clients;

use super::lingering::Lingering;
use super::peer::Peer;
use super::wakefulness::{Wakefulness, Watch};
use crate::closed::Closed;
use crate::connection::Connection;
use crate::drive::ServedDisk;
use crate::log_limit::MayLog;
use crate::net::{Alarm, Interest, Poller, Readiness, Waker};
use crate::places::Place;
use blk::ProcessId;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, atomic::AtomicU64, atomic::Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What has happened is told by these numbers; smaller ones are clients.
const WAKER: u64 = u64::MAX;
const BACKEND: u64 = u64::MAX - 1;
const ALARM: u64 = u64::MAX - 2;
/// From here on connections that are over, up to those above.
const LINGERING: u64 = 1 << 32;

/// How often the disk and its clients go on before it is looked what else has happened: a client
/// that always has something to be done does not keep the thread from the others.
const ROUNDS: u32 = 3;

/// Something that the thread is to do.
type Call = Box<dyn FnOnce(&mut Worker) + Send>;

/// The thread has ended, and answers nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the thread of the disk has ended")]
pub struct Ended;

/// How other threads reach a disk.
pub struct Handle {
    calls: Sender<Call>,
    waker: Arc<Waker>,
    thread: Option<JoinHandle<()>>,
}

impl Handle {
    /// Starts the thread of a disk, which `make` makes in it.
    ///
    /// # Errors
    /// What `make` says, or that there can be no thread.
    pub fn start<E: From<io::Error> + Send + 'static>(
        name: &str,
        refused: Arc<AtomicU64>,
        make: impl FnOnce() -> Result<ServedDisk, E> + Send + 'static,
    ) -> Result<Handle, E> {
        let (calls, receiver) = channel();
        let waker = Arc::new(Waker::new()?);
        let poller = Poller::new()?;
        poller.add(&*waker, WAKER, Interest::READ)?;
        let alarm = Alarm::new()?;
        poller.add(&alarm, ALARM, Interest::READ)?;
        let (sender, made) = channel();
        let thread_waker = Arc::clone(&waker);
        let run = move || {
            let disk = match make() {
                Ok(disk) => disk,
                Err(error) => {
                    // Who started it waits for it.
                    let _ = sender.send(Err(error));
                    return;
                }
            };
            let _ = sender.send(Ok(()));
            let worker = Worker {
                disk,
                poller,
                alarm,
                wakefulness: Wakefulness::NEW,
                answers: 0,
                goes_on: false,
                calls: receiver,
                waker: thread_waker,
                clients: Vec::new(),
                changed: Vec::new(),
                start: Instant::now(),
                refused,
                look_for_stuck_ns: None,
                lingering: Lingering::new(LINGERING),
                stops: false,
            };
            if let Err(error) = worker.run() {
                tracing::error!("a disk cannot go on: {error}");
            }
        };
        let thread = std::thread::Builder::new().name(format!("disk {name}")).spawn(run)?;
        let gone = || io::Error::other("the thread of the disk has ended at once");
        made.recv().map_err(|_| E::from(gone()))??;
        Ok(Handle { calls, waker, thread: Some(thread) })
    }

    /// Lets the thread do something, and waits for the answer.
    ///
    /// # Errors
    /// It has ended.
    pub fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Worker) -> T + Send + 'static,
    ) -> Result<T, Ended> {
        let (sender, answer) = channel();
        self.tell(move |worker| {
            // Whoever asked may have ended.
            let _ = sender.send(question(worker));
        });
        answer.recv().map_err(|_| Ended)
    }

    /// Lets the thread do something.
    pub fn tell(&self, call: impl FnOnce(&mut Worker) + Send + 'static) {
        // If the thread has ended there is no worker to be told.
        let _ = self.calls.send(Box::new(call));
        self.waker.wake();
    }
}

impl Drop for Handle {
    /// Ends the thread: clients are cut off, what the disk has is waited for.
    fn drop(&mut self) {
        self.tell(|worker| worker.stops = true);
        if let Some(thread) = self.thread.take() {
            // A panic in it has been reported.
            let _ = thread.join();
        }
    }
}

fn ns_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

struct Client {
    connection: Connection,
    peer: String,
    who: Peer,
    /// Something is to be sent, or it waits for other things than before.
    changed: bool,
    stuck_ns: u64,
    places: [Place; 2],
}

/// Why a client is closed after so many nanoseconds.
type WhyStuck = fn(u64) -> Closed;

impl Client {
    /// Since when nothing has come of what is waited for from the client, and why it is closed if
    /// that goes on.
    fn stuck_since_ns(&self) -> Option<(u64, WhyStuck)> {
        let unread = self.connection.stuck_since_ns();
        let unread = unread.map(|ns| (ns, Closed::Unread as WhyStuck));
        let unsent = self.connection.stalled_since_ns();
        let unsent = unsent.map(|ns| (ns, Closed::Unsent as WhyStuck));
        unread.into_iter().chain(unsent).min_by_key(|&(since_ns, _)| since_ns)
    }
}

/// A disk, its clients, and what it waits for.
pub struct Worker {
    /// The disk that this worker serves.
    pub disk: ServedDisk,
    poller: Poller,
    alarm: Alarm,
    wakefulness: Wakefulness,
    /// How many the last turn had.
    answers: u32,
    /// The last turn ended before all was done that can be done at once.
    goes_on: bool,
    calls: Receiver<Call>,
    waker: Arc<Waker>,
    /// The clients of the disk, indexed by the number of their process.
    clients: Vec<Option<Client>>,
    /// The clients that are marked so.
    changed: Vec<ProcessId>,
    start: Instant,
    /// Connections that were closed by an error.
    refused: Arc<AtomicU64>,
    /// When to look for clients that do not read, or do not send what they have begun.
    look_for_stuck_ns: Option<u64>,
    /// Connections that are over, and not closed yet.
    lingering: Lingering,
    stops: bool,
}

impl Worker {
    /// The time of this disk.
    pub fn now_ns(&self) -> u64 {
        ns_since(self.start)
    }

    fn run(mut self) -> io::Result<()> {
        let mut happened = Vec::new();
        while !self.stops {
            self.wait(&mut happened)?;
            self.disk.begin_turn();
            let mut called = false;
            for event in happened.drain(..) {
                match event.key {
                    WAKER => called = true,
                    BACKEND => {}
                    ALARM => self.alarm.has_rung(),
                    over if over >= LINGERING => self.lingering.has_news(over),
                    client => self.client_has_news(ProcessId(client as u32), event.hung_up),
                }
            }
            if called {
                self.waker.clear();
                while let Ok(call) = self.calls.try_recv() {
                    call(&mut self);
                }
            }
            self.look_for_stuck();
            self.lingering.look(self.now_ns());
            self.advance()?;
        }
        for client in 0..self.clients.len() {
            self.close(ProcessId(client as u32), &Closed::Told("the server stops"));
        }
        self.disk.state.tell_all_left_out();
        let start = self.start;
        self.lingering.finish(|| ns_since(start))
    }

    /// Waits until something has happened, or is to be done.
    fn wait(&mut self, happened: &mut Vec<Readiness>) -> io::Result<()> {
        let own_ns = [self.look_for_stuck_ns, self.lingering.next_ns()].into_iter().flatten();
        let next_ns = self.disk.next_event_ns().into_iter().chain(own_ns).min();
        let goes_on = self.goes_on;
        let is_due = |now_ns| goes_on || next_ns.is_some_and(|next_ns| next_ns <= now_ns);
        if !goes_on
            && self.answers == 1
            && self.disk.state.is_idle()
            && self.wakefulness.is_worth_it()
        {
            let mut watch = Watch::new(self.now_ns());
            while happened.is_empty() {
                self.poller.wait(Some(Duration::ZERO), happened)?;
                let now_ns = self.now_ns();
                if !watch.goes_on(now_ns) {
                    break;
                }
                if is_due(now_ns) {
                    return Ok(());
                }
            }
            self.wakefulness.learn(&watch, !happened.is_empty());
            if !happened.is_empty() {
                return Ok(());
            }
        }
        let now_ns = self.now_ns();
        if is_due(now_ns) {
            return self.poller.wait(Some(Duration::ZERO), happened);
        }
        self.alarm.set(now_ns, next_ns)?;
        self.poller.wait(None, happened)
    }

    /// Lets the disk and its clients do what can be done now: all of it, if that is not much.
    fn advance(&mut self) -> io::Result<()> {
        self.answers = 0;
        self.goes_on = false;
        for _ in 0..ROUNDS {
            let now_ns = self.now_ns();
            self.disk.step(now_ns)?;
            let mut any = false;
            while let Some(answer) = self.disk.state.take_answer() {
                any = true;
                self.answers += 1;
                let client = answer.client;
                let entry = self.clients[client.index()].as_mut().expect("a client that is there");
                entry.connection.answered(answer);
                self.mark(client);
            }
            any |= self.send_all();
            // Who can go on only now does so in the next round.
            for _ in 0..self.disk.state.ready_clients() {
                if let Some(client) = self.disk.state.take_ready() {
                    any = true;
                    self.receive(client);
                }
            }
            if !any {
                return Ok(());
            }
        }
        self.goes_on = true;
        Ok(())
    }

    fn client_has_news(&mut self, client: ProcessId, hung_up: bool) {
        let Some(entry) = self.clients.get_mut(client.index()).and_then(Option::as_mut) else {
            return;
        };
        if hung_up && !entry.connection.interest().read {
            return self.close(client, &Closed::Gone("its requests"));
        }
        self.mark(client);
        self.receive(client);
    }

    fn receive(&mut self, client: ProcessId) {
        let now_ns = self.now_ns();
        let entry = self.clients.get_mut(client.index()).and_then(Option::as_mut);
        let Some(entry) = entry else { return };
        match entry.connection.receive(now_ns, &mut self.disk) {
            Ok(()) => self.mark(client),
            Err(closed) => self.close(client, &closed),
        }
    }

    fn mark(&mut self, client: ProcessId) {
        if let Some(entry) = &mut self.clients[client.index()]
            && !std::mem::replace(&mut entry.changed, true)
        {
            self.changed.push(client);
        }
    }

    /// Sends what can be sent to those who were marked; whether anybody was.
    fn send_all(&mut self) -> bool {
        let mut changed = std::mem::take(&mut self.changed);
        let any = !changed.is_empty();
        let now_ns = if any { self.now_ns() } else { 0 };
        for client in changed.drain(..) {
            let Some(entry) = &mut self.clients[client.index()] else { continue };
            entry.changed = false;
            let mut done = entry.connection.send(now_ns, &mut self.disk);
            if let Some((since_ns, _)) = entry.stuck_since_ns() {
                self.look_for_stuck_ns.get_or_insert(since_ns.saturating_add(entry.stuck_ns));
            }
            if done.is_ok()
                && let Some(interest) = entry.connection.new_interest()
            {
                let socket = entry.connection.transport().socket();
                let told = self.poller.change(socket, client.0.into(), interest);
                done = told.map_err(Closed::Broken);
            }
            if let Err(closed) = done {
                self.close(client, &closed);
            }
        }
        self.changed = changed;
        any
    }

    /// Closes clients that have taken nothing of their answers, or sent nothing more of a write,
    /// for too long.
    fn look_for_stuck(&mut self) {
        let now_ns = self.now_ns();
        if self.look_for_stuck_ns.is_none_or(|look_ns| look_ns > now_ns) {
            return;
        }
        let mut next_ns: Option<u64> = None;
        for client in 0..self.clients.len() {
            let Some(entry) = &self.clients[client] else { continue };
            let Some((since_ns, closed)) = entry.stuck_since_ns() else { continue };
            let end_ns = since_ns.saturating_add(entry.stuck_ns);
            if end_ns <= now_ns {
                self.close(ProcessId(client as u32), &closed(now_ns - since_ns));
            } else {
                next_ns = Some(next_ns.map_or(end_ns, |other_ns| other_ns.min(end_ns)));
            }
        }
        self.look_for_stuck_ns = next_ns;
    }

    /// Waits for the backend's descriptors, after an export was added.
    ///
    /// # Errors
    /// What the system says.
    pub fn watch_backend(&mut self) -> io::Result<()> {
        for descriptor in self.disk.backend.descriptors() {
            self.poller.add(descriptor, BACKEND, Interest::READ)?;
        }
        Ok(())
    }

    fn close(&mut self, client: ProcessId, why: &Closed) {
        let entry = self.clients.get_mut(client.index()).and_then(Option::take);
        let Some(entry) = entry else { return };
        let Client { mut connection, peer, who, places, .. } = entry;
        let now_ns = self.now_ns();
        if matches!(why, Closed::Left) {
            connection.tell_end();
            tracing::debug!(peer, "connection closed: {why}");
        } else {
            self.refused.fetch_add(1, Ordering::Relaxed);
            let origin = format!("{} {}", self.disk.state.tenant_name(client), who.origin);
            if let Some(MayLog { left_out }) = self.disk.state.may_log(now_ns, why.kind(), &origin)
            {
                tracing::warn!(peer, left_out, "connection closed: {why}");
            }
        }
        let socket = connection.close(now_ns, &mut self.disk);
        // From the others nothing more is to be expected.
        if matches!(why, Closed::Left | Closed::Told(_)) {
            self.lingering.begin(now_ns, socket, places, &self.poller);
        }
    }
}
