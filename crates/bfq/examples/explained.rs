// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why did this request wait? The scheduler tells each decision to an observer, with its figures.
//!
//! `cargo run -p bfq --example explained`

use bfq::why::{Decision, IdlingRule, Observer};
use bfq::{Config, NewRequest, ProcessAttributes, RequestId, Scheduler, Span, Time};
use std::error::Error;
use std::io::{self, Write};

fn ms(ms: u64) -> Time {
    Time::from_ns(ms * 1_000_000)
}

/// Tells in words what a user who waits wants to know, and drops the rest.
#[derive(Default)]
struct Story(Vec<String>);

impl Observer for Story {
    fn decided(&mut self, now: Time, decision: &Decision) {
        let told = match *decision {
            Decision::Queued { request, .. } => format!("request {} waits", request.index()),
            Decision::Served { request, charged, .. } => {
                format!("request {} goes to the disk, for {charged} sectors", request.index())
            }
            Decision::Idling { rule, until, .. } => {
                let why = match rule {
                    IdlingRule::Asymmetric => "as the two have different weights",
                    IdlingRule::ProtectsRaised => "as a user seems to wait for it",
                    IdlingRule::OnlyBusyQueue => "as no other process wants it",
                    _ => "as its next request is worth it",
                };
                let until_ms = until.as_ns() / 1_000_000;
                format!("the disk is kept for the process just served until {until_ms} ms, {why}")
            }
            Decision::Expired { reason, .. } => format!("its turn ends: {}", reason.name()),
            _ => return,
        };
        self.0.push(format!("{:>3} ms: {told}", now.as_ns() / 1_000_000));
    }
}

fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut bfq = Scheduler::with_observer(ms(0), Config::new(true, 64), Story::default())?;
    let mut processes = Vec::new();
    for weight in [100, 300] {
        let group = bfq.add_group(ms(0), bfq.root_group())?;
        bfq.set_group_weight(ms(0), group, weight)?;
        processes.push(bfq.add_process(ms(0), group, ProcessAttributes::default())?);
    }

    // Each asks for one read at the same time; the heavier one is served first.
    for (tag, &process) in processes.iter().enumerate() {
        let read = NewRequest::read(process, 100_000 * tag as u64, 8, ms(1));
        bfq.insert(ms(1), RequestId::from_index(tag), &read, false)?;
    }
    let first = bfq.dispatch(ms(1)).ok_or("something waits")?;
    bfq.complete(ms(9), first)?;

    // It asks for no more. The other one waits until the scheduler stops to expect that.
    let until = bfq.next_timer().ok_or("the disk is kept idle")?;
    bfq.on_timer(until);
    let second = bfq.dispatch(until).ok_or("something waits")?;
    bfq.complete(until + Span::from_ms(8), second)?;

    for line in &bfq.observer().0 {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout())
}

#[test]
fn the_story_says_why_the_second_request_waited() {
    let mut out = Vec::new();
    run(&mut out).unwrap();
    let told = String::from_utf8(out).unwrap();
    let at = |text: &str| told.find(text).unwrap_or_else(|| panic!("{text} in\n{told}"));
    let first = at("request 1 goes to the disk");
    let kept = at("the disk is kept for the process just served until 29 ms");
    let ends = at(" 29 ms: its turn ends: too_idle");
    let second = at(" 29 ms: request 0 goes to the disk");
    assert!(first < kept && kept < ends && ends < second, "{told}");
}
