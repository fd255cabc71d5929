// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ways of pages through a flash disk, for the timings of the reads that they belong to.

use std::collections::BTreeMap;

use super::die::{PageTimes, ProgramTime};
use crate::timing::{CommandTiming, Phase};

/// The ways of the pages under way, by the number of the event that ends each one's time
/// on its die.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths(BTreeMap<u64, CommandTiming>);

impl Paths {
    /// A page of a read goes to its die, from where the read's timing has come to in the
    /// controller.
    pub fn page_begins(
        &mut self,
        event: u64,
        timing: &CommandTiming,
        times: PageTimes,
        program_time: ProgramTime,
    ) {
        let mut path = timing.clone();
        path.until(Phase::DieBusy, times.free_ns);
        let program_ns = times.start_ns - times.free_ns;
        let collection_ns = program_time.collection_share_ns(program_ns);
        path.until(Phase::Collection, times.free_ns + collection_ns);
        path.until(Phase::Program, times.start_ns);
        path.until(Phase::FlashRead, times.end_ns);
        self.0.insert(event, path);
    }

    /// A page has passed its channel and the interface: when each had moved it, and how long that
    /// took without waiting. If no other page of the read was later so far, its way is the timing;
    /// pages that pass the interface one right behind the other are one transfer.
    pub fn page_ends(
        &mut self,
        event: u64,
        timing: &mut CommandTiming,
        [channel, interface]: [(u64, u64); 2],
    ) {
        let Some(mut path) = self.0.remove(&event) else { return };
        let behind_another = timing.until_ns() == interface.0 - interface.1
            && timing.parts().last().is_some_and(|last| last.phase == Phase::Interface);
        if behind_another {
            return timing.until(Phase::Interface, interface.0);
        }
        path.until(Phase::ChannelBusy, channel.0 - channel.1);
        path.until(Phase::Channel, channel.0);
        path.until(Phase::InterfaceBusy, interface.0 - interface.1);
        path.until(Phase::Interface, interface.0);
        if path.until_ns() > timing.until_ns() {
            *timing = path;
        }
    }
}

/// A write waited for room in the cache up to now. The unit that was programmed last has made that
/// room: as much of the wait was for garbage collection as of its time.
pub(super) fn waited_for_room(timing: &mut CommandTiming, now_ns: u64, time: ProgramTime) {
    let since_ns = timing.until_ns();
    let collection_ns = time.collection_share_ns(now_ns - since_ns);
    timing.until(Phase::Collection, since_ns + collection_ns);
    timing.until(Phase::CacheFull, now_ns);
}
