// SPDX-License-Identifier: MIT OR Apache-2.0
//! A claim: what is promised of a simulation, what was measured, and how to measure it again.

use crate::stand_in::{needs_bfq, recast, stand_in};
use std::fmt::Write;

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What it is about.
    pub what: String,
    /// The profile of the device.
    pub device: &'static str,
    /// The limit that was promised.
    pub promised: Limit,
    /// The figure that the limit is about.
    pub measured: f64,
    /// What else the reader should see beside it.
    pub detail: String,
    /// The commands that measure it again, a line each.
    pub command: String,
    /// Where the promise is broken, and it is known why: the limit that holds nevertheless.
    pub known_miss: Option<Limit>,
}

/// What a figure has to be.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// At most this many times.
    TimesAtMost(f64),
    /// At least this many times.
    TimesAtLeast(f64),
    /// Less than this many percent.
    PercentBelow(f64),
    /// At least this many percent.
    PercentAtLeast(f64),
    /// A percentage, and the points by which it may be more or less.
    Percent(f64, f64),
    /// Exactly this number.
    Count(u64),
}

impl Limit {
    fn allows(self, figure: f64) -> bool {
        match self {
            Limit::TimesAtMost(most) => figure <= most,
            Limit::PercentBelow(most) => figure < most,
            Limit::TimesAtLeast(least) | Limit::PercentAtLeast(least) => figure >= least,
            Limit::Percent(percent, tolerance) => (figure - percent).abs() <= tolerance,
            Limit::Count(count) => figure == count as f64,
        }
    }

    fn text(self) -> String {
        match self {
            Limit::TimesAtMost(most) => format!("≤ {most} ×"),
            Limit::TimesAtLeast(least) => format!("≥ {least} ×"),
            Limit::PercentBelow(most) => format!("< {most} %"),
            Limit::PercentAtLeast(least) => format!("≥ {least} %"),
            Limit::Percent(percent, tolerance) => format!("{percent:.2} ± {tolerance} %"),
            Limit::Count(count) => count.to_string(),
        }
    }

    /// A figure in the limit's unit.
    fn figure(self, figure: f64) -> String {
        match self {
            Limit::TimesAtMost(_) | Limit::TimesAtLeast(_) => format!("{figure:.2} ×"),
            Limit::Count(_) => format!("{figure}"),
            _ => format!("{figure:.2} %"),
        }
    }
}

impl Claim {
    /// A promise that is kept.
    pub fn new(
        what: impl Into<String>,
        device: &'static str,
        promised: Limit,
        measured: f64,
        command: &str,
    ) -> Claim {
        let (what, command) = (what.into(), command.to_owned());
        let detail = String::new();
        Claim { what, device, promised, measured, detail, command, known_miss: None }
    }

    /// With something else to show.
    pub fn detail(self, detail: String) -> Claim {
        Claim { detail, ..self }
    }

    /// A promise that is known to be broken, if so by how much at most.
    pub fn known_to_miss(self, at_most: Option<Limit>) -> Claim {
        Claim { known_miss: at_most, ..self }
    }

    fn kept(&self) -> bool {
        self.promised.allows(self.measured)
    }

    /// Kept; or known to be broken, and not worse than known.
    fn is_as_expected(&self) -> bool {
        match self.known_miss {
            None => self.kept(),
            Some(limit) => !self.kept() && limit.allows(self.measured),
        }
    }

    /// Whether the scheduler in bfq's place, if there is one, can keep it.
    fn is_open(&self, stand_in: Option<&str>) -> bool {
        stand_in.is_none() || !(self.measured.is_nan() || needs_bfq(&self.command))
    }

    fn row(&self) -> String {
        let Claim { what, device, promised, measured, detail, .. } = self;
        let verdict = match (self.is_open(stand_in().as_deref()), self.kept()) {
            (false, _) => "bfq's own",
            (true, true) => "kept",
            (true, false) => "**missed**",
        };
        let mut figure = match measured.is_nan() {
            true => "not counted".to_owned(),
            false => promised.figure(*measured),
        };
        if !detail.is_empty() {
            write!(figure, " ({detail})").expect("a String takes everything");
        }
        format!("| {what} | {device} | {} | {figure} | {verdict} |\n", promised.text())
    }
}

/// Fails with all claims that are not as expected. A broken promise that is mended is one: the
/// table says then something that isn't so any more.
pub fn assert_kept(claims: &[Claim]) {
    assert!(!claims.is_empty(), "nothing was claimed");
    let wrong: String =
        claims.iter().filter(|claim| !claim.is_as_expected()).map(Claim::row).collect();
    assert!(wrong.is_empty(), "not as docs/generated/results.md says:\n{wrong}");
}

/// The claims under a heading, as Markdown, with the commands that measure them.
pub fn table(heading: &str, claims: &[Claim]) -> String {
    let rows: String = claims.iter().map(Claim::row).collect();
    let stand_in = stand_in();
    let mut commands: Vec<String> = Vec::new();
    for command in claims.iter().flat_map(|claim| claim.command.lines()) {
        let command = recast(command, stand_in.as_deref());
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let columns = "| Claim | Disk | Promised | Measured | |\n|---|---|---|---|---|\n";
    let commands = commands.join("\n");
    format!("### {heading}\n\n{columns}{rows}\nTo repeat:\n\n```\n{commands}\n```\n\n")
}
