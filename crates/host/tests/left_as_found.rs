// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine is left as it was found: a run that changes a real loop device, real control groups,
//! files and processes is killed at random moments, and so is who restores.

mod machine;

use host::Candidate;
use host::restore::{Journal, left_over};
use host::{Cgroups, Disk, Host};
use machine::{LoopDevice, Snapshot, entries, processes_of_run, settings};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const KILLS: u32 = 20;

/// What is told to the process that will be killed.
const ROLE: &str = "BFQ_TEST_ROLE";

/// Where a run works.
struct RunPaths {
    device: PathBuf,
    scratch: PathBuf,
    journals: PathBuf,
}

#[test]
fn a_run_that_is_killed_at_any_moment_is_restored_from_its_journal() {
    let Some(device) = LoopDevice::with_bfq() else { return };
    let folder = tempfile::tempdir().unwrap();
    let place = RunPaths {
        device: device.node.clone(),
        scratch: folder.path().join("scratch"),
        journals: folder.path().join("journals"),
    };
    std::fs::create_dir(&place.scratch).unwrap();
    // Nothing here is the kernel's default.
    device.set("scheduler", "bfq");
    device.set("nr_requests", "100");
    device.set("read_ahead_kb", "68");
    device.set("iosched/slice_idle_us", "4500");
    device.set("iosched/low_latency", "0");
    let found = settings(&device.queue());

    let before_it_changes_us = time_to_first_change_us(&place, &device, &found);
    restore(&place);
    let mut random = fastrand::Rng::with_seed(6);
    let mut changed = 0;
    let mut kills = 0;
    // On a busy machine more of them may come too early.
    while kills < KILLS || (changed <= KILLS / 2 && kills < 10 * KILLS) {
        kills += 1;
        let run_us = random.u64(..5 * before_it_changes_us + 200_000);
        let run = killed_after("run", &place, Duration::from_micros(run_us));
        changed += u32::from(settings(&device.queue()) != found);
        let restorer_us = random.u64(..30_000);
        killed_after("restore", &place, Duration::from_micros(restorer_us));
        restore(&place);

        let moment = format!("killed after {run_us} us, restorer after {restorer_us} us");
        assert_eq!(settings(&device.queue()), found, "{moment}");
        assert_eq!(traces_of_run(&place, run), Snapshot::new(), "{moment}");
    }
    assert!(changed > KILLS / 2, "{changed} of {kills} had changed anything when they were killed");
}

/// How long a run takes to change the first thing: on a slow machine all moments are later.
fn time_to_first_change_us(place: &RunPaths, device: &LoopDevice, found: &Snapshot) -> u64 {
    let began = Instant::now();
    let mut run = start("run", place);
    while settings(&device.queue()) == *found {
        assert!(began.elapsed() < Duration::from_secs(60), "the run changes nothing");
        sleep(Duration::from_millis(1));
    }
    let time = began.elapsed();
    run.kill().unwrap();
    run.wait().unwrap();
    u64::try_from(time.as_micros()).unwrap()
}

/// Starts this program as one who will be killed, kills it, and gives its process number.
fn killed_after(role: &str, place: &RunPaths, delay: Duration) -> u32 {
    let mut child = start(role, place);
    sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap();
    child.id()
}

fn start(role: &str, place: &RunPaths) -> Child {
    let paths = [&place.device, &place.scratch, &place.journals];
    let paths: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_process_that_is_killed", "--ignored"])
        .env(ROLE, format!("{role} {}", paths.join(" ")))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "it is started, and killed, by the test above"]
fn the_process_that_is_killed() {
    let role = std::env::var(ROLE).unwrap();
    let words: Vec<&str> = role.split(' ').collect();
    let [role, device, scratch, journals] = words[..] else { panic!("{role}") };
    let place =
        RunPaths { device: device.into(), scratch: scratch.into(), journals: journals.into() };
    match role {
        "run" => change_everything(&place),
        _ => restore(&place),
    }
}

/// Changes what a bench changes, again and again.
#[expect(clippy::zombie_processes, reason = "whoever restores has to find who is left running")]
fn change_everything(place: &RunPaths) {
    let host = Host::here();
    let disk = Disk::behind(&place.device).unwrap();
    let mut journal = Journal::create(&host, &place.journals, &disk).unwrap();
    let groups = Cgroups::find(&host).unwrap().map(|found| journal.make_groups(&found).unwrap());
    for turn in 0.. {
        for candidate in ["none", "mq-deadline:read_expire=3", "kyber", "bfq:slice_idle=0", "bfq"] {
            let candidate: Candidate = candidate.parse().unwrap();
            if disk.schedulers.contains(&candidate.scheduler) {
                journal.choose(&disk, &candidate).unwrap();
            }
        }
        let file = journal.name_scratch(&place.scratch).unwrap();
        std::fs::write(&file, [7; 4096]).unwrap();
        let mut sleeper = Command::new("sleep");
        journal.mark(sleeper.arg("1000"));
        let mut sleeper = sleeper.spawn().unwrap();
        if let Some(groups) = &groups {
            let group = groups.make(&format!("a/x{turn}")).unwrap();
            group.set_weight(300).unwrap();
            group.add(sleeper.id()).unwrap();
            if turn % 3 == 2 {
                groups.clear().unwrap();
            }
        }
        if turn % 2 == 1 {
            sleeper.kill().unwrap();
            sleeper.wait().unwrap();
        }
    }
}

/// What `bfq bench --restore` does.
fn restore(place: &RunPaths) {
    let mut found = left_over(&Host::here(), &place.journals).unwrap();
    assert!(found.at_work.is_empty());
    for journal in &mut found.dead {
        journal.restore().unwrap();
    }
}

/// What is left of a run: journals, files, groups, processes.
fn traces_of_run(place: &RunPaths, pid: u32) -> Snapshot {
    let group = format!("bfq-bench-{pid}-");
    let root = Cgroups::find(&Host::here()).unwrap().map(|found| found.root);
    let mut groups = entries(root.unwrap_or_default());
    groups.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with(&group));
    let files = [&place.journals, &place.scratch].into_iter().flat_map(|f| entries(f.clone()));
    let all = files.chain(groups).chain(processes_of_run(pid));
    all.map(|path| (path, String::new())).collect()
}

#[test]
fn weights_and_members_of_groups_are_those_of_the_kernel() {
    let Some(device) = LoopDevice::with_bfq() else { return };
    let host = Host::here();
    let Some(cgroups) = Cgroups::find(&host).unwrap() else {
        eprintln!("skipped: no control groups for block I/O");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::behind(&device.node).unwrap();
    let mut journal = Journal::create(&host, folder.path(), &disk).unwrap();
    journal.choose(&disk, &Candidate::plain("bfq")).unwrap();
    let groups = journal.make_groups(&cgroups).unwrap();
    let group = groups.make("a/x").unwrap();
    assert!(group.set_weight(300).unwrap());
    let weight = group.members_file().with_file_name(cgroups.weight_file());
    let weight_now = std::fs::read_to_string(&weight).unwrap();
    assert!(weight_now.split_whitespace().any(|word| word == "300"), "{weight_now}");
    group.set_weight(0).unwrap_err();
    let mut sleeper = Command::new("sleep").arg("1000").spawn().unwrap();
    group.add(sleeper.id()).unwrap();
    assert!(members(&group.members_file()).contains(&sleeper.id()));
    journal.restore().unwrap();
    assert!(!weight.exists());
    assert!(sleeper.wait().unwrap().code().is_none(), "who is in a group is ended with it");
}

fn members(file: &Path) -> Vec<u32> {
    std::fs::read_to_string(file).unwrap().lines().map(|pid| pid.parse().unwrap()).collect()
}
