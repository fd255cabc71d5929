// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights of control groups that change during a run.

use super::Runner;
use crate::error::RunnerError;
use crate::groups::{absolute, checked};

impl Runner {
    /// The control groups but the root, by path, and their weights.
    pub fn group_weights(&self) -> impl Iterator<Item = (&str, u32)> {
        self.groups.iter().filter_map(|(_, info)| Some((info.path.as_str(), info.weight?)))
    }

    /// Changes the weight of a control group.
    ///
    /// # Errors
    /// There is no such group, or the weight is out of range.
    pub fn set_group_weight(
        &mut self,
        now_ns: u64,
        path: &str,
        weight: u32,
    ) -> Result<(), RunnerError> {
        let path = absolute(path);
        let weight = checked(&path, weight)?;
        let found = self.groups.iter_mut().find(|(_, info)| info.path == path);
        let Some((group, info)) = found.filter(|(_, info)| info.weight.is_some()) else {
            let known = self.groups.iter().map(|(_, info)| info.path.clone()).collect();
            return Err(RunnerError::UnknownGroup { path, known });
        };
        self.layer.set_group_weight(now_ns, *group, weight)?;
        info.weight = Some(weight);
        Ok(())
    }
}
