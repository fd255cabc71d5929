// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one process's I/Os did: counted while they complete, turned into fio's figures later.

use crate::histogram::Histogram;
use crate::log::{Log, LogEntry, LogSettings};
use crate::moments::Moments;
use crate::rates::Rates;
use crate::series::ByteSeries;
use base::Direction;

/// A completed I/O of a process, as it is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Whether the I/O read, wrote or discarded.
    pub direction: Direction,
    /// Number of bytes moved.
    pub bytes: u64,
    /// When the process decided to do it, ns.
    pub created_ns: u64,
    /// When the block layer had taken it, ns: later than `created_ns` if there was no request free.
    pub accepted_ns: u64,
}

/// Upper bounds of the classes of `latency_ns`, `latency_us` and `latency_ms`, ns; what lies
/// beyond the last counts as `>=2000` ms.
pub(crate) const CLASS_BOUNDS_NS: [u64; 31] = {
    const STEPS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];
    let mut bounds = [2_000_000_000; 31];
    let mut index = 0;
    while index < 30 {
        bounds[index] = STEPS[index % 10] * [1, 1_000, 1_000_000][index / 10];
        index += 1;
    }
    bounds
};

/// For each number of binary digits, the first class that such a latency may be in: of its own
/// class it is at most two steps away.
const FIRST_CLASSES: [u8; 65] = {
    let mut firsts = [0; 65];
    let mut bits = 1;
    while bits < 65 {
        let mut class = firsts[bits - 1];
        while (class as usize) < CLASS_BOUNDS_NS.len()
            && CLASS_BOUNDS_NS[class as usize] <= 1 << (bits - 1)
        {
            class += 1;
        }
        firsts[bits] = class;
        bits += 1;
    }
    firsts
};

/// The class of a latency.
#[inline]
fn latency_class(latency_ns: u64) -> usize {
    let bits = u64::BITS - latency_ns.leading_zeros();
    let mut class = usize::from(FIRST_CLASSES[bits as usize]);
    while CLASS_BOUNDS_NS.get(class).is_some_and(|&bound_ns| bound_ns <= latency_ns) {
        class += 1;
    }
    class
}

/// What is counted for each direction.
#[derive(Clone, Debug)]
pub(crate) struct DirectionRecord {
    pub(crate) bytes: u64,
    pub(crate) ios: u64,
    /// Latencies of the I/Os whose submission took no time of its own: nearly always, all.
    at_once: Moments,
    /// Submission, completion and total latencies of the other I/Os, ns.
    slowly_submitted: [Moments; 3],
    pub(crate) clat_histogram: Histogram,
    pub(crate) rates: Rates,
}

impl DirectionRecord {
    #[cold]
    #[inline(never)]
    fn new(start_ns: u64) -> Box<Self> {
        Box::new(Self {
            bytes: 0,
            ios: 0,
            at_once: Moments::new(),
            slowly_submitted: [const { Moments::new() }; 3],
            clat_histogram: Histogram::new(),
            rates: Rates::new(start_ns),
        })
    }

    /// Counts the latencies of an I/O whose submission took time: submission, completion, total.
    #[inline(never)]
    fn add_slowly_submitted(&mut self, latencies_ns: [u64; 3]) {
        let latencies = self.slowly_submitted.iter_mut().zip(latencies_ns);
        latencies.for_each(|(moments, latency_ns)| moments.add(latency_ns));
    }

    /// Submission latencies of all I/Os; those submitted at once count as 0.
    fn slat(&self) -> Moments {
        self.slowly_submitted[0].plus(Moments::of_zeros(self.at_once.count()))
    }

    /// Times from the end of submission to completion.
    pub(crate) fn clat(&self) -> Moments {
        self.slowly_submitted[1].plus(self.at_once.clone())
    }

    /// Times from creation to completion.
    pub(crate) fn lat(&self) -> Moments {
        self.slowly_submitted[2].plus(self.at_once.clone())
    }
}

/// Counters of fsync and fdatasync.
#[derive(Clone, Debug, Default)]
pub(crate) struct SyncRecord {
    pub(crate) lat: Moments,
    pub(crate) histogram: Histogram,
}

/// Collects what one process does. Taking a sample allocates nothing (but for the first of its
/// direction, and for logs of each I/O).
#[derive(Clone, Debug)]
pub struct Recorder {
    asynchronous: bool,
    started_ns: Option<u64>,
    counts_from_ns: Option<u64>,
    ended_ns: Option<u64>,
    directions: [Option<Box<DirectionRecord>>; 3],
    pub(crate) sync: Option<Box<SyncRecord>>,
    /// Submissions by the number of I/Os outstanding: 1, 2.., 4.., 8.., 16.., 32.., 64...
    pub(crate) depths: [u64; 7],
    /// Calls by the number of I/Os: 0, ..4, ..8, ..16, ..32, ..64, more.
    pub(crate) submit_calls: [u64; 7],
    pub(crate) reap_calls: [u64; 7],
    pub(crate) classes: [u64; 32],
    pub(crate) error: i32,
    pub(crate) has_work_left: bool,
    /// The queue depth at the end, if it was told.
    pub(crate) depth: Option<u32>,
    pub(crate) logs: Option<Box<Log>>,
    pub(crate) series: Option<ByteSeries>,
}

impl Recorder {
    /// A recorder for a process that has not started. `asynchronous` processes can have several
    /// I/Os outstanding, so submission counts as a time of its own (`slat_ns`); for the others it
    /// is part of the completion latency, as in fio.
    pub fn new(asynchronous: bool, logs: Option<LogSettings>) -> Self {
        Self {
            asynchronous,
            started_ns: None,
            counts_from_ns: None,
            ended_ns: None,
            directions: [None, None, None],
            sync: None,
            depths: [0; 7],
            submit_calls: [0; 7],
            reap_calls: [0; 7],
            classes: [0; 32],
            error: 0,
            has_work_left: false,
            depth: None,
            logs: logs.map(|settings| Box::new(Log::new(settings))),
            series: None,
        }
    }

    /// The process starts, and what it does counts. Without this call, or that of
    /// [`start_with_ramp`](Self::start_with_ramp), nothing does.
    pub fn start(&mut self, now_ns: u64) {
        self.start_with_ramp(now_ns, now_ns);
    }

    /// The process starts at `started_ns`, and what it does from the end of its ramp on counts.
    pub fn start_with_ramp(&mut self, started_ns: u64, counts_from_ns: u64) {
        self.started_ns = Some(started_ns);
        self.counts_from_ns = Some(counts_from_ns);
    }

    /// The process has nothing more to do. Further calls change nothing.
    pub fn finish(&mut self, now_ns: u64) {
        if self.counts_from_ns.is_some() && self.ended_ns.is_none() {
            self.ended_ns = Some(now_ns);
        }
    }

    /// What was counted so far does not count; what happens from now on does.
    pub fn restart(&mut self, now_ns: u64) {
        let logs = self.logs.take().map(|log| log.into_settings());
        let fresh = Recorder::new(self.asynchronous, logs);
        let started_ns = self.started_ns;
        *self = Recorder { started_ns, counts_from_ns: Some(now_ns), ..fresh };
    }

    /// The queue depth that the process has come to.
    pub fn set_depth(&mut self, depth: u32) {
        self.depth = Some(depth);
    }

    /// The process was stopped by an error: an errno.
    pub fn fail(&mut self, errno: i32) {
        self.error = errno;
    }

    /// The process ended before it had done all that its job gives it to do.
    pub fn leave_work(&mut self) {
        self.has_work_left = true;
    }

    /// A submission call of `ios` I/Os, the last of which found `outstanding` (with itself). Each
    /// counts at the depth that it found, as under fio with calls of one I/O.
    #[inline]
    pub fn submitted(&mut self, now_ns: u64, ios: u32, outstanding: u32) {
        if !self.counts(now_ns) {
            return;
        }
        self.submit_calls[call_class(ios)] += 1;
        for depth in outstanding.saturating_sub(ios) + 1..=outstanding {
            self.depths[depth_class(depth)] += 1;
        }
    }

    /// A submission call of a process that asked for calls of several I/Os. As under fio, all of
    /// the call count at the depth behind it, `outstanding`.
    pub fn submitted_batch(&mut self, now_ns: u64, ios: u32, outstanding: u32) {
        if self.counts(now_ns) {
            self.submit_calls[call_class(ios)] += 1;
            self.depths[depth_class(outstanding)] += u64::from(ios);
        }
    }

    /// A call that waited for completions and got `ios`.
    #[inline]
    pub fn reaped(&mut self, now_ns: u64, ios: u32) {
        if self.counts(now_ns) {
            self.reap_calls[call_class(ios)] += 1;
        }
    }

    /// An I/O completed at `now_ns`.
    #[inline(always)]
    pub fn completed(&mut self, now_ns: u64, sample: &Sample) {
        let Some(start_ns) = self.counts_from_ns.filter(|&start_ns| start_ns <= now_ns) else {
            return;
        };
        let record = &mut **self.directions[sample.direction as usize]
            .get_or_insert_with(|| DirectionRecord::new(start_ns));
        let lat_ns = now_ns - sample.created_ns;
        let slat_ns = sample.accepted_ns - sample.created_ns;
        let clat_ns = if self.asynchronous { lat_ns - slat_ns } else { lat_ns };
        record.bytes += sample.bytes;
        record.ios += 1;
        if clat_ns == lat_ns {
            record.at_once.add(lat_ns);
        } else {
            record.add_slowly_submitted([slat_ns, clat_ns, lat_ns]);
        }
        record.clat_histogram.add(clat_ns);
        record.rates.add(now_ns, sample.bytes);
        self.series.get_or_insert_with(ByteSeries::new).add(now_ns, sample.bytes);
        self.classes[latency_class(clat_ns)] += 1;
        if let Some(log) = &mut self.logs {
            log.add(LogEntry {
                time_ns: now_ns - start_ns,
                direction: sample.direction,
                ios: 1,
                bytes: sample.bytes,
                slat_ns: self.asynchronous.then_some(slat_ns),
                clat_ns,
                lat_ns,
                span_ns: lat_ns,
            });
        }
    }

    /// An fsync or fdatasync called at `called_ns` returned at `now_ns`.
    pub fn synced(&mut self, now_ns: u64, called_ns: u64) {
        if !self.counts(now_ns) {
            return;
        }
        let record = self.sync.get_or_insert_default();
        record.lat.add(now_ns - called_ns);
        record.histogram.add(now_ns - called_ns);
    }

    /// Times of submission in one direction, if anything was counted and if they are
    /// counted by themselves.
    pub(crate) fn slat(&self, direction: Direction) -> Option<Moments> {
        self.record(direction).filter(|_| self.asynchronous).map(DirectionRecord::slat)
    }

    /// What was counted in one direction, if anything was.
    pub(crate) fn record(&self, direction: Direction) -> Option<&DirectionRecord> {
        self.directions[direction as usize].as_deref()
    }

    #[inline]
    fn counts(&self, now_ns: u64) -> bool {
        self.counts_from_ns.is_some_and(|start_ns| start_ns <= now_ns)
    }

    /// The span that counts, if the process has lived through any of it.
    pub fn span_ns(&self) -> Option<(u64, u64)> {
        let span_ns = (self.counts_from_ns?, self.ended_ns?);
        (span_ns.1 > span_ns.0).then_some(span_ns)
    }

    /// When the process ran without counting, if it came to count afterwards.
    pub(crate) fn ramp_ns(&self) -> Option<(u64, u64)> {
        let (counts_from_ns, _) = self.span_ns()?;
        Some((self.started_ns?, counts_from_ns))
    }

    /// Whether the process, which began at `started_ns`, ended before its ramp did.
    pub fn ended_in_ramp(&self, started_ns: u64) -> bool {
        let times_ns = self.counts_from_ns.zip(self.ended_ns);
        times_ns.is_some_and(|(from_ns, end_ns)| (started_ns..from_ns).contains(&end_ns))
    }

    /// Length of the counted time.
    pub(crate) fn counted_ns(&self) -> u64 {
        self.span_ns().map_or(0, |(start_ns, end_ns)| end_ns - start_ns)
    }

    /// When the process ended, ns since the start of the run; 0 if it never ran.
    pub(crate) fn ended_ns(&self) -> u64 {
        self.ended_ns.unwrap_or(0)
    }

    /// Bytes moved in all directions.
    pub fn bytes(&self) -> u64 {
        self.directions.iter().flatten().map(|record| record.bytes).sum()
    }
}

/// The class of a depth: 1, 2 to 3, 4 to 7, … 64 and more.
#[inline]
fn depth_class(depth: u32) -> usize {
    depth.max(1).ilog2().min(6) as usize
}

/// The class of a call with that many I/Os: 0, 1 to 4, 5 to 8, … 33 to 64, more.
#[inline]
fn call_class(ios: u32) -> usize {
    match ios {
        0 => 0,
        1..=4 => 1,
        5..=64 => (u32::BITS - (ios - 1).leading_zeros()) as usize - 1,
        _ => 6,
    }
}

#[cfg(test)]
#[path = "recorder_tests.rs"]
mod tests;
