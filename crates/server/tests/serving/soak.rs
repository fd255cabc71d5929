// SPDX-License-Identifier: MIT OR Apache-2.0
//! A long mixed load: clients that verify what they wrote, clients that misbehave in every way
//! there is, and an operator who changes things, all at random by a seed. Nothing is lost or wrong,
//! shares stay right, and memory, descriptors and threads level off.
//!
//! A few seconds among the other tests; `make serve-soak` takes an hour. The bounds were chosen
//! before the first run. After it two things were changed: they hold from two minutes on, as memory
//! fills up in the first half of a minute; and what a quarter has is the least that was seen in it,
//! for the load comes and goes, and what leaks is never given back.
//!
//! Shares are only right if the clients always ask for more. They have less than a tenth of a
//! second for that: where the processors have much other work, `heavy` cannot use all that is due
//! to it.

use crate::log_lines;
use crate::process::Served;
use crate::set_up::{MIB, Place, tenant};
use nbd::Command;
use nbd::client::{Connection, Request};
use server::config::{Backing, Config, Disk, Export, Permission, Source};
use server::{Control, Server};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SERVES: &str = "BFQ_TEST_IS_SOAKED";

/// Of the bytes of `light` (weight 100) and `heavy` (300), in percent.
const LIGHT_PERCENT: std::ops::Range<f64> = 23.0..27.0;

/// What the least of the last quarter may be above that of the second: a tenth and this.
const GROWTH_BYTES_MAX: u64 = 16 * MIB;
const GROWTH_DESCRIPTORS_MAX: u64 = 16;
const GROWTH_THREADS_MAX: u64 = 8;

/// A shorter run says nothing about growth, nor about shares on a machine with other work.
const JUDGED_SECONDS: u64 = 120;

const BLOCK: usize = 4096;
const READ_BYTES: u64 = 64 << 10;

/// Random numbers by xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }
}

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn config(folder: &Path) -> Config {
    let place = Place::new();
    let mut config = place.config();
    let socket = folder.join("socket");
    config.listeners[0].address = server::config::Address::Unix { path: socket, mode: 0o600 };
    config.limits.unread = Duration::from_secs(1);
    config.limits.handshake = Duration::from_secs(1);
    let names = [("light", 100), ("heavy", 300), ("odd", 100)];
    config.tenants.extend(names.map(|(name, weight)| tenant(name, weight)));
    config.disks.push(Disk {
        name: "slow".into(),
        backing: Backing::Emulated { profile: "reference-ssd".into(), size_bytes: 64 * MIB },
        scheduler: Some("bfq:low_latency=0".into()),
        rate_bytes_per_s: Some(20_000_000),
        depth: None,
    });
    let emulated = || Source::Emulated { disk: "slow".into(), size_bytes: 16 * MIB };
    config.exports = vec![
        export("a", Source::Path(folder.join("a"))),
        export("b", Source::Path(folder.join("b"))),
        export("odd", Source::Path(folder.join("odd"))),
        export("light", emulated()),
        export("heavy", emulated()),
    ];
    config
}

fn export(name: &str, source: Source) -> Export {
    Export {
        name: name.into(),
        source,
        tenant: name.into(),
        read_only: false,
        allow: vec![Permission::Anyone],
        description: String::new(),
    }
}

/// What the child does: it serves the folder, and an operator changes things, until it is stopped.
#[test]
fn child() {
    let Ok(folder) = std::env::var(SERVES).map(PathBuf::from) else { return };
    log_lines::to_stderr();
    std::fs::File::create(folder.join("odd")).and_then(|odd| odd.set_len(16 * MIB)).expect("odd");
    let server = server::start(config(&folder), Vec::new()).expect("a server");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let operator = scope.spawn(|| {
            let mut random = Random(from_environment("BFQ_SOAK_SEED", 1) + 1000);
            let mut has_extra = false;
            while !is_over.load(Ordering::Relaxed) {
                operate(&server, &folder, &mut random, &mut has_extra);
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        let _ = std::io::stdin().read_line(&mut String::new());
        is_over.store(true, Ordering::Relaxed);
        operator.join().expect("all changes are made");
    });
    server.stop(Duration::from_secs(5));
}

/// One change, of tenants and disks whose shares are not measured.
fn operate(server: &Server, folder: &Path, random: &mut Random, has_extra: &mut bool) {
    match random.below(4) {
        0 => server.set_weight("a", 1 + random.below(1000) as u32).expect("a weight"),
        1 => {
            let schedulers = ["bfq", "tfq", "mq-deadline", "kyber", "none"];
            let status = server.status();
            let disk = status.disks.iter().find(|disk| disk.name != "slow").expect("the files'");
            let scheduler = schedulers[random.below(5) as usize];
            server.set_scheduler(&disk.name, scheduler).expect("a scheduler");
        }
        2 if *has_extra => {
            let limit = Duration::from_millis(random.below(50));
            server.drain_export("extra", limit, true).expect("drained");
            *has_extra = false;
        }
        2 => {
            let mut extra = export("extra", Source::Path(folder.join("odd")));
            extra.tenant = "odd".into();
            server.add_export(extra).expect("added");
            *has_extra = true;
        }
        _ => {
            // It is as before, so `extra` goes, and no one else.
            server.apply(config(folder)).expect("applied");
            *has_extra = false;
        }
    }
}

fn request(command: Command, offset_bytes: u64, length_bytes: u64) -> Request {
    Request { command, fua: false, offset_bytes, length_bytes }
}

/// Writes blocks and reads them again, for as long as it lasts; how often.
fn verify(place: &Place, name: &str, mut random: Random, is_over: &AtomicBool) -> u64 {
    let mut client = place.client(name);
    let mut stamps = vec![0_u8; 1024];
    let mut rounds = 0;
    while !is_over.load(Ordering::Relaxed) {
        let block = random.below(stamps.len() as u64);
        let (at, stamp) = (block * BLOCK as u64, &mut stamps[block as usize]);
        assert_eq!(client.read(at, BLOCK).expect("read"), vec![*stamp; BLOCK], "{name} {block}");
        *stamp = random.below(256) as u8;
        client.write(at, &vec![*stamp; BLOCK]).expect("written");
        if rounds % 64 == 0 {
            client.flush().expect("flushed");
        }
        rounds += 1;
    }
    for (block, stamp) in stamps.iter().enumerate() {
        let read = client.read((block * BLOCK) as u64, BLOCK).expect("read");
        assert_eq!(read, vec![*stamp; BLOCK], "{name} {block} in the end");
    }
    rounds
}

/// Keeps sixteen reads on their way, and counts their bytes.
fn read_on(place: &Place, name: &str, bytes: &AtomicU64, is_over: &AtomicBool) {
    let mut client = place.client(name);
    let mut next = 0;
    let mut begin = |client: &mut Connection<UnixStream>| {
        let at = next % (16 * MIB);
        next += READ_BYTES;
        client.begin(request(Command::Read { whole: true }, at, READ_BYTES), &[]).expect("sent");
    };
    for _ in 0..16 {
        begin(&mut client);
    }
    while !is_over.load(Ordering::Relaxed) {
        let (_, outcome) = client.finish_any().expect("an answer");
        assert_eq!(outcome.error, None);
        bytes.fetch_add(READ_BYTES, Ordering::Relaxed);
        begin(&mut client);
    }
}

/// Misbehaves in one way; some of it goes on as long as the socket is kept.
fn misbehave(server: &Served, random: &mut Random, kept: &mut Vec<UnixStream>) {
    use std::io::Write;
    let way = random.below(6);
    // Best effort everywhere: the server may refuse, or cut off what is not all sent.
    match way {
        0 => {
            if let Some(mut stream) = server.connect() {
                let _ = stream.write_all(&[0x80 | random.below(128) as u8; 64]);
            }
        }
        1 => kept.extend((0..100).filter_map(|_| server.connect())),
        _ => {
            let name = if random.below(4) == 0 { "extra" } else { "odd" };
            let Ok(mut client) = server.place.try_client(name) else { return };
            let _ = client.stream().set_nonblocking(true);
            match way {
                2 => drop(client.stream().write_all(&[0x55; 4096])),
                3 => drop(client.begin(request(Command::Write, 0, 2 * MIB), &vec![1; 2 << 20])),
                4 => {
                    for _ in 0..64 {
                        let read = request(Command::Read { whole: true }, 0, 4 * MIB);
                        let _ = client.begin(read, &[]);
                    }
                    kept.extend(client.stream().try_clone());
                }
                _ => drop(client.begin(request(Command::Read { whole: true }, 0, MIB), &[])),
            }
        }
    }
    if kept.len() > 300 {
        kept.clear();
    }
}

/// Memory, descriptors and threads of the server.
type Sample = [u64; 3];

fn least(samples: &[Sample]) -> Sample {
    [0, 1, 2].map(|what| samples.iter().map(|sample| sample[what]).min().unwrap_or(0))
}

#[test]
fn nothing_is_lost_and_nothing_grows() {
    let duration = Duration::from_secs(from_environment("BFQ_SOAK_SECONDS", 8));
    let seed = from_environment("BFQ_SOAK_SEED", 1);
    let server = Served::start("soak::child", SERVES);
    let is_over = AtomicBool::new(false);
    let (light, heavy) = (AtomicU64::new(0), AtomicU64::new(0));
    let (place, over) = (&server.place, &is_over);
    let mut samples: Vec<Sample> = Vec::new();
    let (mut verified, mut odd) = (0, 0_u64);
    std::thread::scope(|scope| {
        let verifiers =
            ["a", "b"].map(|name| scope.spawn(move || verify(place, name, Random(seed + 7), over)));
        scope.spawn(|| read_on(place, "light", &light, over));
        scope.spawn(|| read_on(place, "heavy", &heavy, over));
        let misbehaves = scope.spawn(|| {
            let (mut random, mut kept, mut times) = (Random(seed), Vec::new(), 0);
            // The others come first: a place on the server is had by who comes first.
            std::thread::sleep(Duration::from_secs(1));
            while !over.load(Ordering::Relaxed) {
                misbehave(&server, &mut random, &mut kept);
                times += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            times
        });
        let begin = Instant::now();
        while begin.elapsed() < duration {
            std::thread::sleep(Duration::from_millis(500));
            let descriptors = server.descriptors() as u64;
            samples.push([server.resident_bytes(), descriptors, server.threads()]);
        }
        over.store(true, Ordering::Relaxed);
        verified = verifiers.map(|one| one.join().expect("nothing is wrong")).iter().sum();
        odd = misbehaves.join().expect("it misbehaves to the end");
    });
    let quarter = samples.len() / 4;
    let second = least(&samples[quarter..2 * quarter]);
    let last = least(&samples[3 * quarter..]);
    let (light, heavy) = (light.into_inner(), heavy.into_inner());
    let percent = 100.0 * light as f64 / (light + heavy).max(1) as f64;
    let log_lines = server.stop().len();
    let result = serde_json::json!({
        "seconds": duration.as_secs(), "seed": seed, "verified_blocks": verified,
        "misbehaved": odd, "light_bytes": light, "heavy_bytes": heavy, "light_percent": percent,
        "second_quarter": { "resident_bytes": second[0], "descriptors": second[1],
            "threads": second[2] },
        "last_quarter": { "resident_bytes": last[0], "descriptors": last[1], "threads": last[2] },
        "log_lines": log_lines,
    });
    println!("{result:#}");
    if let Ok(path) = std::env::var("BFQ_SOAK_RESULT") {
        std::fs::write(path, format!("{result:#}\n")).expect("written");
    }
    if duration.as_secs() < JUDGED_SECONDS {
        return println!("too short to judge shares, or whether anything grows");
    }
    assert!(LIGHT_PERCENT.contains(&percent), "light has {percent} %");
    for (what, most) in
        [GROWTH_BYTES_MAX, GROWTH_DESCRIPTORS_MAX, GROWTH_THREADS_MAX].into_iter().enumerate()
    {
        let bound = second[what] + second[what] / 10 + most;
        assert!(last[what] <= bound, "figure {what}: {second:?} has become {last:?}");
    }
}
