// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of reference figures: what each case costs, and on what that was counted.

use crate::error::CostError;
use serde::Deserialize;
use std::{collections::BTreeMap, fmt::Write as _, path::Path};

/// The words at the top of the file.
const HEAD: &str = "\
# SPDX-License-Identifier: MIT OR Apache-2.0
# Instructions a request, of each case that `cost` counts. `make cost-check` counts them again and
# fails if one got dearer; `make cost-check RENEW=1` writes this file (docs/performance.md).
";

/// What the number of instructions depends on besides the source.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The compiler and its code generator.
    pub compiler: String,
    /// The architecture of the processor that was counted on.
    pub processor: String,
}

impl Origin {
    /// What this program was made by and for.
    pub fn of_this_program() -> Origin {
        Origin { compiler: env!("COST_COMPILER").into(), processor: std::env::consts::ARCH.into() }
    }
}

/// What the file says.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// On what the figures were counted.
    pub counted_on: Origin,
    /// The figures by the name of the case.
    pub instructions_per_request: BTreeMap<String, f64>,
}

impl Reference {
    /// Reads the file.
    ///
    /// # Errors
    /// [`CostError::Read`], [`CostError::Reference`].
    pub fn read(path: &Path) -> Result<Reference, CostError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| CostError::Read { path: path.to_owned(), source })?;
        toml::from_str(&text)
            .map_err(|source| CostError::Reference { path: path.to_owned(), source })
    }

    /// The text of the file with these figures, in their order.
    pub fn text(counted_on: &Origin, figures: &[(String, f64)]) -> String {
        let Origin { compiler, processor } = counted_on;
        let mut text = format!(
            "{HEAD}\n[counted_on]\ncompiler = {compiler:?}\nprocessor = {processor:?}\n\n\
             [instructions_per_request]\n"
        );
        for (name, figure) in figures {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:?} = {figure:.1}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let origin = Origin { compiler: "rustc 9.9.9, LLVM 1".into(), processor: "abacus".into() };
        let figures = [("loop bfq 16".to_owned(), 1384.0), ("kernel single".to_owned(), 1127.84)];
        let read: Reference = toml::from_str(&Reference::text(&origin, &figures)).unwrap();
        assert_eq!(read.counted_on, origin);
        let expected = [("kernel single".to_owned(), 1127.8), ("loop bfq 16".to_owned(), 1384.0)];
        assert_eq!(Vec::from_iter(read.instructions_per_request), expected);
    }
}
