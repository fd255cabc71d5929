// SPDX-License-Identifier: MIT OR Apache-2.0
//! Weights in the unit files of systemd: what was asked for, wherever it got lost afterwards.

use crate::files::Files;
use crate::tree::GroupSeen;
use crate::weight::MOST_OF_IO;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Where the manager of the system finds units, what counts most first (systemd.unit(5)).
const FOLDERS_OF_SYSTEM: [&str; 12] = [
    "/etc/systemd/system.control",
    "/run/systemd/system.control",
    "/run/systemd/transient",
    "/run/systemd/generator.early",
    "/etc/systemd/system",
    "/etc/systemd/system.attached",
    "/run/systemd/system",
    "/run/systemd/system.attached",
    "/run/systemd/generator",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/run/systemd/generator.late",
];

/// The same of the manager of a user, whose home and run-time folder these words stand for.
const FOLDERS_OF_USER: [&str; 13] = [
    "HOME/.config/systemd/user.control",
    "RUN/systemd/user.control",
    "RUN/systemd/transient",
    "RUN/systemd/generator.early",
    "HOME/.config/systemd/user",
    "/etc/systemd/user",
    "RUN/systemd/user",
    "/run/systemd/user",
    "RUN/systemd/generator",
    "HOME/.local/share/systemd/user",
    "/usr/local/lib/systemd/user",
    "/usr/lib/systemd/user",
    "RUN/systemd/generator.late",
];

/// A weight in a unit file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The weight that the line names.
    pub weight: u32,
    /// The file that it is in.
    pub file: String,
    /// The line as it is written there; one that goes on in others is one here.
    pub line: String,
}

/// What a unit asks for (systemd.resource-control(5)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// What `IOWeight=` says, which holds while the machine runs.
    pub weight: Option<Asked>,
    /// What `StartupIOWeight=` says, which holds while the machine starts and shuts down.
    pub startup_weight: Option<Asked>,
}

/// The unit files of the system and of its users.
#[derive(Clone, Debug, Default)]
pub struct Units {
    system: UnitFiles,
    users: BTreeMap<u32, UnitFiles>,
}

/// The unit files that one manager reads.
#[derive(Clone, Debug, Default)]
struct UnitFiles {
    /// Of each unit the file that counts: that of the folder that counts most.
    main: BTreeMap<String, Part>,
    /// The files in folders `NAME.d`, by the `NAME`.
    drop_ins: BTreeMap<String, Vec<Part>>,
}

/// What one file says of weights.
#[derive(Clone, Debug)]
struct Part {
    /// The place of its folder, what counts most first.
    rank: usize,
    /// Its name without the folder.
    name: String,
    /// The last line with each setting; a line without a value takes back what was said before.
    weight: Option<Option<Asked>>,
    startup_weight: Option<Option<Asked>>,
}

impl Units {
    /// Reads those of the system, and of the users that have a manager.
    pub(crate) fn read(files: &Files<'_>, users: impl IntoIterator<Item = u32>) -> Self {
        let system = FOLDERS_OF_SYSTEM.map(str::to_owned);
        let passwd = files.text("/etc/passwd").unwrap_or_default();
        let of_user = |user: u32| {
            let home = home_of(&passwd, user).unwrap_or("/nonexistent");
            let run = format!("/run/user/{user}");
            let named = |folder: &str| folder.replacen("HOME", home, 1).replacen("RUN", &run, 1);
            let files = UnitFiles::read(files, &FOLDERS_OF_USER.map(named), "unit files of users");
            (user, files)
        };
        Units {
            system: UnitFiles::read(files, &system, "unit files"),
            users: users.into_iter().map(of_user).collect(),
        }
    }

    /// What the unit of a group asks for.
    pub fn of(&self, group: &GroupSeen) -> Unit {
        let manager = manager_below(group.path_above());
        manager.map_or_else(Unit::default, |manager| self.of_manager(manager, group.name()))
    }

    fn of_manager(&self, manager: Manager, name: &str) -> Unit {
        let files = match manager {
            Manager::System => Some(&self.system),
            Manager::User(user) => self.users.get(&user),
        };
        files.map_or_else(Unit::default, |files| files.unit(name))
    }
}

/// A systemd of this machine, which makes groups for its units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manager {
    /// That of the system.
    System,
    /// That of a user, by number.
    User(u32),
}

/// Whose units the groups right below one are: `1000`'s in `…/user@1000.service/app.slice`. A
/// manager makes groups in slices only. Below a service or scope, and in any other group, somebody
/// else does, such as the systemd of a container, whose units are none of this machine.
pub(crate) fn manager_below(group: &str) -> Option<Manager> {
    let number = |name: &str| name.strip_prefix("user@")?.strip_suffix(".service")?.parse().ok();
    let mut names = group.split('/').filter(|name| !name.is_empty());
    names.try_fold(Manager::System, |manager, name| match (manager, number(name)) {
        (Manager::System, Some(user)) => Some(Manager::User(user)),
        _ if name.ends_with(".slice") => Some(manager),
        _ => None,
    })
}

/// The home of a user: `NAME:x:NUMBER:GROUP:WORDS:HOME:SHELL`.
fn home_of(passwd: &str, user: u32) -> Option<&str> {
    let mut lines = passwd.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let line = lines.find(|parts| parts.get(2).and_then(|id| id.parse().ok()) == Some(user))?;
    line.get(5).copied()
}

impl UnitFiles {
    fn read(files: &Files<'_>, folders: &[String], kind: &str) -> Self {
        let mut units = UnitFiles::default();
        for (rank, folder) in folders.iter().enumerate() {
            for name in files.names_as(folder, kind) {
                let path = format!("{folder}/{name}");
                if let Some(unit) = name.strip_suffix(".d") {
                    for part in files.names_as(&path, kind) {
                        let path = format!("{path}/{part}");
                        let part = Part::read(files, rank, unit, path, kind);
                        units.drop_ins.entry(unit.to_owned()).or_default().push(part);
                    }
                } else if is_unit(&name) && !units.main.contains_key(&name) {
                    let main = Part::read(files, rank, &name, path, kind);
                    units.main.insert(name, main);
                }
            }
        }
        units
    }

    /// What a unit asks for: its file, or that of its template, then the files beside it by their
    /// names. Of those with the same name the one in the folder that counts most counts, then the
    /// one for fewest units; one for all units of a kind counts least, whatever its folder.
    fn unit(&self, name: &str) -> Unit {
        let template = template_of(name);
        let mut found = Unit::default();
        let names = std::iter::once(name).chain(template.as_deref());
        if let Some(main) = names.into_iter().find_map(|name| self.main.get(name)) {
            main.apply(&mut found);
        }
        let mut drop_ins: BTreeMap<&str, ((bool, usize, usize), &Part)> = BTreeMap::new();
        for (distance, name) in names_of_drop_ins(name).iter().enumerate() {
            let parts = self.drop_ins.get(name).into_iter().flatten();
            for part in parts.filter(|part| part.name.ends_with(".conf")) {
                let is_of_kind = !name.contains('.');
                let order = (is_of_kind, part.rank, distance);
                let best = drop_ins.entry(&part.name).or_insert((order, part));
                if order < best.0 {
                    *best = (order, part);
                }
            }
        }
        drop_ins.values().for_each(|(_, part)| part.apply(&mut found));
        found
    }
}

impl Part {
    /// Reads a file for `unit`, or for all units of a kind.
    fn read(files: &Files<'_>, rank: usize, unit: &str, path: String, kind: &str) -> Self {
        let text = files.text_as(&path, kind).unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        let mut part = Part { rank, name, weight: None, startup_weight: None };
        let section = section_of(unit);
        let mut is_in_section = false;
        let lines = whole_lines(&text);
        for line in lines.iter().map(|line| line.trim()) {
            if line.starts_with('[') {
                is_in_section = section == Some(line);
            }
            let Some((key, value)) = line.split_once('=').filter(|_| is_in_section) else {
                continue;
            };
            let setting = match key.trim() {
                "IOWeight" => &mut part.weight,
                "StartupIOWeight" => &mut part.startup_weight,
                _ => continue,
            };
            match value.trim().parse() {
                Ok(weight @ 1..=MOST_OF_IO) => {
                    let (file, line) = (path.clone(), line.to_owned());
                    *setting = Some(Some(Asked { weight, file, line }));
                }
                _ if value.trim().is_empty() => *setting = Some(None),
                // systemd passes over what it cannot use: the line before holds.
                _ => {}
            }
        }
        part
    }

    fn apply(&self, unit: &mut Unit) {
        if let Some(weight) = &self.weight {
            unit.weight.clone_from(weight);
        }
        if let Some(weight) = &self.startup_weight {
            unit.startup_weight.clone_from(weight);
        }
    }
}

/// The lines of a unit file. One that ends with a backslash goes on in the next one that is no
/// comment, with a space in place of the backslash (systemd.syntax(7)).
fn whole_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for part in text.lines().map(str::trim_start).filter(|part| !part.starts_with(['#', ';'])) {
        line.push_str(part);
        // A backslash behind another one stands for itself.
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            line.pop();
            line.push(' ');
        } else {
            lines.push(std::mem::take(&mut line));
        }
    }
    lines.push(line);
    lines
}

/// The folders `NAME.d` with files for a unit, what is for fewest units first: the unit's, its
/// template's, those for all units that begin alike up to a dash, and that for all of its kind.
fn names_of_drop_ins(name: &str) -> Vec<String> {
    let Some((stem, kind)) = name.rsplit_once('.') else { return Vec::new() };
    let dashes = stem.match_indices('-').map(|(at, _)| at).filter(|&at| at + 1 < stem.len());
    let mut places: Vec<usize> = dashes.collect();
    places.sort_by_key(|&at| Reverse(at));
    let prefixes = places.into_iter().map(|at| format!("{}.{kind}", &stem[..=at]));
    let own = std::iter::once(name.to_owned()).chain(template_of(name));
    own.chain(prefixes).chain([kind.to_owned()]).collect()
}

/// The template of an instance: `getty@.service` of `getty@tty1.service`.
fn template_of(name: &str) -> Option<String> {
    let (unit, rest) = name.split_once('@')?;
    let (_, kind) = rest.rsplit_once('.')?;
    Some(format!("{unit}@.{kind}"))
}

/// The section with the weights of a unit, or of all units of a kind (`service`); none of a unit
/// that is no group.
fn section_of(unit: &str) -> Option<&'static str> {
    match unit.rsplit('.').next()? {
        "service" => Some("[Service]"),
        "slice" => Some("[Slice]"),
        "scope" => Some("[Scope]"),
        _ => None,
    }
}

fn is_unit(name: &str) -> bool {
    name.contains('.') && section_of(name).is_some()
}

#[cfg(test)]
#[path = "unit_tests.rs"]
mod tests;
