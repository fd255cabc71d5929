// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processes of a job as jobs of their own, where results are to tell them apart.

use crate::totals::{JobInfo, ProcessRecord};

/// Jobs and processes as results have them: the processes of a job that have names
/// ([`JobInfo::process_names`]) by these, those of the same name together. In the input
/// and in the result the processes of a job are in the order of its clones.
pub fn apart(
    jobs: &[JobInfo],
    processes: Vec<ProcessRecord>,
) -> (Vec<JobInfo>, Vec<ProcessRecord>) {
    let last_groupid = jobs.iter().map(|job| job.groupid).max().unwrap_or(0);
    let mut told: Vec<JobInfo> = Vec::new();
    // Of each job, the places of its processes; or that of all of them.
    let places: Vec<Vec<Option<usize>>> = jobs
        .iter()
        .map(|job| {
            let first = told.len();
            if job.process_names.is_empty() {
                told.push(job.clone());
                return vec![Some(first)];
            }
            let mut place_of = |name: &String| {
                let known = told[first..].iter().position(|known| known.name == *name);
                known.map_or_else(
                    || {
                        let groupid = last_groupid + 1 + told.len() as u32;
                        told.push(JobInfo {
                            name: name.clone(),
                            groupid,
                            group_reporting: true,
                            process_names: Vec::new(),
                            ..job.clone()
                        });
                        told.len() - 1
                    },
                    |place| first + place,
                )
            };
            job.process_names.iter().map(|name| name.as_ref().map(&mut place_of)).collect()
        })
        .collect();
    let mut clones = vec![0; jobs.len()];
    let mut processes: Vec<ProcessRecord> = processes
        .into_iter()
        .filter_map(|process| {
            let of_job = &places[process.job];
            let clone = &mut clones[process.job];
            let job = of_job[*clone % of_job.len()];
            *clone += 1;
            Some(ProcessRecord { job: job?, ..process })
        })
        .collect();
    processes.sort_by_key(|process| process.job);
    (told, processes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::Recorder;

    #[test]
    fn processes_with_names_are_told_by_these_and_others_by_their_job() {
        let named = |names: &[Option<&str>]| JobInfo {
            name: "trace".into(),
            process_names: names.iter().map(|name| name.map(str::to_owned)).collect(),
            ..JobInfo::default()
        };
        let names = [Some("others"), Some("sh-7"), None, Some("others")];
        let jobs = [named(&[]), named(&names)];
        let process = |job| ProcessRecord { job, recorder: Recorder::new(false, None) };
        let (told, processes) = apart(&jobs, [0, 0, 1, 1, 1, 1].map(process).to_vec());
        let told: Vec<_> = told.iter().map(|job| (&*job.name, job.groupid)).collect();
        assert_eq!(told, [("trace", 0), ("others", 2), ("sh-7", 3)]);
        let places: Vec<usize> = processes.iter().map(|process| process.job).collect();
        assert_eq!(places, [0, 0, 1, 1, 2]);
    }
}
