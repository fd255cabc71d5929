// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is of options, for people: from the same tables that job files are read by.

use super::options::{self, OptionKind, Spec};
use super::unsupported;

/// An option that has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobOption {
    /// What it and its neighbours are about.
    pub chapter: &'static str,
    /// The name that fio gives the option.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// What its value is, with the unit of a plain number.
    pub values: &'static str,
    /// The value that stands for the option not given, if there is one.
    pub default: Option<&'static str>,
    /// What the option does, as a phrase for documents.
    pub doc: &'static str,
}

/// The options that have an effect, chapter by chapter.
pub fn job_options() -> Vec<JobOption> {
    let of_chapter = |chapter: &options::Chapter| {
        let title = chapter.title;
        chapter.options.iter().map(move |spec| job_option(title, spec))
    };
    options::CHAPTERS.iter().flat_map(of_chapter).collect()
}

fn job_option(chapter: &'static str, spec: &Spec) -> JobOption {
    let (name, aliases) = (spec.names[0], &spec.names[1..]);
    let default = Some(spec.default).filter(|default| !default.is_empty());
    JobOption { chapter, name, aliases, values: spec.values, default, doc: spec.doc }
}

/// The options that are accepted without effect: the reason, and those that it holds for.
pub fn options_without_effect() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for spec in options::ignored() {
        let (OptionKind::NoEffect(why) | OptionKind::NoEffectFlag(why)) = spec.kind else {
            continue;
        };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(spec.names[0]),
            None => reasons.push((why, vec![spec.names[0]])),
        }
    }
    reasons
}

/// fio's options that are not supported, in the order of the alphabet.
pub fn unsupported_options() -> Vec<&'static str> {
    let mut names: Vec<&str> = unsupported::names().collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::parse::parse;

    #[test]
    fn every_default_in_the_list_is_what_the_option_means_when_it_is_not_given() {
        let job = |option: &str| -> Job {
            let text = format!("[a]\ndirect=1\n{option}\n");
            let job = parse(&text, "t.fio").unwrap_or_else(|error| panic!("{option}: {error}"));
            Job { options: Vec::new(), notes: Vec::new(), ..job[0].clone() }
        };
        let without = format!("{:?}", job(""));
        let mut defaults = 0;
        for option in job_options() {
            let Some(default) = option.default else { continue };
            for name in option.aliases.iter().chain([&option.name]) {
                let given = format!("{name}={default}");
                assert_eq!(format!("{:?}", job(&given)), without, "{given}");
                defaults += 1;
            }
        }
        assert!(defaults > 40, "{defaults}");
    }

    #[test]
    fn no_option_stands_in_two_lists() {
        let known = job_options().iter().flat_map(|o| [&[o.name], o.aliases].concat()).collect();
        let ignored = options_without_effect().into_iter().flat_map(|(_, names)| names).collect();
        let mut names: Vec<&str> = [known, ignored, unsupported_options()].concat();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
