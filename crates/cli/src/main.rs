//! The `bfq` command.
fn main() {}
