// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tree of control groups: from the jobs' `cgroup=a/x` and `cgroup_weight`, and the weights
//! of the command line.

use crate::error::RunnerError;
use base::DEFAULT_GROUP_WEIGHT;
use blk::{BlockLayer, GroupId, GroupSpec};
use report::GroupInfo;
use std::collections::BTreeMap;
use workload::Job;

struct Node {
    /// Its path, as `/a/x`.
    path: String,
    parent: Option<usize>,
    weight: u32,
    /// The job that set the weight: `file:line`.
    set_by: Option<String>,
}

/// All groups of a run but the root, parents before children, in the order in which the
/// jobs name them.
pub(crate) struct GroupTree {
    nodes: Vec<Node>,
    by_path: BTreeMap<String, usize>,
}

/// The groups as the layer names them.
pub(crate) struct Created {
    /// The group of each job.
    pub of_jobs: Vec<GroupId>,
    /// All, the root first, in the order of [`GroupTree::infos`].
    pub all: Vec<GroupId>,
}

impl GroupTree {
    /// Collects the groups of the jobs and sets their weights: by the command line
    /// (`group_weights`), else by the job in them, else 100.
    pub(crate) fn new(jobs: &[Job], group_weights: &[(String, u32)]) -> Result<Self, RunnerError> {
        let mut tree = Self { nodes: Vec::new(), by_path: BTreeMap::new() };
        for job in jobs {
            let Some(path) = &job.cgroup else { continue };
            let leaf = tree.add(path);
            if let Some(weight) = job.cgroup_weight {
                tree.set_by_job(leaf, weight, job)?;
            }
        }
        for (path, weight) in group_weights {
            let path = absolute(path);
            let known = || tree.nodes.iter().map(|node| node.path.clone()).collect();
            let node = tree
                .find(&path)
                .ok_or_else(|| RunnerError::UnknownGroup { path: path.clone(), known: known() })?;
            tree.nodes[node].weight = checked(&path, *weight)?;
        }
        Ok(tree)
    }

    fn find(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// The node of `path`, made with all above it if it is not there.
    fn add(&mut self, path: &str) -> usize {
        let mut parent = None;
        let mut so_far = String::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            so_far = format!("{so_far}/{part}");
            let found = self.find(&so_far);
            parent = Some(found.unwrap_or_else(|| {
                let path = so_far.clone();
                self.by_path.insert(path.clone(), self.nodes.len());
                self.nodes.push(Node { path, parent, weight: DEFAULT_GROUP_WEIGHT, set_by: None });
                self.nodes.len() - 1
            }));
        }
        parent.expect("the job file's parser refuses an empty group path")
    }

    fn set_by_job(&mut self, node: usize, weight: u32, job: &Job) -> Result<(), RunnerError> {
        let node = &mut self.nodes[node];
        match &node.set_by {
            Some(other_job) if node.weight != weight => Err(RunnerError::ConflictingWeights {
                file: job.file.to_string(),
                line: job.line,
                group: node.path.clone(),
                weight,
                other_job: other_job.clone(),
                other: node.weight,
            }),
            _ => {
                node.weight = checked(&node.path, weight)?;
                node.set_by = Some(format!("{}:{}", job.file, job.line));
                Ok(())
            }
        }
    }

    /// Makes the groups in the layer.
    pub(crate) fn create(
        &self,
        layer: &mut BlockLayer,
        jobs: &[Job],
    ) -> Result<Created, RunnerError> {
        let mut ids: Vec<GroupId> = Vec::new();
        for node in &self.nodes {
            let parent = node.parent.map(|parent| ids[parent]);
            let spec = GroupSpec { parent, weight: node.weight, path: node.path.clone() };
            ids.push(layer.add_group(0, spec)?);
        }
        let group_of = |job: &Job| {
            let node = self.find(&absolute(job.cgroup.as_deref().unwrap_or("")));
            node.map_or(GroupId::ROOT, |node| ids[node])
        };
        let of_jobs = jobs.iter().map(group_of).collect();
        Ok(Created { of_jobs, all: [GroupId::ROOT].into_iter().chain(ids).collect() })
    }

    /// The groups as results name them, the root first.
    pub(crate) fn infos(&self) -> Vec<GroupInfo> {
        let root = GroupInfo { path: "/".into(), weight: None };
        let others = self
            .nodes
            .iter()
            .map(|node| GroupInfo { path: node.path.clone(), weight: Some(node.weight) });
        [root].into_iter().chain(others).collect()
    }
}

/// A path with a leading `/` and no trailing one; `/` for the root.
pub(crate) fn absolute(path: &str) -> String {
    format!("/{}", path.trim_matches('/'))
}

/// The weight, if it is one that a group can have.
pub(crate) fn checked(path: &str, weight: u32) -> Result<u32, RunnerError> {
    if (base::MIN_GROUP_WEIGHT..=base::MAX_GROUP_WEIGHT).contains(&weight) {
        Ok(weight)
    } else {
        Err(RunnerError::Weight { path: path.to_owned(), weight })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str, weights: &[(&str, u32)]) -> Result<Vec<(String, u32)>, String> {
        let jobs = workload::parse(text, "test.fio").unwrap();
        let weights: Vec<_> = weights.iter().map(|(path, w)| ((*path).to_owned(), *w)).collect();
        match GroupTree::new(&jobs, &weights) {
            Ok(tree) => Ok(tree.nodes.into_iter().map(|node| (node.path, node.weight)).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    const JOBS: &str = "\
[global]
rw=read
size=1m
[x]
cgroup=a/x
cgroup_weight=300
[y]
cgroup=b
[z]
cgroup=a/x
[root]
";

    #[test]
    fn parents_come_first_and_weights_from_the_job_then_the_command_line() {
        let expected = [("/a", 100), ("/a/x", 300), ("/b", 100)]
            .map(|(path, weight)| (path.to_owned(), weight));
        assert_eq!(tree(JOBS, &[]).unwrap(), expected);
        let weights = [("a", 200), ("/a/x/", 7)];
        let expected =
            [("/a", 200), ("/a/x", 7), ("/b", 100)].map(|(path, weight)| (path.to_owned(), weight));
        assert_eq!(tree(JOBS, &weights).unwrap(), expected);
    }

    #[test]
    fn mistakes_are_named() {
        let conflict = format!("{JOBS}cgroup=a/x\ncgroup_weight=5\n");
        for (text, weights, message) in [
            (
                JOBS,
                &[("c", 1)][..],
                "no group `/c` to set the weight of; the job files have /a, /a/x, /b",
            ),
            (JOBS, &[("b", 10_001)], "group `/b`: weight 10001; expected a number from 1 to 10000"),
            (
                &conflict,
                &[],
                "test.fio:11: cgroup_weight=5 for group `/a/x`, which has weight 300 by the job at \
                 test.fio:4; expected one weight for a group",
            ),
            (
                "[a]\nrw=read\nsize=1m\n",
                &[("a", 1)],
                "no group `/a` to set the weight of; no job has `cgroup=`",
            ),
        ] {
            assert_eq!(tree(text, weights).unwrap_err(), message);
        }
    }
}
