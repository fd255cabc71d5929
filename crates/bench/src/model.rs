// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is compared, what is measured, and the file of results.

mod conditions;
mod goal;
mod metric;
mod others;
pub mod perception;
mod results;

pub use conditions::{Conditions, Counted, Level};
pub use goal::Goal;
pub use metric::{Better, METRICS, Matters, Metric, MetricInfo, MetricKind};
pub use others::Others;
pub use results::{Measurement, Opening, ResultLine, ResultsError, ResultsFile};
