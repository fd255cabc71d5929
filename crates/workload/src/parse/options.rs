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
mod spec;
mod verify;

pub(super) use spec::{OptionKind, Spec};

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
