// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server is killed at random moments: what was acknowledged as durable is in the file.
//!
//! The server is a child process: this test program itself, told by the environment what to do.
//! A kill of the process shows that nothing is acknowledged before the kernel has it; that the disk
//! has it is what `fdatasync` is for, which comes before each acknowledgement.

use crate::set_up::{MIB, Place, until};
use nbd::Command;
use nbd::client::ClientRequest;
use std::os::unix::fs::FileExt;
use std::process::{Child, Command as Program};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SERVES: &str = "BFQ_TEST_SERVES";
const MOMENTS: &str = "BFQ_TEST_KILLS";

/// A block and what was last acknowledged as durable in it.
const BLOCKS: u64 = 1024;
const BLOCK: u64 = 4096;

/// What the child does: it serves the folder until it is killed.
#[test]
fn child() {
    let Ok(folder) = std::env::var(SERVES) else { return };
    let _server = Place::serve_folder(&folder, &["a"]);
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// A child that serves the folder. One that was killed may have the file locked for a moment, until
/// the kernel has done its last requests; on a busy machine that is longer than a server waits.
fn server_of(place: &Place) -> Child {
    let spawn = || {
        let program = std::env::current_exe().expect("this program");
        Program::new(program)
            .args(["--exact", "durability::child", "--nocapture"])
            .env(SERVES, place.folder.path())
            .spawn()
            .expect("a child")
    };
    let mut child = spawn();
    until("the child listens", || {
        if child.try_wait().expect("a child").is_some() {
            child = spawn();
        }
        std::os::unix::net::UnixStream::connect(place.path("socket")).is_ok()
    });
    child
}

fn block(stamp: u64) -> Vec<u8> {
    stamp.to_le_bytes().iter().copied().cycle().take(BLOCK as usize).collect()
}

/// Writes stamps in turn until the server is gone. Some writes are durable by themselves, the
/// others by a flush; the log says what was acknowledged so.
fn write_until_killed(place: &Place, stamps: &AtomicU64, log: &Mutex<Vec<u64>>) {
    let Ok(mut client) = place.try_client("a") else { return };
    let mut not_yet: Vec<(u64, u64)> = Vec::new();
    let acknowledge = |block: u64, stamp: u64| {
        let mut log = log.lock().expect("no thread panics");
        log[block as usize] = log[block as usize].max(stamp);
    };
    loop {
        let stamp = stamps.fetch_add(1, Ordering::Relaxed);
        let place = stamp.wrapping_mul(0x9e37_79b9_7f4a_7c15) % BLOCKS;
        let fua = stamp.is_multiple_of(3);
        let request = ClientRequest {
            command: Command::Write,
            fua,
            offset_bytes: place * BLOCK,
            length_bytes: BLOCK,
        };
        if client.request(request, &block(stamp)).is_err() {
            return;
        }
        if fua {
            acknowledge(place, stamp);
        } else {
            not_yet.push((place, stamp));
        }
        if stamp.is_multiple_of(16) {
            if client.flush().is_err() {
                return;
            }
            for (place, stamp) in not_yet.drain(..) {
                acknowledge(place, stamp);
            }
        }
    }
}

#[test]
fn nothing_acknowledged_as_durable_is_lost() {
    let moments = std::env::var(MOMENTS).ok().and_then(|count| count.parse().ok()).unwrap_or(10);
    let place = Place::new();
    place.file("a", 16 * MIB);
    let log = Arc::new(Mutex::new(vec![0; BLOCKS as usize]));
    let stamps = Arc::new(AtomicU64::new(1));
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for moment in 0..moments {
        let mut child = server_of(&place);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| write_until_killed(&place, &stamps, &log));
            // Half of the kills may come at its first steps; on a busy machine all would.
            let before = stamps.load(Ordering::Relaxed);
            if moment % 2 == 0 {
                until("several writes are done", || stamps.load(Ordering::Relaxed) > before + 4);
            }
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            std::thread::sleep(Duration::from_micros(random % 100_000));
            child.kill().expect("killed");
            child.wait().expect("gone");
            writer.join().expect("the writer sees that the server is gone");
        });
        let file = std::fs::File::open(place.path("a")).expect("the file");
        for (number, &acknowledged) in log.lock().expect("no thread panics").iter().enumerate() {
            let mut found = [0; 8];
            file.read_exact_at(&mut found, number as u64 * BLOCK).expect("read");
            let found = u64::from_le_bytes(found);
            // A later write that was not acknowledged may be there as well.
            assert!(
                found >= acknowledged,
                "moment {moment}, block {number}: {found} < {acknowledged}"
            );
        }
    }
    assert!(stamps.load(Ordering::Relaxed) > moments, "something was written");
    assert!(log.lock().expect("no thread panics").iter().any(|&stamp| stamp > 0));
}
