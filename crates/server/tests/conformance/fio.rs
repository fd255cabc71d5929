// SPDX-License-Identifier: MIT OR Apache-2.0
//! fio's NBD engine: what it writes it reads again, and checks.

use crate::served::{SIZE_BYTES, Served};
use crate::tools::{printed, tool};

#[test]
fn fio_verifies() {
    let served = Served::new();
    for export in ["disk", "emulated"] {
        for block in ["4k-4k", "4k-128k"] {
            let Some(mut fio) = tool("fio", "fio") else { return };
            fio.current_dir(served.path(""));
            fio.args(["--name=verify", "--ioengine=nbd", "--rw=randrw", "--iodepth=32"]);
            fio.args(["--verify=crc32c", "--verify_fatal=1", "--randseed=1", "--fsync=64"]);
            fio.args(["--output-format=json", "--verify_state_save=0"]);
            fio.arg(format!("--size={SIZE_BYTES}")).arg(format!("--bsrange={block}"));
            let text = printed(fio.arg(format!("--uri={}", served.uri(export))));
            // Notes may come before it.
            let start = text.find('{').expect("JSON");
            let result: serde_json::Value = serde_json::from_str(&text[start..]).expect("JSON");
            let job = &result["jobs"][0];
            assert_eq!(job["error"], 0, "{export}, {block}");
            assert!(job["write"]["io_bytes"].as_u64() > Some(0), "{export}, {block}");
        }
    }
}
