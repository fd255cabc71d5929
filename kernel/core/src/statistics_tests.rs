// SPDX-License-Identifier: GPL-2.0 OR MIT
//! The table of the C side is the scheduler's, and a file shows what groups did.

use super::*;
use crate::{
    abi::{Device, Io, ProcessFacts},
    bfq_core_add_group, bfq_core_add_process, bfq_core_insert, bfq_core_new, bfq_core_root_group,
    handle,
};
use bfq::cgroup::statistics::GroupAmounts;

/// A hard disk with four requests.
const DEVICE: Device = Device {
    actuator_ends: [0; 8],
    actuators: 0,
    nr_requests: 4,
    request_ids: 4,
    hz: 250,
    rotational: true,
};

/// The letters of `BFQ_FOR_EACH_STATISTIC` in `glue/cgroup.h`, with the place and name behind each.
fn table_of_the_glue() -> Vec<(char, usize, &'static str)> {
    let header = include_str!("../../glue/cgroup.h");
    let (_, table) = header.split_once("#define BFQ_FOR_EACH_STATISTIC").unwrap();
    let rows = table.lines().skip(1).map(|row| row.trim().trim_end_matches('\\').trim());
    rows.map_while(|row| {
        let (kind, row) = row.split_once('(')?;
        let (index, name) = row.strip_suffix(')')?.split_once(", ")?;
        Some((kind.chars().next()?, index.parse().ok()?, name))
    })
    .collect()
}

#[test]
fn the_glue_has_a_file_for_each_statistic() {
    let kind =
        |info: &GroupStatisticInfo| match (info.detailed, info.recursive(&GroupAmounts::default()))
        {
            (false, _) => 'V',
            (true, Some(_)) => 'D',
            (true, None) => 'O',
        };
    let ours = GROUP_STATISTICS.iter().enumerate();
    let ours: Vec<_> = ours.map(|(index, info)| (kind(info), index, info.name)).collect();
    assert_eq!(table_of_the_glue(), ours);
}

#[test]
fn each_policy_tells_its_statistics_and_no_more() {
    for policy in 0..crate::policies::POLICIES.len() as u32 {
        // SAFETY: the device is ours, and so is what is given.
        let core = unsafe { &*bfq_core_new(0, &DEVICE, core::ptr::null_mut(), policy) };
        let expected: Vec<_> = core.look().statistics().collect();
        assert!((1..=MOST_STATISTICS).contains(&expected.len()), "{}", expected.len());
        let mut told = Statistic {
            name: core::ptr::null(),
            unit: core::ptr::null(),
            name_length: 0,
            unit_length: 0,
            value: 0,
        };
        for (index, (info, value)) in expected.iter().enumerate() {
            assert!(bfq_core_statistic(core, index as u32, &mut told));
            assert_eq!((told.name, told.value), (info.name.as_ptr(), *value));
            let lengths = [told.name_length as usize, told.unit_length as usize];
            assert_eq!(lengths, [info.name.len(), info.unit.len()]);
            assert!(lengths.iter().all(|&length| length <= LONGEST_TEXT), "{}", info.name);
        }
        assert!(!bfq_core_statistic(core, expected.len() as u32, &mut told));
    }
}

/// What a file shows for `groups` of the device 8:0.
fn shown(core: &Core, name: &str, recursive: bool, groups: &[u32]) -> String {
    let index = GROUP_STATISTICS.iter().position(|info| info.name == name).unwrap();
    let figures = bfq_figures_new(index as u32, recursive, groups.len() as u32);
    let mut buffer = [0; 1000];
    // SAFETY: the figures are ours, and the buffer is of that size.
    let len = unsafe {
        for &group in groups {
            assert_eq!(bfq_figures_add(&mut *figures, core, group, 8, 0), 0);
        }
        let len = bfq_figures_show(&*figures, buffer.as_mut_ptr(), buffer.len());
        assert_eq!(bfq_figures_show(&*figures, buffer.as_mut_ptr(), len), len);
        bfq_figures_free(figures);
        len
    };
    String::from_utf8(buffer[..len].to_vec()).unwrap()
}

fn read(process: u32, sector: u64, sectors: u32) -> Io {
    Io { sector, sectors, process, allocated_ns: 0, asked_ns: 0, operation: 0, flags: Io::SYNC }
}

#[test]
fn a_file_shows_what_a_group_did() {
    let facts = ProcessFacts { class: 2, level: 4, nice: 0, cpu_policy: 0, pid: 1, name: [0; 16] };
    // SAFETY: it is freed at the end.
    let core = unsafe { &mut *bfq_core_new(0, &DEVICE, core::ptr::null_mut(), 0) };
    bfq_core_set_detailed_statistics(core, 0, true);
    let root = bfq_core_root_group(core);
    let group = bfq_core_add_group(core, 0, root);
    let process = bfq_core_add_process(core, 0, group, &facts);
    assert!(bfq_core_insert(core, 1, 0, &read(process, 0, 8)));
    assert!(bfq_core_insert(core, 2, 1, &read(process, 800, 16)));

    let two_reads = "8:0 Read 2\n8:0 Write 0\n8:0 Sync 2\n8:0 Async 0\n8:0 Discard 0\n8:0 Total 2\n\
                     Total 2\n";
    assert_eq!(shown(core, "io_serviced", false, &[group]), two_reads);
    assert_eq!(shown(core, "io_serviced", true, &[root]), two_reads);
    assert_eq!(shown(core, "io_queued", false, &[group]), two_reads);
    assert_eq!(shown(core, "sectors", false, &[group]), "8:0 24\n");
    assert_eq!(shown(core, "io_serviced", false, &[]), "");
    assert_eq!(shown(core, "dequeue", true, &[group]), "", "it does not add up");
    assert_eq!(shown(core, "sectors", false, &[group + 7]), "", "there is no such group");

    let figure = |name| GROUP_STATISTICS.iter().position(|info| info.name == name).unwrap() as u32;
    assert_eq!(bfq_core_group_figure(core, group, figure("io_service_bytes")), 24 * 512);
    assert_eq!(bfq_core_group_figure(core, group, figure("dequeue")), 0);
    assert_eq!(bfq_core_group_figure(core, group, GROUP_STATISTICS.len() as u32), 0);
    assert!(bfq_figures_new(GROUP_STATISTICS.len() as u32, false, 1).is_null());
    let figures = bfq_figures_new(0, false, 1);
    // SAFETY: the figures are ours.
    unsafe {
        assert_eq!(bfq_figures_add(&mut *figures, core, group, 8, 0), 0);
        assert_eq!(bfq_figures_add(&mut *figures, core, group, 8, 1), -errno::ENOSPC);
        bfq_figures_free(figures);
    }
    // SAFETY: nothing else has it.
    unsafe { handle::take_back(core) };
}
