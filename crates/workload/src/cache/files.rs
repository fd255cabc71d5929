// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a target, and how many of their pages are dirty.

use std::ops::{Index, IndexMut, Range};

use crate::layout::Region;
use base::PAGE_BYTES;
use base::SECTOR_BYTES;

/// A file in the cache.
#[derive(Debug)]
pub(super) struct File {
    pub pages: Range<u64>,
    /// Its last byte is before this one of the target.
    end_bytes: u64,
    /// Pages of it that are dirty.
    pub dirty: u64,
    /// Since when there have been such, ns.
    pub dirty_since_ns: u64,
    /// Where the flusher goes on.
    pub cursor: u64,
    /// Whether the flusher has it on a list.
    pub listed: bool,
    /// Why a page of it could not be written, until a process is told.
    pub error: Option<i32>,
}

/// All files, by their places on the target.
#[derive(Debug)]
pub(super) struct Files {
    files: Vec<File>,
    /// Dirty pages of all.
    pub dirty: u64,
    /// Pages of all that are being written.
    pub writeback: u64,
}

impl Files {
    /// The files at these places; those that overlap are one.
    pub(super) fn new(regions: impl Iterator<Item = Region>) -> Files {
        let mut regions: Vec<Region> = regions.collect();
        regions.sort_by_key(|region| region.start_bytes);
        let mut files: Vec<File> = Vec::new();
        for region in regions {
            let pages = page_range(region);
            let end_bytes = region.start_bytes.saturating_add(region.length_bytes);
            let end_bytes = end_bytes.next_multiple_of(SECTOR_BYTES);
            match files.last_mut() {
                Some(last) if pages.start < last.pages.end => {
                    last.pages.end = last.pages.end.max(pages.end);
                    last.end_bytes = last.end_bytes.max(end_bytes);
                }
                _ => files.push(File {
                    cursor: pages.start,
                    pages,
                    end_bytes,
                    dirty: 0,
                    dirty_since_ns: 0,
                    listed: false,
                    error: None,
                }),
            }
        }
        Files { files, dirty: 0, writeback: 0 }
    }

    /// The file that a page belongs to.
    pub(super) fn at(&self, page: u64) -> usize {
        self.files.partition_point(|file| file.pages.end <= page).min(self.files.len() - 1)
    }

    /// From the first page of the first file to the last of the last.
    pub(super) fn span(&self) -> Range<u64> {
        match (self.files.first(), self.files.last()) {
            (Some(first), Some(last)) => first.pages.start..last.pages.end,
            _ => 0..0,
        }
    }

    /// Where the file of a page ends, bytes.
    pub(super) fn end_bytes(&self, page: u64) -> u64 {
        self.files[self.at(page)].end_bytes.max(page * PAGE_BYTES)
    }

    /// Takes note of the error of every file in the range, if there is one, and forgets it.
    pub(super) fn take_error(&mut self, pages: Range<u64>) -> Result<(), i32> {
        let files = self.files.iter_mut();
        let errors =
            files.filter(|file| file.pages.start < pages.end && pages.start < file.pages.end);
        let errors: Vec<i32> = errors.filter_map(|file| file.error.take()).collect();
        errors.first().map_or(Ok(()), |&errno| Err(errno))
    }
}

impl Index<usize> for Files {
    type Output = File;

    fn index(&self, file: usize) -> &File {
        &self.files[file]
    }
}

impl IndexMut<usize> for Files {
    fn index_mut(&mut self, file: usize) -> &mut File {
        &mut self.files[file]
    }
}

/// The pages that a region touches.
pub(super) fn page_range(region: Region) -> Range<u64> {
    let end_bytes = region.start_bytes.saturating_add(region.length_bytes);
    region.start_bytes / PAGE_BYTES..end_bytes.div_ceil(PAGE_BYTES)
}
