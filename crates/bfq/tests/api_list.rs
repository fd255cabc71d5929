// SPDX-License-Identifier: MIT OR Apache-2.0
//! The API on the crate's first page lists every public method of the scheduler once, and in the
//! order in which a host calls them.

use bfq::tunables::Tunable;
use bfq::{Config, NewRequest, Operation, ProcessAttributes, RequestId, Scheduler, Side, Time};
use std::{collections::BTreeSet, error::Error, fs, path::Path};

/// All source files below a folder.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(fs::read_to_string(&path).expect("a source file"));
        }
    }
}

/// Names of the public functions in the blocks that implement the scheduler.
fn public_methods(source: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    source.lines().filter_map(move |line| {
        if line.starts_with("impl") {
            let (_, target) = line.split_once("> ").unwrap_or(line.split_once(' ')?);
            in_block = target.starts_with("Scheduler");
        } else if line == "}" {
            in_block = false;
        }
        let function = line.strip_prefix("    pub fn ").filter(|_| in_block)?;
        function.split(['(', '<']).next()
    })
}

/// The methods that the first page lists, in its order.
fn listed_methods(page: &str) -> Vec<&str> {
    let (_, list) = page.split_once("# The API").expect("a section");
    let (list, _) = list.split_once("\n//! # ").expect("an end of the section");
    let names = list.split("[`").skip(1).filter_map(|rest| Some(rest.split_once("`]")?.0));
    names.filter(|name| name.starts_with(|first: char| first.is_ascii_lowercase())).collect()
}

#[test]
fn every_public_method_is_on_the_first_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = fs::read_to_string(folder.join("lib.rs")).expect("the first page");
    let in_order = listed_methods(&page);
    let listed: BTreeSet<&str> = in_order.iter().copied().collect();
    assert_eq!(listed.len(), in_order.len(), "a method is listed twice: {in_order:?}");
    let mut files = Vec::new();
    sources(&folder, &mut files);
    let methods: BTreeSet<&str> = files.iter().flat_map(|file| public_methods(file)).collect();
    assert!(methods.len() > 40, "{methods:?}");
    let missing: Vec<_> = methods.difference(&listed).collect();
    assert!(missing.is_empty(), "not listed: {missing:?}");
    let gone: Vec<_> = listed.difference(&methods).collect();
    assert!(gone.is_empty(), "no such methods: {gone:?}");
}

/// Calls a method of the scheduler, and notes its name.
macro_rules! call {
    ($called:ident: $scheduler:ident.$method:ident($($argument:expr),*)) => {{
        $called.push(stringify!($method));
        $scheduler.$method($($argument),*)
    }};
}

/// What a host calls while a group, a process and its request come and go, in that order.
fn life_of_a_request() -> Result<Vec<&'static str>, Box<dyn Error>> {
    let at = Time::from_ns;
    let mut called = vec!["new"];
    let mut bfq = Scheduler::new(at(0), Config::new(false, 64))?;
    call!(called: bfq.set_tunable(at(0), Tunable::LowLatency, 0));
    call!(called: bfq.set_nr_requests(at(0), 32))?;
    let root = call!(called: bfq.root_group());
    let group = call!(called: bfq.add_group(at(1), root))?;
    call!(called: bfq.set_group_weight(at(1), group, 200))?;
    let process = call!(called: bfq.add_process(at(1), group, ProcessAttributes::default()))?;
    call!(called: bfq.set_attributes(process, ProcessAttributes::default()))?;
    call!(called: bfq.limits_sync_reads());
    call!(called: bfq.allowed_requests(at(2), Some(process), Operation::Read, true));
    let (id, read) = (RequestId::from_index(0), NewRequest::read(process, 1_000, 64, at(2)));
    call!(called: bfq.watches_bios());
    call!(called: bfq.merge_candidates(at(2), &read));
    call!(called: bfq.insert(at(2), id, &read, false))?;
    call!(called: bfq.neighbour(id, Side::Front));
    let dispatched = call!(called: bfq.dispatch(at(3)));
    assert_eq!(dispatched, Some(id));
    call!(called: bfq.has_work());
    call!(called: bfq.take_kick());
    call!(called: bfq.next_timer());
    call!(called: bfq.complete(at(4), id))?;
    call!(called: bfq.exit_process(at(5), process))?;
    call!(called: bfq.remove_group(at(5), group))?;
    call!(called: bfq.busy_queues());
    call!(called: bfq.check());
    Ok(called)
}

#[test]
fn the_first_page_has_the_order_in_which_a_host_calls() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let page = fs::read_to_string(page).expect("the first page");
    let called = life_of_a_request().expect("calls that are right");
    let mut in_page = listed_methods(&page);
    in_page.retain(|method| called.contains(method));
    assert_eq!(in_page, called);
}
