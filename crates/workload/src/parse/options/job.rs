// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options on the job itself, its processes, and who they are.

use super::super::number::bounded;
use super::super::values::{choice, group_path};
use super::spec::set;
use crate::job::ExitScope;
use crate::parse::options::spec::{Spec, any, flag, on, small, some, string, text, value};

pub(super) const OPTIONS: &[Spec] = &[
    text(&["name"], "text", "name of the job, instead of its section's", set!(name, some(string))),
    text(&["description"], "text", "told in results", set!(job.description, some(any))),
    value(
        &["numjobs"],
        "1 to 65536",
        "1",
        "processes that do this job, each with a file of its own unless it is named",
        set!(job.numjobs, |text| bounded(text, 1, 65_536).map(|n| n as u32)),
    ),
    flag(
        &["stonewall", "wait_for_previous"],
        "starts when all jobs above it have ended",
        set!(job.stonewall, on),
    ),
    flag(
        &["exitall"],
        "when a process of the job has ended, the others end too",
        set!(exits_all, on),
    ),
    value(
        &["exit_what"],
        "group, stonewall, all",
        "group",
        "who they are: of the reporting group, all that run, or all there will be",
        |draft, text| {
            let scopes = [
                ("group", ExitScope::Group),
                ("stonewall", ExitScope::Running),
                ("all", ExitScope::All),
            ];
            draft.exit_scope = choice(text, &scopes)?;
            Ok(())
        },
    ),
    flag(&["new_group"], "begins a new reporting group", set!(job.new_group, on)),
    flag(
        &["group_reporting"],
        "one result for the reporting group, not one a process",
        set!(job.group_reporting, on),
    ),
    value(
        &["prio"],
        "0 (first) to 7",
        "",
        "I/O priority within its class",
        set!(prio, some(small(7))),
    ),
    value(
        &["prioclass"],
        "0 to 3",
        "0",
        "I/O priority class: 1 real time, 2 best effort, 3 idle; 0: none",
        set!(prio_class, small(3)),
    ),
    text(
        &["cgroup"],
        "path, such as a/b",
        "the control group of its processes; the root if not given",
        set!(job.cgroup, group_path),
    ),
    value(
        &["cgroup_weight"],
        "1 to 1000",
        "",
        "weight of that group, as io.bfq.weight; 100 if not given",
        |draft, text| {
            draft.job.cgroup_weight = Some(bounded(text, 1, 1000)? as u32);
            Ok(())
        },
    ),
];
