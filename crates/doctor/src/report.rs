// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the doctor says of a machine.

use crate::finding::Finding;
use crate::governor::Governor;
use crate::machine::Machine;
use crate::rules::RULES;
use crate::share::percent;
use crate::view::{Shared, View};
use serde::Serialize;

/// Everything that was found out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// The disks that were looked at.
    pub disks: Vec<DiskReport>,
    /// What is wrong; what costs a group most of its share comes first.
    pub findings: Vec<Finding>,
    /// What cannot be known from here.
    pub unknown: Vec<String>,
    /// Files that could not be read for want of the right to do so.
    pub unread: Vec<String>,
}

/// A disk, and how its groups share it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskReport {
    /// Name of the disk.
    pub name: String,
    /// What it is, for people.
    pub description: String,
    /// The elevator that is in force.
    pub elevator: String,
    /// Who decides on shares, for people.
    pub decides: String,
    /// Whether weights count at all.
    pub has_weights: bool,
    /// The groups that use it, with those above them.
    pub groups: Vec<GroupShare>,
}

/// The share of a group while all that use the disk want it at once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupShare {
    /// Path of the group.
    pub group: String,
    /// The weight that was asked for, in a unit file or a file of the group.
    pub asked_weight: u32,
    /// The weight by which is decided; none where no weight counts.
    pub weight: Option<u32>,
    /// The share of the disk by what all groups asked for.
    pub asked_percent: f64,
    /// The share of the disk that is predicted.
    pub predicted_percent: f64,
    /// How many processes are directly in it.
    pub processes: usize,
    /// Those of them that have used disks, as far as that can be read.
    pub using_disks: Vec<String>,
    /// Whether it, or a group beside or below it, was given a weight.
    #[serde(skip)]
    pub(crate) is_concerned: bool,
}

impl Report {
    /// Of a machine that was read.
    pub fn of(machine: &Machine) -> Self {
        let views: Vec<View<'_>> = machine.disks.iter().map(|d| View::of(machine, d)).collect();
        let found = RULES.iter().flat_map(|rule| rule.findings(machine, &views));
        let mut findings: Vec<Finding> = found.collect();
        findings.sort_by(|a, b| b.cost_points().total_cmp(&a.cost_points()));
        Report {
            disks: views.iter().map(DiskReport::of).collect(),
            findings,
            unknown: unknown(machine, &views),
            unread: machine.unread.clone(),
        }
    }

    /// The report as JSON for programs, by docs/schema/diagnosis.schema.json.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and texts only") + "\n"
    }
}

impl DiskReport {
    fn of(view: &View<'_>) -> Self {
        let disk = &view.seen.disk;
        DiskReport {
            name: disk.name.clone(),
            description: disk.to_string(),
            elevator: disk.current.clone(),
            decides: view.governor.to_string(),
            has_weights: view.governor.weighs(),
            groups: view.groups.as_ref().map_or_else(Vec::new, |shared| shares(view, shared)),
        }
    }
}

fn shares(view: &View<'_>, shared: &Shared<'_>) -> Vec<GroupShare> {
    let weighted = view.weighted();
    let mut concerned = vec![false; shared.tree.groups.len()];
    for &place in &weighted {
        for above in shared.tree.line_of(place) {
            concerned[above] = true;
            shared.rivals(above).into_iter().for_each(|rival| concerned[rival] = true);
        }
    }
    let all = shared.tree.groups.iter().enumerate().skip(1);
    let wanting = all.filter_map(|(place, group)| {
        let (asked, real) = (shared.asked[place]?, shared.real[place]?);
        let processes: Vec<_> = view.machine.processes_in(&group.path).collect();
        let using = processes.iter().filter(|process| process.uses_disks());
        Some(GroupShare {
            group: group.path.clone(),
            asked_weight: shared.asked_weight[place],
            weight: shared.weight[place],
            asked_percent: percent(asked),
            predicted_percent: percent(real),
            processes: processes.len(),
            using_disks: using.map(|one| format!("{} ({})", one.name, one.pid)).collect(),
            is_concerned: concerned[place],
        })
    });
    wanting.collect()
}

/// What cannot be known from here, as far as it matters on this machine.
fn unknown(machine: &Machine, views: &[View<'_>]) -> Vec<String> {
    let mut unknown = Vec::new();
    if machine.tree.as_ref().is_some_and(|tree| tree.is_part) {
        unknown.push(
            "What this container gets of the disks: its own group and those above and beside it \
             cannot be seen from here. All shares are parts of what the container gets.",
        );
    }
    if views.iter().any(|view| !view.weighted().is_empty()) {
        unknown.push(
            "Who dirtied the pages that a flusher of the kernel writes: their I/O is told by group \
             only, where it is told at all.",
        );
        unknown.push(
            "What will be asked for: shares are those while all that have used a disk want it at \
             once. Who asks for less leaves the rest to the others.",
        );
    }
    if views
        .iter()
        .any(|view| matches!(view.governor, Governor::Nobody { .. }) && !view.weighted().is_empty())
    {
        unknown.push(
            "What each group gets where no scheduler decides by weights: equal parts are \
             predicted, for loads of the same kind.",
        );
    }
    if machine.disks.iter().any(|seen| seen.disk.kind().starts_with("virtual disk")) {
        unknown.push("What the host of this virtual machine does with the I/O of its disks.");
    }
    unknown.into_iter().map(str::to_owned).collect()
}
