// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recorded start-ups, fitted to a target of any size.
//!
//! A recording has the places that its files had, gigabytes apart. What is contiguous stays so; the
//! gaps between are made smaller, all in the same proportion, until everything fits.

use base::Op;
use flate2::read::GzDecoder;
use std::env::VarError;
use std::io::{self, BufRead, BufReader, Cursor};
use std::path::Path;
use trace::{ReadOptions, Record, TraceError, TraceReader, Writer};
use workload::Environment;

/// The recordings by their names here, and in the library of scenarios (`jobs/start-ups/README.md`
/// says how they were made).
const RECORDINGS: [(&str, &str); 2] =
    [("bash", "@start-ups/bash.blkparse.gz"), ("writer", "@start-ups/writer.blkparse.gz")];

/// Places are multiples of this, as those of every file system.
const BLOCK_BYTES: u64 = 4096;

/// Recorded start-ups as files that job files can name.
#[derive(Clone, Copy, Debug)]
pub struct StartUps {
    room_bytes: u64,
}

impl StartUps {
    /// The longest I/O of any, bytes.
    pub const LONGEST_BYTES: u32 = 2 << 20;

    /// Start-ups that need no more than `room_bytes` of the target.
    pub fn fitted_to(room_bytes: u64) -> Self {
        StartUps { room_bytes }
    }

    /// A recording in the layout of blkparse, its reads moved into the room.
    fn fitted(&self, name: &str, compressed: &[u8]) -> Result<Vec<u8>, TraceError> {
        let source = BufReader::new(GzDecoder::new(compressed));
        let mut reader = TraceReader::new(source, name, ReadOptions::default())?;
        let mut reads = Vec::new();
        while let Some(record) = reader.next().transpose()? {
            if record.op == Op::Read {
                reads.push(record);
            }
        }
        let places = Places::new(&reads, self.room_bytes).map_err(|needed_bytes| {
            let what = format!("room of {} bytes", self.room_bytes);
            reader.wrong(what, format!("{needed_bytes} bytes"))
        })?;
        let format = reader.format();
        let mut writer = Writer::new(Vec::new(), trace::Format::Blkparse, format)
            .expect("blkparse's layout is written");
        for mut record in reads {
            record.offset_bytes = places.moved(record.offset_bytes);
            writer.write(&record, reader.names()).expect("memory takes all");
        }
        Ok(writer.finish(reader.names()).expect("memory takes all"))
    }
}

impl Environment for StartUps {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        let recording = RECORDINGS.iter().find(|(name, _)| path == Path::new(name));
        let (name, built_in) = recording.ok_or(io::ErrorKind::NotFound)?;
        let file = ::scenarios::find(Path::new(built_in)).map_err(io::Error::other)?;
        let text = self.fitted(name, file.bytes).map_err(io::Error::other)?;
        Ok(Box::new(Cursor::new(text)))
    }

    /// Job files of scenarios have none.
    fn variable(&self, _name: &str) -> Result<String, VarError> {
        Err(VarError::NotPresent)
    }
}

/// Stretches of a recording that are read, and where each is moved.
struct Places(Vec<Stretch>);

struct Stretch {
    start_bytes: u64,
    end_bytes: u64,
    moved_to_bytes: u64,
}

impl Places {
    /// Fits all that is read into the room; or says how much is needed at least.
    fn new(reads: &[Record], room_bytes: u64) -> Result<Self, u64> {
        let mut extents: Vec<(u64, u64)> = reads
            .iter()
            .map(|read| (read.offset_bytes, read.offset_bytes + read.length_bytes))
            .collect();
        extents.sort_unstable();
        let mut stretches: Vec<Stretch> = Vec::new();
        for (start_bytes, end_bytes) in extents {
            match stretches.last_mut() {
                Some(last) if start_bytes <= last.end_bytes => {
                    last.end_bytes = last.end_bytes.max(end_bytes);
                }
                _ => stretches.push(Stretch { start_bytes, end_bytes, moved_to_bytes: 0 }),
            }
        }
        let read_bytes: u64 = stretches.iter().map(Stretch::length_bytes).sum();
        let gap_bytes = stretches.last().map_or(0, |last| last.end_bytes) - read_bytes;
        let free_bytes = room_bytes.checked_sub(read_bytes).ok_or(read_bytes)?.min(gap_bytes);
        let (mut end_bytes, mut next_bytes) = (0, 0);
        for stretch in &mut stretches {
            let gap = u128::from(stretch.start_bytes - end_bytes) * u128::from(free_bytes)
                / u128::from(gap_bytes.max(1));
            stretch.moved_to_bytes = next_bytes + (gap as u64 / BLOCK_BYTES * BLOCK_BYTES);
            next_bytes = stretch.moved_to_bytes + stretch.length_bytes();
            end_bytes = stretch.end_bytes;
        }
        Ok(Places(stretches))
    }

    /// Where what was there is now.
    fn moved(&self, offset_bytes: u64) -> u64 {
        let behind = self.0.partition_point(|stretch| stretch.start_bytes <= offset_bytes);
        match behind.checked_sub(1).map(|index| &self.0[index]) {
            Some(stretch) => stretch.moved_to_bytes + (offset_bytes - stretch.start_bytes),
            None => offset_bytes,
        }
    }
}

impl Stretch {
    /// Length, in whole blocks.
    fn length_bytes(&self) -> u64 {
        (self.end_bytes - self.start_bytes).next_multiple_of(BLOCK_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::Region;

    #[test]
    fn a_start_up_keeps_its_reads_and_their_order_in_any_room() {
        let job = "[start-up]\nread_iolog=bash\nreplay_mode=chain\nreplay_redirect=x\n";
        let reads_in = |room_bytes: u64| {
            let start_ups = StartUps::fitted_to(room_bytes);
            let jobs = workload::parse_with(job, "test", &start_ups).unwrap();
            let Region { length_bytes, .. } =
                workload::lay_out(&jobs, room_bytes).unwrap()[0].region;
            assert!(length_bytes <= room_bytes, "{length_bytes} of {room_bytes}");
            jobs[0].trace.as_ref().unwrap().processes.iter().map(|p| p.entries.len()).sum::<usize>()
        };
        assert_eq!(reads_in(5 << 20), 303);
        assert_eq!(reads_in(16 << 30), 303);
    }

    #[test]
    fn a_room_that_is_too_small_is_refused() {
        let start_ups = StartUps::fitted_to(1 << 20);
        let error = start_ups.open(Path::new("bash")).err().unwrap().to_string();
        assert!(error.contains("room of 1048576 bytes"), "{error}");
    }

    #[test]
    fn what_is_contiguous_stays_so_and_gaps_shrink_alike() {
        let read = |offset_bytes, length_bytes| Record {
            time_ns: 0,
            event: trace::RequestEvent::Queued,
            op: Op::Read,
            flags: trace::Flags::PLAIN,
            device: trace::DeviceId(0),
            process: None,
            offset_bytes,
            length_bytes,
            response_ns: None,
        };
        let block = BLOCK_BYTES;
        let reads = [read(100 * block, block), read(101 * block, block), read(202 * block, block)];
        let places = Places::new(&reads, 23 * block).ok().unwrap();
        let moved = [100, 101, 202].map(|place| places.moved(place * block) / block);
        assert_eq!(moved, [10, 11, 22]);
        assert_eq!(Places::new(&reads, 2 * block).err(), Some(3 * block));
    }

    #[test]
    fn no_read_is_longer_than_said() {
        let start_ups = StartUps::fitted_to(1 << 30);
        for (name, _) in RECORDINGS {
            let text = start_ups.open(Path::new(name)).unwrap();
            let mut reader = TraceReader::new(text, name, ReadOptions::default()).unwrap();
            while let Some(record) = reader.next().transpose().unwrap() {
                assert!(record.length_bytes <= u64::from(StartUps::LONGEST_BYTES));
            }
        }
    }
}
