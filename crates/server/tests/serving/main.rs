// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running server and clients that come over its sockets. No test counts on speed.

mod certificates;
mod control;
mod durability;
mod faults;
mod file_systems;
mod floods;
mod hangs;
mod log_lines;
mod process;
mod reload;
mod set_up;
mod soak;
mod tls;
mod transfers;
