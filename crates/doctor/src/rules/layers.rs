// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices above or below the scheduler that decides.

use crate::finding::Finding;
use crate::governor::is_weighing;
use crate::mending::write;
use crate::rule::{Look, Rule};
use crate::view::View;
use host::{Layer, LayerKind};

pub(super) const ABOVE_THE_SCHEDULER: Rule = Rule {
    name: "layer-above-the-scheduler",
    title: "A device above the scheduler hides who writes",
    about: "Requests pass mappings and arrays before they reach the scheduler, and mostly still \
            count as the group's that sent them. But md writes a RAID of levels 4 to 6 from a \
            thread of its own, a thin pool its metadata: that counts as the root group's. (A \
            weight for the number of a mapping or array is no matter: the kernel refuses it.)",
    look: Look::AtDisk(above_the_scheduler),
};

fn above_the_scheduler(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    if !view.governor.weighs() || view.weighted().is_empty() {
        return Vec::new();
    }
    let hiding = view.seen.above.iter().filter_map(|layer| Some((layer, what_hides(layer)?)));
    let found = hiding.map(|(layer, what)| {
        rule.found_on(view)
            .saw(format!("/sys/class/block/{}", layer.name), layer)
            .follows(format!(
                "{what}: for the scheduler of {} it is I/O of the root group, and no weight \
                 counts for it. How much that is cannot be told from here.",
                view.seen.disk.name
            ))
            .mend("Weights count for reads; limit writes with io.max of the groups instead")
    });
    found.collect()
}

/// What does I/O for others in this layer.
fn what_hides(layer: &Layer) -> Option<&'static str> {
    match &layer.kind {
        LayerKind::Raid { level } if ["raid4", "raid5", "raid6"].contains(&level.as_str()) => {
            Some("md's own thread writes")
        }
        LayerKind::Mapped { name, maker } if maker == "LVM" && name.ends_with("tpool") => {
            Some("The thin pool writes its metadata itself")
        }
        _ => None,
    }
}

pub(super) const TWO_SCHEDULERS: Rule = Rule {
    name: "two-schedulers",
    title: "Two schedulers, one above the other, share the same I/O",
    about: "A loop device and the disk of its file, a multipath device and its paths can both have \
            an elevator. The upper one holds back what the lower one would need to see in order to \
            choose.",
    look: Look::AtDisk(two_schedulers),
};

fn two_schedulers(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let upper = &view.seen.disk;
    let of_file = upper.beneath.as_deref().map(|disk| (disk.name.clone(), disk.current.clone()));
    let paths = view.seen.paths.iter().find(|(_, elevator)| elevator != "none");
    let Some((lower, elevator)) = of_file.or(paths.cloned()) else { return Vec::new() };
    let both = [&upper.current, &elevator];
    if both.into_iter().any(|one| one == "none") || !both.into_iter().any(|one| is_weighing(one)) {
        return Vec::new();
    }
    let found = rule
        .found_on(view)
        .saw(view.seen.setting("scheduler"), view.seen.schedulers())
        .saw(format!("/sys/block/{lower}/queue/scheduler"), format!("[{elevator}]"))
        .follows(format!(
            "{} orders what reaches {}, and {elevator} once more what is let through to {lower}: \
             the shares are those of neither, and latencies add up.",
            upper.current, upper.name
        ));
    if upper.beneath.is_some() {
        // Weights are for the disk, which sees all files.
        return vec![found.mend(write("none", &view.seen.setting("scheduler")))];
    }
    let weighing = if is_weighing(&upper.current) { &upper.current } else { &elevator };
    let (above, below) =
        (view.seen.setting("scheduler"), format!("/sys/block/{lower}/queue/scheduler"));
    vec![found.mend(write(weighing, &above)).mend(write("none", &below))]
}

pub(super) const NETWORK: Rule = Rule {
    name: "network-disk",
    title: "The disk is in the network, and others use it, too",
    about: "The scheduler of this machine shares out what this machine asks for. What other \
            machines take of the same storage no weight of this one governs.",
    look: Look::AtDisk(network),
};

fn network(rule: &Rule, view: &View<'_>) -> Vec<Finding> {
    let disk = &view.seen.disk;
    let by_name = ["nbd", "rbd", "drbd"].iter().find(|prefix| disk.name.starts_with(**prefix));
    let by_transport =
        view.seen.transport.as_deref().filter(|how| ["tcp", "rdma", "fc"].contains(how));
    let is_iscsi = view.seen.place.contains("/session");
    let how = match (by_name, by_transport) {
        (Some(name), _) => (*name).to_owned(),
        (None, Some(transport)) => format!("NVMe over {transport}"),
        _ if is_iscsi => "iSCSI".to_owned(),
        _ => return Vec::new(),
    };
    if view.weighted().is_empty() {
        return Vec::new();
    }
    vec![
        rule.found_on(view)
            .saw(format!("/sys/block/{}", disk.name), &how)
            .follows(
                "The shares that are told here are shares of what this machine gets of the \
                 storage, which is not known.",
            )
            .mend("Set limits or weights where the storage is, for each machine"),
    ]
}
