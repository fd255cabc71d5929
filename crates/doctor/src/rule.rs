// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong, each as a rule that looks for it.

use crate::finding::Finding;
use crate::machine::Machine;
use crate::view::View;

/// Looks for one thing that can be wrong.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, as programs know it.
    pub name: &'static str,
    /// What is wrong where it finds something.
    pub title: &'static str,
    /// Why that is wrong, for the manual.
    pub about: &'static str,
    /// Where the rule looks, and the function that looks there.
    pub look: Look,
}

/// Where a rule looks.
#[derive(Clone, Copy, Debug)]
pub enum Look {
    /// At each disk in turn, with the machine around it.
    AtDisk(fn(&Rule, &View<'_>) -> Vec<Finding>),
    /// At the machine as a whole.
    AtMachine(fn(&Rule, &Machine) -> Vec<Finding>),
}

impl Rule {
    /// What it finds on a machine whose disks are seen.
    pub fn findings(&self, machine: &Machine, views: &[View<'_>]) -> Vec<Finding> {
        match self.look {
            Look::AtDisk(look) => views.iter().flat_map(|view| look(self, view)).collect(),
            Look::AtMachine(look) => look(self, machine),
        }
    }

    /// A finding about the machine, with nothing said of it yet.
    pub fn found(&self) -> Finding {
        Finding {
            rule: self.name,
            title: self.title,
            disk: None,
            group: None,
            seen: Vec::new(),
            follows: String::new(),
            asked_percent: None,
            predicted_percent: None,
            mend: Vec::new(),
            is_fixable: false,
            fixes: Vec::new(),
            fixed_lines: 0,
        }
    }

    /// A finding about a disk.
    pub fn found_on(&self, view: &View<'_>) -> Finding {
        Finding { disk: Some(view.seen.disk.name.clone()), ..self.found() }
    }
}
