// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values with a shape of their own: lists per direction, `rw`, `bssplit`, paths and the like.

use super::number::{block, bounded, integer, range};
use crate::advice::Advice;
use crate::job::{FileOrder, FileService, Rw};
use crate::parse::expected::Expected;

/// Block sizes, bytes, and the percentage that each has.
pub(super) type Split = Vec<(u32, u8)>;

/// The value that a word stands for.
pub(super) fn choice<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, Expected> {
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => {
                Expected(format!("{} or {last}", rest.join(", ")))
            }
            _ => Expected(words.concat()),
        }
    })
}

/// Values for reads, writes and trims, with commas between them: up to three, any of them empty.
pub(super) fn list<T>(
    text: &str,
    one: impl Fn(&str) -> Result<T, Expected>,
) -> Result<Vec<Option<T>>, Expected> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err("at most three values: for reads, writes and trims".into());
    }
    let some = |part: &&str| if part.is_empty() { Ok(None) } else { one(part).map(Some) };
    parts.iter().map(some).collect()
}

/// `fadvise_hint`; none: by the pattern of the job.
pub(super) fn advice(text: &str) -> Result<Option<Advice>, Expected> {
    let words = [
        ("0", Some(Advice::Normal)),
        ("1", None),
        ("random", Some(Advice::Random)),
        ("sequential", Some(Advice::Sequential)),
    ];
    choice(text, &words)
}

/// Parses the value of `bsrange`.
pub(super) fn size_ranges(text: &str) -> Result<Vec<Option<(u32, u32)>>, Expected> {
    list(&text.replace('/', ","), |part| {
        if !part.contains(['-', ':']) {
            return Err("LEAST-MOST, such as 4k-32k".into());
        }
        let (min, max) = range(part, |end| block(end).map(u64::from))?;
        Ok((min as u32, max as u32))
    })
}

/// Parses the value of `bssplit`.
pub(super) fn size_splits(text: &str) -> Result<Vec<Option<Split>>, Expected> {
    list(text, size_split)
}

fn size_split(text: &str) -> Result<Split, Expected> {
    let mut parts: Vec<(u32, Option<u8>)> = Vec::new();
    for part in text.split(':') {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        let share = share.trim();
        let share = if share.is_empty() { None } else { Some(percent(share)?) };
        parts.push((block(size.trim())?, share));
    }
    if parts.len() > 64 {
        return Err("at most 64 block sizes".into());
    }
    let given: u32 = parts.iter().filter_map(|part| part.1).map(u32::from).sum();
    let open = parts.iter().filter(|part| part.1.is_none()).count() as u32;
    if given > 100 || (open == 0 && given < 100) {
        return Err(Expected(format!("percentages that add up to 100, not to {given}")));
    }
    // What is left over is spread evenly; the odd percents go to the first ones.
    let mut left = 100 - given;
    let mut still_open = open;
    let filled = parts.into_iter().map(|(size, share)| {
        let share = share.unwrap_or_else(|| {
            let share = left.div_ceil(still_open.max(1));
            left -= share;
            still_open -= 1;
            share as u8
        });
        (size, share)
    });
    Ok(filled.collect())
}

/// `rw`: a word, and a number behind a colon.
pub(super) fn pattern(text: &str) -> Result<Pattern, Expected> {
    let (word, modifier) = match text.split_once(':') {
        Some((word, modifier)) => (word, Some(integer(modifier)?)),
        None => (text, None),
    };
    let words = [
        ("read", Rw::Read),
        ("write", Rw::Write),
        ("rw", Rw::ReadWrite),
        ("readwrite", Rw::ReadWrite),
        ("randread", Rw::RandRead),
        ("randwrite", Rw::RandWrite),
        ("randrw", Rw::RandReadWrite),
        ("trim", Rw::Trim),
        ("randtrim", Rw::RandTrim),
        ("trimwrite", Rw::TrimWrite),
        ("randtrimwrite", Rw::RandTrimWrite),
    ];
    let rw = choice(word, &words)?;
    let most = if rw.is_random() { u64::from(u32::MAX) } else { u64::MAX };
    match modifier {
        Some(0) => Err("a number behind the colon that is not 0".into()),
        Some(number) if number > most => Err("a smaller number behind the colon".into()),
        modifier => Ok(Pattern { rw, modifier }),
    }
}

/// Reads a percentage from 0 to 100, with or without `%`.
pub(super) fn percent(text: &str) -> Result<u8, Expected> {
    let text = text.strip_suffix('%').unwrap_or(text);
    match bounded(text, 0, 100) {
        Ok(percent) => Ok(percent as u8),
        Err(_) => Err("a percentage from 0 to 100".into()),
    }
}

/// `percentile_list`: up to 20 numbers above 0, up to 100, with colons between them.
pub(super) fn float_list(text: &str) -> Result<Vec<f64>, Expected> {
    let list: Option<Vec<f64>> = text
        .split(':')
        .map(|part| part.trim().parse().ok().filter(|&value| value > 0.0 && value <= 100.0))
        .collect();
    list.filter(|list| list.len() <= 20)
        .ok_or_else(|| "up to 20 numbers above 0 and up to 100, such as 50:99:99.9".into())
}

/// A single path; fio takes colons for separators of several, unless a backslash is before them.
pub(super) fn one_path(text: &str) -> Result<String, Expected> {
    let bare = text.replace("\\:", "");
    if bare.contains(':') {
        return Err("one path (colons in it as \\:)".into());
    }
    if text.is_empty() || text == "-" {
        return Err("a path".into());
    }
    Ok(text.replace("\\:", ":"))
}

/// `filename`: paths with colons between them; a backslash makes a colon a part of a path.
pub(super) fn paths(text: &str) -> Result<Vec<String>, Expected> {
    const SEPARATOR: char = '\u{0}';
    let parts = text.replace("\\:", "\u{0}");
    let names = parts.split(':').map(|part| part.replace(SEPARATOR, ":"));
    let names: Vec<String> = names.collect();
    if names.iter().any(|name| name.is_empty() || name == "-") {
        return Err("a path, or several with : between them (colons in a path as \\:)".into());
    }
    Ok(names)
}

/// `file_service_type`: a word, and how many I/Os a file gets in a row behind a colon.
pub(super) fn file_service(text: &str) -> Result<FileService, Expected> {
    let (word, ios_in_a_row) = match text.split_once(':') {
        Some((word, number)) => (word, bounded(number, 1, u64::from(u32::MAX))? as u32),
        None => (text, 1),
    };
    let words = [
        ("roundrobin", FileOrder::RoundRobin),
        ("random", FileOrder::Random),
        ("sequential", FileOrder::Sequential),
    ];
    Ok(FileService { order: choice(word, &words)?, ios_in_a_row })
}

/// A percentage with a fraction, as `latency_percentile` takes it.
pub(super) fn float_percent(text: &str) -> Result<f64, Expected> {
    let percent = text.trim().parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "a percentage from 0 to 100, such as 99.9".into())
}

/// `cgroup`: a path in the tree of groups; the root is none.
pub(super) fn group_path(text: &str) -> Result<Option<String>, Expected> {
    let path = text.trim_matches('/');
    if path.is_empty() {
        return Ok(None);
    }
    if path.split('/').any(|name| matches!(name, "" | "." | "..")) {
        return Err("names with single slashes between them, such as a/b".into());
    }
    Ok(Some(path.to_string()))
}

/// `replay_align`: a power of two, and whole sectors.
pub(super) fn alignment(text: &str) -> Result<u64, Expected> {
    let bytes = integer(text)?;
    match bytes.is_power_of_two() && bytes >= 512 {
        true => Ok(bytes),
        false => Err("a power of two, 512 or more".into()),
    }
}

/// The value of `rw` as it is written, before `rw_sequencer` is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pattern {
    pub(super) rw: Rw,
    pub(super) modifier: Option<u64>,
}
