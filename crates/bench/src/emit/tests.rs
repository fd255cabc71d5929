// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules as text.

use super::*;
use crate::model::Metric;
pub(super) use crate::tests::made_up_disk::{Number, disk};
use crate::tests::made_up_runs::{TrueValues, measurements, opening};
use crate::verdict::{Weights, judge};
use host::Companion;
use std::path::PathBuf;

pub(super) const NUMBER: Number = ("device/serial", "ZFL0ABCD");

pub(super) fn text(serial: Option<Number>, candidate: &str, form: Form) -> String {
    rule_for(&candidate.parse().unwrap(), &disk(serial), "Because.", form).unwrap()
}

/// What is not a comment.
fn effective(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn udev() {
    let rule = text(Some(NUMBER), "bfq:low_latency=0,slice_idle=0", Form::Udev);
    assert_eq!(
        rule,
        "# Because.\n\
         # Put this into /etc/udev/rules.d/60-io-scheduler-sda.rules; then `udevadm control --reload` and\n\
         # `udevadm trigger --action=change /sys/block/sda`.\n\
         ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\", \
         ATTR{device/serial}==\"ZFL0ABCD\", ATTR{queue/scheduler}=\"bfq\", \
         ATTR{queue/iosched/low_latency}=\"0\", ATTR{queue/iosched/slice_idle}=\"0\"\n"
    );
    for (serial, identity) in [
        (
            Some(("device/wwid", "naa.5000c500a1b2c3d4")),
            "ATTR{device/wwid}==\"naa.5000c500a1b2c3d4\"",
        ),
        (Some(("wwid", "t10.ATA     X\"*Y")), "ATTR{wwid}==\"t10.ATA     X??Y\""),
        (None, "KERNEL==\"sda\""),
    ] {
        assert!(effective(&text(serial, "none", Form::Udev)).contains(identity), "{identity}");
    }
    assert!(text(None, "none", Form::Udev).contains("may be another"));
}

#[test]
fn every_disk_of_a_target_is_set() {
    let mut disk = disk(Some(NUMBER));
    let (name, queue) = ("sdb".to_owned(), PathBuf::from("/sys/block/sdb/queue"));
    disk.companions.push(Companion { name, queue, current: "none".to_owned() });
    let candidate = "bfq:slice_idle=0".parse().unwrap();
    let of = |form| effective(&rule_for(&candidate, &disk, "Because.", form).unwrap());
    assert_eq!(of(Form::Udev).lines().count(), 2);
    assert!(of(Form::Udev).contains("KERNEL==\"sdb\", ATTR{queue/scheduler}=\"bfq\""));
    assert!(of(Form::Systemd).contains("'echo 0 >/sys/block/sdb/queue/iosched/slice_idle'"));
    assert!(of(Form::Tuned).contains("devices=sda,sdb\n"));
    assert_eq!(of(Form::SysctlLike).lines().count(), 4);
}

/// Paths of an NVMe disk have no device: neither udev nor systemd is told of them.
#[test]
fn hidden_disks_are_set_by_who_can() {
    let mut disk = disk(Some(NUMBER));
    "nvme0c0n1".clone_into(&mut disk.name);
    disk.queue = PathBuf::from("/sys/block/nvme0c0n1/queue");
    let candidate = "bfq:low_latency=0".parse().unwrap();
    let of = |form| rule_for(&candidate, &disk, "Because.", form);
    let error = of(Form::Udev).unwrap_err().to_string();
    assert!(error.starts_with("udev is not told of nvme0c0n1"), "{error}");
    let unit = of(Form::Systemd).unwrap();
    assert!(unit.contains("After=dev-nvme0n1.device\n"), "{unit}");
    assert!(unit.contains("'echo bfq >/sys/block/nvme0c0n1/queue/scheduler'"), "{unit}");
    assert_eq!(
        effective(&of(Form::Tuned).unwrap()),
        "[main]\nsummary=I/O scheduler bfq for nvme0n1\n\n\
         [sysfs]\n/sys/block/nvme0c0n1/queue/scheduler=bfq\n\
         /sys/block/nvme0c0n1/queue/iosched/low_latency=0\n"
    );
}

/// A `!` cannot be in the name of a unit, and starts something in some shells.
#[test]
fn files_are_named_without_an_exclamation_mark() {
    let mut disk = disk(None);
    "cciss!c0d0".clone_into(&mut disk.name);
    let of = |form| rule_for(&Candidate::plain("bfq"), &disk, "Because.", form).unwrap();
    assert!(of(Form::Udev).contains("60-io-scheduler-cciss-c0d0.rules"));
    assert!(of(Form::Udev).contains("KERNEL==\"cciss?c0d0\""));
    let unit = of(Form::Systemd);
    assert!(unit.contains("io-scheduler-cciss-c0d0.service"), "{unit}");
    assert!(unit.contains("After=dev-cciss-c0d0.device\n"), "{unit}");
}

#[test]
fn systemd() {
    let unit = effective(&text(None, "bfq:low_latency=0", Form::Systemd));
    assert_eq!(
        unit,
        "[Unit]\nDescription=I/O scheduler bfq for sda\nRequires=dev-sda.device\n\
         After=dev-sda.device\n\n[Service]\nType=oneshot\nRemainAfterExit=yes\n\
         ExecStart=/bin/sh -c 'echo bfq >/sys/block/sda/queue/scheduler'\n\
         ExecStart=/bin/sh -c 'echo 0 >/sys/block/sda/queue/iosched/low_latency'\n\n\
         [Install]\nWantedBy=dev-sda.device\n"
    );
}

#[test]
fn tuned() {
    assert_eq!(
        effective(&text(None, "bfq:low_latency=0", Form::Tuned)),
        "[main]\nsummary=I/O scheduler bfq for sda\n\n[disk]\ndevices=sda\nelevator=bfq\n\n\
         [sysfs]\n/sys/block/sda/queue/iosched/low_latency=0\n"
    );
    assert!(!text(None, "none", Form::Tuned).contains("[sysfs]"));
}

#[test]
fn sysctl_like() {
    let text = text(None, "bfq:low_latency=0", Form::SysctlLike);
    assert_eq!(
        effective(&text),
        "w /sys/block/sda/queue/scheduler - - - - bfq\n\
         w /sys/block/sda/queue/iosched/low_latency - - - - 0\n"
    );
    assert!(text.contains("echo bfq >/sys/block/sda/queue/scheduler; echo 0"), "{text}");
}

#[test]
fn io_cost_has_what_was_measured() {
    let table: [TrueValues; 2] = [
        ("sequential", Metric::Throughput, &[180.0, 190.0]),
        ("deep", Metric::Iops, &[210.0, 200.0]),
    ];
    let verdict = |table: &[TrueValues]| {
        let opening = opening(&["none", "bfq"], table);
        let measured = measurements(&opening, table, 8, 0.0, 1);
        judge(&opening, &measured, &Weights::of_all_goals())
    };
    let text = rule(&verdict(&table), &disk(None), Form::IoCost).unwrap();
    assert_eq!(
        effective(&text),
        "echo '8:0 ctrl=user model=linear rbps=190000000 rrandiops=210' \
         >/sys/fs/cgroup/io.cost.model\n\
         echo '8:0 enable=1 ctrl=auto' >/sys/fs/cgroup/io.cost.qos\n"
    );
    assert!(text.contains("such disks: rseqiops, wbps"), "{text}");
    let nothing: [TrueValues; 1] = [("start-idle", Metric::StartUp, &[1.0, 2.0])];
    let error = rule(&verdict(&nothing), &disk(None), Form::IoCost).unwrap_err();
    assert_eq!(error, EmitError::NothingMeasured);
}

#[test]
fn a_rule_says_why_or_is_refused() {
    let table: [TrueValues; 1] = [("start-readers", Metric::StartUp, &[9.0, 2.0])];
    let of = |table: &[TrueValues], rounds| {
        let opening = opening(&["none", "bfq"], table);
        let measured = measurements(&opening, table, rounds, 0.02, 1);
        let verdict = judge(&opening, &measured, &["desktop".parse().unwrap()]);
        rule(&verdict, &disk(None), Form::Udev)
    };
    let sure = of(&table, 8).unwrap();
    assert!(sure.starts_with("# By bfq bench, for desktop use: bfq; starts 4."), "{sure}");
    let error = of(&table, 4).unwrap_err().to_string();
    assert!(error.contains("for desktop use: 4 rounds are too few to tell"), "{error}");
    let same: [TrueValues; 1] = [("start-readers", Metric::StartUp, &[2.0, 2.0])];
    let error = of(&same, 8).unwrap_err().to_string();
    assert!(error.starts_with("nothing to make permanent: for desktop use no diff"), "{error}");
}

#[test]
fn a_comment_ends_with_its_line_whatever_a_scenario_is_called() {
    let name = "x\nKERNEL==\"*\",RUN+=\"/bin/sh\"\r\u{85}\u{1b}[31m";
    let table: [TrueValues; 1] = [(name, Metric::StartUp, &[9.0, 2.0])];
    let opening = opening(&["none", "bfq"], &table);
    let measured = measurements(&opening, &table, 8, 0.02, 1);
    let verdict = judge(&opening, &measured, &["start_up=1".parse().unwrap()]);
    for form in [Form::Udev, Form::Systemd, Form::Tuned, Form::SysctlLike] {
        let rule = rule(&verdict, &disk(None), form).unwrap();
        assert!(rule.contains("KERNEL==\"*\",RUN"), "the name is there: {rule}");
        let plain = text(None, "bfq", form);
        assert_eq!(effective(&rule), effective(&plain), "{form}");
        assert!(!rule.replace('\n', "").contains(char::is_control), "{form}");
    }
}

#[test]
fn a_rule_is_for_the_disk_that_was_measured() {
    let table: [TrueValues; 2] = [
        ("start-readers", Metric::StartUp, &[9.0, 2.0]),
        ("sequential", Metric::Throughput, &[100.0, 100.0]),
    ];
    let mut opening = opening(&["none", "bfq"], &table);
    opening.disk = disk(None).to_string();
    let measured = measurements(&opening, &table, 8, 0.02, 1);
    let of = |opening: &Opening, form| {
        rule(&judge(opening, &measured, &["desktop".parse().unwrap()]), &disk(None), form)
    };
    let doubt = "# Nothing tells whether this is the disk that was measured";
    for form in [Form::Udev, Form::Systemd, Form::IoCost] {
        opening.disk = disk(None).to_string();
        assert!(!of(&opening, form).unwrap().contains(doubt));
        opening.disk = "sdz: Some Other Disk, 2.0 TB\nACTION".to_owned();
        let text = of(&opening, form).unwrap();
        assert!(text.contains(doubt) && !text.contains("\nACTION\""), "{text}");
    }
    // The disk that was made up has no number.
    opening.identity = Some("serial 1".to_owned());
    for form in Form::ALL {
        let error = of(&opening, form).unwrap_err().to_string();
        assert!(error.ends_with("/srv was serial 1, and now is not known"), "{error}");
    }
    assert_eq!(super::doubt(&opening, "sdb: renamed", Some("serial 1")), Ok(None));
    assert!(super::doubt(&opening, "sda: the same name", Some("serial 2")).is_err());
}

#[test]
fn values_that_a_shell_or_udev_would_read_are_refused() {
    let candidate = "bfq:low_latency='$(reboot)'".parse().unwrap();
    for form in [Form::Udev, Form::Systemd, Form::Tuned, Form::SysctlLike] {
        let error = rule_for(&candidate, &disk(None), "Because.", form).unwrap_err();
        assert!(error.to_string().contains(form.name()), "{error}");
    }
    let error = "upstart".parse::<Form>().unwrap_err().to_string();
    assert!(error.contains("udev, systemd, tuned, sysctl-like, io.cost"), "{error}");
}
