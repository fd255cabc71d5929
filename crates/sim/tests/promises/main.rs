//! What bfq promises, simulated: each claim with the figure promised and the one measured.
//!
//! A topic is a list of [`Claim`]s about the job files of `jobs/`. A test asserts that each holds;
//! `table` writes all of them down for docs/results.md (`scripts/results` runs it).

mod claim;
mod flash;
mod measure;
mod merging;
mod player;
mod shares;
mod start_up;

use claim::{Claim, assert_kept, table};

/// A heading, and the claims below it.
type Topic = (&'static str, fn() -> Vec<Claim>);

const TOPICS: [Topic; 5] = [
    ("Start-up under load", start_up::claims),
    ("Soft real-time", player::claims),
    ("Merging", merging::claims),
    ("No cost where there is nothing to gain", flash::claims),
    ("Shares", shares::claims),
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

/// Writes the table into the file that BFQ_RESULTS names.
#[test]
#[ignore = "makes the table of docs/results.md; scripts/results runs it"]
fn write_the_table() {
    let path = std::env::var_os("BFQ_RESULTS").expect("BFQ_RESULTS names the file to write");
    let text: String = TOPICS.iter().map(|(heading, claims)| table(heading, &claims())).collect();
    std::fs::write(path, text).expect("the table can be written");
}
