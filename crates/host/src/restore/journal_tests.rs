// SPDX-License-Identifier: MIT OR Apache-2.0
//! Journals on a machine that is made up: written, restored, left over, damaged.

use super::*;
use crate::TargetKind;
use crate::tests::fake::{Fake, target};
use tempfile::TempDir;

/// A machine with a disk, and a folder for journals.
struct Machine {
    fake: Fake,
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let fake = Fake::new();
        fake.device("8:0", "sda", "none [mq-deadline] bfq");
        fake.file("sys/devices/sda/queue/nr_requests", "64\n");
        fake.file("sys/devices/sda/queue/iosched/read_expire", "777\n");
        fake.file("proc/sys/kernel/random/boot_id", "first-boot\n");
        Machine { fake, folder: tempfile::tempdir().unwrap() }
    }

    fn disk(&self) -> Disk {
        Disk::of(&self.fake.host(), target("/srv", TargetKind::Directory, "8:0")).unwrap()
    }

    fn journal(&self) -> Result<Journal, RestoreError> {
        Journal::create(&self.fake.host(), self.folder.path(), &self.disk())
    }

    fn left_over(&self) -> LeftOver {
        left_over(&self.fake.host(), self.folder.path()).unwrap()
    }

    fn queue(&self, name: &str) -> String {
        let path = self.fake.path(&format!("sys/devices/sda/queue/{name}"));
        fs::read_to_string(path).unwrap().trim().to_owned()
    }

    /// A scratch file in a folder.
    fn scratch(&self, journal: &mut Journal, folder: &TempDir) -> PathBuf {
        let path = journal.name_scratch(folder.path()).unwrap();
        File::create_new(&path).unwrap();
        path
    }

    fn journals(&self) -> usize {
        fs::read_dir(self.folder.path()).unwrap().count()
    }

    /// What the death of the process does: the lock ends, nothing is dropped.
    fn kill(&self, journal: Journal) {
        let path = journal.path.clone();
        let journal = std::mem::ManuallyDrop::new(journal);
        journal.file.unlock().unwrap();
        assert!(path.exists());
    }
}

#[test]
fn what_is_changed_is_written_down_before_and_undone_at_the_end() {
    let machine = Machine::new();
    let place = tempfile::tempdir().unwrap();
    let mut journal = machine.journal().unwrap();
    journal.choose(&machine.disk(), &"bfq:read_expire=1".parse().unwrap()).unwrap();
    journal.choose(&machine.disk(), &Candidate::plain("none")).unwrap();
    let scratch = machine.scratch(&mut journal, &place);
    assert!(scratch.exists());
    let undoing: Vec<String> = journal.changes().map(Change::to_string).collect();
    assert_eq!(undoing.len(), 2, "the queue was found once: {undoing:?}");
    assert!(undoing[0].starts_with("put mq-deadline and the settings back in"));
    assert_eq!(undoing[1], format!("remove the file {}", scratch.display()));

    journal.restore().unwrap();
    assert_eq!(machine.queue("scheduler"), "mq-deadline");
    assert_eq!(machine.queue("iosched/read_expire"), "777");
    assert!(!scratch.exists());
    assert_eq!(machine.journals(), 0);
    journal.restore().unwrap();
}

#[test]
fn dropping_restores() {
    let machine = Machine::new();
    let mut journal = machine.journal().unwrap();
    journal.choose(&machine.disk(), &Candidate::plain("bfq")).unwrap();
    assert_eq!(machine.queue("scheduler"), "bfq");
    drop(journal);
    assert_eq!(machine.queue("scheduler"), "mq-deadline");
    assert_eq!(machine.journals(), 0);
}

#[test]
fn a_run_that_is_at_work_is_told_from_one_that_was_killed() {
    let machine = Machine::new();
    let journal = machine.journal().unwrap();
    let pid = std::process::id();
    machine.fake.file(&format!("proc/{pid}/stat"), "");
    let found = machine.left_over();
    assert_eq!((found.dead.len(), &found.at_work[..]), (0, &[journal.opening().clone()][..]));
    // On another disk a second one may be.
    machine.journal().unwrap();
    drop(journal);
    assert_eq!(machine.left_over().at_work, []);
}

#[test]
fn a_run_whose_lock_outlives_it_for_a_moment_is_waited_for() {
    let machine = Machine::new();
    let journal = machine.journal().unwrap();
    // A process that was being started when its parent was killed holds a copy of the lock.
    let copy = journal.file.try_clone().unwrap();
    let journal = std::mem::ManuallyDrop::new(journal);
    let child = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        copy.unlock().unwrap();
    });
    let found = machine.left_over();
    assert_eq!((found.dead.len(), found.at_work.len()), (1, 0));
    assert_eq!(found.dead[0].opening(), journal.opening());
    child.join().unwrap();
}

#[test]
fn a_run_that_was_killed_is_found_and_has_to_be_restored_first() {
    let machine = Machine::new();
    let mut journal = machine.journal().unwrap();
    journal.choose(&machine.disk(), &Candidate::plain("bfq")).unwrap();
    machine.kill(journal);

    let refused = machine.journal().unwrap_err().to_string();
    assert!(refused.contains("a run on sda was killed"), "{refused}");
    assert_eq!(machine.queue("scheduler"), "bfq", "looking changes nothing");
    let mut found = machine.left_over();
    assert_eq!((found.dead.len(), found.at_work.len()), (1, 0));
    found.dead[0].restore().unwrap();
    assert_eq!(machine.queue("scheduler"), "mq-deadline");
    assert_eq!(machine.left_over().dead.len(), 0);
    machine.journal().unwrap();
}

#[test]
fn after_a_boot_only_files_are_removed() {
    let machine = Machine::new();
    let place = tempfile::tempdir().unwrap();
    let mut journal = machine.journal().unwrap();
    journal.choose(&machine.disk(), &Candidate::plain("bfq")).unwrap();
    let scratch = machine.scratch(&mut journal, &place);
    machine.kill(journal);
    machine.fake.file("proc/sys/kernel/random/boot_id", "second-boot\n");
    machine.fake.file("sys/devices/sda/queue/scheduler", "none [kyber]\n");

    let said = std::cell::RefCell::new(Vec::new());
    let say = |text: &str| said.borrow_mut().push(text.to_owned());
    let (host, folder) = (machine.fake.host(), machine.folder.path());
    crate::restore::restore_left_over(&host, folder, &say).unwrap();
    assert_eq!(
        *said.borrow(),
        [
            "a run on sda was killed; undoing what it did:".to_owned(),
            "  the machine has booted since: settings are not touched".to_owned(),
            format!("  remove the file {}", scratch.display()),
        ]
    );
    assert!(!scratch.exists());
    assert_eq!(machine.queue("scheduler"), "none [kyber]", "a user chose that since");
    assert_eq!(machine.journals(), 0);
}

#[test]
fn restoring_goes_on_after_errors_tells_all_of_them_and_tries_only_those_again() {
    let machine = Machine::new();
    let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut journal = machine.journal().unwrap();
    journal.choose(&machine.disk(), &Candidate::plain("bfq")).unwrap();
    let scratches = places.each_ref().map(|place| machine.scratch(&mut journal, place));
    for scratch in &scratches {
        fs::remove_file(scratch).unwrap();
        fs::create_dir(scratch).unwrap();
    }
    let told = journal.restore().unwrap_err().to_string();
    for scratch in &scratches {
        let line = format!("cannot remove the file {}: ", scratch.display());
        assert!(told.contains(&line), "{told}");
    }
    assert!(told.contains("Is a directory") && told.contains(".journal"), "{told}");
    assert_eq!(machine.queue("scheduler"), "mq-deadline");
    drop(journal);

    machine.fake.file("sys/devices/sda/queue/scheduler", "[none] bfq\n");
    scratches.iter().for_each(|scratch| fs::remove_dir(scratch).unwrap());
    machine.left_over().dead[0].restore().unwrap();
    assert_eq!(machine.queue("scheduler"), "[none] bfq", "it was put back already");
}

#[test]
fn wherever_a_journal_is_cut_off_what_is_left_of_it_can_be_followed() {
    let machine = Machine::new();
    let place = tempfile::tempdir().unwrap();
    let mut journal = machine.journal().unwrap();
    journal.choose(&machine.disk(), &Candidate::plain("bfq")).unwrap();
    machine.scratch(&mut journal, &place);
    let (path, whole) = (journal.path.clone(), fs::read(&journal.path).unwrap());
    drop(journal);
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let mut found = machine.left_over();
        let lines = whole[..length].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(found.dead.len(), usize::from(lines > 0), "{length}");
        for journal in &mut found.dead {
            assert_eq!(journal.changes().count(), lines - 1, "{length}");
            journal.restore().unwrap();
        }
        assert!(!path.exists(), "{length}: gone, restored or never begun");
    }
}

/// A line that was cut off once stayed, and the next one, behind it, was no line of its own.
#[test]
fn a_journal_that_was_cut_off_can_be_gone_on_with() {
    let machine = Machine::new();
    let place = tempfile::tempdir().unwrap();
    let mut journal = machine.journal().unwrap();
    machine.scratch(&mut journal, &place);
    let path = journal.path.clone();
    machine.kill(journal);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], b"{\"change\":"].concat()).unwrap();

    let mut journal = machine.left_over().dead.pop().expect("what was left over");
    machine.scratch(&mut journal, &place);
    machine.kill(journal);
    let mut journal = machine.left_over().dead.pop().expect("what was left over");
    assert_eq!(journal.changes().count(), 2);
    journal.restore().unwrap();
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_damaged_journal_is_refused_with_the_line() {
    let machine = Machine::new();
    let journal = machine.journal().unwrap();
    let (path, whole) = (journal.path.clone(), fs::read_to_string(&journal.path).unwrap());
    drop(journal);
    for (text, told) in [
        ("hello\n".to_owned(), ":1: expected the opening of a journal of this version"),
        (whole.replace("\"version\":1", "\"version\":2"), ":1: expected the opening"),
        (format!("{whole}hello\n"), ":2: expected a change, or one that was undone"),
        (format!("{whole}{{\"undone\":0}}\n"), ":2: expected a change"),
    ] {
        fs::write(&path, text).unwrap();
        let found = machine.left_over();
        let error = found.bad[0].to_string();
        assert!(error.contains(told), "{error}");
        assert!(error.ends_with(&format!("remove {}", path.display())), "{error}");
        assert_eq!(machine.journal().unwrap_err().to_string(), error);
    }
}

/// A newer version of the program may have left one, too.
#[test]
fn a_journal_that_cannot_be_followed_holds_up_no_other() {
    let machine = Machine::new();
    let host = machine.fake.host();
    let mut journal = machine.journal().unwrap();
    journal.choose(&machine.disk(), &Candidate::plain("bfq")).unwrap();
    machine.kill(journal);
    let bad = machine.folder.path().join("0-0.journal");
    fs::write(&bad, "hello\n").unwrap();
    let restored = crate::restore::restore_left_over(&host, machine.folder.path(), &|_| {});
    let error = restored.unwrap_err().to_string();
    assert!(error.contains(":1: expected the opening of a journal of this version; "), "{error}");
    assert!(error.ends_with(&format!("remove {}", bad.display())), "{error}");
    assert_eq!(machine.queue("scheduler"), "mq-deadline", "the other is undone");
    assert_eq!(machine.journals(), 1);
    fs::remove_file(&bad).unwrap();
    machine.journal().unwrap();
}

/// The disk has another elevator by then, whose tunables differ.
#[test]
fn a_choice_that_fails_half_way_is_taken_back() {
    let machine = Machine::new();
    let mut disk = machine.disk();
    let mut journal = machine.journal().unwrap();
    let error = journal.choose(&disk, &"bfq:low_latency=0".parse().unwrap()).unwrap_err();
    assert!(matches!(error, RestoreError::NoTunable { .. }), "{error}");
    assert_eq!(machine.queue("scheduler"), "mq-deadline");
    assert_eq!(journal.changes().count(), 0);
    // Of two disks the second one refuses. What was chosen before is what is put back.
    journal.choose(&disk, &Candidate::plain("none")).unwrap();
    let queue = machine.fake.path("sys/devices/sdb/queue");
    let current = "none".to_owned();
    disk.companions.push(crate::Companion { name: "sdb".to_owned(), queue, current });
    journal.choose(&disk, &Candidate::plain("bfq")).unwrap_err();
    assert_eq!(machine.queue("scheduler"), "none");
    assert_eq!(journal.changes().count(), 1);
    journal.restore().unwrap();
    assert_eq!(machine.queue("scheduler"), "mq-deadline");
}

#[test]
fn groups_of_version_2_get_the_controller_and_lose_it() {
    let machine = Machine::new();
    let root = machine.fake.path("sys/fs/cgroup");
    machine.fake.file("sys/fs/cgroup/cgroup.subtree_control", "cpu memory\n");
    let cgroups = Cgroups { version: CgroupVersion::V2, root: root.clone(), is_part: false };
    let switch = || fs::read_to_string(root.join("cgroup.subtree_control")).unwrap();
    let mut journal = machine.journal().unwrap();
    journal.make_groups(&cgroups).unwrap();
    assert_eq!(switch(), "+io");
    let top = journal.changes().find_map(|change| match change {
        Change::Group { folder } => Some(folder.clone()),
        _ => None,
    });
    assert!(top.as_ref().unwrap().is_dir());
    assert!(matches!(journal.make_groups(&cgroups), Err(RestoreError::GroupsTaken)));
    machine.fake.file("sys/fs/cgroup/cgroup.subtree_control", "cpu io memory\n");
    journal.restore().unwrap();
    assert_eq!(switch(), "-io");
    assert!(!top.unwrap().exists());
}

#[test]
fn what_is_to_stay_stays_and_is_gone_on_with_and_undone_when_it_is_asked() {
    let machine = Machine::new();
    let host = machine.fake.host();
    let file = machine.fake.path("sys/devices/sda/queue/iosched/read_expire");
    let depth = machine.fake.path("sys/devices/sda/queue/nr_requests");
    let mut first = Journal::to_keep(&host, machine.folder.path(), "sda").unwrap();
    first.set(&file, "777", "5").unwrap();
    let refused = first.set(&file, "777", "6").unwrap_err().to_string();
    assert!(refused.ends_with("is `5` by now, no longer `777`; nothing is changed"), "{refused}");
    drop(first);
    let mut second = Journal::to_keep(&host, machine.folder.path(), "sda").unwrap();
    second.set(&file, "5", "4").unwrap();
    second.set(&depth, "64", "32").unwrap();
    assert_eq!(second.changes().count(), 2, "what was found first is what is put back");
    drop(second);
    assert_eq!(
        (machine.queue("iosched/read_expire"), machine.queue("nr_requests")),
        ("4".to_owned(), "32".to_owned())
    );

    let said = std::cell::RefCell::new(Vec::new());
    let say = |text: &str| said.borrow_mut().push(text.to_owned());
    let restored = crate::restore::restore_left_over(&host, machine.folder.path(), &say).unwrap();
    assert_eq!(restored, 1);
    assert_eq!(said.borrow()[0], "undoing what was mended on sda:");
    assert_eq!(
        (machine.queue("iosched/read_expire"), machine.queue("nr_requests")),
        ("777".to_owned(), "64".to_owned())
    );
    assert_eq!(machine.journals(), 0);
}

/// What is written to the null device is never there.
#[test]
fn a_setting_that_does_not_become_what_was_written_is_told() {
    let machine = Machine::new();
    let host = machine.fake.host();
    let mut journal = Journal::to_keep(&host, machine.folder.path(), "sda").unwrap();
    let error = journal.set(Path::new("/dev/null"), "", "400").unwrap_err().to_string();
    assert_eq!(error, "`400` was written to /dev/null, which is `` all the same");
    assert_eq!(
        journal.changes().count(),
        1,
        "what is there now may be another value: it is undone"
    );
    journal.restore().unwrap();
}

#[test]
fn what_was_to_stay_does_not_outlast_a_boot() {
    let machine = Machine::new();
    let host = machine.fake.host();
    let file = machine.fake.path("sys/devices/sda/queue/iosched/read_expire");
    let mut journal = Journal::to_keep(&host, machine.folder.path(), "sda").unwrap();
    journal.set(&file, "777", "5").unwrap();
    drop(journal);
    machine.fake.file("proc/sys/kernel/random/boot_id", "second-boot\n");
    let journal = Journal::to_keep(&host, machine.folder.path(), "sda").unwrap();
    assert_eq!(journal.changes().count(), 0);
    assert_eq!(machine.queue("iosched/read_expire"), "5", "the boot has set it");
}
