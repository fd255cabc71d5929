// SPDX-License-Identifier: MIT OR Apache-2.0
//! How near simulations come to what a real kernel did: recorded scenarios, simulated again.
//!
//! A recording is a table with a line for each job of each scenario × disk × depth × scheduler. A
//! [`Case`] is one such combination; [`repeat`] simulates it and lays the figures side by side:
//! once, or, where the order of simultaneous events decides, in many orders. [`SelectedCases`] are
//! those of a file, all compared.

mod behaviours;
mod case;
mod comparison;
mod error;
mod figures;
mod recording;
mod repeated;
mod selection;
mod simulation;
mod spread;
mod table;

pub use behaviours::{
    BehaviourComparison, SERVICE_FIGURES, Service, ServiceFigure, Standing, behaviours_markdown,
    compare_behaviours,
};
pub use case::{Case, ORDERS};
pub use comparison::{Agreement, Comparison};
pub use error::ResultsError;
pub use figures::{FIGURES, Figure, Figures};
pub use recording::{Recording, cases, read_recordings};
pub use repeated::{JobComparison, compare, repeat};
pub use selection::{Observe, SelectedCases, Selection};
pub use simulation::run_case;
pub use spread::{Proximity, SpreadComparison};
pub use table::markdown;

#[cfg(test)]
mod tests;
