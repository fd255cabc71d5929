// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario says it is about: the `Measure:` paragraph of its header.

use crate::study::kind::MeasureKind;

/// A measure that a scenario asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Which figure the scenario asks for.
    pub kind: MeasureKind,
    /// The job, or the jobs of a numbered series by what their names have in common;
    /// none: all together.
    pub job: Option<String>,
}

/// Why a `Measure:` is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongMeasure {
    /// It is not of the form.
    #[error(
        "Measure: `{0}`: expected `start of JOB`, `latency of JOB`, `share of JOB` or `throughput \
         of JOB`, `shares`, `throughput` or `fairness`, several separated by `;`"
    )]
    Form(String),
    /// There is no such job.
    #[error("Measure: `{text}`: no such job; there are: {jobs}")]
    Job {
        /// What was asked for.
        text: String,
        /// Names of the jobs.
        jobs: String,
    },
}

impl Wanted {
    /// Reads the paragraph of a scenario that has these jobs.
    ///
    /// # Errors
    /// If it is of another form, or about a job that does not exist.
    pub fn parse(text: &str, jobs: &[&str]) -> Result<Vec<Wanted>, WrongMeasure> {
        let parts = text.split(';').map(|part| part.trim().trim_end_matches('.'));
        parts.filter(|part| !part.is_empty()).map(|part| one(part, jobs)).collect()
    }

    /// Whether it is about a job of this name.
    pub fn is_about(&self, job: &str) -> bool {
        let wanted = self.job.as_deref();
        wanted.is_some_and(|wanted| wanted == job) || super::parts::series(job) == wanted
    }
}

fn one(text: &str, jobs: &[&str]) -> Result<Wanted, WrongMeasure> {
    let form = || WrongMeasure::Form(text.to_owned());
    let Some((what, job)) = text.split_once(" of ") else {
        return match text {
            "shares" => Ok(Wanted { kind: MeasureKind::Shares, job: None }),
            "throughput" => Ok(Wanted { kind: MeasureKind::Throughput, job: None }),
            "fairness" => Ok(Wanted { kind: MeasureKind::Fairness, job: None }),
            _ => Err(form()),
        };
    };
    let kind = match what.trim() {
        "start" => MeasureKind::StartUp,
        "latency" => MeasureKind::Latency,
        "share" => MeasureKind::Share,
        "throughput" => MeasureKind::Rate,
        _ => return Err(form()),
    };
    let wanted = Wanted { kind, job: Some(job.trim().to_owned()) };
    match jobs.iter().any(|job| wanted.is_about(job)) {
        true => Ok(wanted),
        false => Err(WrongMeasure::Job { text: text.to_owned(), jobs: jobs.join(", ") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs() {
        let jobs = ["reader-1", "reader-2", "command"];
        let text = "start of command; share of reader; throughput; fairness.";
        let wanted = Wanted::parse(text, &jobs).unwrap();
        let expected = [
            (MeasureKind::StartUp, Some("command")),
            (MeasureKind::Share, Some("reader")),
            (MeasureKind::Throughput, None),
            (MeasureKind::Fairness, None),
        ];
        let expected = expected.map(|(kind, job)| Wanted { kind, job: job.map(str::to_owned) });
        assert_eq!(wanted, expected);
        for (text, message) in [
            ("speed of command", "Measure: `speed of command`: expected `start of JOB`"),
            ("latency", "Measure: `latency`: expected"),
            ("share of them", "no such job; there are: reader-1, reader-2, command"),
        ] {
            let error = Wanted::parse(text, &jobs).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
