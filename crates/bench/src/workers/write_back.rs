// SPDX-License-Identifier: MIT OR Apache-2.0
//! What brings to the disk what programs write to the page cache, as the kernel does once a copy
//! has filled a tenth of the memory with what has still to be written. A scenario is too short and
//! its scratch file too small for that, so it is asked for.

use disk_io::Target;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Between two looks at what has been written; the kernel's own threads are woken as often as
/// writers are held up, which is of this order.
const PAUSE: Duration = Duration::from_millis(20);

/// A thread that writes back until it is dropped.
#[derive(Debug)]
pub struct WriteBack {
    enough: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl WriteBack {
    /// Starts the thread.
    ///
    /// # Errors
    /// What the system says.
    pub fn of(target: &Target) -> io::Result<Self> {
        let file = File::open(target.descriptor_path())?;
        // A filesystem that does not know how is told of now, and not by a thread.
        begin(&file)?;
        let enough = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&enough);
        let thread = thread::Builder::new().name("write-back".to_owned()).spawn(move || {
            while !seen.load(Ordering::Relaxed) && begin(&file).is_ok() {
                thread::sleep(PAUSE);
            }
        })?;
        Ok(WriteBack { enough, thread: Some(thread) })
    }
}

impl Drop for WriteBack {
    fn drop(&mut self) {
        self.enough.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has nothing left to fail at.
            let _ = thread.join();
        }
    }
}

/// Begins to write what has still to be written, and does not wait until it is on the disk.
#[allow(unsafe_code, reason = "a system call without a wrapper")]
fn begin(file: &File) -> io::Result<()> {
    let flags = libc::SYNC_FILE_RANGE_WRITE;
    // SAFETY: the descriptor is that of an open file, and no memory of ours is touched.
    let result = unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, flags) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk_io::TargetSettings;
    use std::io::Write;

    #[test]
    fn it_begins_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scratch");
        File::create(&path).unwrap().write_all(&[7; 8192]).unwrap();
        let settings = TargetSettings {
            path,
            size_bytes: None,
            writes: true,
            allow_write: true,
            direct: false,
            keep: true,
        };
        let target = Target::open_known(&settings, None).unwrap();
        drop(WriteBack::of(&target).unwrap());
    }
}
