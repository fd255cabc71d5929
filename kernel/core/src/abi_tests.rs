// SPDX-License-Identifier: GPL-2.0 OR MIT
//! What C is told of the core and what the core is: the same layouts, functions and names.

use super::*;
use crate::recording::DEVICE_NAME;
use crate::ring::RawRing;
use crate::statistics::{MOST_STATISTICS, Statistic};
use bfq::{AnyScheduler, Calls, why::Silent};
use std::{collections::BTreeMap, fmt::Write, process::Command};

const HEADER: &str = include_str!("../../glue/bfq_core.h");

/// Assertions in C that a struct has the layout of ours.
macro_rules! same_layout {
    ($($c:literal = $rust:ident { $($field:ident),* })*) => {{
        let mut program = String::new();
        $(
            let size = size_of::<$rust>();
            writeln!(program, "_Static_assert(sizeof(struct {}) == {size}, \"\");", $c).unwrap();
            $(
                let (name, at) = (stringify!($field), core::mem::offset_of!($rust, $field));
                let offset = format!("offsetof(struct {}, {name})", $c);
                writeln!(program, "_Static_assert({offset} == {at}, \"\");").unwrap();
            )*
        )*
        program
    }};
}

#[test]
fn structs_have_one_layout_in_both_languages() {
    let mut program = format!(
        "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\
         typedef uint64_t u64; typedef uint32_t u32; typedef uint8_t u8; typedef int8_t s8;\n{}",
        HEADER.replace("#include <linux/types.h>", "")
    );
    program += &same_layout! {
        "bfq_core" = Published {
            timer_ns, host, shared, nobody, large_pieces, kick, limits_sync_reads, watches_bios
        }
        "bfq_device" = Device { actuator_ends, actuators, nr_requests, request_ids, hz, rotational }
        "bfq_process_facts" = ProcessFacts { class, level, nice, cpu_policy, pid, name }
        "bfq_io" = Io { sector, allocated_ns, asked_ns, sectors, process, operation, flags }
        "bfq_candidates" = Candidates { back, front }
        "bfq_weight_change" = WeightChange { kind, major, minor, weight }
        "bfq_ring" = RawRing { bytes, size, first, used }
        "bfq_statistic" = Statistic { name, unit, name_length, unit_length, value }
    };
    let constants = [
        ("BFQ_MAX_ACTUATORS", MAX_ACTUATORS),
        ("BFQ_DEVICE_NAME", DEVICE_NAME),
        ("BFQ_GROUP_NAME", recording::GroupName::ROOM),
        ("BFQ_PIECES", bfq::MOST_PIECES),
        ("BFQ_SMALL_PIECE", crate::SMALL_PIECE_BYTES),
        ("BFQ_STATISTICS", bfq::cgroup::statistics::GROUP_STATISTICS.len()),
        ("BFQ_POLICY_STATISTICS", MOST_STATISTICS),
        ("BFQ_REQUEST_PIECES", REQUEST_PIECES),
        ("BFQ_CLASS_NONE", class::NONE.into()),
        ("BFQ_CLASS_RT", class::REAL_TIME.into()),
        ("BFQ_CLASS_BE", class::BEST_EFFORT.into()),
        ("BFQ_CLASS_IDLE", class::IDLE.into()),
        ("BFQ_CPU_NORMAL", cpu_policy::NORMAL.into()),
        ("BFQ_CPU_RT", cpu_policy::REAL_TIME.into()),
        ("BFQ_CPU_IDLE", cpu_policy::IDLE.into()),
        ("BFQ_READ", io_operation::READ as usize),
        ("BFQ_WRITE", io_operation::WRITE as usize),
        ("BFQ_DISCARD", io_operation::DISCARD as usize),
        ("BFQ_FRONT", io_side::FRONT as usize),
        ("BFQ_BACK", io_side::BACK as usize),
        ("BFQ_WEIGHT", weight_file::BFQ as usize),
        ("BFQ_WEIGHT_PLAIN", weight_file::BFQ_PLAIN as usize),
        ("BFQ_WEIGHT_GENERIC", weight_file::GENERIC as usize),
        ("BFQ_DEFAULT_WEIGHT", WeightChange::DEFAULT as usize),
        ("BFQ_OVERRIDE", WeightChange::OVERRIDE as usize),
        ("BFQ_NO_OVERRIDE", WeightChange::REMOVE as usize),
        ("BFQ_SYNC", usize::from(Io::SYNC)),
        ("BFQ_METADATA", usize::from(Io::METADATA)),
        ("BFQ_AT_HEAD", usize::from(Io::AT_HEAD)),
    ];
    for (name, value) in constants {
        writeln!(program, "_Static_assert({name} == {value}, \"\");").unwrap();
    }
    let file = std::env::temp_dir().join(format!("bfq-abi-{}.c", std::process::id()));
    std::fs::write(&file, program).unwrap();
    let compiler = Command::new("cc").arg("-fsyntax-only").arg(&file).output();
    std::fs::remove_file(&file).unwrap();
    let output = compiler.expect("a C compiler, as Rust needs for linking");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The functions named `bfq_…` in a text and their numbers of parameters, where `is_declared`
/// says of the text before a name that it is declared there.
fn functions(text: &str, is_declared: impl Fn(&str) -> bool) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for (at, _) in text.match_indices("bfq_") {
        let name: String =
            text[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let Some(behind) = text[at + name.len()..].strip_prefix('(') else { continue };
        if is_declared(&text[..at]) {
            let parameters = &behind[..behind.find(')').unwrap()];
            let named = |one: &&str| !matches!(one.trim(), "" | "void");
            let count = parameters.split(',').filter(named).count();
            found.insert(name, count);
        }
    }
    found
}

#[test]
fn functions_are_the_same_in_both_languages() {
    let code: String = HEADER.split("/*").flat_map(|part| part.split("*/").nth(1)).collect();
    let declared = functions(&code, |_| true);
    let mut defined = BTreeMap::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        defined.extend(functions(&text, |before| before.ends_with("extern \"C\" fn ")));
    }
    assert!(declared.len() > 20, "the header was understood: {declared:?}");
    assert_eq!(declared, defined);
}

#[test]
fn each_function_has_a_guard_that_passes_its_arguments_on() {
    let code: String = HEADER.split("/*").flat_map(|part| part.split("*/").nth(1)).collect();
    let declared = functions(&code, |_| true);
    let mut guarded: Vec<_> = include_str!("../../glue/guarded.S")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(guard, _)| guard.starts_with("GUARDED"))
        .map(|(_, rest)| rest.split(',').next().unwrap())
        .collect();
    guarded.sort_unstable();
    assert_eq!(declared.keys().collect::<Vec<_>>(), guarded);
    for (name, parameters) in declared {
        assert!(parameters <= 6, "{name} has {parameters} arguments");
    }
}

#[test]
fn attributes_in_sysfs_are_the_tunables() {
    let glue = include_str!("../../glue/sysfs.c");
    let listed = glue.lines().filter_map(|line| line.trim().strip_prefix("X(")?.split_once(", "));
    let listed: Vec<String> = listed
        .map(|(index, name)| format!("{index} {}", name.split(')').next().unwrap()))
        .collect();
    let table = bfq::tunables::TUNABLES.iter().enumerate();
    let expected: Vec<String> = table.map(|(at, info)| format!("{at} {}", info.name)).collect();
    assert_eq!(listed, expected);
}

#[test]
fn each_elevator_has_the_attributes_that_its_policy_heeds() {
    let glue = include_str!("../../glue/sysfs.c");
    for policy in crate::policies::POLICIES {
        let head = format!("struct elv_fs_entry {}_attributes[] = {{", policy.name());
        let (_, rows) = glue.split_once(&head).expect("a list of attributes");
        let (rows, _) = rows.split_once("__ATTR_NULL").unwrap();
        let row = |line: &str| {
            line.trim().strip_prefix("BFQ_ATTRIBUTE(")?.split(')').next().map(str::to_owned)
        };
        let listed: Vec<String> = rows.lines().filter_map(row).collect();
        let scheduler =
            AnyScheduler::attach(*policy, Time::ZERO, Config::new(false, 8), Silent).unwrap();
        let heeded = scheduler.heeded_tunables().iter().map(|tunable| tunable.info().name);
        assert_eq!(listed, heeded.collect::<Vec<_>>(), "{}", policy.name());
    }
}
