// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clients of the soak: some verify, some only read on, and one misbehaves in every way there
//! is, in the clear and with TLS.

use super::{BLOCK, EXPORT_BYTES};
use crate::certificates::{Authority, Shown, asked_for_tls};
use crate::process::Served;
use crate::set_up::{MIB, Place};
use base::random::Random;
use nbd::Command;
use nbd::client::{ClientRequest, Connection};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const READ_BYTES: u64 = 64 << 10;

/// How many connections a burst has, and now and then a flood.
const BURST: usize = 100;
const FLOOD: usize = 10_000;

/// How many idle connections are kept at most.
const KEPT_MAX: usize = 300;

pub fn request(command: Command, offset_bytes: u64, length_bytes: u64) -> ClientRequest {
    ClientRequest { command, fua: false, offset_bytes, length_bytes }
}

/// Writes blocks and reads them again until it is over; how often.
pub fn verify<S: Read + Write>(
    mut client: Connection<S>,
    name: &str,
    mut random: Random,
    is_over: &AtomicBool,
) -> u64 {
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
pub fn read_on(place: &Place, name: &str, bytes: &AtomicU64, is_over: &AtomicBool) {
    let mut client = place.client(name);
    let mut next = 0;
    let mut begin = |client: &mut Connection<UnixStream>| {
        let at = next % EXPORT_BYTES;
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

/// A client that misbehaves in each way by turns.
pub struct Misbehaving<'a> {
    pub server: &'a Served,
    pub authority: &'a Authority,
    pub random: Random,
    certificates: Certificates,
    address: SocketAddr,
    /// Connections that it keeps open, as some ways go on for as long as one is.
    kept: Vec<UnixStream>,
    kept_tls: Vec<TcpStream>,
}

/// What it shows when it asks for TLS.
struct Certificates {
    good: Shown,
    expired: Shown,
    of_a_stranger: Shown,
}

impl<'a> Misbehaving<'a> {
    pub fn new(
        server: &'a Served,
        authority: &'a Authority,
        address: SocketAddr,
        random: Random,
    ) -> Misbehaving<'a> {
        let certificates = Certificates {
            good: authority.sign("odd.example", &[], 4000),
            expired: authority.sign("odd.example", &[], 2001),
            of_a_stranger: Authority::new().sign("odd.example", &[], 4000),
        };
        let (kept, kept_tls) = (Vec::new(), Vec::new());
        Misbehaving { server, authority, random, certificates, address, kept, kept_tls }
    }

    /// Misbehaves in one way. The server may refuse it, or cut off what is not all sent: nothing of
    /// it has to succeed.
    pub fn once(&mut self) {
        match self.random.below(8) {
            0 => {
                if let Some(mut stream) = self.server.connect() {
                    let _ = stream.write_all(&[0x80 | self.random.below(128) as u8; 64]);
                }
            }
            1 => {
                let count = if self.random.below(300) == 0 { FLOOD } else { BURST };
                self.kept.extend((0..count).filter_map(|_| self.server.connect()));
            }
            2 | 3 => self.once_with_tls(),
            _ => {
                let name = if self.random.below(4) == 0 { "extra" } else { "odd" };
                let Ok(mut client) = self.server.place.try_client(name) else { return };
                let _ = client.stream().set_nonblocking(true);
                let stays = misuse(&mut client, &mut self.random);
                self.kept.extend(stays.then(|| client.stream().try_clone().ok()).flatten());
            }
        }
        if self.kept.len() > KEPT_MAX {
            self.kept.clear();
        }
        if self.kept_tls.len() > KEPT_MAX / 10 {
            self.kept_tls.clear();
        }
    }

    fn once_with_tls(&mut self) {
        match self.random.below(5) {
            0 => {
                // Garbage where the first words of TLS are due, or nothing more.
                let Ok(negotiation) = asked_for_tls(self.address) else { return };
                let has_garbage = self.random.below(2) == 0;
                let _ = negotiation.over(|mut stream| {
                    if has_garbage {
                        let _ = stream.write_all(&[0x55; 512]);
                    } else {
                        self.kept_tls.extend(stream.try_clone());
                    }
                    Ok(stream)
                });
            }
            1 | 2 => {
                let no_good = match self.random.below(3) {
                    0 => Some(&self.certificates.expired),
                    1 => Some(&self.certificates.of_a_stranger),
                    _ => None,
                };
                let client = self.authority.client(self.address, no_good, "odd");
                assert!(client.is_err(), "a certificate that is no good was taken");
            }
            _ => {
                let good = Some(&self.certificates.good);
                let Ok(mut client) = self.authority.client(self.address, good, "odd") else {
                    return;
                };
                let _ = client.stream().get_ref().set_nonblocking(true);
                let stays = misuse(&mut client, &mut self.random);
                let stream = client.stream().get_ref();
                self.kept_tls.extend(stays.then(|| stream.try_clone().ok()).flatten());
            }
        }
    }
}

/// Uses an export as no client should; whether it is worse if the connection stays open.
fn misuse<S: Read + Write>(client: &mut Connection<S>, random: &mut Random) -> bool {
    let read = |length_bytes| request(Command::Read { whole: true }, 0, length_bytes);
    match random.below(4) {
        0 => drop(client.stream().write_all(&[0x55; 4096])),
        1 => drop(client.begin(request(Command::Write, 0, 2 * MIB), &vec![1; 2 << 20])),
        2 => {
            for _ in 0..64 {
                let _ = client.begin(read(4 * MIB), &[]);
            }
            return true;
        }
        _ => drop(client.begin(read(MIB), &[])),
    }
    false
}
