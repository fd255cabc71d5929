// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where each process works on the target, and which processes run at the same time.
//!
//! A file is a stretch of the target. A job without `filename` has `nrfiles` files for each clone,
//! named as under fio by job, clone and number. Jobs share a file when it has the same name, and a
//! file that a job names under `/dev/` is the whole target. Files lie end to end from the start of
//! the target, in the order in which jobs and clones first name them, each rounded up to 4 KiB. A
//! file is as long as the I/O furthest into it; `offset` and `size` are applied within the file, as
//! fio does. Percentages are of the target, which is the only file whose length is known
//! beforehand.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::Range;

use crate::error::{JobError, JobErrors};
use crate::job::{Extent, Job};

/// What lengths of files are rounded up to, bytes, so that each begins at a page.
const FILE_ALIGN_BYTES: u64 = 4096;

/// A stretch of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where it begins, in bytes from the start of the target.
    pub start_bytes: u64,
    /// How long it is, in bytes.
    pub length_bytes: u64,
}

/// A file that a process has open, and the part of it in which it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// What the process reads and writes: `offset`, `offset_increment` and `size` are applied.
    pub region: Region,
    /// The file that the region is part of. Processes with the same file share it.
    pub file: Region,
}

/// One process: a clone of a job, and where it works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessPlan {
    /// The job, by position in the slice given to [`lay_out`].
    pub job: usize,
    /// The clone, from 0.
    pub clone: u32,
    /// What the process reads and writes of its first file: `offset`, `offset_increment` and
    /// `size` are applied.
    pub region: Region,
    /// The file that the region is part of. Processes with the same file share it.
    pub file: Region,
    /// The same of its other files.
    pub others: Vec<FilePart>,
}

impl ProcessPlan {
    /// The regions in all its files.
    pub fn regions(&self) -> Vec<Region> {
        let others = self.others.iter().map(|part| part.region);
        std::iter::once(self.region).chain(others).collect()
    }
}

/// Lays out the processes of `jobs`, in order of jobs and clones.
///
/// # Errors
/// For each job that does not fit: the target is too small, or it names neither a size nor a file
/// that has one.
pub fn lay_out(jobs: &[Job], capacity_bytes: u64) -> Result<Vec<ProcessPlan>, JobErrors> {
    Layout::new(jobs, Some(capacity_bytes))?.plans(capacity_bytes)
}

/// The least capacity that [`lay_out`] accepts, for a target that has yet to be made. Percentages
/// count as nothing.
///
/// # Errors
/// As for [`lay_out`].
pub fn required_bytes(jobs: &[Job]) -> Result<u64, JobError> {
    Ok(Layout::new(jobs, None)?.end_bytes())
}

/// The phases of a run: ranges of `plans` that run together. A phase begins when all processes of
/// the one before it are done (`stonewall`).
pub fn phases(jobs: &[Job], plans: &[ProcessPlan]) -> Vec<Range<usize>> {
    let mut phases: Vec<Range<usize>> = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        match phases.last_mut() {
            Some(phase) if plan.clone > 0 || !jobs[plan.job].stonewall => phase.end = index + 1,
            _ => phases.push(index..index + 1),
        }
    }
    phases
}

/// A process, the file it works in, and how.
struct PlacedProcess {
    job: usize,
    clone: u32,
    /// Its files, in their order.
    files: Vec<usize>,
}

struct File {
    /// The whole target rather than a stretch of it.
    is_target: bool,
    length_bytes: u64,
    start_bytes: u64,
}

/// Why a process has no place.
enum Misfit {
    /// Its job asks for what cannot be.
    Job(JobError),
    /// The target ends before.
    Target(JobError),
}

/// The files of all processes together, at most: each takes memory, whatever is done with it.
const MOST_FILES: u64 = 1 << 20;

/// Whether all files have room in memory.
fn check_files(jobs: &[Job]) -> Result<(), JobError> {
    let mut files: u64 = 0;
    for job in jobs {
        let (processes, each) = (u64::from(job.processes()), u64::from(job.files()));
        files = files.saturating_add(processes.saturating_mul(each));
        if files > MOST_FILES {
            let name = &job.name;
            let what = format!(
                "job \"{name}\": {processes} processes with {each} files each, {files} with \
                         those of the jobs before"
            );
            let expected = format!("at most {MOST_FILES} files of all processes");
            return Err(JobError::new(&*job.file, job.line, what, expected));
        }
    }
    Ok(())
}

struct Layout<'a> {
    jobs: &'a [Job],
    files: Vec<File>,
    /// Files that have a name, and may therefore be shared.
    named: BTreeMap<String, usize>,
    processes: Vec<PlacedProcess>,
}

impl<'a> Layout<'a> {
    fn new(jobs: &'a [Job], capacity_bytes: Option<u64>) -> Result<Layout<'a>, JobError> {
        check_files(jobs)?;
        let mut layout =
            Layout { jobs, files: Vec::new(), named: BTreeMap::new(), processes: Vec::new() };
        for (index, job) in jobs.iter().enumerate() {
            for clone in 0..job.processes() {
                let files = (0..job.files()).map(|number| layout.file_of(job, clone, number));
                let files = files.collect();
                layout.processes.push(PlacedProcess { job: index, clone, files });
            }
        }
        layout.measure_files(capacity_bytes)?;
        layout.place_files();
        Ok(layout)
    }

    fn file_of(&mut self, job: &Job, clone: u32, number: u32) -> usize {
        let name = file_name(job, clone, number);
        let next = self.files.len();
        // A job that is named like a device does not name a file.
        let is_named = !is_named_by_job(job);
        let is_target = is_named && name.as_deref().is_some_and(|name| name.starts_with("/dev/"));
        if let Some(name) = name {
            let known = *self.named.entry(name).or_insert(next);
            if known != next {
                return known;
            }
        }
        self.files.push(File { is_target, length_bytes: 0, start_bytes: 0 });
        next
    }

    /// A file is as long as the furthest of those processes reaches that say how far they go.
    fn measure_files(&mut self, capacity_bytes: Option<u64>) -> Result<(), JobError> {
        let files = |process: &PlacedProcess| (process.job, process.clone, process.files.clone());
        for (job, clone, files) in self.processes.iter().map(files).collect::<Vec<_>>() {
            let job = &self.jobs[job];
            let whole_bytes = capacity_bytes.unwrap_or(0);
            let offset_bytes = match &job.trace {
                Some(_) => 0,
                None => offset_of(job, clone, whole_bytes),
            };
            for file in files {
                let length_bytes = match (&job.trace, job.size) {
                    (Some(_), _) => trace_bytes(job),
                    (None, Some(size)) => divided(job, size.of(whole_bytes)),
                    (None, None) => 0,
                };
                let end_bytes = offset_bytes.checked_add(length_bytes).ok_or_else(|| {
                    JobError::new(&*job.file, job.line, "offset + size is too large", "below 2^64")
                })?;
                let file = &mut self.files[file];
                file.length_bytes = file.length_bytes.max(end_bytes);
            }
        }
        for file in self.files.iter_mut().filter(|file| file.is_target) {
            file.length_bytes = capacity_bytes.unwrap_or(file.length_bytes);
        }
        Ok(())
    }

    fn place_files(&mut self) {
        let mut next_bytes = 0u64;
        for file in self.files.iter_mut().filter(|file| !file.is_target) {
            file.start_bytes = next_bytes;
            let length_bytes = file.length_bytes.checked_next_multiple_of(FILE_ALIGN_BYTES);
            next_bytes = next_bytes.saturating_add(length_bytes.unwrap_or(u64::MAX));
        }
    }

    fn end_bytes(&self) -> u64 {
        let ends = self.files.iter().map(|file| file.start_bytes.saturating_add(file.length_bytes));
        ends.max().unwrap_or(0)
    }

    fn plans(&self, capacity_bytes: u64) -> Result<Vec<ProcessPlan>, JobErrors> {
        let mut plans = Vec::with_capacity(self.processes.len());
        let (mut mistakes, mut mistaken): (Vec<JobError>, Option<usize>) = Default::default();
        let mut is_too_small = false;
        for process in &self.processes {
            match self.plan(process, capacity_bytes) {
                Ok(plan) => plans.push(plan),
                // The clones of a job go wrong together; the first says enough.
                Err(_) if mistaken == Some(process.job) => {}
                // So do the jobs behind the end of the target.
                Err(Misfit::Target(_)) if is_too_small => {}
                Err(misfit) => {
                    mistaken = Some(process.job);
                    is_too_small |= matches!(misfit, Misfit::Target(_));
                    let (Misfit::Job(mistake) | Misfit::Target(mistake)) = misfit;
                    mistakes.push(mistake);
                }
            }
        }
        JobErrors::of(mistakes).map_or(Ok(plans), Err)
    }

    fn plan(&self, process: &PlacedProcess, capacity_bytes: u64) -> Result<ProcessPlan, Misfit> {
        let part = |file: &usize| {
            let region = self.region(process, *file, capacity_bytes)?;
            let File { start_bytes, length_bytes, .. } = self.files[*file];
            Ok(FilePart { region, file: Region { start_bytes, length_bytes } })
        };
        let parts = process.files.iter().map(part);
        let mut parts = parts.collect::<Result<Vec<FilePart>, Misfit>>()?;
        let FilePart { region, file } = parts.remove(0);
        let (job, clone) = (process.job, process.clone);
        Ok(ProcessPlan { job, clone, region, file, others: parts })
    }

    fn region(
        &self,
        process: &PlacedProcess,
        file: usize,
        capacity_bytes: u64,
    ) -> Result<Region, Misfit> {
        let job = &self.jobs[process.job];
        let file = &self.files[file];
        let wrong = |what: String, expected: String| {
            let name = &job.name;
            JobError::new(&*job.file, job.line, format!("job \"{name}\": {what}"), expected)
        };
        let offset_bytes = match &job.trace {
            Some(_) => 0,
            None => offset_of(job, process.clone, capacity_bytes),
        };
        let room_bytes = file.length_bytes.saturating_sub(offset_bytes);
        let length_bytes = match (&job.trace, job.size) {
            (Some(_), _) => trace_bytes(job),
            (None, Some(size)) => divided(job, size.of(capacity_bytes)).min(room_bytes),
            (None, None) => room_bytes,
        };
        if file.length_bytes > 0 && offset_bytes >= file.length_bytes {
            let file_bytes = file.length_bytes;
            return Err(Misfit::Job(wrong(
                format!(
                    "its offset of {offset_bytes} bytes is behind the end of its file of \
                     {file_bytes} bytes"
                ),
                "a smaller offset".into(),
            )));
        }
        if let Some(size) = job.size.filter(|_| job.trace.is_none() && job.files() > 1)
            && divided(job, size.of(capacity_bytes)) == 0
        {
            let (files, block_bytes) = (job.files(), job.min_block_bytes());
            let part_bytes = size.of(capacity_bytes) / u64::from(files);
            let least_bytes = u64::from(files) * u64::from(block_bytes);
            return Err(Misfit::Job(wrong(
                format!(
                    "each of its {files} files gets {part_bytes} bytes of its size, less than a \
                     block of {block_bytes}"
                ),
                format!("size of at least {least_bytes} bytes, or fewer files"),
            )));
        }
        if length_bytes == 0 {
            return Err(Misfit::Job(wrong(
                "there is nothing to read or write".into(),
                "size=BYTES, or a filename that another job gives a size".into(),
            )));
        }
        let end_bytes = file.start_bytes.saturating_add(offset_bytes).saturating_add(length_bytes);
        if end_bytes > capacity_bytes {
            let expected = match (&job.trace, end_bytes.checked_div(capacity_bytes)) {
                (Some(_), Some(times)) => {
                    let scale = (times + 1).saturating_mul(job.replay.offset_scale);
                    format!(
                        "a target of that size, which has {capacity_bytes} bytes, or \
                         replay_scale={scale}, which divides offsets"
                    )
                }
                _ => format!("a target of that size, which has {capacity_bytes} bytes"),
            };
            let what = format!("it needs the target up to byte {end_bytes}");
            return Err(Misfit::Target(wrong(what, expected)));
        }
        if job.trace.is_none() && length_bytes < u64::from(job.min_block_bytes()) {
            let block_bytes = job.min_block_bytes();
            return Err(Misfit::Job(wrong(
                format!("its region of {length_bytes} bytes is smaller than its blocks"),
                format!("at least {block_bytes} bytes"),
            )));
        }
        Ok(Region { start_bytes: file.start_bytes + offset_bytes, length_bytes })
    }
}

/// What each file of a process gets of its size: as under fio an equal part in whole blocks. What
/// is left over is dropped.
fn divided(job: &Job, size_bytes: u64) -> u64 {
    let files = u64::from(job.files());
    if files == 1 {
        return size_bytes;
    }
    let block_bytes = u64::from(job.min_block_bytes()).max(1);
    size_bytes / files / block_bytes * block_bytes
}

/// The name under which clones and jobs share a file; none: it is private.
fn file_name(job: &Job, clone: u32, number: u32) -> Option<String> {
    if job.trace.is_some() {
        return trace_file_name(job);
    }
    if let Some(name) = job.filenames.get(number as usize) {
        return Some(name.clone());
    }
    let format = job.filename_format.as_deref().unwrap_or("$jobname.$jobnum.$filenum");
    let name = format
        .replace("$jobname", &job.name)
        .replace("$jobnum", &clone.to_string())
        .replace("$filenum", &number.to_string());
    Some(job.in_directory(&name))
}

/// Whether a job names no file, so that its files are named after it.
fn is_named_by_job(job: &Job) -> bool {
    job.trace.is_none() && job.filenames.is_empty() && job.filename_format.is_none()
}

/// The files of a log are one private file here, unless they are devices or redirected. A device
/// recorded is the target; of several, each is a stretch of it, for all processes the same.
fn trace_file_name(job: &Job) -> Option<String> {
    if job.replay.redirect.is_some() {
        return job.replay.redirect.clone();
    }
    let trace = job.trace.as_ref()?;
    if lies_end_to_end(job) && trace.is_of_devices {
        let names = trace.files.iter().map(|file| file.name.trim_start_matches("/dev/"));
        return Some(names.collect::<Vec<_>>().join("+"));
    }
    let device = trace.files.iter().find(|file| file.name.starts_with("/dev/"));
    device.map(|file| file.name.clone())
}

/// Whether each file of a trace has a stretch of its own in what the trace is given.
fn lies_end_to_end(job: &Job) -> bool {
    let Some(trace) = &job.trace else { return false };
    let is_device = |name: &str| name.starts_with("/dev/");
    job.replay.redirect.is_none()
        && match trace.is_of_devices {
            true => trace.files.len() > 1,
            false => !trace.files.iter().any(|file| is_device(&file.name)),
        }
}

fn trace_bytes(job: &Job) -> u64 {
    trace_file_starts(job).1
}

/// Where each file of a trace starts within the process's region, bytes; and the length of all.
pub(crate) fn trace_file_starts(job: &Job) -> (Vec<u64>, u64) {
    let Some(trace) = &job.trace else { return (Vec::new(), 0) };
    if !lies_end_to_end(job) {
        return (vec![0; trace.files.len()], trace.longest_file_bytes());
    }
    let mut next_bytes = 0u64;
    let starts = trace
        .files
        .iter()
        .map(|file| {
            let start_bytes = next_bytes;
            let length_bytes = file.length_bytes.checked_next_multiple_of(FILE_ALIGN_BYTES);
            next_bytes = next_bytes.saturating_add(length_bytes.unwrap_or(u64::MAX));
            start_bytes
        })
        .collect();
    (starts, next_bytes)
}

fn offset_of(job: &Job, clone: u32, whole_bytes: u64) -> u64 {
    let offset_bytes = aligned_offset(job, job.offset, whole_bytes);
    let step_bytes = aligned_offset(job, job.offset_increment, whole_bytes);
    offset_bytes.saturating_add(step_bytes.saturating_mul(u64::from(clone)))
}

/// An offset given in percent is rounded up to a block (or to `offset_align`).
fn aligned_offset(job: &Job, extent: Extent, whole_bytes: u64) -> u64 {
    let bytes = extent.of(whole_bytes);
    let align_bytes =
        job.offset_align_bytes.map_or(u64::from(job.min_block_bytes()), NonZeroU64::get);
    match extent {
        Extent::Bytes(_) => bytes,
        Extent::Percent(_) => bytes.checked_next_multiple_of(align_bytes).unwrap_or(u64::MAX),
    }
}
