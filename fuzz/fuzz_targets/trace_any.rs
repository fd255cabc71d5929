// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes read as a trace whose format and compression are to be found out.

#![no_main]

mod reading;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reading::read(bytes, None));
