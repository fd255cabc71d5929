// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of a disk that cost speed or distort shares, whatever the scheduler.

use crate::finding::Finding;
use crate::mending::write;
use crate::rule::{Look, Rule};
use crate::view::View;

pub(super) const DEPTH_ONE: Rule = Rule {
    name: "depth-one",
    title: "The disk gets one command at a time",
    about: "SATA and SCSI disks order up to 32 or more commands themselves. With a depth of one a \
            disk with moving parts seeks in the order of arrival, and a solid-state disk works with \
            one of its channels. Disks at USB without UAS cannot do better, and are left out.",
    look: Look::AtDisk(depth_one),
};

fn depth_one(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let disk = &view.seen.disk;
    let is_disk = disk.name.starts_with("sd") && !view.seen.place.contains("/usb");
    if disk.queue_depth != Some(1) || !is_disk {
        return Vec::new();
    }
    let file = format!("/sys/block/{}/device/queue_depth", disk.name);
    vec![
        rule.found_on(view)
            .saw(file.clone(), 1)
            .follows("Random I/O of several programs at once is slower than the disk can do.")
            .mend(write(31, &file))
            .mend("Kernel command line: no libata.force=noncq"),
    ]
}

pub(super) const CACHE_OFF: Rule = Rule {
    name: "write-cache-off",
    title: "The write cache of a rotating disk is off",
    about: "Each write waits for the platter. Flushes keep data safe with the cache on, if the disk \
            does what it says; databases on disks that do not are the reason to leave it off.",
    look: Look::AtDisk(cache_off),
};

fn cache_off(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let is_rotating = view.seen.disk.kind() == "rotating disk";
    let Some((file, value)) = view.seen.cache.as_ref().filter(|_| is_rotating) else {
        return Vec::new();
    };
    if !value.starts_with("write through") {
        return Vec::new();
    }
    vec![
        rule.found_on(view)
            .saw(file.clone(), value)
            .follows(
                "Small writes take a turn of the disk each, and the disk cannot order them: groups \
                 that write get much less done in the share that they have.",
            )
            .mend(format!(
                "{}  # not if the disk loses what it has flushed",
                write("write back", file)
            )),
    ]
}

pub(super) const COMPLETIONS: Rule = Rule {
    name: "rq-affinity-off",
    title: "Requests complete on whichever processor is interrupted",
    about: "With rq_affinity 0 the processor that gets the disk's interrupt does the rest of the \
            work for all, and the time is charged to whatever runs there. The kernel's own setting \
            is 1: near the processor that sent the request.",
    look: Look::AtDisk(completions),
};

fn completions(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    if view.seen.rq_affinity != Some(0) {
        return Vec::new();
    }
    let file = view.seen.setting("rq_affinity");
    let found = rule.found_on(view).saw(file.clone(), 0).follows(
        "One processor finishes the requests of all; processes that run there pay for others' I/O.",
    );
    vec![found.set(file, 0, 1)]
}
