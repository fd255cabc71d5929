// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fair queues of other projects in the same closed loop: built from their sources, which are given
//! by a path. Nothing is fetched, and nothing of them is in this repository.

use crate::counting::{TURNS_COUNTED, instructions_of};
use crate::error::CostError;
use cost::closed_loop::PROCESSES;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The loop's side of each peer, and what they have in common.
const SOURCES: [(&str, &str); 3] = [
    ("closed_loop.hh", include_str!("../peers/closed_loop.hh")),
    ("dmclock.cc", include_str!("../peers/dmclock.cc")),
    ("seastar.cc", include_str!("../peers/seastar.cc")),
];

/// Where the sources of other projects are.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Peers {
    /// A checkout of Ceph's dmclock, to be counted, too
    #[arg(long, value_name = "DIR")]
    dmclock: Option<PathBuf>,
    /// A checkout of Seastar, whose fair_queue is counted, too
    #[arg(long, value_name = "DIR")]
    seastar: Option<PathBuf>,
}

/// A fair queue of another project.
struct Peer<'a> {
    name: &'static str,
    /// Where its checkout is.
    folder: &'a Path,
    /// Options of the compiler.
    options: &'static [&'static str],
    /// Where it looks for headers, in the checkout.
    headers: &'static [&'static str],
    /// What is compiled besides the loop's side, in the checkout.
    sources: &'static [&'static str],
}

impl Peers {
    fn all(&self) -> Vec<Peer<'_>> {
        let dmclock = self.dmclock.as_deref().map(|folder| Peer {
            name: "dmclock",
            folder,
            options: &["-std=c++17"],
            headers: &["src", "support/src"],
            sources: &["src/dmclock_util.cc", "support/src/run_every.cc"],
        });
        let seastar = self.seastar.as_deref().map(|folder| Peer {
            name: "seastar",
            folder,
            // What its own build defines; of no use to the queue.
            options: &["-std=c++20", "-DSEASTAR_SCHEDULING_GROUPS_COUNT=16"],
            headers: &["include"],
            sources: &["src/core/fair_queue.cc"],
        });
        dmclock.into_iter().chain(seastar).collect()
    }

    /// Counts the instructions of each peer for each number of processes, and prints them.
    ///
    /// # Errors
    /// If one cannot be built or run.
    pub fn measure(&self) -> Result<Value, CostError> {
        let folder = tempfile::tempdir()
            .map_err(|source| CostError::Run { program: "a temporary folder".into(), source })?;
        for (name, text) in SOURCES {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map_err(|source| CostError::Write { path, source })?;
        }
        let mut all = Map::new();
        for peer in self.all() {
            let program = peer.build(folder.path())?;
            let mut rows = Map::new();
            for processes in PROCESSES {
                let task = [&*processes.to_string()];
                let counted = match instructions_of(&program, &task, &[], TURNS_COUNTED) {
                    Err(CostError::NoValgrind) => None,
                    counted => Some(counted?),
                };
                println!("{:<12} {processes:>9} {:>18}", peer.name, crate::shown(counted));
                rows.insert(processes.to_string(), json!({ "instructions_per_request": counted }));
            }
            all.insert(peer.name.to_owned(), Value::Object(rows));
        }
        Ok(Value::Object(all))
    }
}

impl Peer<'_> {
    /// Builds its loop, by the compiler that `CXX` names, else `c++`.
    fn build(&self, folder: &Path) -> Result<PathBuf, CostError> {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
        let program = folder.join(self.name);
        let mut command = Command::new(&compiler);
        command.args(self.options).args(["-O3", "-DNDEBUG", "-w", "-pthread"]);
        for headers in self.headers {
            command.arg("-I").arg(self.folder.join(headers));
        }
        command.arg(folder.join(self.name).with_extension("cc"));
        command.args(self.sources.iter().map(|source| self.folder.join(source)));
        let output = command.arg("-o").arg(&program).output();
        let output =
            output.map_err(|source| CostError::Run { program: compiler.clone(), source })?;
        match output.status.success() {
            true => Ok(program),
            false => Err(CostError::Peer {
                name: self.name,
                folder: self.folder.to_owned(),
                message: String::from_utf8_lossy(&output.stderr).into_owned(),
            }),
        }
    }
}
