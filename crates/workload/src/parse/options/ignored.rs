// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options that are accepted and have no effect here, and why.

use super::super::number::{boolean, integer};
use crate::parse::options::spec::{OptionKind, Spec};

const NO_CONTENTS: &str = "what is written does not matter to a scheduler";
const NO_FILES: &str = "files are stretches of the target here";
const OWN_NUMBERS: &str = "random numbers come from the run's seed, or randseed";
const NO_KERNEL: &str = "processes, clocks and memory are the host's own here";

pub(super) const OPTIONS: &[Spec] = &[
    boolean_option(&["randrepeat"], OWN_NUMBERS),
    boolean_option(&["allrandrepeat"], OWN_NUMBERS),
    option(&["random_generator"], OWN_NUMBERS),
    flag(&["zero_buffers"], NO_CONTENTS),
    flag(&["refill_buffers"], NO_CONTENTS),
    boolean_option(&["scramble_buffers"], NO_CONTENTS),
    option(&["buffer_pattern"], NO_CONTENTS),
    option(&["buffer_compress_percentage"], NO_CONTENTS),
    option(&["buffer_compress_chunk"], NO_CONTENTS),
    option(&["dedupe_percentage"], NO_CONTENTS),
    option(&["dedupe_mode"], NO_CONTENTS),
    option(&["dedupe_working_set_percentage"], NO_CONTENTS),
    boolean_option(&["dedupe_global"], NO_CONTENTS),
    option(&["write_hint"], NO_CONTENTS),
    option(&["fallocate"], NO_FILES),
    boolean_option(&["overwrite"], NO_FILES),
    boolean_option(&["create_serialize"], NO_FILES),
    boolean_option(&["create_fsync"], NO_FILES),
    boolean_option(&["create_on_open"], NO_FILES),
    boolean_option(&["allow_file_create"], NO_FILES),
    boolean_option(&["allow_mounted_write"], NO_FILES),
    boolean_option(&["unlink"], NO_FILES),
    flag(&["thread"], NO_KERNEL),
    option(&["clocksource"], NO_KERNEL),
    option(&["mem", "iomem"], NO_KERNEL),
    option(&["mem_align", "iomem_align"], NO_KERNEL),
    option(&["hugepage-size"], NO_KERNEL),
    boolean_option(&["disk_util"], "the device's use is always reported"),
    boolean_option(&["cgroup_nodelete"], "groups live as long as the run"),
];

const fn option(names: &'static [&'static str], why: &'static str) -> Spec {
    ignored(names, OptionKind::NoEffect(why), |_, _| Ok(()))
}

const fn boolean_option(names: &'static [&'static str], why: &'static str) -> Spec {
    ignored(names, OptionKind::NoEffect(why), |_, text| boolean(text).map(|_| ()))
}

const fn flag(names: &'static [&'static str], why: &'static str) -> Spec {
    ignored(names, OptionKind::NoEffectFlag(why), |_, text| integer(text).map(|_| ()))
}

const fn ignored(
    names: &'static [&'static str],
    kind: OptionKind,
    apply: crate::parse::options::spec::Apply,
) -> Spec {
    Spec { names, kind, values: "", default: "", doc: "", apply }
}
