// SPDX-License-Identifier: MIT OR Apache-2.0
//! A long mixed load: clients that verify what they wrote, in the clear and with TLS; clients that
//! misbehave in every way there is; disks that fail, are full or hang; and an operator who changes
//! things, all at random by a seed. Nothing is lost or wrong, shares stay right, and memory,
//! descriptors and threads level off.
//!
//! A few seconds among the other tests; `make serve-soak` takes an hour. The bounds were chosen
//! before the first run. After it two things were changed: they hold from two minutes on, as memory
//! fills up in the first half of a minute; and what a quarter has is the least that was seen in it,
//! for the load comes and goes, and what leaks is never given back.
//!
//! Shares are only right if the clients always ask for more. They have less than a tenth of a
//! second for that: where the processors have much other work, `heavy` cannot use all that is due
//! to it.

mod clients;
mod disks;
mod served;

use crate::certificates::Authority;
use crate::process::Served;
use crate::set_up::{MIB, Place, until};
use base::random::Random;
use clients::{Misbehaving, read_on, verify};
use disks::{FailingDisks, Failures};
use std::net::SocketAddr;
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
const EXPORT_BYTES: u64 = 16 * MIB;

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Memory, descriptors and threads of the server.
type Sample = [u64; 3];

fn least(samples: &[Sample]) -> Sample {
    [0, 1, 2].map(|what| samples.iter().map(|sample| sample[what]).min().unwrap_or(0))
}

/// Where the child listens for TLS.
fn address_of(place: &Place) -> SocketAddr {
    let path = place.path("address");
    until("the child has told its address", || path.exists());
    let address = std::fs::read_to_string(path).expect("read");
    address.parse().expect("an address")
}

#[test]
fn nothing_is_lost_and_nothing_grows() {
    let duration = Duration::from_secs(from_environment("BFQ_SOAK_SECONDS", 8));
    let seed = from_environment("BFQ_SOAK_SEED", 1);
    let (place, authority) = (Place::new(), Authority::new());
    authority.server_files(place.folder.path(), true);
    let failing = FailingDisks::make(&place);
    let server = Served::start_in(place, "soak::served::child", SERVES);
    let address = address_of(&server.place);
    let is_over = AtomicBool::new(false);
    let (light, heavy) = (AtomicU64::new(0), AtomicU64::new(0));
    let (place, over) = (&server.place, &is_over);
    let mut samples: Vec<Sample> = Vec::new();
    let (mut verified, mut verified_secure, mut odd) = (0, 0, 0_u64);
    let mut failures = Failures::default();
    std::thread::scope(|scope| {
        let verifiers = ["a", "b"].map(|name| {
            let (client, random) = (place.client(name), Random::new(seed + 7));
            scope.spawn(move || verify(client, name, random, over))
        });
        let shown = authority.sign("secure.example", &[], 4000);
        let client = authority.client(address, Some(&shown), "secure").expect("TLS");
        let secure = scope.spawn(|| verify(client, "secure", Random::new(seed + 8), over));
        scope.spawn(|| read_on(place, "light", &light, over));
        scope.spawn(|| read_on(place, "heavy", &heavy, over));
        let misbehaves = scope.spawn(|| {
            let random = Random::new(seed);
            let mut client = Misbehaving::new(&server, &authority, address, random);
            let mut times = 0;
            // The others come first: a place on the server is had by who comes first.
            std::thread::sleep(Duration::from_secs(1));
            while !over.load(Ordering::Relaxed) {
                client.once();
                times += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            times
        });
        let fails = scope.spawn(|| {
            let (mut random, mut seen) = (Random::new(seed + 9), Failures::default());
            while !over.load(Ordering::Relaxed) {
                failing.fail_once(place, &mut random, &mut seen);
                std::thread::sleep(Duration::from_millis(200));
            }
            seen
        });
        let begin = Instant::now();
        while begin.elapsed() < duration {
            std::thread::sleep(Duration::from_millis(500));
            let descriptors = server.descriptors() as u64;
            samples.push([server.resident_bytes(), descriptors, server.threads()]);
        }
        over.store(true, Ordering::Relaxed);
        verified = verifiers.map(|one| one.join().expect("nothing is wrong")).iter().sum();
        verified_secure = secure.join().expect("nothing is wrong with TLS");
        failures = fails.join().expect("each failure is told");
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
        "verified_blocks_with_tls": verified_secure, "misbehaved": odd,
        "files_cut_short": failures.cut_short, "file_system_full": failures.full,
        "file_system_hung": failures.hung, "light_bytes": light, "heavy_bytes": heavy, "light_percent": percent,
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
    assert!(failures.cut_short > 0, "no file was cut short");
    assert!(!failing.can_be_full() || failures.full > 0, "no file system was full");
    assert!(!failing.can_hang() || failures.hung > 0, "no file system hung");
    for (what, most) in
        [GROWTH_BYTES_MAX, GROWTH_DESCRIPTORS_MAX, GROWTH_THREADS_MAX].into_iter().enumerate()
    {
        let bound = second[what] + second[what] / 10 + most;
        assert!(last[what] <= bound, "figure {what}: {second:?} has become {last:?}");
    }
}
