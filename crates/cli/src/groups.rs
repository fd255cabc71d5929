// SPDX-License-Identifier: MIT OR Apache-2.0
//! What help says of `--group`; lab reads its values.

/// What `-h` says of the option.
pub const SHORT_HELP: &str = "Set the weight of a control group, 1 to 10000";

/// What `--help` says of the option.
pub fn help() -> String {
    format!(
        "{SHORT_HELP}\n\nThe group is named by a job's `cgroup` or above such a one. The weight is \
         written as into its `io.weight` (1 to 10000, honoured exactly) or, with \
         PATH/io.bfq.weight=VALUE, into that file (1 to 1000, as `cgroup_weight` of a job). VALUE \
         is WEIGHT, `default WEIGHT`, `8:0 WEIGHT` for the disk of the run only, or `8:0 default`. \
         May be repeated; of several values the last one counts."
    )
}
