// SPDX-License-Identifier: MIT OR Apache-2.0
//! The way of a process through the page cache.

use crate::buffered::{Buffered, Carried, Running};
use crate::ended_io::EndedIo;
use crate::flows::Flows;
use crate::process::{JobProcess, Next};
use blk::BlockLayer;
use report::{Direction, Sample};
use workload::cache::PageCache;
use workload::{Io, IssuerStep};

impl JobProcess {
    /// Carries all operations on, and begins I/Os as there is room for them.
    #[inline(never)]
    pub(crate) fn go_on_buffered(
        &mut self,
        now_ns: u64,
        layer: &mut BlockLayer,
        cache: &mut PageCache,
        flows: &mut Flows,
    ) -> Next {
        let (mut until_ns, mut follows) = (None, None);
        loop {
            if !self.carry_all_on(now_ns, layer, cache) {
                self.asleep = true;
                return Next::Event;
            }
            let Some(buffered) = &self.buffered else { return Next::Event };
            if self.in_flight >= self.depth || buffered.is_dropping() {
                break;
            }
            let io = match self.held.take() {
                Some(io) => *io,
                None => match self.poll(now_ns, flows) {
                    IssuerStep::Submit(io) => {
                        self.count_in_flow(&io, flows);
                        io
                    }
                    IssuerStep::Sleep { until_ns: u64::MAX } => break,
                    IssuerStep::Sleep { until_ns: time_ns } => {
                        until_ns = Some(time_ns);
                        break;
                    }
                    IssuerStep::Wait => break,
                    IssuerStep::Follow { clone, completed_ios } => {
                        follows = Some(self.follow(clone, completed_ios));
                        break;
                    }
                    IssuerStep::Done => return Next::Ended,
                },
            };
            self.begin_buffered(now_ns, io, cache);
        }
        let own_ns = self.buffered.as_ref().and_then(Buffered::next_ns);
        match (own_ns.into_iter().chain(until_ns).min(), follows) {
            (Some(time_ns), _) => Next::At(time_ns),
            (None, Some(follow)) => Next::Follow(follow),
            (None, None) => Next::Event,
        }
    }

    /// Begins an I/O, or first the dropping of the file if a pass begins with the I/O.
    fn begin_buffered(&mut self, now_ns: u64, io: Io, cache: &mut PageCache) {
        let pass = self.issuer.pass();
        let Some(buffered) = &mut self.buffered else { return };
        if let Some(region) = buffered.take_drop(pass) {
            self.held = Some(Box::new(io));
            let drop = cache.begin_drop(self.number, region);
            buffered.operations.push(Running::new(drop, None, now_ns));
            return;
        }
        let operation = cache.begin(self.number, &io);
        buffered.operations.push(Running::new(operation, Some((io, now_ns)), now_ns));
        self.in_flight += 1;
        self.recorder.submitted(now_ns, 1, self.in_flight);
    }

    /// Carries operations on; false if the process has to sleep for a request.
    fn carry_all_on(&mut self, now_ns: u64, layer: &mut BlockLayer, cache: &mut PageCache) -> bool {
        let (number, id) = (self.number, self.id);
        let mut index = 0;
        while let Some(buffered) = &mut self.buffered
            && let Some(running) = buffered.operations.get_mut(index)
        {
            match running.carry_on(now_ns, layer, cache, number, id) {
                Carried::On => index += 1,
                Carried::Asleep => return false,
                Carried::Ended(result) => {
                    let ended = buffered.operations.remove(index);
                    let blocks = buffered.blocks;
                    if let Some((io, created_ns)) = ended.io {
                        let sample = Sample {
                            direction: Direction::Read,
                            bytes: u64::from(io.length_bytes),
                            created_ns,
                            accepted_ns: if blocks { now_ns } else { created_ns },
                        };
                        self.recorder.reaped(now_ns, 1);
                        let Io { ticket, kind, .. } = io;
                        self.io_ended(now_ns, EndedIo { ticket, kind, result, sample });
                    }
                }
            }
        }
        true
    }
}
