// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes read as a trace in the format `iolog3`.

#![no_main]

mod reading;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reading::read(bytes, Some(trace::Format::Iolog3)));
