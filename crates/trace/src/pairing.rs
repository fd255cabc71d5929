// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which completion belongs to which request.
//!
//! Requests are merged and split on their way, so a completion may end several requests, or a part
//! of one. A request has ended when all of its bytes have; but a disk with a write cache is told to
//! flush that by a command of its own (`FN`), behind which a flush ends, and a write that is to be
//! durable, by a line without a length.

use crate::names::DeviceId;
use crate::record::{Flags, Record, RequestEvent};
use base::Op;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The number of later requests after which one that has not completed is forgotten: its
/// completion was lost, or the trace has none at all.
const MOST_REQUESTS: usize = 1 << 16;

/// Requests that begin before a completion and are looked at for one that it is a part of.
const LOOK_BACK: usize = 8;

/// Where a request begins, and a number that tells apart those that begin at the same place.
type Key = (Place, u64);

/// A byte of a device as requests of one operation have it: by device, operation and offset.
type Place = u128;

fn place(device: DeviceId, op: Op, offset_bytes: u64) -> Place {
    (Place::from(device.0) << 8 | op as Place) << 64 | Place::from(offset_bytes)
}

/// The requests under way, each with a `T` of the caller's.
#[derive(Debug)]
pub struct Pairing<T> {
    under_way: BTreeMap<Key, Waiting<T>>,
    oldest_first: VecDeque<Key>,
    queued: u64,
    /// Devices of which the trace tells what is queued.
    tells_of_queueing: BTreeSet<DeviceId>,
    /// Devices whose caches are flushed by commands of their own.
    flushed_apart: BTreeSet<DeviceId>,
}

#[derive(Debug)]
struct Waiting<T> {
    end_bytes: u64,
    /// 0: it waits for its end behind a flush.
    left_bytes: u64,
    /// The trace tells that it was issued to the device.
    is_issued: bool,
    preflush: bool,
    fua: bool,
    value: T,
}

impl<T> Default for Pairing<T> {
    fn default() -> Pairing<T> {
        Pairing {
            under_way: BTreeMap::new(),
            oldest_first: VecDeque::new(),
            queued: 0,
            tells_of_queueing: BTreeSet::new(),
            flushed_apart: BTreeSet::new(),
        }
    }
}

impl<T> Pairing<T> {
    /// A request is queued.
    pub fn queued(&mut self, record: &Record, value: T) {
        // A flush has no place.
        let offset_bytes = if record.op == Op::Flush { 0 } else { record.offset_bytes };
        let key = (place(record.device, record.op, offset_bytes), self.queued);
        self.queued += 1;
        let end_bytes = record.offset_bytes.saturating_add(record.length_bytes);
        let Flags { preflush, fua, .. } = record.flags;
        let (left_bytes, is_issued) = (record.length_bytes, false);
        let waiting = Waiting { end_bytes, left_bytes, is_issued, preflush, fua, value };
        self.under_way.insert(key, waiting);
        self.oldest_first.push_back(key);
        if self.oldest_first.len() > MOST_REQUESTS {
            self.forget_oldest();
        }
    }

    /// A request, or a part of it, or several that were merged, have completed; `ended` is given
    /// what belongs to each request that has thereby ended.
    pub fn completed(&mut self, record: &Record, mut ended: impl FnMut(T)) {
        let op_of_device = (record.device, record.op);
        let end_bytes = record.offset_bytes.saturating_add(record.length_bytes);
        let mut at_bytes = record.offset_bytes;
        if record.length_bytes == 0 {
            if let Some(key) = self.ended_behind_flush(record.device, at_bytes) {
                self.end(key, &mut ended);
            }
            return;
        }
        // One whose completion was lost does not take that of a later one.
        let is_likelier =
            |one: &Waiting<T>, younger: &Waiting<T>| one.is_issued && !younger.is_issued;
        while let Some((key, from_bytes)) =
            self.next(op_of_device, at_bytes, end_bytes, is_likelier)
        {
            let Some(waiting) = self.under_way.get(&key) else { return };
            let to_bytes = waiting.end_bytes.min(end_bytes);
            let left_bytes = waiting.left_bytes.saturating_sub(to_bytes - from_bytes);
            if left_bytes == 0 && !self.ends_behind_flush(waiting, record) {
                self.end(key, &mut ended);
            } else if let Some(waiting) = self.under_way.get_mut(&key) {
                waiting.left_bytes = left_bytes;
            }
            at_bytes = to_bytes;
        }
    }

    /// A request, or several that were merged, are issued to the device.
    fn issued(&mut self, record: &Record) {
        let op_of_device = (record.device, record.op);
        let end_bytes = record.offset_bytes.saturating_add(record.length_bytes);
        let mut at_bytes = record.offset_bytes;
        let is_likelier = |one: &Waiting<T>, _: &Waiting<T>| !one.is_issued;
        while let Some((key, _)) = self.next(op_of_device, at_bytes, end_bytes, is_likelier) {
            let Some(waiting) = self.under_way.get_mut(&key) else { return };
            waiting.is_issued = true;
            at_bytes = waiting.end_bytes;
        }
    }

    /// Whether a write whose data has come to the disk has its end in a line to come: where a flush
    /// goes before it, or after it as the disk itself was not told to make it durable.
    fn ends_behind_flush(&self, waiting: &Waiting<T>, completion: &Record) -> bool {
        let is_flushed = waiting.preflush || waiting.fua && !completion.flags.fua;
        is_flushed && self.flushed_apart.contains(&completion.device)
    }

    /// The request that a completion without a length ends: a write, by its place, or a flush,
    /// which has none.
    fn ended_behind_flush(&mut self, device: DeviceId, at_bytes: u64) -> Option<Key> {
        let before =
            (place(device, Op::Write, 0), 0)..=(place(device, Op::Write, at_bytes), u64::MAX);
        let mut writes = self.under_way.range(before).rev().take(LOOK_BACK);
        let is_it = |waiting: &Waiting<T>| waiting.left_bytes == 0 && waiting.end_bytes >= at_bytes;
        if let Some((&key, _)) = writes.find(|(_, waiting)| is_it(waiting)) {
            return Some(key);
        }
        if at_bytes > 0 {
            self.flushed_apart.insert(device);
            return None;
        }
        let flush = place(device, Op::Flush, 0);
        self.under_way.range((flush, 0)..=(flush, u64::MAX)).next().map(|(&key, _)| key)
    }

    /// The request that begins with a record, as it is queued. In a trace that does not tell of
    /// queueing (`blktrace -a issue -a complete`), or did not yet, it begins when it is issued.
    pub fn beginning(&mut self, record: &Record) -> Option<Record> {
        match record.event {
            RequestEvent::Queued => {
                self.tells_of_queueing.insert(record.device);
                Some(*record)
            }
            // What a flush is of cannot be told.
            RequestEvent::Issued if record.op == Op::Flush => {
                self.flushed_apart.insert(record.device);
                None
            }
            RequestEvent::Issued if !self.was_queued(record) => {
                Some(Record { event: RequestEvent::Queued, ..*record })
            }
            RequestEvent::Issued => {
                self.issued(record);
                None
            }
            RequestEvent::Completed => None,
        }
    }

    /// Whether a request that is issued was queued before: one under way has its first byte. Of a
    /// device of which nothing is queued, that one was only issued itself, and is another, whose
    /// completion is to come, was lost, or is never told.
    fn was_queued(&self, record: &Record) -> bool {
        self.tells_of_queueing.contains(&record.device) && self.has(record)
    }

    /// Whether a request that is under way has the first byte of this one.
    fn has(&self, record: &Record) -> bool {
        let op_of_device = (record.device, record.op);
        self.covering(op_of_device, record.offset_bytes, |_, _| false).is_some()
    }

    /// How many requests have not completed.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// The first request that has some of these bytes, and the first of those that it has. Of
    /// several that begin at once it is the youngest, unless another one is likelier.
    fn next(
        &self,
        op_of_device: (DeviceId, Op),
        from_bytes: u64,
        end_bytes: u64,
        is_likelier: impl Fn(&Waiting<T>, &Waiting<T>) -> bool,
    ) -> Option<(Key, u64)> {
        let place = |at_bytes| place(op_of_device.0, op_of_device.1, at_bytes);
        let mut at_bytes = from_bytes;
        while at_bytes < end_bytes {
            if let Some(key) = self.covering(op_of_device, at_bytes, &is_likelier) {
                return Some((key, at_bytes));
            }
            let rest = (place(at_bytes), u64::MAX)..(place(end_bytes), 0);
            at_bytes = self.under_way.range(rest).next()?.0.0 as u64;
        }
        None
    }

    /// The request that has a byte, of several the one that begins last; of several of these the
    /// youngest, unless another one is likelier.
    fn covering(
        &self,
        (device, op): (DeviceId, Op),
        at_bytes: u64,
        is_likelier: impl Fn(&Waiting<T>, &Waiting<T>) -> bool,
    ) -> Option<Key> {
        let before = (place(device, op, 0), 0)..=(place(device, op, at_bytes), u64::MAX);
        let mut found: Option<(Key, &Waiting<T>)> = None;
        for (&key, waiting) in self.under_way.range(before).rev().take(LOOK_BACK) {
            if found.is_some_and(|((start, _), _)| start != key.0) {
                break;
            }
            let has_it = waiting.end_bytes > at_bytes && waiting.left_bytes > 0;
            if has_it && found.is_none_or(|(_, younger)| is_likelier(waiting, younger)) {
                found = Some((key, waiting));
            }
        }
        found.map(|(key, _)| key)
    }

    fn end(&mut self, key: Key, ended: &mut impl FnMut(T)) {
        let Some(waiting) = self.under_way.remove(&key) else { return };
        ended(waiting.value);
        // Those that have ended leave the other list when they come to its head, which itself is
        // always under way.
        if self.oldest_first.front() != Some(&key) {
            return;
        }
        while self.oldest_first.front().is_some_and(|key| !self.under_way.contains_key(key)) {
            self.oldest_first.pop_front();
        }
    }

    fn forget_oldest(&mut self) {
        while let Some(key) = self.oldest_first.pop_front() {
            if self.under_way.remove(&key).is_some() {
                return;
            }
        }
    }
}
