// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is said to be missing.

use super::*;
use crate::tests::fake::{Fake, target};

const WANTS: Wants = wants(false);

const fn wants(allow_write: bool) -> Wants {
    Wants { scratch_bytes: 1 << 30, allow_write, journals: PathBuf::new() }
}

/// Facts of a machine that has everything.
fn all_well(fake: &Fake) -> Facts {
    fake.file("proc/self/mountinfo", "30 22 0:30 / /cg rw - cgroup cgroup rw,blkio\n");
    Facts {
        usage: None,
        free_bytes: Ok(1 << 40),
        unreadable: None,
        root: Root::OfMachine,
        no_journal: None,
        loadable: Vec::new(),
        cgroups: Cgroups::find(&fake.host()).unwrap(),
        no_io_uring: None,
        load: None,
    }
}

fn disk(fake: &Fake, kind: TargetKind, schedulers: &str) -> Disk {
    fake.device("8:0", "sda", schedulers);
    Disk::of(&fake.host(), target("/srv", kind, "8:0")).unwrap()
}

#[test]
fn nothing_is_missing_where_there_is_everything() {
    let fake = Fake::new();
    let disk = disk(&fake, TargetKind::Directory, "[none] bfq");
    assert_eq!(all_well(&fake).needs(&disk, &WANTS), Needs(Vec::new()));
}

#[test]
fn each_lack_is_told_with_a_way_out_and_what_is_done_without() {
    let busy = Load { busy_percent: 40.0, ios_per_s: 90.0, bytes_per_s: 1e6 };
    type Spoil = fn(&mut Facts);
    let table: [(Topic, Spoil, &str); 7] = [
        (
            Topic::Space,
            |facts| facts.free_bytes = Ok(1_000_000),
            "/srv has 1.0 MB free, the scratch file takes 1.1 GB. Make room,",
        ),
        (
            Topic::Space,
            |facts| facts.free_bytes = Err("Read-only file system".to_owned()),
            "No scratch file can be made in /srv: Read-only file system.",
        ),
        (
            Topic::Root,
            |facts| facts.root = Root::No,
            "Run it as root (sudo). Only none, which is in force, is measured",
        ),
        (
            Topic::Schedulers,
            |facts| facts.loadable = vec!["kyber".to_owned()],
            "Load it: modprobe -a kyber-iosched. Measured is what there is: none, bfq.",
        ),
        (Topic::Groups, |facts| facts.cgroups = None, "Scenarios with groups are left out."),
        (
            Topic::IoUring,
            |facts| facts.no_io_uring = Some("not permitted".to_owned()),
            "io_uring is refused: not permitted. Allow it:",
        ),
        (
            Topic::Access,
            |facts| facts.unreadable = Some("Permission denied".to_owned()),
            "/srv cannot be read: Permission denied. Run it as root (sudo). Nothing can",
        ),
    ];
    let fake = Fake::new();
    let disk = disk(&fake, TargetKind::Directory, "[none] bfq");
    for (topic, spoil, told) in table {
        let mut facts = all_well(&fake);
        spoil(&mut facts);
        let needs = facts.needs(&disk, &WANTS);
        let texts: Vec<String> = needs.iter().map(Need::to_string).collect();
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(needs.lack(topic) && texts[0].contains(told), "{topic:?}: {texts:?}");
        let is_fatal = matches!(topic, Topic::Space | Topic::Access);
        assert_eq!(needs.obstacle().is_some(), is_fatal, "{topic:?}");
    }
    let facts = Facts { load: Some(busy), ..all_well(&fake) };
    let needs = facts.needs(&disk, &WANTS);
    assert!(needs.iter().next().unwrap().missing.contains("sda: it is busy 40 % of the time"));
}

#[test]
fn a_device_in_use_is_an_obstacle_and_a_file_in_use_may_be_read() {
    let swap = Usage::Swap { name: "/srv".to_owned() };
    for (kind, allow_write, obstacle) in [
        (TargetKind::BlockDevice, false, true),
        (TargetKind::BlockDevice, true, true),
        (TargetKind::File, false, false),
        (TargetKind::File, true, true),
    ] {
        let fake = Fake::new();
        let disk = disk(&fake, kind, "[none] bfq");
        let facts = Facts { usage: Some(swap.clone()), ..all_well(&fake) };
        let needs = facts.needs(&disk, &wants(allow_write));
        assert_eq!(needs.obstacle().is_some(), obstacle, "{kind:?} {allow_write}");
        assert_eq!(needs.lack(Topic::Write), !allow_write, "{kind:?} {allow_write}");
    }
}

#[test]
fn a_drive_without_a_medium_is_an_obstacle() {
    let fake = Fake::new();
    let disk = Disk { size_bytes: 0, ..disk(&fake, TargetKind::BlockDevice, "[none] bfq") };
    let needs = all_well(&fake).needs(&disk, &WANTS);
    assert!(needs.obstacle().unwrap().missing.starts_with("sda is empty"));
}

#[test]
fn a_disk_without_a_choice_or_without_bfq() {
    let told = |offered: &str| {
        let fake = Fake::new();
        let disk = disk(&fake, TargetKind::Directory, offered);
        all_well(&fake).needs(&disk, &WANTS).iter().map(Need::to_string).collect::<String>()
    };
    assert!(told("none").starts_with("sda offers no scheduler to choose from."));
    assert!(told("[none] kyber").starts_with("This kernel has no bfq."));
}

#[test]
fn modules_that_are_not_loaded_are_found() {
    let fake = Fake::new();
    let disk = disk(&fake, TargetKind::Directory, "[none] mq-deadline");
    fake.file("proc/sys/kernel/osrelease", "6.1.0-56-amd64\n");
    let table = "kernel/block/bfq.ko.xz: \nkernel/block/mq-deadline.ko:\nupdates/bfq.ko:\n";
    fake.file("lib/modules/6.1.0-56-amd64/modules.dep", table);
    assert_eq!(loadable(&fake.host(), &disk).unwrap(), ["bfq"]);
    fake.file("lib/modules/6.1.0-56-amd64/modules.dep", "kernel/fs/notbfq.ko:\n");
    assert_eq!(loadable(&fake.host(), &disk).unwrap(), [""; 0]);
}

#[test]
fn a_namespace_or_a_read_only_sys_has_no_root_of_the_machine() {
    for (root, beginning) in [
        (Root::No, "Only root can switch"),
        (Root::OfNamespace, "Root of a user namespace, as in a container, cannot switch"),
        (Root::ReadOnly, "Here not even root can switch"),
    ] {
        let fake = Fake::new();
        let disk = disk(&fake, TargetKind::Directory, "[none] bfq");
        let needs = Facts { root, ..all_well(&fake) }.needs(&disk, &WANTS);
        assert!(needs.lack(Topic::Root) && needs.obstacle().is_none(), "{root:?}");
        let need = needs.iter().next().unwrap();
        assert!(need.missing.starts_with(beginning), "{}", need.missing);
    }
}

#[test]
fn a_journal_needs_a_folder_that_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(why_no_journal(&folder.path().join("to/be/made")), None);
    // A relative one is below the current folder; it depends on the user who tests whether anything
    // can be made there.
    let here = std::env::current_dir().unwrap().join("to-be-made");
    let obstacles = [Path::new("to-be-made"), &here].map(|folder| why_no_journal(folder).is_some());
    assert_eq!(obstacles[0], obstacles[1]);
    let why = why_no_journal(&file.join("journals")).unwrap();
    assert!(why.ends_with("file is not a folder"), "{why}");
    let fake = Fake::new();
    let disk = disk(&fake, TargetKind::Directory, "[none] bfq");
    let facts = Facts { no_journal: Some(why), ..all_well(&fake) };
    assert_eq!(facts.needs(&disk, &WANTS).obstacle().unwrap().topic, Topic::Journal);
}
