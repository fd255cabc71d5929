// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of an option, and what the tables of options are written with.

use super::super::draft::Draft;
use super::super::expected::Expected;
use super::super::number::{Plain, bounded, integer, time_ns};

/// What is known of an option.
#[derive(Debug)]
pub(in crate::parse) struct Spec {
    /// Its name, and its aliases.
    pub(in crate::parse) names: &'static [&'static str],
    pub(in crate::parse) kind: OptionKind,
    /// What its value is, with the unit of a plain number.
    pub(in crate::parse) values: &'static str,
    /// The value that stands for the option not given; empty: there is none.
    pub(in crate::parse) default: &'static str,
    /// What the option does, as a phrase for documents.
    pub(in crate::parse) doc: &'static str,
    /// Takes over a value.
    pub(in crate::parse) apply: Apply,
}

pub(in crate::parse) type Apply = fn(&mut Draft, &str) -> Result<(), Expected>;

/// What an option's value is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::parse) enum OptionKind {
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
    /// A flag that is checked as one; the option has no effect here, for the reason given.
    NoEffectFlag(&'static str),
}

pub(super) const fn value(
    names: &'static [&'static str],
    values: &'static str,
    default: &'static str,
    doc: &'static str,
    apply: Apply,
) -> Spec {
    Spec { names, kind: OptionKind::Value, values, default, doc, apply }
}

pub(super) const fn text(
    names: &'static [&'static str],
    values: &'static str,
    doc: &'static str,
    apply: Apply,
) -> Spec {
    Spec { names, kind: OptionKind::Text, values, default: "", doc, apply }
}

pub(super) const fn flag(names: &'static [&'static str], doc: &'static str, apply: Apply) -> Spec {
    Spec { names, kind: OptionKind::Flag, values: "0 or 1; alone: 1", default: "0", doc, apply }
}

pub(super) const fn log(names: &'static [&'static str], doc: &'static str, apply: Apply) -> Spec {
    let values = "name of the files; alone: the job's";
    Spec { names, kind: OptionKind::OptionalText, values, default: "", doc, apply }
}

/// What a value of the common kinds is.
pub(super) const SIZE: &str = "bytes (k, m, g, t, p)";

pub(super) const EXTENT: &str = "bytes (k, m, g, t, p) or %";

pub(super) const SECONDS: &str = "time (s)";

pub(super) const MICROSECONDS: &str = "time (us)";

pub(super) const COUNT: &str = "number";

pub(super) const BOOLEAN: &str = "0 or 1";

pub(super) const PERCENT: &str = "%";

pub(super) fn some<T>(
    parse: impl Fn(&str) -> Result<T, Expected>,
) -> impl Fn(&str) -> Result<Option<T>, Expected> {
    move |text| parse(text).map(Some)
}

pub(super) fn on(text: &str) -> Result<bool, Expected> {
    integer(text).map(|number| number != 0)
}

pub(super) fn string(text: &str) -> Result<String, Expected> {
    if text.is_empty() { Err("a text that is not empty".into()) } else { Ok(text.to_string()) }
}

pub(super) fn any(text: &str) -> Result<String, Expected> {
    Ok(text.to_string())
}

pub(super) fn count(least: u64) -> impl Fn(&str) -> Result<u64, Expected> {
    move |text| bounded(text, least, u64::MAX)
}

pub(super) fn count_u32(least: u32) -> impl Fn(&str) -> Result<u32, Expected> {
    move |text| bounded(text, u64::from(least), u64::from(u32::MAX)).map(|number| number as u32)
}

pub(super) fn small(most: u8) -> impl Fn(&str) -> Result<u8, Expected> {
    move |text| bounded(text, 0, u64::from(most)).map(|number| number as u8)
}

pub(super) fn seconds_ns(text: &str) -> Result<u64, Expected> {
    time_ns(text, Plain::Seconds)
}

pub(super) fn microseconds_ns(text: &str) -> Result<u64, Expected> {
    time_ns(text, Plain::Microseconds)
}

/// Sets a field from the value that a function makes of the text.
macro_rules! set {
    ($($field:ident).+, $value:expr) => {
        |draft, text| {
            draft.$($field).+ = ($value)(text)?;
            Ok(())
        }
    };
}
pub(super) use set;
