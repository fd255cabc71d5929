// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages of a kernel's ring buffer: a loop device (7:0) of which `dd bs=64k count=16 iflag=direct`
//! read while `dd bs=128k count=8 oflag=direct conv=fsync` wrote to it (Linux 6.18, x86-64).
#![cfg(target_endian = "little")]

use live::{BlockEvent, Decoder, DeviceId, Monitor, Owner, Page, ThreadOwners, Watched};

const PAGES: [&[u8]; 2] = [include_bytes!("data/cpu0.page"), include_bytes!("data/cpu1.page")];

/// The files `format` of all events.
const FORMATS: &str = include_str!("data/formats.txt");

struct Anybody;

impl ThreadOwners for Anybody {
    fn owner(&mut self, thread: u32) -> Option<Owner> {
        let group = Some(format!("/test/{thread}"));
        Some(Owner { process: thread, name: "dd".to_owned(), group, is_kernel: false })
    }
}

fn decoder() -> Decoder {
    let of = |event: &str| {
        let start = FORMATS.find(&format!("name: {event}\n")).expect("it is there");
        let text = &FORMATS[start..];
        let end = text[1..].find("name: ").map_or(text.len(), |end| end + 1);
        text[..end].to_owned()
    };
    Decoder::new(of).unwrap()
}

fn events() -> Vec<BlockEvent> {
    let decoder = decoder();
    let mut events = Vec::new();
    for bytes in PAGES {
        let page = Page::new(bytes).unwrap();
        assert_eq!(page.lost_events(), 0);
        events.extend(page.filter_map(|(time_ns, bytes)| decoder.decode(time_ns, bytes)));
    }
    events.sort_by_key(|event| event.time_ns);
    events
}

#[test]
fn all_events_are_read_at_their_times() {
    let events = events();
    assert_eq!(events.len(), 76);
    // As the kernel printed the first: 27941.179457: block_bio_queue: 7,0 WS 10240 + 256 [dd].
    let first = events[0];
    assert_eq!((first.time_ns + 500) / 1000, 27_941_179_457);
    assert_eq!((first.sector, first.sectors, first.device), (10240, 256, DeviceId::new(7, 0)));
    assert_eq!((first.name.to_string().as_str(), first.op), ("dd", base::Op::Write));
}

#[test]
fn what_each_has_moved_is_what_dd_was_told_to_move() {
    let events = events();
    let (name, device) = ("loop0".to_owned(), DeviceId::new(7, 0));
    let watched = Watched { name, device, partitions: Vec::new() };
    let mut monitor = Monitor::new(&[watched], events[0].time_ns);
    for event in &events {
        assert!(monitor.take(event, &mut Anybody).is_some());
    }
    let snapshot = monitor.snapshot(events[75].time_ns);
    let disk = &snapshot.disks[0];
    let moved = |pid: u32| {
        let all = disk.processes.iter();
        let found = all.filter(|process| process.pid == Some(pid)).map(|process| &process.figures);
        found.map(|of| (of.read_bytes, of.written_bytes, of.ios)).next().unwrap()
    };
    assert_eq!(moved(events[0].thread), (0, 1 << 20, 9), "eight writes and a flush");
    assert_eq!(moved(30765), (1 << 20, 0, 16));
    assert_eq!(disk.all.bytes(), 2 << 20);
    assert_eq!(disk.waiting_ios, 0);
    let time: f64 = disk.processes.iter().map(|process| process.figures.time_percent).sum();
    assert!((time - 100.0).abs() < 1e-6, "{time}");
    let groups: Vec<&str> = disk.groups.iter().map(|group| group.group.as_str()).collect();
    assert_eq!(groups, ["/", "/test", "/test/30765", "/test/30766"]);
}
