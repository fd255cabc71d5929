// SPDX-License-Identifier: MIT OR Apache-2.0
//! A made-up machine for everything that can be wrong, and a healthy one on which nothing is said.

mod fixture;

use doctor::{Machine, RULES, Report};
use fixture::cases::CASES;
use fixture::machine::{Fixture, GROUPS};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;

fn report(machine: &Fixture) -> Report {
    Report::of(&Machine::read(&machine.host(), &[]).unwrap())
}

fn rules_of(report: &Report) -> BTreeSet<&str> {
    report.findings.iter().map(|finding| finding.rule).collect()
}

#[test]
fn on_a_healthy_machine_nothing_is_wrong() {
    let report = report(&Fixture::healthy());
    assert_eq!(report.findings, []);
    assert!(report.to_string().contains("\nNothing is wrong.\n"), "{report}");
    let shares = report.disks.iter().find(|disk| disk.name == "sda").unwrap().groups.iter();
    let shares: Vec<_> = shares.map(|group| (&*group.group, group.predicted_percent)).collect();
    let expected = [
        ("/system.slice", 100.0),
        ("/system.slice/batch.service", 33.3),
        ("/system.slice/db.service", 66.7),
    ];
    assert_eq!(shares, expected);
}

/// A shell in the root group counts what its children have done in their groups, until they ended.
#[test]
fn who_started_what_uses_a_disk_does_not_use_it() {
    let machine = Fixture::healthy();
    machine.group("system.slice", 300);
    machine.uses("system.slice", "8:0");
    machine.file("sys/fs/cgroup/io.stat", "8:0 rbytes=1004096 wbytes=9\n");
    machine.process(300, "bash", "0::/", 60 << 20);
    assert_eq!(report(&machine).findings, []);
}

#[test]
fn version_1_tells_of_processes_by_another_file() {
    let machine = Fixture::of_version_1();
    machine.group_file("blkio/old.service", "blkio.bfq.weight", "500");
    let report = report(&machine);
    let mut findings = report.findings.iter();
    let found = findings.find(|finding| finding.rule == "weight-away-from-processes").unwrap();
    let files: Vec<_> = found.seen.iter().map(|seen| (&*seen.file, &*seen.value)).collect();
    let folder = "/sys/fs/cgroup/blkio/old.service";
    assert_eq!(
        files,
        [
            (&*format!("{folder}/blkio.bfq.weight"), "500"),
            (&*format!("{folder}/cgroup.procs"), "empty"),
        ]
    );
}

/// Newer kernels of version 1 count no bytes where nothing is throttled: then processes tell.
#[test]
fn where_groups_count_no_bytes_their_processes_tell_who_uses_disks() {
    let machine = Fixture::of_version_1();
    let counter = "blkio.throttle.io_service_bytes_recursive";
    for group in ["db.service", "web.service", "idle.service"] {
        machine.group_file(&format!("blkio/{group}"), counter, "Total 0");
    }
    machine.process(103, "idle", "5:blkio:/idle.service\n0::/", 0);
    let report = report(&machine);
    let groups = &report.disks.iter().find(|disk| disk.name == "sda").unwrap().groups;
    let shares: Vec<_> = groups.iter().map(|one| (&*one.group, one.predicted_percent)).collect();
    assert_eq!(shares, [("/db.service", 75.0), ("/web.service", 25.0)]);
}

#[test]
fn everything_that_can_be_wrong_is_found_alone() {
    for case in &CASES {
        let report = report(&(case.machine)());
        let expected = case.also.iter().copied().chain([case.rule]).collect::<BTreeSet<_>>();
        assert_eq!(rules_of(&report), expected, "{}:\n{report}", case.rule);
        let finding = report.findings.iter().find(|finding| finding.rule == case.rule).unwrap();
        let shares = finding.asked_percent.zip(finding.predicted_percent);
        assert_eq!(shares, case.shares, "{}:\n{report}", case.rule);
        assert!(!finding.seen.is_empty() && !finding.mend.is_empty(), "{report}");
    }
}

/// Who made the group decides what gives it a weight: a user's manager, or a user for a while.
#[test]
fn weights_are_given_by_who_made_the_group() {
    const MANAGER: &str = "user.slice/user-1000.slice/user@1000.service";
    let machine = Fixture::healthy();
    for group in [MANAGER, "user.slice/user-1000.slice", "user.slice"] {
        machine.group(group, 100);
        machine.uses(group, "8:0");
        machine.group_file(group, "cgroup.subtree_control", "io memory");
    }
    for (group, weight) in [
        ("app.slice", 100),
        ("app.slice/db.service", 1000),
        ("app.slice/web.service", 100),
        ("session.slice", 100),
        ("run-r1.scope", 100),
    ] {
        machine.group(&format!("{MANAGER}/{group}"), weight);
        machine.uses(&format!("{MANAGER}/{group}"), "8:0");
    }
    machine.group_file(&format!("{MANAGER}/app.slice"), "cgroup.subtree_control", "io memory");
    let report = report(&machine);
    let mut findings = report.findings.iter();
    let found = findings.find(|finding| finding.rule == "sibling-tree-takes-half").unwrap();
    let systemctl = "sudo -u '#1000' XDG_RUNTIME_DIR=/run/user/1000 systemctl --user set-property";
    let expected = [
        format!("{systemctl} --runtime run-r1.scope IOWeight=20"),
        "The next one: systemd-run --scope -p IOWeight=20 COMMAND".to_owned(),
        format!("{systemctl} session.slice IOWeight=20"),
    ];
    assert_eq!(found.mend, expected, "{report}");
}

#[test]
fn each_rule_has_a_machine() {
    let tried: BTreeSet<&str> = CASES.iter().map(|case| case.rule).collect();
    assert_eq!(tried, RULES.iter().map(|rule| rule.name).collect());
}

#[test]
fn what_costs_most_is_told_first() {
    let machine = (CASES[0].machine)();
    machine.file("sys/devices/sda/queue/rq_affinity", "0\n");
    let report = report(&machine);
    let told: Vec<&str> = report.findings.iter().map(|finding| finding.rule).collect();
    assert_eq!(told, ["elevator-ignores-weights", "rq-affinity-off"]);
}

#[test]
fn only_the_disks_that_were_asked_for_are_looked_at() {
    let machine = Fixture::healthy();
    machine.file("sys/devices/sda/queue/rq_affinity", "0\n");
    let of = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(Into::into).collect();
        Machine::read(&machine.host(), &names).map(|machine| Report::of(&machine))
    };
    assert_eq!(rules_of(&of(&["sda"]).unwrap()), BTreeSet::from(["rq-affinity-off"]));
    assert_eq!(rules_of(&of(&["nvme0n1"]).unwrap()), BTreeSet::new());
    let error = of(&["sdx"]).unwrap_err().to_string();
    assert_eq!(error, "sdx: no such disk; did you mean `sda`?");
    // What is on a device that is none of the disks.
    let folder = machine.path("sys").display().to_string();
    machine.device(&device_of(&folder), "loop0");
    machine.remove("sys/block/loop0");
    let error = of(&[&folder]).unwrap_err().to_string();
    assert_eq!(error, format!("{folder}: no such disk; there are: nvme0n1, sda"));
}

/// The number of the device that a folder of this machine is on.
fn device_of(folder: &str) -> String {
    let number = fs::metadata(folder).unwrap().dev();
    format!("{}:{}", rustix::fs::major(number), rustix::fs::minor(number))
}

/// The kernel cuts names at 15 bytes, also within a letter, and a name need not be text at all.
#[test]
fn what_is_no_text_hides_nothing_else() {
    let machine = Fixture::healthy();
    machine.bytes("proc/300/cgroup", b"0::/user.slice\n");
    machine.bytes("proc/300/comm", b"gnome-\xffshell\n");
    machine.bytes("proc/300/stat", b"300 (gnome-\xffshell) S 2 1 1 0 -1 0\n");
    machine.bytes("etc/systemd/system/db.service", b"# \xe4\n[Service]\nIOWeight=800\n");
    let read = Machine::read(&machine.host(), &[]).unwrap();
    let process = read.processes.iter().find(|process| process.pid == 300).unwrap();
    assert_eq!((&*process.name, process.is_kernel), ("gnome-\u{fffd}shell", true));
    assert_eq!(rules_of(&Report::of(&read)), BTreeSet::from(["unit-weight-not-arrived"]));
}

/// The same path below a container's service is the container's own unit.
#[test]
fn units_in_a_container_are_none_of_the_machine() {
    const CONTAINER: &str = "machine.slice/systemd-nspawn@c.service/payload/system.slice";
    let machine = Fixture::healthy();
    let mut path = String::new();
    for name in CONTAINER.split('/') {
        path = format!("{path}/{name}").trim_start_matches('/').to_owned();
        machine.group(&path, 100);
        machine.uses(&path, "8:0");
        machine.group_file(&path, "cgroup.subtree_control", "io memory");
    }
    machine.file("etc/systemd/system/web.service", "[Service]\nIOWeight=800\n");
    for group in ["web.service", "db.service"] {
        machine.group(&format!("{CONTAINER}/{group}"), 100);
        machine.uses(&format!("{CONTAINER}/{group}"), "8:0");
    }
    assert_eq!(report(&machine).findings, []);

    machine.group_file(&format!("{CONTAINER}/db.service"), "io.weight", "default 200");
    machine.group_file(&format!("{CONTAINER}/db.service"), "io.bfq.weight", "default 109");
    let found = report(&machine);
    let mut findings = found.findings.iter();
    let squeezed = findings.find(|finding| finding.rule == "weight-squeezed").unwrap();
    let folder = format!(">/{GROUPS}/{CONTAINER}");
    let lines = ["web", "db"].into_iter().zip([50, 100]);
    let lines = lines
        .map(|(group, weight)| format!("echo {weight} {folder}/{group}.service/io.bfq.weight"));
    assert_eq!(squeezed.mend, lines.collect::<Vec<_>>());
}

#[test]
fn only_where_groups_write_it_matters_who_dirtied_a_page() {
    let table = [
        ("/mnt rw - vfat", 1),
        ("/mnt ro - vfat", 0),
        ("/mnt ro - iso9660", 0),
        ("/boot/efi rw - vfat", 0),
        ("/efi rw - vfat", 0),
        ("/efi rw - exfat", 1),
    ];
    for (mount, expected) in table {
        let machine = Fixture::healthy();
        let table = machine.text("proc/self/mountinfo");
        let table = format!("{table}\n40 22 8:1 / {mount} /dev/sda1 rw\n");
        machine.file("proc/self/mountinfo", &table.replace("22 1 8:1 ", "22 1 8:9 "));
        assert_eq!(report(&machine).findings.len(), expected, "{mount}");
    }
}

/// bfq takes 1 to 1000: an `echo` of more would be refused.
#[test]
fn no_line_writes_what_bfq_refuses() {
    let below = CASES.iter().find(|case| case.rule == "weight-below-the-fork").unwrap();
    let machine = (below.machine)();
    let container = "machine.slice/libpod-1.scope/container";
    machine.group_file(container, "io.weight", "default 4950");
    machine.group_file(container, "io.bfq.weight", "default 100");
    let docker = Fixture::healthy();
    docker.group("system.slice/docker.service", 100);
    docker.group_file("system.slice/docker.service", "io.weight", "default 5000");
    docker.group("system.slice/docker-4f.scope", 100);
    docker.uses("system.slice/docker-4f.scope", "8:0");
    let startup = Fixture::healthy();
    startup.file("etc/systemd/system/db.service", "[Service]\nStartupIOWeight=5000\n");
    for machine in [machine, docker, startup] {
        let report = report(&machine);
        let lines = report.findings.iter().flat_map(|finding| &finding.mend);
        let written: Vec<u32> = lines
            .filter(|line| line.ends_with("io.bfq.weight"))
            .filter_map(|line| line.strip_prefix("echo ")?.split(' ').next()?.parse().ok())
            .collect();
        assert!(!written.is_empty() && written.iter().all(|&weight| weight <= 1000), "{report}");
    }
}

/// systemd escapes what is in names of units by backslashes, which a shell takes away.
#[test]
fn names_are_in_commands_as_a_shell_needs_them() {
    const MACHINE: &str = r"machine-qemu\x2d1.scope";
    let machine = Fixture::healthy();
    for (group, weight) in [
        ("system.slice/db.service".to_owned(), 1000),
        ("machine.slice".to_owned(), 100),
        (format!("machine.slice/{MACHINE}"), 200),
        ("machine.slice/it's mine".to_owned(), 100),
    ] {
        machine.group(&group, weight);
        machine.uses(&group, "8:0");
    }
    machine.file(&format!("{GROUPS}/machine.slice/cgroup.subtree_control"), "io memory");
    machine.group_file(&format!("machine.slice/{MACHINE}"), "io.bfq.weight", "default 109");
    let told = report(&machine);
    let lines: Vec<&str> =
        told.findings.iter().flat_map(|one| &one.mend).map(String::as_str).collect();
    let unit = format!("systemctl set-property --runtime '{MACHINE}' IOWeight=100");
    let file = r"echo 50 >'/sys/fs/cgroup/machine.slice/it'\''s mine/io.bfq.weight'";
    for expected in [&*unit, file] {
        assert!(lines.contains(&expected), "{expected}:\n{told}");
    }
}

/// Whoever may make a group or a process chooses its name; programs get it as it is.
#[test]
fn a_terminal_obeys_no_name() {
    let machine = Fixture::healthy();
    machine.group("system.slice", 200);
    machine.uses("system.slice", "8:0");
    machine.file("sys/fs/cgroup/io.stat", "8:0 rbytes=9000000 wbytes=0\n");
    machine.process(300, "two\nlines\x1b[2J", "0::/", 9 << 20);
    let evil = "system.slice/e\x1b]0;vil.service";
    machine.group(evil, 300);
    machine.uses(evil, "8:0");
    machine.group_file(evil, "io.latency", "8:0 target=10000");
    let report = report(&machine);
    let rules = BTreeSet::from(["io-latency-beside", "processes-beside-groups"]);
    assert_eq!(rules_of(&report), rules, "{report}");
    let text = report.to_string();
    assert!(text.contains("two?lines?[2J (300)") && text.contains("/e?]0;vil.service"), "{text}");
    assert!(text.contains(r"e\x1b]0;vil.service/io.latency'"), "commands are right: {text}");
    assert!(!text.replace('\n', "").contains(char::is_control), "{text:?}");
    assert!(report.to_json().contains(r"e\u001b]0;vil.service"));
}

/// Who did both had no weights at all.
#[test]
fn of_two_that_decide_one_is_to_be_turned_off_and_not_both() {
    let machine = Fixture::healthy();
    machine.file("sys/fs/cgroup/io.cost.qos", "8:0 enable=1 ctrl=auto\n");
    let report = report(&machine);
    let mend = &report.findings[0].mend;
    assert!(mend[0].contains("enable=0") && mend[1].contains("instead of that"), "{mend:?}");
}

/// A group that was given a weight is to have what it has, and one with little is not robbed.
#[test]
fn a_sibling_tree_that_was_weighed_on_purpose_is_no_finding() {
    let machine = |user_weight: u32, db_weight: u32, batch_weight: u32| {
        let machine = Fixture::healthy();
        for (group, weight) in [
            ("user.slice", user_weight),
            ("system.slice/db.service", db_weight),
            ("system.slice/batch.service", batch_weight),
        ] {
            machine.group(group, weight);
            machine.uses(group, "8:0");
        }
        rules_of(&report(&machine)).contains("sibling-tree-takes-half")
    };
    assert!(machine(100, 1000, 100));
    assert!(!machine(300, 1000, 100));
    assert!(!machine(100, 100, 50));
}

/// The root of the machine's groups never has this file.
#[test]
fn in_a_container_shares_are_of_what_the_container_gets() {
    let told = "All shares are parts of what the container gets.";
    let machine = Fixture::healthy();
    let is_told = |report: &Report| report.unknown.iter().any(|line| line.ends_with(told));
    assert!(!is_told(&report(&machine)));
    machine.file(&format!("{GROUPS}/cgroup.type"), "domain\n");
    let report = report(&machine);
    assert!(is_told(&report), "{report}");
    let text = report.to_string();
    let unknown = text.split_once("What cannot be known:\n").unwrap().1;
    assert!(unknown.starts_with("           What this container gets of the disks: "), "{text}");
}

#[test]
fn without_groups_something_is_said_all_the_same() {
    let report = report(&Fixture::bare());
    assert_eq!(report.findings, []);
    assert!(report.disks.iter().all(|disk| disk.groups.is_empty()));
}

#[test]
fn of_a_machine_without_disks_nobody_says_that_nothing_is_wrong() {
    let machine = Fixture::bare();
    let refused = || Machine::read(&machine.host(), &[]).unwrap_err().to_string();
    let none = "this machine has no disk that could be looked at";
    fs::remove_dir_all(machine.path("sys/block")).unwrap();
    assert_eq!(refused(), format!("{none}: there is no /sys/block"));
    fs::create_dir(machine.path("sys/block")).unwrap();
    assert_eq!(refused(), none);
}

#[test]
fn what_linux_6_1_says_of_writeback_is_not_believed() {
    for (release, expected) in [("6.1.0-50-amd64", 0), ("6.2.0", 1), ("6.12.117+deb12-amd64", 1)] {
        let machine = Fixture::healthy();
        machine.file("sys/devices/sda/queue/wbt_lat_usec", "75000\n");
        machine.file("proc/sys/kernel/osrelease", &format!("{release}\n"));
        let found = report(&machine);
        let findings = found.findings.iter().filter(|one| one.rule == "wbt-beside-weights");
        assert_eq!(findings.count(), expected, "{release}");
    }
}
