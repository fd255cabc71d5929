// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk with two readers, recorded: the recording tells who they are and where their time went.

use bfq::{
    Config, GroupId, NewRequest, ProcessAttributes, ProcessId, RequestId, Scheduler, Time,
    tunables::Tunable,
};
use explain::{Look, RecordedRun};
use proptest::prelude::*;
use recording::{Comm, DeviceName, GroupName, Opening, Record, Recorded, Recorder, Sink};
use std::fs;

/// How long the device serves a request, one at a time.
const SERVICE_US: u64 = 5_000;

/// Takes this number of bytes and no more.
struct Ring {
    bytes: Vec<u8>,
    room: usize,
}

impl Sink for Ring {
    fn write(&mut self, bytes: &[u8]) -> bool {
        let fits = self.bytes.len() + bytes.len() <= self.room;
        if fits {
            self.bytes.extend_from_slice(bytes);
        }
        fits
    }
}

/// `fast` and `slow` read from different places; fast as soon as it can, slow in some distance.
struct Host {
    scheduler: Recorded<Ring>,
    readers: [ProcessId; 2],
    group: GroupId,
    now_us: u64,
    read: u64,
}

const NAMES: [&[u8]; 2] = [b"fast", b"slow"];

fn us(us: u64) -> Time {
    Time::from_ns(us * 1000)
}

impl Host {
    fn new() -> Self {
        let scheduler = Scheduler::with_observer(us(0), Config::new(true, 8), None);
        let mut scheduler = Recorded::new(scheduler.expect("memory"));
        scheduler.set_tunable(us(0), Tunable::LowLatency, 0);
        let group = scheduler.add_group(us(0), scheduler.root_group()).expect("memory");
        let groups = [group, scheduler.root_group()];
        let readers = groups.map(|group| {
            let attributes = ProcessAttributes::default();
            scheduler.add_process(us(0), group, attributes).expect("memory")
        });
        Host { scheduler, readers, group, now_us: 0, read: 0 }
    }

    fn record(&mut self, room: usize) {
        let now = us(self.now_us);
        let scheduler = &mut self.scheduler;
        let (config, device) = (Config::new(true, 8), DeviceName::new(b"sda"));
        let policy = scheduler.policy_name();
        let opening = Opening::in_life(policy, device, &config, scheduler.tunables(), false);
        let sink = Ring { bytes: Vec::new(), room };
        let mut recorder = Recorder::begin(sink, now, &opening).ok().expect("room");
        let name = GroupName::new(b"/batch");
        recorder.record(now, &Record::Group { group: self.group, name });
        let groups = [self.group, scheduler.root_group()];
        for (place, process) in self.readers.into_iter().enumerate() {
            let (group, pid, comm) = (groups[place], 100 + place as u32, Comm::new(NAMES[place]));
            recorder.record(now, &Record::Process { process, group, pid, comm });
        }
        assert!(scheduler.record(recorder).is_none(), "it was not recorded before");
    }

    fn insert(&mut self, reader: usize) {
        self.read += 1;
        let sector = (reader as u64) << 30 | (self.read * 8);
        let now = us(self.now_us);
        let read = NewRequest::read(self.readers[reader], sector, 8, now);
        self.scheduler.insert(now, RequestId::from_index(reader), &read, false).expect("free");
    }

    /// Each has a request on its way all the time, as long as `ms` last.
    fn work(&mut self, ms: u64) {
        let end_us = self.now_us + ms * 1000;
        (0..2).for_each(|reader| self.insert(reader));
        while self.now_us < end_us {
            let now = us(self.now_us);
            match self.scheduler.dispatch(now) {
                Some(request) => {
                    self.now_us += SERVICE_US;
                    let now = us(self.now_us);
                    self.scheduler.complete(now, request).expect("it was dispatched");
                    self.insert(request.index());
                }
                None => {
                    self.now_us += 100;
                    let now = us(self.now_us);
                    self.scheduler.on_timer(now);
                }
            }
        }
        for reader in 0..2 {
            let now = us(self.now_us);
            self.scheduler.remove(now, RequestId::from_index(reader)).expect("it waits");
        }
    }

    fn recorded(mut self) -> Vec<u8> {
        let recorder = self.scheduler.recorder_mut().expect("it is recorded");
        core::mem::take(&mut recorder.sink_mut().bytes)
    }
}

#[test]
fn a_recording_from_the_middle_on_knows_who_waited_for_whom() {
    let mut host = Host::new();
    host.work(300);
    host.record(usize::MAX);
    host.work(2_000);
    let run = RecordedRun::read(host.recorded()).expect("well-formed");

    let overview = run.overview("test");
    assert_eq!((overview.device.as_str(), overview.from_attach, overview.lost), ("sda", false, 0));
    let programs = overview.programs.iter().map(|row| (row.name.as_str(), row.group.as_deref()));
    let mut programs: Vec<_> = programs.collect();
    programs.sort();
    assert_eq!(programs[..], [("fast", Some("/batch")), ("slow", None)][..]);
    let ios: u64 = overview.programs.iter().map(|row| row.ios).sum();
    assert_eq!(ios, overview.programs.iter().map(|row| row.read_bytes / 4096).sum::<u64>());

    for (name, other) in [("fast", "slow"), ("slow", "fast")] {
        let explanation = run.explanation(name, 3, "test").expect("it is there");
        let row = overview.programs.iter().find(|row| row.name == name).expect("it did I/O");
        let (told, counted) = (explanation.latency_ns, row.latency_ns);
        assert_eq!((explanation.ios, told), (row.ios, counted), "{name}");
        assert_eq!(explanation.causes.iter().map(|cause| cause.ns).sum::<u64>(), told);
        let behind = explanation.causes.iter().filter(|cause| cause.cause.starts_with("behind_"));
        assert!(behind.clone().count() > 0);
        behind.for_each(|cause| assert_eq!(cause.who.as_deref(), Some(other), "{cause:?}"));
        let device = explanation.causes.iter().find(|cause| cause.cause == "device");
        let device_ns = device.map_or(0, |cause| cause.ns);
        assert_eq!(device_ns, explanation.ios * SERVICE_US * 1000);
    }
    let nobody = run.explanation("quick", 0, "test").unwrap_err().to_string();
    assert!(nobody.contains("there are: fast, slow"), "{nobody}");
}

#[test]
fn an_activity_tells_who_had_the_disk_and_why_each_waited() {
    let mut host = Host::new();
    host.work(300);
    host.record(usize::MAX);
    host.work(2_000);
    let run = RecordedRun::read(host.recorded()).expect("well-formed");

    let activity = run.activity(1, "test");
    assert_eq!((activity.scheduler.as_str(), activity.lost), ("bfq", 0));
    let mut who: Vec<&str> = activity.holders.iter().map(|one| one.who.as_str()).collect();
    who.sort_unstable();
    assert_eq!(who, ["fast", "slow"]);
    let turns_ns: u64 = activity.holders.iter().map(|holder| holder.ns).sum();
    assert_eq!(turns_ns + activity.nobody_ns, activity.elapsed_ns);
    let [longest] = &activity.programs[..] else { panic!("one was asked for: {activity:?}") };
    let overview = run.overview("test");
    let most_ns = overview.programs.iter().map(|row| row.latency_ns).max();
    assert_eq!(Some(longest.latency_ns), most_ns);
    let explanation = run.explanation(&longest.name, 0, "test").expect("it is there");
    assert_eq!(longest.sentence, explanation.sentence);
    let (mut told, mut explained) = (longest.causes.clone(), explanation.causes);
    told.sort_by_key(|row| (row.cause, row.ns));
    explained.sort_by_key(|row| (row.cause, row.ns));
    assert_eq!(told, explained);
    let lines = activity.lines();
    assert!(lines[0].starts_with("bfq had the disk serve "), "{lines:?}");
    assert!(activity.why(&longest.name).is_some() && activity.why("quick").is_none());
}

#[test]
fn a_recording_with_a_gap_is_explained_around_it() {
    let mut host = Host::new();
    host.record(4_000);
    host.work(500);
    let recorder = host.scheduler.recorder_mut().expect("it is recorded");
    recorder.sink_mut().room = usize::MAX;
    host.work(500);
    let run = RecordedRun::read(host.recorded()).expect("well-formed");
    let overview = run.overview("test");
    assert!(overview.lost > 100, "{overview:?}");
    let explanation = run.explanation("slow", 3, "test").expect("it is there");
    let parts = explanation.causes.iter().map(|cause| cause.ns);
    assert_eq!(parts.sum::<u64>(), explanation.latency_ns);
    assert!(explanation.about.note.is_some_and(|note| note.contains("were lost")));
    assert!(explanation.latency_max_ns < 500_000_000, "nothing is as long as the gap");
}

#[test]
fn a_recording_that_is_cut_is_told_as_far_as_it_goes() {
    let mut host = Host::new();
    host.record(usize::MAX);
    host.work(200);
    let bytes = host.recorded();
    let run = RecordedRun::read(bytes[..bytes.len() - 1].to_vec()).expect("its beginning");
    assert!(run.overview("test").programs.iter().any(|row| row.ios > 10));

    let mut changed = bytes.clone();
    let last = changed.len() - 1;
    changed[last - 40..].fill(0xff);
    let error = RecordedRun::read(changed).unwrap_err();
    assert!(error.offset > last - 80, "{error}");
    assert!(RecordedRun::read(b"[job]".to_vec()).is_err());
}

/// Recordings that users keep are read by versions that come later. The tests of the Python package
/// explain this one, too. `RENEW=1` writes it anew, in the format of today.
#[test]
fn a_recording_that_was_kept_is_still_explained() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/two-readers.rec");
    if std::env::var_os("RENEW").is_some() {
        let mut host = Host::new();
        host.work(300);
        host.record(usize::MAX);
        host.work(500);
        fs::write(path, host.recorded()).expect("written");
    }
    let run = RecordedRun::read(fs::read(path).expect("it is kept")).expect("well-formed");
    let explanation = run.explanation("slow", 3, "test").expect("it is there");
    let parts = explanation.causes.iter().map(|cause| cause.ns);
    assert_eq!(parts.sum::<u64>(), explanation.latency_ns);
    assert!(explanation.ios > 10 && explanation.slowest.len() == 3, "{explanation:?}");
}

proptest! {
    #[test]
    fn whatever_is_changed_in_a_recording_it_is_explained_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut host = Host::new();
        host.record(usize::MAX);
        host.work(100);
        let mut bytes = host.recorded();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(run) = RecordedRun::read(bytes) {
            run.overview("test").text(Look::PLAIN);
            run.activity(2, "test").lines();
            for row in run.overview("test").programs {
                let explanation = run.explanation(&row.name, 3, "test").expect("it is there");
                explanation.text(Look::PLAIN);
                explanation.to_json();
            }
        }
    }
}
