// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running server and clients that come over its sockets. No test counts on speed.

mod control;
mod durability;
mod faults;
mod log_lines;
mod set_up;
mod tls;
mod transfers;
