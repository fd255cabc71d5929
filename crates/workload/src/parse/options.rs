// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options this crate supports: one table of names, values, defaults and what each does to a
//! job, from which job files are read, `bfq list job-options` is printed and
//! `docs/generated/job-options.md` is checked.

mod depth;
mod ignored;
mod job;
mod logs;
mod pace;
mod pattern;
mod place;
mod replay;
mod verify;

use super::draft::Draft;
use super::number::{Expected, Plain, bounded, integer, time_ns};

/// What is known of an option.
#[derive(Debug)]
pub(super) struct Spec {
    /// Its name, and its aliases.
    pub(super) names: &'static [&'static str],
    pub(super) kind: Kind,
    /// What its value is, with the unit of a plain number.
    pub(super) values: &'static str,
    /// The value that stands for the option not given; empty: there is none.
    pub(super) default: &'static str,
    /// What it does.
    pub(super) doc: &'static str,
    /// Takes over a value.
    pub(super) apply: Apply,
}

type Apply = fn(&mut Draft, &str) -> Result<(), Expected>;

/// What an option's value is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A value, in which `$pagesize` stands for 4096.
    Value,
    /// A value that is taken as it is.
    Text,
    /// As Text; without a value it is empty.
    OptionalText,
    /// 0 or 1; without a value it is 1.
    Flag,
    /// A value that is checked to be there; the option has no effect here, for the reason given.
    NoEffect(&'static str),
    /// Likewise, a flag.
    NoEffectFlag(&'static str),
}

/// Options that belong together, under what they are about.
pub(super) struct Chapter {
    pub(super) title: &'static str,
    pub(super) options: &'static [Spec],
}

/// All options that have an effect.
pub(super) static CHAPTERS: &[Chapter] = &[
    Chapter { title: "the job", options: job::OPTIONS },
    Chapter { title: "where", options: place::OPTIONS },
    Chapter { title: "what", options: pattern::OPTIONS },
    Chapter { title: "how many at a time", options: depth::OPTIONS },
    Chapter { title: "when", options: pace::OPTIONS },
    Chapter { title: "contents", options: verify::OPTIONS },
    Chapter { title: "traces", options: replay::OPTIONS },
    Chapter { title: "results", options: logs::OPTIONS },
];

/// All options that job files may have, in the order of the table.
pub(super) fn all() -> impl Iterator<Item = &'static Spec> {
    CHAPTERS.iter().flat_map(|chapter| chapter.options).chain(ignored::OPTIONS)
}

/// The options without effect.
pub(super) fn ignored() -> &'static [Spec] {
    ignored::OPTIONS
}

/// Finds an option by its name or an alias.
pub(super) fn find(name: &str) -> Option<&'static Spec> {
    all().find(|spec| spec.names.contains(&name))
}

/// All names, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    all().flat_map(|spec| spec.names.iter().copied())
}

const fn value(
    names: &'static [&'static str],
    values: &'static str,
    default: &'static str,
    doc: &'static str,
    apply: Apply,
) -> Spec {
    Spec { names, kind: Kind::Value, values, default, doc, apply }
}

const fn text(
    names: &'static [&'static str],
    values: &'static str,
    doc: &'static str,
    apply: Apply,
) -> Spec {
    Spec { names, kind: Kind::Text, values, default: "", doc, apply }
}

const fn flag(names: &'static [&'static str], doc: &'static str, apply: Apply) -> Spec {
    Spec { names, kind: Kind::Flag, values: "0 or 1; alone: 1", default: "0", doc, apply }
}

const fn log(names: &'static [&'static str], doc: &'static str, apply: Apply) -> Spec {
    let values = "name of the files; alone: the job's";
    Spec { names, kind: Kind::OptionalText, values, default: "", doc, apply }
}

/// What a value of the common kinds is.
const SIZE: &str = "bytes (k, m, g, t, p)";
const EXTENT: &str = "bytes (k, m, g, t, p) or %";
const SECONDS: &str = "time (s)";
const MICROSECONDS: &str = "time (us)";
const COUNT: &str = "number";
const BOOLEAN: &str = "0 or 1";
const PERCENT: &str = "%";

/// Sets a field from the value that a function makes of the text.
macro_rules! set {
    ($($field:ident).+, $value:expr) => {
        |draft, text| {
            draft.$($field).+ = ($value)(text)?;
            Ok(())
        }
    };
}
use set;

fn some<T>(
    parse: impl Fn(&str) -> Result<T, Expected>,
) -> impl Fn(&str) -> Result<Option<T>, Expected> {
    move |text| parse(text).map(Some)
}

fn on(text: &str) -> Result<bool, Expected> {
    integer(text).map(|number| number != 0)
}

fn string(text: &str) -> Result<String, Expected> {
    if text.is_empty() { Err("a text that is not empty".into()) } else { Ok(text.to_string()) }
}

fn any(text: &str) -> Result<String, Expected> {
    Ok(text.to_string())
}

fn count(least: u64) -> impl Fn(&str) -> Result<u64, Expected> {
    move |text| bounded(text, least, u64::MAX)
}

fn count_u32(least: u32) -> impl Fn(&str) -> Result<u32, Expected> {
    move |text| bounded(text, u64::from(least), u64::from(u32::MAX)).map(|number| number as u32)
}

fn small(most: u8) -> impl Fn(&str) -> Result<u8, Expected> {
    move |text| bounded(text, 0, u64::from(most)).map(|number| number as u8)
}

fn seconds_ns(text: &str) -> Result<u64, Expected> {
    time_ns(text, Plain::Seconds)
}

fn microseconds_ns(text: &str) -> Result<u64, Expected> {
    time_ns(text, Plain::Microseconds)
}
