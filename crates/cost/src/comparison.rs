// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counted instructions beside the reference figures: what got dearer, what cheaper.

use crate::reference::{Origin, Reference};
use std::fmt;

/// How far a case may be above its figure, counted with the compiler of the figures, percent.
pub const BOUND_PERCENT: f64 = 2.0;
/// The same with another compiler, whose code generator may decide otherwise what to inline: the
/// two that were compared differ by 0.1 %, but inlining alone has made 2.5 % (docs/performance.md).
pub const OTHER_COMPILER_BOUND_PERCENT: f64 = 5.0;

/// How the figures can be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// They were counted with this compiler.
    SameCompiler,
    /// They were counted with another one.
    OtherCompiler,
    /// They are of other instructions.
    OtherProcessor,
}

impl Basis {
    /// For figures that were counted on `reference` and are now counted on `own`.
    pub fn of(reference: &Origin, own: &Origin) -> Basis {
        if reference.processor != own.processor {
            Basis::OtherProcessor
        } else if reference.compiler != own.compiler {
            Basis::OtherCompiler
        } else {
            Basis::SameCompiler
        }
    }

    /// How far a case may be above its figure, percent.
    pub fn bound_percent(self) -> f64 {
        match self {
            Basis::SameCompiler => BOUND_PERCENT,
            Basis::OtherCompiler => OTHER_COMPILER_BOUND_PERCENT,
            Basis::OtherProcessor => f64::INFINITY,
        }
    }
}

/// What is found about a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It costs what it should.
    Kept,
    /// It costs more than the bound allows.
    Dearer,
    /// It costs less, by enough that the figure no longer guards it.
    Cheaper,
    /// The file has no figure of it.
    NoFigure,
    /// The file has a figure of it, but there is no such case.
    NoCase,
}

impl Verdict {
    /// Whether the comparison fails because of it.
    pub fn fails(self) -> bool {
        matches!(self, Verdict::Dearer | Verdict::NoFigure | Verdict::NoCase)
    }
}

/// A case, its figure and what was counted.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonRow {
    /// Name of the case.
    pub case: String,
    figure: Option<f64>,
    counted: Option<f64>,
    /// What the comparison of figure and count found.
    pub verdict: Verdict,
}

impl ComparisonRow {
    fn new(case: &str, figure: Option<f64>, counted: Option<f64>, basis: Basis) -> ComparisonRow {
        let verdict = match (figure, counted) {
            (Some(figure), Some(counted)) => {
                let percent = percent_more(figure, counted);
                if percent.is_nan() || percent > basis.bound_percent() {
                    Verdict::Dearer
                } else if basis == Basis::SameCompiler && percent < -BOUND_PERCENT {
                    Verdict::Cheaper
                } else {
                    Verdict::Kept
                }
            }
            (None, _) => Verdict::NoFigure,
            (Some(_), None) => Verdict::NoCase,
        };
        ComparisonRow { case: case.to_owned(), figure, counted, verdict }
    }
}

fn percent_more(figure: f64, counted: f64) -> f64 {
    (counted / figure - 1.0) * 100.0
}

impl fmt::Display for ComparisonRow {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let shown = |number: Option<f64>| number.map_or("–".into(), |it| format!("{it:.1}"));
        write!(f, "{:<24} {:>9} {:>9}", self.case, shown(self.figure), shown(self.counted))?;
        if let (Some(figure), Some(counted)) = (self.figure, self.counted) {
            // Rounded here, and without the sign of a zero that comes of it.
            let tenths = (percent_more(figure, counted) * 10.0).round() / 10.0 + 0.0;
            write!(f, " {tenths:>+7.1} %")?;
        }
        f.write_str(match self.verdict {
            Verdict::Kept => "",
            Verdict::Dearer => "  DEARER",
            Verdict::Cheaper => "  better: renew the figures",
            Verdict::NoFigure => "  NO FIGURE in the file: renew it",
            Verdict::NoCase => "  NO SUCH CASE any more: renew the file",
        })
    }
}

/// Compares what was counted with the figures: a row for each case, in their order, then one for
/// each figure without a case.
pub fn compare(
    reference: &Reference,
    counted: &[(String, f64)],
    basis: Basis,
) -> Vec<ComparisonRow> {
    let figures = &reference.instructions_per_request;
    let of_cases = counted.iter().map(|(case, counted)| {
        ComparisonRow::new(case, figures.get(case).copied(), Some(*counted), basis)
    });
    let without_case = figures
        .iter()
        .filter(|(name, _)| counted.iter().all(|(case, _)| case != *name))
        .map(|(name, &figure)| ComparisonRow::new(name, Some(figure), None, basis));
    of_cases.chain(without_case).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(compiler: &str, processor: &str) -> Origin {
        Origin { compiler: compiler.into(), processor: processor.into() }
    }

    /// What is found about a case of which the file says 1,000 and which costs `counted` now.
    fn verdict(counted: f64, basis: Basis) -> Verdict {
        let reference = Reference {
            counted_on: origin("A", "abacus"),
            instructions_per_request: [("loop bfq 16".to_owned(), 1000.0)].into(),
        };
        let rows = compare(&reference, &[("loop bfq 16".to_owned(), counted)], basis);
        assert_eq!(rows.len(), 1);
        rows[0].verdict
    }

    #[test]
    fn more_than_two_percent_fails() {
        let same = Basis::SameCompiler;
        assert_eq!(verdict(1019.9, same), Verdict::Kept);
        assert_eq!(verdict(1020.1, same), Verdict::Dearer);
        assert_eq!(verdict(f64::NAN, same), Verdict::Dearer);
        assert!(Verdict::Dearer.fails());
    }

    #[test]
    fn less_by_more_than_two_percent_is_named_and_passes() {
        assert_eq!(verdict(980.1, Basis::SameCompiler), Verdict::Kept);
        assert_eq!(verdict(979.9, Basis::SameCompiler), Verdict::Cheaper);
        assert!(!Verdict::Cheaper.fails());
    }

    #[test]
    fn another_compiler_has_a_wider_bound() {
        let bound = 10.0 * OTHER_COMPILER_BOUND_PERCENT;
        assert_eq!(verdict(999.9 + bound, Basis::OtherCompiler), Verdict::Kept);
        assert_eq!(verdict(1000.1 + bound, Basis::OtherCompiler), Verdict::Dearer);
        assert_eq!(verdict(900.0, Basis::OtherCompiler), Verdict::Kept);
    }

    #[test]
    fn figures_of_another_processor_bind_nobody() {
        assert_eq!(verdict(5000.0, Basis::OtherProcessor), Verdict::Kept);
    }

    #[test]
    fn compiler_and_processor_decide_about_the_basis() {
        let reference = origin("A", "abacus");
        let basis = |compiler, processor| Basis::of(&reference, &origin(compiler, processor));
        assert_eq!(basis("A", "abacus"), Basis::SameCompiler);
        assert_eq!(basis("B", "abacus"), Basis::OtherCompiler);
        assert_eq!(basis("A", "slide rule"), Basis::OtherProcessor);
    }

    #[test]
    fn a_case_without_figure_and_a_figure_without_case_fail() {
        let reference = Reference {
            counted_on: origin("A", "abacus"),
            instructions_per_request: [("old".to_owned(), 1.0)].into(),
        };
        let rows = compare(&reference, &[("new".to_owned(), 1.0)], Basis::SameCompiler);
        let found: Vec<_> = rows.iter().map(|row| (row.case.as_str(), row.verdict)).collect();
        assert_eq!(found, [("new", Verdict::NoFigure), ("old", Verdict::NoCase)]);
        assert!(rows.iter().all(|row| row.verdict.fails()));
    }

    #[test]
    fn a_row_says_case_figure_count_and_percent() {
        let row =
            ComparisonRow::new("loop bfq 16", Some(1000.0), Some(1050.0), Basis::SameCompiler);
        let shown = row.to_string();
        let words: Vec<_> = shown.split_whitespace().collect();
        assert_eq!(words.join(" "), "loop bfq 16 1000.0 1050.0 +5.0 % DEARER");
        let row = ComparisonRow::new("loop bfq 16", Some(1000.0), Some(999.9), Basis::SameCompiler);
        assert!(row.to_string().ends_with(" +0.0 %"));
    }
}
