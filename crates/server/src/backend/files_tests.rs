// SPDX-License-Identifier: MIT OR Apache-2.0
//! A flush of several files of which one refuses, and the memory that a burst leaves.

use super::*;
use crate::config::{Export, Permission, Tenant, TenantLimits};
use crate::disk::{DiskRequest, Failure, Operation};
use base::IoprioValue;
use blk::ProcessId;
use std::thread::sleep;

const DEPTH: u32 = 2;

/// Waits until so many commands have ended.
fn collect(files: &mut Files, state: &mut DiskState, count: usize) -> Vec<Ended> {
    let mut ended = Vec::new();
    while ended.len() < count {
        files.collect(0, state, &mut ended).expect("the engines work");
        sleep(Duration::from_millis(1));
    }
    ended
}

/// Files of one disk, each with a client.
fn serve(files: &mut Files, state: &mut DiskState, paths: &[&Path]) -> Vec<ProcessId> {
    let limits = TenantLimits { connections: 9, requests: 9, memory_bytes: 1 << 20 };
    let (name, ioprio) = ("a".to_owned(), IoprioValue::UNSET);
    let tenant = Tenant { name: name.clone(), parent: None, weight: 100, ioprio, limits };
    state.add_tenant(0, &tenant).expect("a tenant");
    let mut clients = Vec::new();
    for path in paths {
        std::fs::write(path, vec![0; 64 << 10]).expect("a file");
        let export = Export {
            name: path.display().to_string(),
            source: ExportSource::Path(path.to_path_buf()),
            tenant: name.clone(),
            read_only: false,
            allow: vec![Permission::Anyone],
            description: String::new(),
        };
        let opened = (files.opener())(&export).expect("a file");
        let added = state.add_export(&export, opened.size_bytes, opened.block_bytes);
        let key = added.expect("room");
        files.place(key, state.start_sector(key), opened).expect("an engine");
        clients.push(state.connect(0, key).expect("a client"));
    }
    clients
}

fn ask_to_flush(state: &mut DiskState, client: ProcessId) {
    let charge = state.admit(client, 0).expect("room");
    let operation = Operation::Flush;
    let request =
        DiskRequest { cookie: 0, operation, offset_bytes: 0, length_bytes: 0, durable: false };
    state.submit(0, client, request, charge);
}

/// The first file's flush was once on its way when the command ended, and it ended once more.
#[test]
fn a_flush_that_one_of_two_files_refuses_ends_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Files::new("test".into(), false, DEPTH, 1 << 20);
    let mut state = DiskState::new("none", files.limits()).expect("a scheduler");
    let paths = [folder.path().join("one"), folder.path().join("two")];
    let clients = serve(&mut files, &mut state, &[&paths[0], &paths[1]]);

    // Those that come while one is on its way are done by a single one.
    ask_to_flush(&mut state, clients[0]);
    let first = state.next_command(0).expect("a flush");
    files.submit(0, first, &mut state).expect("taken");
    ask_to_flush(&mut state, clients[0]);
    ask_to_flush(&mut state, clients[1]);
    collect(&mut files, &mut state, 1);
    state.complete(0, first.tag, Ok(()));
    let both = state.next_command(0).expect("a flush");
    assert_eq!(state.exports_of(both.tag).count(), 2);

    let io = Io { op: Op::Flush, offset_bytes: 0, length_bytes: 0 };
    let others = 100..100 + DEPTH + files.spare();
    files.parts.resize(others.end as usize, Parts::ONE);
    let second = files.files[1].as_mut().expect("the second file");
    for tag in others.clone() {
        second.engine.submit(tag, io).expect("there is a place");
    }
    files.submit(0, both, &mut state).expect("it ends with what is on its way");
    let ended = collect(&mut files, &mut state, 1 + others.len());
    let of_both: Vec<_> = ended.iter().filter(|one| one.tag == both.tag).collect();
    assert_eq!(of_both.len(), 1);

    // Each client was once told of the other one's error.
    while state.take_answer().is_some() {}
    state.complete(0, both.tag, of_both[0].result);
    let answers = std::iter::from_fn(|| state.take_answer());
    let mut answers: Vec<_> = answers.map(|one| (one.client, one.result.err())).collect();
    answers.sort_by_key(|&(client, _)| client);
    let refused = Some(Failure::Disk(IoError::Io));
    assert_eq!(answers, [(clients[0], None), (clients[1], refused)]);
}

/// It was once kept for as long as the export was served.
#[test]
fn memory_of_a_burst_is_given_back_when_it_is_not_used_any_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Files::new("test".into(), false, 32, 1 << 20);
    let mut state = DiskState::new("none", files.limits()).expect("a scheduler");
    serve(&mut files, &mut state, &[&folder.path().join("one")]);
    let engine = |files: &mut Files| files.files[0].as_mut().expect("a file").engine.used_bytes();
    let io = Io { op: Op::Read, offset_bytes: 0, length_bytes: 4096 };
    for tag in 0..32 {
        let served = files.files[0].as_mut().expect("a file");
        served.engine.submit(tag, io).expect("there is a place");
    }
    while files.files[0].as_ref().is_some_and(|served| served.engine.in_flight() > 0) {
        let served = files.files[0].as_mut().expect("a file");
        served.engine.wait(Duration::from_secs(1), &mut Vec::new()).expect("it works");
    }
    assert_eq!(engine(&mut files), 32 << 20);
    let mut now_ns = 0;
    let mut looks = 0;
    files.collect(now_ns, &mut state, &mut Vec::new()).expect("the engine works");
    while let Some(look_ns) = files.next_event_ns() {
        assert!(look_ns > now_ns && looks < 5, "{looks} looks");
        (now_ns, looks) = (look_ns, looks + 1);
        files.collect(now_ns, &mut state, &mut Vec::new()).expect("the engine works");
    }
    assert_eq!(engine(&mut files), KEPT_BYTES);
}
