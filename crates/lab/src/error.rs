// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a run could not be planned or made.

use std::path::PathBuf;

/// Why a run could not be planned or made.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A job file is missing or wrong.
    #[error(transparent)]
    Jobs(#[from] workload::JobErrors),
    /// There is no built-in file of that name.
    #[error(transparent)]
    UnknownFile(#[from] scenarios::Unknown),
    /// There is no such file, but a built-in one of that name.
    #[error("{}: there is no such file; did you mean `{name}`?", path.display())]
    MeantBuiltIn {
        /// Path of the file that is missing.
        path: PathBuf,
        /// The name of the built-in file.
        name: String,
    },
    /// No job is named, and there are several.
    #[error("--job NAME is needed, as there are several jobs: {}", names.join(", "))]
    WhichJob {
        /// The names there are.
        names: Vec<String>,
    },
    /// A job file cannot be read once more, for its own words.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A job file says that something is measured that is not there.
    #[error("{}: {message}", path.display())]
    Measure {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with the measure that its header asks for.
        message: String,
    },
    /// A mode of replay is given, and nothing to be replayed.
    #[error(
        "--replay: none of the files is a trace; expected one, or replay_mode=MODE in the job file"
    )]
    NothingToReplay,
    /// A setting is not of the form NAME=VALUE.
    #[error("--set {text}: expected NAME=VALUE")]
    Setting {
        /// The setting as the user wrote it.
        text: String,
    },
    /// A tunable is unknown to bfq, or its value wrong.
    #[error("--set: {0}")]
    Tunable(#[source] explain::UnknownTunable),
    /// A queue setting is unknown, or its value wrong.
    #[error("--queue: {0}")]
    Queue(#[from] blk::SettingError),
    /// A setting of the page cache is unknown, or its value wrong.
    #[error("--vm: {0}")]
    Cache(#[from] workload::cache::CacheSettingError),
    /// A weight of a group is malformed or out of range.
    #[error(transparent)]
    Group(#[from] crate::groups::GroupError),
    /// A device is unknown or wrong.
    #[error(transparent)]
    Device(#[from] crate::devices::DeviceError),
    /// A scheduler is unknown or wrong.
    #[error(transparent)]
    Choice(#[from] crate::schedulers::ChoiceError),
    /// A scheduler does not take its tunables on this device.
    #[error(transparent)]
    Build(#[from] elevators::BuildError),
    /// No job has the name asked for.
    #[error(transparent)]
    UnknownJob(#[from] explain::UnknownJob),
    /// A run of these jobs cannot be judged.
    #[error(transparent)]
    Fair(#[from] crate::fair::check::FairError),
    /// The jobs do not fit what they shall run on.
    #[error(transparent)]
    Runner(#[from] runner::RunnerError),
    /// A simulation could not begin or go on.
    #[error(transparent)]
    Simulation(#[from] sim::SimError),
    /// The target cannot have this size.
    #[cfg(feature = "real")]
    #[error("--size {size_bytes}: {source}")]
    Size {
        /// The size that was asked for.
        size_bytes: u64,
        /// Why it was refused.
        source: disk_io::TargetError,
    },
    /// The target cannot be opened or created.
    #[cfg(feature = "real")]
    #[error(transparent)]
    Target(#[from] disk_io::TargetError),
    /// The target cannot take what a job asks of it.
    #[cfg(feature = "real")]
    #[error(transparent)]
    Alignment(#[from] crate::real::alignment::AlignmentError),
    /// The engine cannot be had.
    #[cfg(feature = "real")]
    #[error(transparent)]
    Engine(#[from] disk_io::EngineError),
    /// What was written could not be brought to the disk.
    #[cfg(feature = "real")]
    #[error(transparent)]
    Settle(std::io::Error),
    /// A run on the target failed.
    #[cfg(feature = "real")]
    #[error(transparent)]
    Drive(#[from] disk_io::DriveError),
    /// Requests of a run failed.
    #[cfg(feature = "real")]
    #[error(transparent)]
    Requests(#[from] crate::real::failures::RequestsFailed),
    /// Blocks were not as a run expected them.
    #[cfg(feature = "real")]
    #[error(transparent)]
    Verify(#[from] crate::real::failures::VerifyFailed),
    /// The runs were stopped before there was a judge of them.
    #[cfg(feature = "real")]
    #[error("interrupted while the jobs ran alone (--fair): no results")]
    NotJudged,
    /// Requests of a job that ran alone failed.
    #[cfg(feature = "real")]
    #[error(transparent)]
    Alone(#[from] crate::real::failures::AloneFailed),
}

impl LabError {
    /// Whether the input is wrong; if not, something failed while it ran.
    pub fn is_usage(&self) -> bool {
        match self {
            LabError::Simulation(error) => error.is_usage(),
            #[cfg(feature = "real")]
            LabError::Target(error) => error.is_usage(),
            #[cfg(feature = "real")]
            LabError::Engine(_)
            | LabError::Settle(_)
            | LabError::Drive(_)
            | LabError::Requests(_)
            | LabError::Verify(_)
            | LabError::NotJudged
            | LabError::Alone(_) => false,
            _ => true,
        }
    }
}
