// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace whose processes are told apart, and the simulations of it.

use super::error::WhatIfError;
use super::nearest::{Nearest, check_fits, nearest};
use super::processes::tell_apart;
use super::times::told;
use crate::devices;
use crate::error::LabError;
use crate::files::{Files, check_known};
use crate::simulations::{SimulationOptions, Simulations};
use crate::work::Work;
use fit::Traced;
use std::fs::File;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use workload::{Environment, Job, ReplayMode, required_bytes};

/// A trace whose processes are told apart.
#[derive(Debug)]
pub struct TraceByProcess {
    name: String,
    /// The trace alone.
    work: Work,
    /// The one that replays it.
    job: Job,
    times: Vec<Traced>,
    /// How large a disk has to be for it.
    end_bytes: u64,
    notes: Vec<String>,
    /// With a copy of what can be read only once; it goes with this value.
    _folder: Option<TempDir>,
}

impl TraceByProcess {
    /// Reads a trace, twice; one that can be read only once, as from a pipe, is copied before.
    ///
    /// # Errors
    /// If the trace is missing or wrong, or a copy cannot be written to a temporary folder.
    pub fn read<F>(trace: &Path, files: &Files<F>) -> Result<Self, WhatIfError>
    where
        F: Fn(&Path) -> io::Result<Box<dyn BufRead>>,
    {
        check_known(trace)?;
        let name = trace.display().to_string();
        let copied = match files.can_be_read_twice(trace) {
            true => None,
            false => Some(copy(trace, files)?),
        };
        let (folder, readable) =
            copied.map_or((None, trace.to_owned()), |(folder, path)| (Some(folder), path));
        let unreadable = |source| WhatIfError::Unreadable { name: name.clone(), source };
        let told = told(files.open_any(&readable).map_err(unreadable)?, &name)?;
        let work = Work { replay: Some(ReplayMode::Chain), ..Work::of([&readable]) };
        let jobs = work.jobs(files).map_err(|error| about(error, &readable, &name))?;
        let no_process = || WhatIfError::NoProcess { name: name.clone() };
        let mut job = jobs.into_iter().next().ok_or_else(no_process)?;
        let notes = tell_apart(&mut job, told.processes);
        if job.process_names.iter().all(Option::is_none) {
            return Err(no_process());
        }
        let end_bytes = required_bytes(std::slice::from_ref(&job))
            .map_err(|error| about(LabError::Jobs(error.into()), &readable, &name))?;
        let notes = notes.iter().map(|note| format!("{name}: {note}")).collect();
        Ok(TraceByProcess { name, work, job, times: told.times, end_bytes, notes, _folder: folder })
    }

    /// What of the trace is not replayed as it was, in sentences.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The built-in model of a real disk in which the requests take nearest to the time that they
    /// took.
    ///
    /// # Errors
    /// [`WhatIfError::NoTimes`]: the trace does not say how long anything took.
    /// [`WhatIfError::LargerThanAnyDisk`]: no modelled disk can be as large as the recorded one.
    pub fn nearest(&self) -> Result<Nearest, WhatIfError> {
        nearest(&self.name, self.times.clone(), self.end_bytes)
    }

    /// Plans the simulations. The plan has all that it needs of the trace.
    ///
    /// # Errors
    /// [`WhatIfError::Lab`]: a device or scheduler is wrong. [`WhatIfError::BeyondDevice`] or
    /// [`WhatIfError::LargerThanAnyDisk`]: the trace does not fit a device.
    pub fn plan<F>(
        &self,
        options: SimulationOptions,
        files: &Files<F>,
    ) -> Result<Simulations, WhatIfError>
    where
        F: Fn(&Path) -> io::Result<Box<dyn BufRead>>,
    {
        let profiles = devices::parse(&options.devices, files).map_err(LabError::from)?;
        check_fits(&self.name, &profiles, self.end_bytes)?;
        let plan = Simulations::of_jobs(vec![self.job.clone()], &self.work, options, files)?;
        Ok(plan.presented_as(&self.name))
    }
}

/// Copies a trace into a temporary folder.
fn copy<F>(trace: &Path, files: &Files<F>) -> Result<(TempDir, PathBuf), WhatIfError>
where
    F: Fn(&Path) -> io::Result<Box<dyn BufRead>>,
{
    let unreadable = |source| WhatIfError::Unreadable { name: trace.display().to_string(), source };
    let folder = tempfile::tempdir().map_err(WhatIfError::NoPlace)?;
    let mut source = files.open_any(trace).map_err(unreadable)?;
    let path = folder.path().join("trace");
    let mut copy = File::create(&path).map_err(WhatIfError::NoPlace)?;
    io::copy(&mut source, &mut copy).map_err(unreadable)?;
    Ok((folder, path))
}

/// What is wrong with a copy is wrong with the trace that it is of.
fn about(error: LabError, copy: &Path, name: &str) -> WhatIfError {
    match error {
        LabError::Jobs(errors) => {
            LabError::Jobs(errors.renamed(&copy.display().to_string(), name)).into()
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::io::BufReader;

    /// Ten reads of one process, a millisecond each, in fio's format of an I/O log.
    fn iolog() -> String {
        let read = |number: u64| format!("{number} /dev/x read {} 4096\n", number * 8192);
        let reads: String = (0..10).map(read).collect();
        format!("fio version 3 iolog\n0 /dev/x add\n0 /dev/x open\n{reads}10 /dev/x close\n")
    }

    fn options() -> SimulationOptions {
        let devices = vec!["ssd-sata".into()];
        SimulationOptions { devices, schedulers: "none".into(), ..SimulationOptions::default() }
    }

    #[test]
    fn what_can_be_read_once_is_read_once_and_simulated_when_its_folder_is_gone() {
        let opened = Cell::new(0);
        let files = Files::opened_by(|path: &Path| -> io::Result<Box<dyn BufRead>> {
            if path != Path::new("a-pipe") {
                return Ok(Box::new(BufReader::new(File::open(path)?)));
            }
            opened.set(opened.get() + 1);
            Ok(Box::new(io::Cursor::new(iolog())))
        });
        let trace = TraceByProcess::read(Path::new("a-pipe"), &files).unwrap();
        assert_eq!(opened.get(), 1);
        assert!(trace.notes().is_empty());
        let folder = trace._folder.as_ref().unwrap().path().to_owned();
        let plan = trace.plan(options(), &files).unwrap();
        drop(trace);
        assert!(!folder.exists());
        let results = plan.run_all(&mut ()).unwrap().results;
        assert_eq!(results.runs[0].fio.jobs[0].read.total_ios, 10);
    }

    #[test]
    fn results_and_mistakes_name_the_trace_and_no_file_of_the_temporary_folder() {
        let piped = |text: &'static str| {
            let files = Files::opened_by(move |path: &Path| -> io::Result<Box<dyn BufRead>> {
                Ok(match path == Path::new("a-pipe") {
                    true => Box::new(io::Cursor::new(text)),
                    false => Box::new(BufReader::new(File::open(path)?)),
                })
            });
            TraceByProcess::read(Path::new("a-pipe"), &files).map(|trace| {
                let mut results = trace.plan(options(), &files).unwrap().run_all(&mut ()).unwrap();
                // The date differs by itself.
                results.results.runs.iter_mut().for_each(|run| run.fio.timestamp = 0);
                results.results.to_json()
            })
        };
        let json = piped("8,0 0 1 0.0 7 Q R 8 + 8 [a]\n").unwrap();
        let temporary = std::env::temp_dir().display().to_string();
        assert!(
            json.contains("\"read_iolog\": \"a-pipe\"") && !json.contains(&temporary),
            "{json}"
        );
        assert_eq!(json, piped("8,0 0 1 0.0 7 Q R 8 + 8 [a]\n").unwrap());
        let large = "8,0 0 1 0.0 7 Q W 8 + 8 [a]\n8,0 0 2 0.2 7 Q W 8 + 8388608 [a]\n";
        let error = piped(large).unwrap_err();
        assert!(error.is_usage());
        assert_eq!(
            error.to_string(),
            "a-pipe:2: I/O of 4294967296 bytes; expected less than 4 GiB"
        );
    }

    /// A child that begins behind the last read of its parent was replayed beside it.
    #[test]
    fn a_process_begins_behind_what_it_waited_for_however_long_that_takes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chain.txt");
        let reads = |(pid, name, from): (u32, &'static str, u64)| {
            (from..from + 20).map(move |io| {
                let (sector, us) = (io * 7_919 % 40 * 8_000_000, io * 200);
                format!(
                    "8,0 0 1 0.{us:06} {pid} Q R {sector} + 8 [{name}]\n\
                     8,0 0 1 0.{:06} 0 C R {sector} + 8 [0]\n",
                    us + 100
                )
            })
        };
        let text = [(7, "sh", 0), (8, "child", 20)].into_iter().flat_map(reads);
        std::fs::write(&path, text.collect::<String>()).unwrap();
        let files = Files::plain();
        let trace = TraceByProcess::read(&path, &files).unwrap();
        let options = SimulationOptions { devices: vec!["hdd-desktop".into()], ..options() };
        let results = trace.plan(options, &files).unwrap().run_all(&mut ()).unwrap().results;
        let run = &results.runs[0];
        let names = run.fio.jobs.iter().map(|job| job.jobname.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["sh-7", "child-8"]);
        let took_ns: Vec<u64> = run.summary.jobs.iter().map(|job| job.span_ns()).collect();
        let all_ns = run.plots.as_ref().unwrap().elapsed_ns;
        assert!(took_ns.iter().all(|&ns| ns > 20_000_000), "{took_ns:?}");
        // The gap between them is 100 us.
        assert_eq!(took_ns.iter().sum::<u64>() + 100_000, all_ns, "{took_ns:?}");
    }

    #[test]
    fn files_lie_end_to_end_as_in_any_replay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        let log = "fio version 3 iolog\n0 a add\n0 a open\n0 b add\n0 b open\n\
                   0 a read 0 4096\n9 b read 0 8192\n";
        std::fs::write(&path, log).unwrap();
        let trace = TraceByProcess::read(&path, &Files::plain()).unwrap();
        assert_eq!(trace.end_bytes, 4096 + 8192);
        assert!(trace.notes().is_empty());
    }

    #[test]
    fn what_is_not_replayed_or_not_told_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.bp");
        let line = |(second, pid, op): (u32, u32, &str)| {
            format!("8,0 0 1 {second}.0 {pid} Q {op} 8 + 8 [p{pid}]\n")
        };
        let records = [(5, 7, "R"), (6, 7, "D"), (1, 7, "D"), (7, 8, "D")];
        std::fs::write(&path, records.map(line).concat()).unwrap();
        let trace = TraceByProcess::read(&path, &Files::plain()).unwrap();
        let name = path.display();
        assert_eq!(
            trace.notes(),
            [
                "1 process that only flushed or discarded is left out of results",
                "records that are earlier than one before them, and may be replayed later than \
                 they were: 1, the first in line 3",
                "discards, which cannot be replayed and are left out: 3",
            ]
            .map(|note| format!("{name}: {note}"))
        );
    }

    /// The disks of a process lay end to end, so that the second began where no device is, after
    /// the trace had been found to fit.
    #[test]
    fn several_disks_are_replayed_on_one_by_the_same_sectors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("far.txt");
        let read = |number: u32, disk: u32, pid: u32| {
            format!("8,{disk} 0 {number} 0.00{number} {pid} Q R 1800000000 + 8 [p{pid}]\n")
        };
        let text = [read(1, 0, 7), read(2, 16, 7), read(3, 16, 8)].concat();
        std::fs::write(&path, text).unwrap();
        let files = Files::plain();
        let trace = TraceByProcess::read(&path, &files).unwrap();
        assert_eq!(trace.end_bytes, 1_800_000_008 * 512);
        assert!(trace.notes()[0].contains("I/O of 2 disks (8,0 8,16)"), "{:?}", trace.notes());
        let results = trace.plan(options(), &files).unwrap().run_all(&mut ()).unwrap().results;
        let reads = results.runs[0].fio.jobs.iter().map(|job| job.read.total_ios);
        assert_eq!(reads.collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn what_is_wrong_with_the_options_is_told_from_what_is_wrong_with_the_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        std::fs::write(&path, iolog()).unwrap();
        let files = Files::plain();
        let trace = TraceByProcess::read(&path, &files).unwrap();
        assert!(matches!(trace.nearest().unwrap_err(), WhatIfError::NoTimes { .. }));
        let unknown = SimulationOptions { schedulers: "fastest".into(), ..options() };
        let error = trace.plan(unknown, &files).unwrap_err();
        assert!(matches!(error, WhatIfError::Lab(_)) && error.is_usage(), "{error}");
        let missing = TraceByProcess::read(&folder.path().join("none"), &files).unwrap_err();
        assert!(matches!(missing, WhatIfError::Unreadable { .. }), "{missing}");
        let unknown = TraceByProcess::read(Path::new("@none/such"), &files).unwrap_err();
        assert!(matches!(unknown, WhatIfError::Lab(_)) && unknown.is_usage(), "{unknown}");
    }
}
