// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights in the unit files of systemd: what was asked for, wherever it got lost afterwards.

use crate::files::Files;
use std::collections::BTreeMap;

/// Where the manager of the system finds units, what counts least first (systemd.unit(5)).
const FOLDERS: [&str; 6] = [
    "/usr/lib/systemd/system",
    "/run/systemd/system",
    "/etc/systemd/system",
    "/run/systemd/transient",
    "/etc/systemd/system.control",
    "/run/systemd/system.control",
];

/// A weight in a unit file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The weight that the line names.
    pub weight: u32,
    /// The file that it is in.
    pub file: String,
    /// The line as it is written there.
    pub line: String,
}

/// What a unit asks for (systemd.resource-control(5)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// What `IOWeight=` says.
    pub weight: Option<Asked>,
    /// What `StartupIOWeight=` says, which holds while the machine starts and shuts down.
    pub startup_weight: Option<Asked>,
}

/// The units that ask for a weight, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units(BTreeMap<String, Unit>);

impl Units {
    /// Reads the unit files of the system.
    pub(crate) fn read(files: &Files<'_>) -> Self {
        let mut units = Units::default();
        for folder in FOLDERS {
            for name in files.names(folder) {
                let path = format!("{folder}/{name}");
                match name.strip_suffix(".d") {
                    Some(unit) if is_unit(unit) => {
                        for part in files.names(&path).iter().filter(|part| part.ends_with(".conf"))
                        {
                            units.add(unit, &format!("{path}/{part}"), files);
                        }
                    }
                    None if is_unit(&name) => units.add(&name, &path, files),
                    _ => {}
                }
            }
        }
        units.0.retain(|_, unit| *unit != Unit::default());
        units
    }

    fn add(&mut self, name: &str, file: &str, files: &Files<'_>) {
        let text = files.text_as(file, "unit files").unwrap_or_default();
        let unit = self.0.entry(name.to_owned()).or_default();
        for line in text.lines().map(str::trim) {
            let Some((key, value)) = line.split_once('=') else { continue };
            // An empty value takes back what was said before.
            let asked = value.trim().parse().ok().map(|weight| Asked {
                weight,
                file: file.to_owned(),
                line: line.to_owned(),
            });
            match key.trim() {
                "IOWeight" => unit.weight = asked,
                "StartupIOWeight" => unit.startup_weight = asked,
                _ => {}
            }
        }
    }

    /// What the unit of a group asks for; instances without a file of their own ask for what
    /// their template does.
    pub fn of(&self, name: &str) -> Option<&Unit> {
        let template = || {
            let (unit, rest) = name.split_once('@')?;
            let (_, kind) = rest.rsplit_once('.')?;
            self.0.get(&format!("{unit}@.{kind}"))
        };
        self.0.get(name).or_else(template)
    }
}

fn is_unit(name: &str) -> bool {
    [".service", ".slice", ".scope"].iter().any(|kind| name.ends_with(kind))
}
