// SPDX-License-Identifier: MIT OR Apache-2.0
//! What only traces show: who asks for a place in the pool, and what the host changes in mid-run:
//! tunables, weights of groups, where processes belong, groups that go.

use super::error::ReplayError;
use super::log::LogLine;
use super::replay::Replay;
use bfq::{GroupId, Time, tunables::Tunable};

impl Replay<'_> {
    /// Performs what such a line says.
    pub(crate) fn change(&mut self, line: &LogLine) -> Result<(), ReplayError> {
        let now = Time::from_ns(line.t_ns);
        let fields: Vec<&str> = line.fields.iter().map(String::as_str).collect();
        match (line.event.as_str(), &fields[..]) {
            ("ask", _) => {
                let (operation, sync, ..) = line
                    .request()
                    .ok_or_else(|| self.impossible(line, "expected `op,sector,sectors`"))?;
                let process = self.process_of(line).ok().map(|(_, process)| process);
                self.scheduler.allowed_requests(now, process, operation, sync);
            }
            ("tunable", &[name, value]) => {
                let known = Tunable::from_name(name).zip(value.parse().ok());
                let (tunable, value) = known
                    .ok_or_else(|| self.impossible(line, format!("tunable {name} = {value}")))?;
                self.scheduler.set_tunable(now, tunable, value);
            }
            ("weight", &[name, weight]) => {
                let group = self.group(line, name)?;
                let weight = weight.parse().unwrap_or(0);
                let set = self.scheduler.set_group_weight(now, group, weight);
                set.map_err(|error| self.impossible(line, error.to_string()))?;
            }
            ("moved", &[name]) => {
                let (_, process) = self.process_of(line)?;
                let group = self.group(line, name)?;
                let moved = self.scheduler.move_process(process, group);
                moved.map_err(|error| self.impossible(line, error.to_string()))?;
            }
            ("offline", &[name]) => {
                let group = self.group(line, name)?;
                let removed = self.scheduler.remove_group(now, group);
                removed.map_err(|error| self.impossible(line, error.to_string()))?;
                self.groups.remove(name);
            }
            _ => return Err(self.impossible(line, "a change that is not understood")),
        }
        self.collect();
        Ok(())
    }

    /// The group of this name; `-` is the root.
    fn group(&self, line: &LogLine, name: &str) -> Result<GroupId, ReplayError> {
        let group = match name {
            "-" => Some(self.scheduler.root_group()),
            name => self.groups.get(name).copied(),
        };
        group.ok_or_else(|| self.impossible(line, format!("group `{name}` is unknown")))
    }
}
