// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes of a trace: as they are, or out of a `.gz` or `.zst`, which
//! are known by their content.

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Cursor, Read};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// zstd's frames to be skipped begin with a number from this one to 15 more, little-endian.
const ZSTD_SKIPPABLE: u32 = 0x184d_2a50;

/// Bytes that are looked at to know a format.
pub(crate) const PEEKED_BYTES: usize = 4096;

/// What a reader reads from.
pub(crate) type TraceInput<'a> = Box<dyn BufRead + 'a>;

/// The source with its compression taken off.
pub(crate) fn decompressed(mut source: TraceInput<'_>) -> io::Result<TraceInput<'_>> {
    let head = peek(&mut source, 4)?;
    let whole = Cursor::new(head.clone()).chain(source);
    Ok(if head.starts_with(&GZIP_MAGIC) {
        Box::new(BufReader::new(MultiGzDecoder::new(whole)))
    } else if is_zstd(&head) {
        Box::new(BufReader::new(ZstdReader::new(whole)))
    } else {
        Box::new(whole)
    })
}

/// The first bytes, at most `most`, and what gives them again along with the rest.
pub(crate) fn peeked(mut source: TraceInput<'_>) -> io::Result<(Vec<u8>, TraceInput<'_>)> {
    let head = peek(&mut source, PEEKED_BYTES)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(source))))
}

fn peek(source: &mut TraceInput<'_>, most: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(most);
    source.as_mut().take(most as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn is_zstd(head: &[u8]) -> bool {
    let skippable = |head: [u8; 4]| u32::from_le_bytes(head) & !0xf == ZSTD_SKIPPABLE;
    head.starts_with(&ZSTD_MAGIC) || head.first_chunk().is_some_and(|head| skippable(*head))
}

/// All frames of a `.zst`, one after the other; ruzstd itself reads a single one.
struct ZstdReader<R> {
    source: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> ZstdReader<R> {
    fn new(source: R) -> ZstdReader<R> {
        ZstdReader { source, decoder: FrameDecoder::new(), in_frame: false }
    }

    /// Begins the next frame; false at the end of the file.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut (&mut self.source).take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }

    /// Compares the checksum of the frame just read with the one it was written with, if any.
    fn check_sum(&self) -> io::Result<()> {
        let written = self.decoder.get_checksum_from_data();
        match written.is_some() && written != self.decoder.get_calculated_checksum() {
            true => Err(io::Error::new(io::ErrorKind::InvalidData, "wrong checksum")),
            false => Ok(()),
        }
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.in_frame {
                while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    self.decoder
                        .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                        .map_err(io::Error::other)?;
                }
                let read = self.decoder.read(buffer)?;
                if read > 0 || buffer.is_empty() {
                    return Ok(read);
                }
                self.check_sum()?;
                self.in_frame = false;
            }
            if !self.next_frame()? {
                return Ok(0);
            }
            self.in_frame = true;
        }
    }
}
