// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where runs are from whose names have but a number to tell them apart.

use crate::study::column::Column;

/// Runs that a number tells from others, and where they are from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The names of the runs, separated by commas.
    pub labels: String,
    /// Their result: the name of the file, and the seed if others have another one.
    pub result: String,
}

/// The origins of the runs that share a name, by the `names` that they have without numbers. Where
/// all are from one result there is nothing to tell.
pub(super) fn origins(columns: &[Column], names: &[String]) -> Vec<Origin> {
    let named = || columns.iter().zip(names);
    let mut origins: Vec<Origin> = Vec::new();
    for (column, name) in named() {
        let twins = || named().filter(|(_, other)| *other == name).map(|(twin, _)| twin);
        let seeds_differ = twins().any(|twin| twin.seed != column.seed);
        let sources_differ = twins().any(|twin| twin.source != column.source);
        if !seeds_differ && !sources_differ {
            continue;
        }
        let seed = if seeds_differ { format!(", seed {}", column.seed) } else { String::new() };
        let result = format!("{}{seed}", column.source);
        match origins.iter_mut().find(|origin| origin.result == result) {
            Some(origin) => origin.labels += &format!(", {}", column.label),
            None => origins.push(Origin { labels: column.label.clone(), result }),
        }
    }
    origins
}
