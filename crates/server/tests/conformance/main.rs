// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server against public tools of NBD: libnbd's, QEMU's, and fio.
//!
//! Where a tool is missing its test says so and passes, unless BFQ_NBD_TOOLS=required. With
//! BFQ_NBD_TOOLS=none they look for none.

mod connections;
mod fio;
mod libnbd;
mod qemu;
mod served;
mod tools;
