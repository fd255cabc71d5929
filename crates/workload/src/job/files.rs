// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a process goes from one of its files to the next (`file_service_type`).

/// The order of a process's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileOrder {
    /// `roundrobin`, the default: one after the other, again and again.
    #[default]
    RoundRobin,
    /// Each file is drawn at random: `random`.
    Random,
    /// `sequential`: a file is done before the next one is begun.
    Sequential,
}

/// Which file the next I/O goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileService {
    /// In which order the files are taken.
    pub order: FileOrder,
    /// How many I/Os in a row each file gets (`…:NUMBER`); without effect if sequential.
    pub ios_in_a_row: u32,
}

impl Default for FileService {
    fn default() -> FileService {
        FileService { order: FileOrder::RoundRobin, ios_in_a_row: 1 }
    }
}
