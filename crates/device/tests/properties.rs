// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds for every disk and every load: each command ends exactly once and no sooner than it
//! can, time only goes on, and the same load has the same ends however often the host looks.

use std::sync::LazyLock;

use base::{Op, SECTOR_BYTES};
use device::{Command, Completion, Device, DeviceFull, Parameters, Profile};
use proptest::prelude::*;

/// The built-in profiles; reading one takes longer than a whole run.
static BUILTIN: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    Profile::builtin_names().map(|name| Profile::builtin(name).expect("built in")).collect()
});

/// A command of a load, and how long after the one before it comes.
#[derive(Clone, Debug)]
struct Step {
    gap_ns: u64,
    op: Op,
    place: Address,
    sectors: u32,
}

#[derive(Clone, Debug)]
enum Address {
    /// Right behind the command before.
    Next,
    /// Near the start of the disk, so that commands overlap.
    Near(u64),
    /// Anywhere, in millionths of the disk.
    Far(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let gap = prop_oneof![Just(0), 0u64..50_000, 0u64..5_000_000, 0u64..200_000_000];
    let op = prop_oneof![5 => Just(Op::Read), 5 => Just(Op::Write), 1 => Just(Op::Flush)];
    let place = prop_oneof![
        Just(Address::Next),
        (0u64..4096).prop_map(Address::Near),
        (0u64..1_000_000).prop_map(Address::Far),
    ];
    let sectors = prop_oneof![Just(8u32), 1u32..64, 1u32..2049];
    let step = (gap, op, place, sectors).prop_map(|(gap_ns, op, place, sectors)| Step {
        gap_ns,
        op,
        place,
        sectors,
    });
    prop::collection::vec(step, 1..150)
}

/// Number of a built-in disk, and values to change that make its queues and caches scarce.
type Disk = (usize, Vec<(&'static str, String)>);

fn disks() -> impl Strategy<Value = Disk> {
    let depth = prop_oneof![Just(1u32), 2u32..32];
    let disk = (0..BUILTIN.len(), depth, 0usize..5);
    disk.prop_map(|(number, depth, variant)| {
        let settings = match BUILTIN[number].parameters() {
            Parameters::Simple(_) => ["seek=0", "seek=3ms", "servers=3"],
            Parameters::HardDisk(_) => ["write_cache=0B", "write_cache=64KiB", "read_segments=0"],
            Parameters::Flash(_) => ["write_cache=128KiB", "interface_duplex=0", "fast_cache=0B"],
        };
        let scarce = settings.get(variant).and_then(|setting| setting.split_once('='));
        let scarce = scarce.map(|(name, value)| (name, value.to_owned()));
        (number, [("depth", depth.to_string())].into_iter().chain(scarce).collect())
    })
}

/// The time that a command takes on a disk that is idle and has everything in memory.
fn least_ns(parameters: &Parameters, command: &Command) -> u64 {
    let bytes = u64::from(command.sectors) * SECTOR_BYTES;
    let transfer_ns = |bytes_per_s: u64| (bytes * 1_000_000_000).div_ceil(bytes_per_s);
    match (parameters, command.op) {
        (Parameters::Simple(p), Op::Flush) => p.base,
        (Parameters::Simple(p), _) => p.base + transfer_ns(p.bus),
        (Parameters::HardDisk(p), Op::Flush) => p.command_overhead,
        (Parameters::HardDisk(p), _) => p.command_overhead + transfer_ns(p.interface_rate),
        (Parameters::Flash(p), Op::Flush) => p.write_occupancy,
        (Parameters::Flash(p), Op::Read) => {
            p.read_occupancy + p.read_latency + transfer_ns(p.interface_rate)
        }
        (Parameters::Flash(p), _) => {
            p.write_occupancy + p.write_latency + transfer_ns(p.interface_rate)
        }
    }
}

/// A host that submits as soon as it can, and checks what it gets.
struct Host {
    parameters: Parameters,
    disk: Device,
    now_ns: u64,
    submitted: Vec<(Command, u64)>,
    ended: Vec<Completion>,
}

impl Host {
    fn new((number, settings): &Disk) -> Self {
        let mut profile = BUILTIN[*number].clone();
        for (name, value) in settings {
            profile.set(name, value).expect("a good value");
        }
        Host {
            disk: Device::from_profile(&profile, 7),
            parameters: profile.parameters(),
            now_ns: 0,
            submitted: Vec::new(),
            ended: Vec::new(),
        }
    }

    /// Lets time pass up to `now_ns` in one go.
    fn advance(&mut self, now_ns: u64) {
        let (before, known) = (self.now_ns, self.ended.len());
        self.disk.advance(now_ns, &mut self.ended);
        self.now_ns = now_ns;
        let new = &self.ended[known..];
        assert!(new.is_sorted_by_key(|completion| completion.at_ns), "in the order of time");
        for Completion { tag, at_ns, result } in new {
            let (command, submitted_ns) = &self.submitted[*tag as usize];
            let least_ns = submitted_ns + least_ns(&self.parameters, command);
            assert!((least_ns.max(before)..=now_ns).contains(at_ns), "{command:?} at {at_ns}");
            assert_eq!(*result, Ok(()));
        }
        let in_flight = self.submitted.len() - self.ended.len();
        assert_eq!(self.disk.in_flight() as usize, in_flight);
        match self.disk.next_event_ns() {
            Some(event_ns) => assert!(event_ns > now_ns, "all up to now has happened"),
            None => assert_eq!(in_flight, 0, "a command under way has an event"),
        }
    }

    /// Lets time pass up to `now_ns`, looking `looks` times at the disk between its own events.
    fn wait_until(&mut self, now_ns: u64, looks: u64) {
        loop {
            let next_ns = self.disk.next_event_ns().unwrap_or(u64::MAX).min(now_ns);
            let gap_ns = next_ns.saturating_sub(self.now_ns);
            for look in 1..=looks {
                let look_ns = self.now_ns.max(next_ns - gap_ns + gap_ns * look / (looks + 1));
                self.advance(look_ns);
            }
            if next_ns >= now_ns {
                return self.advance(now_ns);
            }
            self.advance(next_ns);
        }
    }

    fn submit(&mut self, command: Command) {
        let depth = self.disk.depth();
        while self.disk.in_flight() == depth {
            assert_eq!(self.disk.submit(self.now_ns, command), Err(DeviceFull { depth }));
            let event_ns = self.disk.next_event_ns().expect("a full disk has an event");
            self.advance(event_ns);
        }
        assert_eq!(self.disk.submit(self.now_ns, command), Ok(()));
        self.submitted.push((command, self.now_ns));
        assert!(self.disk.in_flight() <= depth);
    }

    /// Waits until nothing is in flight.
    fn drain(&mut self) {
        while self.disk.in_flight() > 0 {
            let event_ns = self.disk.next_event_ns().expect("a command under way has an event");
            self.advance(event_ns);
        }
    }

    /// Submits a load and waits for its end; returns the completions.
    fn run(mut self, steps: &[Step], looks: u64) -> Vec<Completion> {
        let capacity = self.disk.capacity_sectors();
        let (mut sector, mut due_ns) = (0, 0);
        for (tag, step) in steps.iter().enumerate() {
            due_ns += step.gap_ns;
            if due_ns > self.now_ns {
                self.wait_until(due_ns, looks);
            }
            let wanted = match step.place {
                Address::Next => sector,
                Address::Near(sector) => sector,
                Address::Far(millionths) => capacity / 1_000_000 * millionths,
            };
            let first = wanted.min(capacity - u64::from(step.sectors));
            let sectors = if step.op == Op::Flush { 0 } else { step.sectors };
            sector = first + u64::from(sectors);
            self.submit(Command { tag: tag as u32, op: step.op, sector: first, sectors });
        }
        while self.disk.in_flight() > 0 {
            let event_ns = self.disk.next_event_ns().expect("a command under way has an event");
            self.wait_until(event_ns, looks);
        }
        let mut tags: Vec<_> = self.ended.iter().map(|completion| completion.tag).collect();
        tags.sort_unstable();
        let all: Vec<_> = (0..steps.len() as u32).collect();
        assert_eq!(tags, all, "each command ends exactly once");
        self.ended
    }
}

proptest! {
    #[test]
    fn every_command_ends_once_and_the_host_may_look_as_often_as_it_likes(
        disk in disks(),
        steps in steps(),
        looks in 1u64..4,
    ) {
        let ends = Host::new(&disk).run(&steps, 0);
        prop_assert_eq!(&Host::new(&disk).run(&steps, 0), &ends);
        prop_assert_eq!(&Host::new(&disk).run(&steps, looks), &ends);
    }

    /// After a flush nothing is left to write: the disk rests, or reads ahead, which is not seen.
    #[test]
    fn a_flush_leaves_a_disk_at_rest(disk in disks(), steps in steps()) {
        let mut host = Host::new(&disk);
        for step in &steps {
            let Address::Near(sector) = step.place else { continue };
            let op = if step.op == Op::Flush { Op::Write } else { step.op };
            let tag = host.submitted.len() as u32;
            host.submit(Command { tag, op, sector, sectors: step.sectors });
        }
        host.drain();
        let tag = host.submitted.len() as u32;
        host.submit(Command { tag, op: Op::Flush, sector: 0, sectors: 0 });
        host.drain();
        prop_assert_eq!(host.disk.next_event_ns(), None);
    }

    /// What a disk counts agrees with what it was asked.
    #[test]
    fn statistics_add_up(disk in disks(), steps in steps()) {
        let mut host = Host::new(&disk);
        let mut expected = (0, 0, 0);
        for step in &steps {
            let Address::Far(sector) = step.place else { continue };
            let tag = host.submitted.len() as u32;
            let sectors = if step.op == Op::Flush { 0 } else { step.sectors };
            host.submit(Command { tag, op: step.op, sector, sectors });
            match step.op {
                Op::Read => expected = (expected.0 + 1, expected.1 + u64::from(sectors), expected.2),
                Op::Write => expected.2 += u64::from(sectors),
                _ => {}
            }
        }
        let value = |name| {
            let all = host.disk.statistics();
            let found = all.iter().find(|statistic| statistic.name == name);
            found.expect("every disk counts it").value
        };
        let counted = (value("reads"), value("sectors_read"), value("sectors_written"));
        prop_assert_eq!(counted, expected);
        let all = host.disk.statistics();
        let mut names: Vec<_> = all.iter().map(|statistic| statistic.name).collect();
        names.sort_unstable();
        names.dedup();
        prop_assert_eq!(names.len(), all.len(), "a name for each");
        prop_assert!(all.iter().all(|s| !s.unit.is_empty() && !s.doc.is_empty()));
    }
}
