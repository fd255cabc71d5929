// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control groups: which version governs block I/O, and where.

use super::error::HostError;
use super::files::read_if_any;
use super::mounts::{Mount, Mounts};
use super::root::Host;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// The version of cgroups that has the controller of block I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupVersion {
    /// A hierarchy of its own: `blkio`.
    V1,
    /// The unified hierarchy: `io`.
    V2,
}

/// Where groups for block I/O are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cgroups {
    /// The version that is mounted.
    pub version: CgroupVersion,
    /// The folder of its root group.
    pub root: PathBuf,
    /// Whether that root is a group of a larger tree, whose other groups cannot be seen from here:
    /// it is that of a container.
    pub is_part: bool,
}

impl Cgroups {
    /// Finds them; none if no hierarchy that is mounted has the controller.
    ///
    /// # Errors
    /// If the table of mounts cannot be read.
    pub fn find(host: &Host) -> Result<Option<Self>, HostError> {
        let mounts = Mounts::read(host)?;
        let of_version = |version| {
            let mut roots = mounts.iter().filter_map(|mount| {
                let root = host.path(&mount.folder);
                let has_controller = match (version, mount.filesystem.as_str()) {
                    (CgroupVersion::V1, "cgroup") => mount.options.iter().any(|o| o == "blkio"),
                    (CgroupVersion::V2, "cgroup2") => {
                        let controllers = read_if_any(&root.join("cgroup.controllers"));
                        controllers.is_some_and(|all| all.split(' ').any(|one| one == "io"))
                    }
                    _ => false,
                };
                let is_part = is_part(&root, mount);
                has_controller.then_some(Cgroups { version, root, is_part })
            });
            roots.next()
        };
        Ok(of_version(CgroupVersion::V2).or_else(|| of_version(CgroupVersion::V1)))
    }

    /// The file of a group that holds its weight for bfq. It exists while the kernel has bfq
    /// loaded; other schedulers have no weights.
    pub fn weight_file(&self) -> &'static str {
        match self.version {
            CgroupVersion::V1 => "blkio.bfq.weight",
            CgroupVersion::V2 => "io.bfq.weight",
        }
    }
}

impl fmt::Display for Cgroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (version, controller) = match self.version {
            CgroupVersion::V1 => (1, "blkio"),
            CgroupVersion::V2 => (2, "io"),
        };
        write!(f, "cgroup version {version} ({controller}), {}", self.root.display())
    }
}

/// Whether the root of a mount is no root of a tree: a group below it was mounted, or a namespace
/// begins there, which the file tells that all groups of version 2 have and the real root has not.
fn is_part(root: &Path, mount: &Mount) -> bool {
    let mut parts = mount.root.components();
    parts.any(|part| matches!(part, Component::Normal(_))) || root.join("cgroup.type").exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fake::Fake;

    const V1: &str = "30 22 0:30 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n";
    const V2: &str = "31 22 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    #[test]
    fn the_hierarchy_that_governs_block_io_is_found() {
        let table = [
            ("", "", None),
            (V1, "", Some(CgroupVersion::V1)),
            (V2, "cpu io memory", Some(CgroupVersion::V2)),
            (V2, "cpu hugetlb", None),
        ];
        for (mounts, controllers, expected) in table {
            let fake = Fake::new();
            fake.file("proc/self/mountinfo", mounts);
            fake.file("sys/fs/cgroup/unified/cgroup.controllers", controllers);
            let found = Cgroups::find(&fake.host()).unwrap().map(|cgroups| cgroups.version);
            assert_eq!(found, expected, "{mounts}{controllers}");
        }
    }

    #[test]
    fn with_both_mounted_it_is_the_one_that_has_the_controller() {
        let fake = Fake::new();
        fake.file("proc/self/mountinfo", &format!("{V2}{V1}"));
        fake.file("sys/fs/cgroup/unified/cgroup.controllers", "hugetlb\n");
        let found = Cgroups::find(&fake.host()).unwrap().unwrap();
        assert_eq!(found.version, CgroupVersion::V1);
        assert_eq!(found.root, fake.host().path("/sys/fs/cgroup/blkio"));
        assert!(found.to_string().starts_with("cgroup version 1 (blkio), "), "{found}");
    }

    #[test]
    fn the_root_of_a_container_is_told_from_that_of_the_machine() {
        let below = V1.replace(" / /sys", " /docker/4f /sys");
        let above = V1.replace(" / /sys", " /../.. /sys");
        for (mounts, file, expected) in [
            (V1, "cgroup.procs", false),
            (&below, "cgroup.procs", true),
            (&above, "cgroup.procs", false),
            (V2, "cgroup.procs", false),
            (V2, "cgroup.type", true),
        ] {
            let fake = Fake::new();
            fake.file("proc/self/mountinfo", mounts);
            fake.file("sys/fs/cgroup/unified/cgroup.controllers", "io");
            fake.file(&format!("sys/fs/cgroup/unified/{file}"), "");
            let found = Cgroups::find(&fake.host()).unwrap().unwrap();
            assert_eq!(found.is_part, expected, "{mounts}{file}");
        }
    }
}
