// SPDX-License-Identifier: MIT OR Apache-2.0
//! Workers, in this process and as processes of their own.

use super::*;
use std::io::{BufReader, PipeWriter, Write, pipe};
use std::path::{Path, PathBuf};
use std::thread;
use tempfile::NamedTempFile;

const FILE_BYTES: u64 = 1 << 20;

fn file() -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(&vec![1; FILE_BYTES as usize]).unwrap();
    file
}

fn assignment(target: &Path, job: &str) -> Assignment {
    Assignment {
        target: target.to_owned(),
        direct_block_bytes: Some(4096),
        used_bytes: FILE_BYTES,
        start_up_bytes: 8 << 20,
        job: format!("[global]\ndirect=1\n[job]\n{job}"),
        processes: vec![ProcessRegion {
            clone: 0,
            start_bytes: 4096,
            length_bytes: FILE_BYTES - 4096,
        }],
        seed: 1,
    }
}

/// Lets a worker work in a thread of ours; `talk` is what it is told after its assignment.
fn answers(assignment: &Assignment, talk: impl FnOnce(&mut PipeWriter)) -> Vec<String> {
    let (input, mut ours) = pipe().unwrap();
    writeln!(ours, "{}", serde_json::to_string(assignment).unwrap()).unwrap();
    let worker = thread::spawn(move || {
        let mut output = Vec::new();
        let _ = work(BufReader::new(input), &mut output);
        String::from_utf8(output).unwrap()
    });
    talk(&mut ours);
    let said = worker.join().unwrap();
    said.lines().map(str::to_owned).collect()
}

fn report(lines: &[String]) -> ProcessReport {
    let [ready, report] = lines else { panic!("two lines: {lines:?}") };
    assert_eq!(ready, "\"ready\"");
    let value: serde_json::Value = serde_json::from_str(report).unwrap();
    let mut report: WorkerReport = serde_json::from_value(value["report"].clone()).unwrap();
    assert_eq!(report.processes.len(), 1);
    report.processes.remove(0)
}

#[test]
fn a_worker_does_what_its_job_says() {
    let file = file();
    let job = "rw=randwrite\nbs=4k\nnumber_ios=21\nfsync=5\nsize=1m\n";
    let lines = answers(&assignment(file.path(), job), |ours| writeln!(ours, "0").unwrap());
    let report = report(&lines);
    assert_eq!((report.ios, report.bytes, report.error), (21, 21 * 4096, None));
    assert_eq!((report.latencies.count(), report.syncs.count()), (21, 4));
    assert!(report.ended_ns > report.began_ns);
    let written = std::fs::read(file.path()).unwrap();
    assert!(written[..4096].iter().all(|byte| *byte == 1), "that is not its part of the file");
}

#[test]
fn what_is_done_in_the_ramp_time_is_told_apart() {
    let file = file();
    for (ramp_time, in_ramp) in [
        ("0", InRamp::default()),
        ("1h", InRamp { time_ns: 3_600_000_000_000, ios: 10, bytes: 40960 }),
    ] {
        let job = format!("rw=read\nbs=4k\nsize=40k\nramp_time={ramp_time}\n");
        let mut assignment = assignment(file.path(), &job);
        assignment.processes[0].length_bytes = 40 << 10;
        let lines = answers(&assignment, |ours| writeln!(ours, "0").unwrap());
        let report = report(&lines);
        assert_eq!((report.ios, report.bytes, report.in_ramp), (10, 40 << 10, in_ramp));
    }
}

#[test]
fn the_end_of_the_input_is_enough() {
    let file = file();
    let job = "rw=read\nbs=4k\nsize=512k\ntime_based\nruntime=1h\n";
    let (input, mut ours) = pipe().unwrap();
    writeln!(ours, "{}\n0", serde_json::to_string(&assignment(file.path(), job)).unwrap()).unwrap();
    drop(ours);
    let mut output = Vec::new();
    work(BufReader::new(input), &mut output).unwrap();
    assert!(String::from_utf8(output).unwrap().contains("\"report\""));
}

#[test]
fn a_worker_says_what_it_cannot_do() {
    let file = file();
    let gone = Path::new("/nonexistent/target");
    for (assignment, told) in [
        (assignment(gone, "rw=read\nsize=1m\n"), "opening the target: "),
        (assignment(file.path(), "rw=dance\n"), "the job file is wrong: scenario:4: "),
    ] {
        let lines = answers(&assignment, |_| {});
        assert!(lines.len() == 1 && lines[0].contains(told), "{lines:?}");
    }
}

fn orders() -> Vec<Order> {
    let assignment = assignment(Path::new("/dev/null"), "rw=read\n");
    vec![Order { name: "reader".to_owned(), assignment, cgroup_procs: None }]
}

#[test]
fn programs_that_are_no_workers_are_found_out() {
    for (program, told) in [
        ("/usr/bin/yes", "process reader: unexpected words: bench-worker"),
        ("/nonexistent/program", "starting the process reader"),
    ] {
        let error =
            WorkerPool::start(Path::new(program), &orders(), &|_| {}).err().unwrap().to_string();
        assert!(error.contains(told), "{error}");
    }
    let error = WorkerPool::start(Path::new("/bin/true"), &orders(), &|_| {}).err().unwrap();
    // It depends on who is faster.
    assert!(
        matches!(error, WorkerPoolError::Vanished { .. } | WorkerPoolError::System { .. }),
        "{error}"
    );
}

#[test]
fn a_worker_is_in_its_group_before_it_hears_what_to_do() {
    let procs = NamedTempFile::new().unwrap();
    let mut orders = orders();
    orders[0].cgroup_procs = Some(procs.path().to_owned());
    let refused = WorkerPool::start(Path::new("/usr/bin/yes"), &orders, &|_| {}).err().unwrap();
    assert!(refused.to_string().contains("unexpected words"));
    let id: u32 = std::fs::read_to_string(procs.path()).unwrap().parse().unwrap();
    assert!(
        !PathBuf::from(format!("/proc/{id}")).exists(),
        "and it is gone with the other workers"
    );
}
