// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is missing for a full run: what it is, what to do about it, and what is done without.

use super::cgroups::Cgroups;
use super::disk::Disk;
use super::error::HostError;
use super::files::{names_in, read_if_any};
use super::load::Load;
use super::root::Host;
use super::target::TargetKind;
use super::usage::Usage;
use base::text::decimal_size;
use io_uring::IoUring;
use rustix::fs::{Access, access, statvfs};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// What a run would like to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Size of the scratch file, if the target is a folder.
    pub scratch_bytes: u64,
    /// Whether the user allows that a file or device is written to.
    pub allow_write: bool,
    /// The folder in which root writes down what has to be put back.
    pub journals: PathBuf,
}

/// What may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// The target is in use.
    InUse,
    /// Room for the scratch file, or the right to make one.
    Space,
    /// Something to read, and the right to.
    Access,
    /// A folder for the journal.
    Journal,
    /// The right to switch schedulers, make groups and empty caches.
    Root,
    /// Something to choose from.
    Schedulers,
    /// The user's consent to write on the target.
    Write,
    /// Control groups for block I/O.
    Groups,
    /// Many I/Os at a time of one process.
    IoUring,
    /// A disk that others leave alone while it is measured.
    Quiet,
}

/// One thing that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// What the need is about.
    pub topic: Topic,
    /// What is missing, as a sentence.
    pub missing: String,
    /// What to do about it, as a sentence.
    pub remedy: String,
    /// What is done without it, as a sentence; none if nothing can be done.
    pub without: Option<String>,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let without = self.without.as_deref().unwrap_or("Nothing can be measured until then.");
        write!(f, "{} {} {without}", self.missing, self.remedy)
    }
}

/// All that is missing, the gravest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs(Vec<Need>);

impl Needs {
    /// Looks at what there is.
    ///
    /// # Parameters
    /// * `load`: what the disk did lately, if that was watched
    ///   ([`DiskCounters`](super::DiskCounters)).
    ///
    /// # Errors
    /// If the system's tables cannot be read.
    pub fn of(
        host: &Host,
        disk: &Disk,
        wants: &Wants,
        load: Option<Load>,
    ) -> Result<Self, HostError> {
        Facts::gather(host, disk, wants, load).map(|facts| facts.needs(disk, wants))
    }

    /// All needs, the gravest first.
    pub fn iter(&self) -> impl Iterator<Item = &Need> {
        self.0.iter()
    }

    /// Whether something is missing.
    pub fn lack(&self, topic: Topic) -> bool {
        self.0.iter().any(|need| need.topic == topic)
    }

    /// Why nothing can be measured, if that is so.
    pub fn obstacle(&self) -> Option<&Need> {
        self.0.iter().find(|need| need.without.is_none())
    }
}

/// What the system has and allows, from which the needs follow.
#[derive(Clone, Debug)]
struct Facts {
    usage: Option<Usage>,
    /// Free bytes where a scratch file would be; `Err` says why none can be made.
    free_bytes: Result<u64, String>,
    /// Why the target cannot be read.
    unreadable: Option<String>,
    root: Root,
    /// Why root cannot write down what has to be put back.
    no_journal: Option<String>,
    /// Schedulers whose modules the kernel has but has not loaded.
    loadable: Vec<String>,
    cgroups: Option<Cgroups>,
    /// Why io_uring is refused.
    no_io_uring: Option<String>,
    load: Option<Load>,
}

/// Whether schedulers can be switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// The real root of the machine runs the command and may change everything that a run changes.
    OfMachine,
    /// Root is a user without rights outside of a container.
    OfNamespace,
    /// Not even root may write there.
    ReadOnly,
    /// An ordinary user runs the command: nothing of the machine can be changed.
    No,
}

/// The names of the schedulers' modules, without `.ko`, and what they offer.
const MODULES: [(&str, &str); 3] =
    [("bfq", "bfq"), ("kyber-iosched", "kyber"), ("mq-deadline", "mq-deadline")];

impl Facts {
    fn gather(
        host: &Host,
        disk: &Disk,
        wants: &Wants,
        load: Option<Load>,
    ) -> Result<Self, HostError> {
        let target = &disk.target;
        let root = root(host, disk);
        let refused = |access_to| access(&target.path, access_to).err().map(|e| e.to_string());
        let free_bytes = match refused(Access::WRITE_OK | Access::EXEC_OK) {
            None => statvfs(&target.path)
                .map(|filesystem| filesystem.f_bavail.saturating_mul(filesystem.f_frsize))
                .map_err(|error| error.to_string()),
            Some(why) => Err(why),
        };
        Ok(Facts {
            usage: Usage::of(host, target)?,
            free_bytes,
            unreadable: refused(Access::READ_OK),
            root,
            no_journal: match root {
                Root::OfMachine => why_no_journal(&wants.journals),
                _ => None,
            },
            loadable: loadable(host, disk)?,
            cgroups: Cgroups::find(host)?,
            no_io_uring: why_no_io_uring(host),
            load,
        })
    }

    fn needs(&self, disk: &Disk, wants: &Wants) -> Needs {
        let mut needs: Vec<Need> = [
            self.in_use(disk, wants),
            self.access(disk),
            self.space(disk, wants),
            self.journal(),
            self.root(disk),
            self.schedulers(disk),
            write(disk, wants),
            self.groups(),
            self.io_uring(),
            self.quiet(disk),
        ]
        .into_iter()
        .flatten()
        .collect();
        needs.sort_by_key(|need| (need.without.is_some(), need.topic));
        Needs(needs)
    }

    /// A device in use is never measured; a file in use may be read.
    fn in_use(&self, disk: &Disk, wants: &Wants) -> Option<Need> {
        let usage = self.usage.as_ref()?;
        let only_read = disk.target.kind == TargetKind::File && !wants.allow_write;
        (!only_read).then(|| Need {
            topic: Topic::InUse,
            missing: format!("{} is {usage}.", disk.target.path.display()),
            remedy: usage.advice(),
            without: None,
        })
    }

    fn access(&self, disk: &Disk) -> Option<Need> {
        if disk.size_bytes == 0 {
            return Some(Need {
                topic: Topic::Access,
                missing: format!("{} is empty: it has no medium, or no size yet.", disk.name),
                remedy: "Insert one, or set it up.".to_owned(),
                without: None,
            });
        }
        let why = self.unreadable.as_ref()?;
        Some(Need {
            topic: Topic::Access,
            missing: format!("{} cannot be read: {why}.", disk.target.path.display()),
            remedy: "Run it as root (sudo).".to_owned(),
            without: None,
        })
    }

    fn space(&self, disk: &Disk, wants: &Wants) -> Option<Need> {
        if disk.target.kind != TargetKind::Directory {
            return None;
        }
        let folder = disk.target.path.display();
        let wanted = decimal_size(wants.scratch_bytes);
        let (missing, remedy) = match &self.free_bytes {
            Err(why) => (
                format!("No scratch file can be made in {folder}: {why}."),
                "Name a folder that you may write to, or run it as root (sudo).".to_owned(),
            ),
            Ok(free) if *free >= wants.scratch_bytes => return None,
            Ok(free) => (
                format!(
                    "{folder} has {} free, the scratch file takes {wanted}.",
                    decimal_size(*free)
                ),
                "Make room, or say --size with less; it should be more than the disk caches."
                    .to_owned(),
            ),
        };
        Some(Need { topic: Topic::Space, missing, remedy, without: None })
    }

    fn root(&self, disk: &Disk) -> Option<Need> {
        let rights = "switch schedulers, make groups and empty the page cache";
        let (missing, remedy) = match self.root {
            Root::OfMachine => return None,
            Root::No => (format!("Only root can {rights}."), "Run it as root (sudo)."),
            Root::OfNamespace => (
                format!("Root of a user namespace, as in a container, cannot {rights}."),
                "Run it as root of the machine, outside of the container.",
            ),
            Root::ReadOnly => (
                format!("Here not even root can {rights}: /sys cannot be written."),
                "Run it outside of the container.",
            ),
        };
        Some(Need {
            topic: Topic::Root,
            missing,
            remedy: remedy.to_owned(),
            without: Some(format!(
                "Only {}, which is in force, is measured, without groups.",
                disk.current
            )),
        })
    }

    fn journal(&self) -> Option<Need> {
        let why = self.no_journal.as_ref()?;
        Some(Need {
            topic: Topic::Journal,
            missing: format!("What has to be put back cannot be written down: {why}."),
            remedy: "Say --journals DIR with a folder that can be written and is kept.".to_owned(),
            without: None,
        })
    }

    fn schedulers(&self, disk: &Disk) -> Option<Need> {
        let offered = disk.schedulers.join(", ");
        let (missing, remedy) = if !self.loadable.is_empty() {
            let names = self.loadable.join(", ");
            let modules =
                MODULES.iter().filter(|(_, name)| self.loadable.iter().any(|l| l == name));
            let modules: Vec<&str> = modules.map(|(module, _)| *module).collect();
            (
                format!("{names}: the kernel has it, but has not loaded it."),
                format!("Load it: modprobe -a {}.", modules.join(" ")),
            )
        } else if disk.schedulers.len() < 2 {
            (
                format!("{} offers no scheduler to choose from.", disk.name),
                "Name a target on a disk that does (not in memory, not made by a driver that \
                 takes I/O as it comes)."
                    .to_owned(),
            )
        } else if !disk.schedulers.iter().any(|name| name == "bfq") {
            (
                "This kernel has no bfq.".to_owned(),
                "Install a kernel or module that has it.".to_owned(),
            )
        } else {
            return None;
        };
        let without = Some(format!("Measured is what there is: {offered}."));
        Some(Need { topic: Topic::Schedulers, missing, remedy, without })
    }

    fn groups(&self) -> Option<Need> {
        self.cgroups.is_none().then(|| Need {
            topic: Topic::Groups,
            missing: "No cgroup hierarchy with the controller of block I/O is mounted.".to_owned(),
            remedy: "Mount one: mount -t cgroup2 none /sys/fs/cgroup (systemd does that at boot)."
                .to_owned(),
            without: Some("Scenarios with groups are left out.".to_owned()),
        })
    }

    fn io_uring(&self) -> Option<Need> {
        let why = self.no_io_uring.as_ref()?;
        Some(Need {
            topic: Topic::IoUring,
            missing: format!("io_uring is refused: {why}."),
            remedy: "Allow it: sysctl kernel.io_uring_disabled=0; in a container, its profile of \
                     system calls may be what refuses."
                .to_owned(),
            without: Some(
                "Deep queues are made of one thread for each I/O, which costs the processor more."
                    .to_owned(),
            ),
        })
    }

    fn quiet(&self, disk: &Disk) -> Option<Need> {
        let load = self.load.filter(|load| !load.is_quiet())?;
        Some(Need {
            topic: Topic::Quiet,
            missing: format!("Others use {}: it is {load}.", disk.name),
            remedy: "End what does that (iotop shows it), or wait.".to_owned(),
            without: Some(
                "Measured it is all the same; intervals get wider, and differences that are there \
                 may not be found."
                    .to_owned(),
            ),
        })
    }
}

/// Files and devices are read only, unless the user says otherwise.
fn write(disk: &Disk, wants: &Wants) -> Option<Need> {
    let kind = match disk.target.kind {
        TargetKind::Directory => return None,
        TargetKind::File | TargetKind::BlockDevice if wants.allow_write => return None,
        TargetKind::File => "file",
        TargetKind::BlockDevice => "device",
    };
    Some(Need {
        topic: Topic::Write,
        missing: format!("A {kind} is only read."),
        remedy: format!("Say --allow-write if all that is in the {kind} may be lost."),
        without: Some("Scenarios that write are left out.".to_owned()),
    })
}

/// The schedulers that the kernel would offer if it loaded their modules.
fn loadable(host: &Host, disk: &Disk) -> Result<Vec<String>, HostError> {
    // A driver without hardware queues takes I/O as it comes: no module would change that.
    let takes_requests = !names_in(&disk.queue.with_file_name("mq"))?.is_empty();
    if disk.schedulers.len() < 2 && !takes_requests {
        return Ok(Vec::new());
    }
    let Some(release) = read_if_any(&host.path("/proc/sys/kernel/osrelease")) else {
        return Ok(Vec::new());
    };
    let table = host.path("/lib/modules").join(release).join("modules.dep");
    let table = fs::read_to_string(table).unwrap_or_default();
    let has_module = |module: &str| {
        let mut paths = table.lines().filter_map(|line| line.split(':').next());
        paths.any(|path| {
            let file = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
            file.split('.').next() == Some(module)
        })
    };
    let missing = |name: &str| !disk.schedulers.iter().any(|offered| offered == name);
    let found = MODULES.iter().filter(|(module, name)| missing(name) && has_module(module));
    Ok(found.map(|(_, name)| (*name).to_owned()).collect())
}

/// Whether we may do what root may.
fn root(host: &Host, disk: &Disk) -> Root {
    /// Every user number stands for itself: the namespace of the machine.
    const EVERYBODY: [&str; 3] = ["0", "0", "4294967295"];
    if !rustix::process::geteuid().is_root() {
        return Root::No;
    }
    let users = read_if_any(&host.path("/proc/self/uid_map"));
    if users.is_some_and(|users| !users.split_whitespace().eq(EVERYBODY)) {
        return Root::OfNamespace;
    }
    match access(disk.queue.join("scheduler"), Access::WRITE_OK) {
        Ok(()) => Root::OfMachine,
        Err(_) => Root::ReadOnly,
    }
}

/// A folder that is not there is made in the one above.
fn why_no_journal(folder: &Path) -> Option<String> {
    let there = folder.ancestors().find(|path| path.exists());
    // A name alone is a folder to be made here.
    let there = there.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let shown = there.display();
    if !there.is_dir() {
        return Some(format!("{shown} is not a folder"));
    }
    let refused = access(there, Access::WRITE_OK | Access::EXEC_OK).err()?;
    Some(format!("{shown}: {refused}"))
}

/// Tries to use io_uring.
fn why_no_io_uring(host: &Host) -> Option<String> {
    let error = IoUring::new(1).err()?;
    let setting = read_if_any(&host.path("/proc/sys/kernel/io_uring_disabled"));
    Some(match setting.as_deref() {
        Some(value @ ("1" | "2")) => format!("kernel.io_uring_disabled is {value}"),
        _ => error.to_string(),
    })
}

#[cfg(test)]
#[path = "needs_tests.rs"]
mod tests;
