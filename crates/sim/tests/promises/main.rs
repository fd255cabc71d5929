// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bfq promises, and what the literature claims of it, simulated: each claim with the figure
//! promised and the one measured.
//!
//! A topic is a list of [`Claim`]s about the job files of `jobs/`. A test asserts that each comes
//! out as docs/generated/results.md says, kept or known to be missed; `table` writes that page
//! (`scripts/results` runs it).

mod claim;
mod flash;
mod literature;
mod measure;
mod merging;
mod player;
mod scenario;
mod shares;
mod stand_in;
mod start_up;

use claim::{Claim, assert_kept, table};
use literature::{announcement_2010, documentation, page_2008, published, queue_merge, s_suite};

/// A heading, and the claims below it.
type Topic = (&'static str, fn() -> Vec<Claim>);

const TOPICS: [Topic; 11] = [
    ("Start-up under load", start_up::claims),
    ("Soft real-time", player::claims),
    ("Merging", merging::claims),
    ("No cost where there is nothing to gain", flash::claims),
    ("Shares", shares::claims),
    ("The page of 2008", page_2008::claims),
    ("The announcement of 2010", announcement_2010::claims),
    ("Merging only shortly after starting I/O (2017)", queue_merge::claims),
    ("The user documentation", documentation::claims),
    ("The S suite", s_suite::claims),
    ("Figures of others", published::claims),
];

#[test]
fn programs_start_as_on_an_idle_disk() {
    assert_kept(&start_up::claims());
}

#[test]
fn films_do_not_stutter() {
    assert_kept(&player::claims());
}

#[test]
fn interleaved_readers_are_merged() {
    assert_kept(&merging::claims());
}

#[test]
fn random_readers_on_flash_lose_nothing() {
    assert_kept(&flash::claims());
}

#[test]
fn shares_are_those_of_the_weights() {
    assert_kept(&shares::claims());
}

#[test]
fn the_page_of_2008() {
    assert_kept(&page_2008::claims());
}

#[test]
fn the_announcement_of_2010() {
    assert_kept(&announcement_2010::claims());
}

#[test]
fn merging_only_shortly_after_starting() {
    assert_kept(&queue_merge::claims());
}

#[test]
fn the_user_documentation() {
    assert_kept(&documentation::claims());
}

#[test]
fn the_s_suite() {
    assert_kept(&s_suite::claims());
}

#[test]
fn figures_of_others() {
    assert_kept(&published::claims());
}

/// Writes the tables into the file that BFQ_RESULTS names: all, or the one whose heading BFQ_TOPIC
/// is; of bfq, or of the scheduler that BFQ_STAND_IN names in its place.
#[test]
#[ignore = "makes docs/generated/results.md; scripts/results runs it"]
fn write_the_table() {
    let path = std::env::var_os("BFQ_RESULTS").expect("BFQ_RESULTS names the file to write");
    let only = std::env::var("BFQ_TOPIC").ok();
    let topics =
        TOPICS.iter().filter(|(heading, _)| only.as_deref().is_none_or(|only| only == *heading));
    let text: String = topics.map(|(heading, claims)| table(heading, &claims())).collect();
    std::fs::write(path, text).expect("the tables can be written");
}
