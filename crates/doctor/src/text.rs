// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for people. Names in it are chosen by others: a terminal shall obey none.

use crate::finding::Finding;
use crate::report::{DiskReport, Report};
use base::text::printable;
use std::fmt::{self, Write};

/// How wide lines are; commands and paths are never broken.
const WIDTH: usize = 100;
/// Where what is said of a finding begins.
const INDENT: usize = 11;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.disks.iter().try_for_each(|disk| write!(f, "{disk}"))?;
        for (number, finding) in (1..).zip(&self.findings) {
            write!(f, "\n{number}. {finding}")?;
        }
        if self.findings.is_empty() {
            writeln!(f, "\nNothing is wrong.")?;
        }
        list(f, "What cannot be known", &self.unknown)?;
        list(f, "What could not be read for want of rights", &self.unread)
    }
}

impl fmt::Display for DiskReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}; {}", printable(&self.description), self.decides)?;
        let shown: Vec<_> = self.groups.iter().filter(|group| group.is_concerned).collect();
        let width = shown.iter().map(|group| group.group.chars().count()).max().unwrap_or(0);
        if width > 0 {
            writeln!(f, "  {:width$}  asked for      counts    gets", "group")?;
        }
        for group in shown {
            let weight = group.weight.map_or_else(|| "-".to_owned(), |weight| weight.to_string());
            writeln!(
                f,
                "  {:width$} {:5} {:5.1} % {:>10} {:5.1} %",
                printable(&group.group),
                group.asked_weight,
                group.asked_percent,
                weight,
                group.predicted_percent
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = [&self.disk, &self.group].into_iter().flatten().cloned();
        let subject = printable(&subject.collect::<Vec<_>>().join(", "));
        match subject.is_empty() {
            true => writeln!(f, "{} [{}]", self.title, self.rule)?,
            false => writeln!(f, "{}: {subject} [{}]", self.title, self.rule)?,
        }
        for (at, seen) in self.seen.iter().enumerate() {
            let label = if at == 0 { "seen" } else { "" };
            let seen = printable(&format!("{}: {}", seen.file, seen.value));
            writeln!(f, "   {label:8}{seen}")?;
        }
        wrapped(f, "   follows ", &self.follows)?;
        if let (Some(asked), Some(predicted)) = (self.asked_percent, self.predicted_percent) {
            writeln!(f, "   share   asked for {asked:.1} % of the disk, gets {predicted:.1} %")?;
        }
        for (at, line) in self.mend.iter().enumerate() {
            let label = if at == 0 { "mend" } else { "" };
            let by_fix = if at < self.fixed_lines { "  (--fix does this)" } else { "" };
            writeln!(f, "   {label:8}{}{by_fix}", printable(line))?;
        }
        Ok(())
    }
}

fn list(f: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{title}:")?;
    lines.iter().try_for_each(|line| wrapped(f, "           ", line))
}

/// Writes a text with a label before its first line, indented, not wider than lines are.
fn wrapped(f: &mut fmt::Formatter<'_>, label: &str, text: &str) -> fmt::Result {
    let mut line = label.to_owned();
    for word in text.split_whitespace() {
        let is_first = line.chars().count() <= INDENT;
        if !is_first && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(f, "{line}")?;
            line = " ".repeat(INDENT);
        } else if !is_first {
            line.push(' ');
        }
        write!(line, "{}", printable(word))?;
    }
    writeln!(f, "{line}")
}
