// SPDX-License-Identifier: MIT OR Apache-2.0
//! QEMU's tools: qemu-img and qemu-io.

use crate::served::Served;
use crate::tools::{printed, succeeds, tool};

fn qemu_img() -> Option<std::process::Command> {
    tool("qemu-img", "qemu-utils")
}

#[test]
fn qemu_img_converts_and_compares() {
    let served = Served::new();
    let source = served.write_sparse("source");
    for export in ["disk", "emulated"] {
        let uri = served.uri(export);
        let tools = (qemu_img(), qemu_img(), qemu_img(), qemu_img());
        let (Some(mut there), Some(mut equal), Some(mut back), Some(mut other)) = tools else {
            return;
        };
        printed(there.args(["convert", "-n", "-f", "raw", "-O", "raw"]).arg(&source).arg(&uri));
        printed(equal.args(["compare", "-f", "raw", "-F", "raw"]).arg(&source).arg(&uri));
        let image = served.path("image.qcow2");
        printed(back.args(["convert", "-f", "raw", "-O", "qcow2"]).arg(&uri).arg(&image));
        let differ = other.args(["compare", "-f", "qcow2", "-F", "raw"]).arg(&image);
        assert!(!succeeds(differ.arg(served.uri("other"))), "{export} is not the other one");
        let Some(mut equal) = qemu_img() else { return };
        printed(equal.args(["compare", "-f", "qcow2", "-F", "raw"]).arg(&image).arg(&uri));
    }
}

#[test]
fn qemu_io_writes_what_it_reads() {
    let served = Served::new();
    for export in ["disk", "emulated"] {
        let Some(mut qemu_io) = tool("qemu-io", "qemu-utils") else { return };
        for command in [
            "write -P 7 0 1M",
            "read -P 7 0 1M",
            "write -z -u 64k 64k",
            "read -P 0 64k 64k",
            "write -f -P 9 128k 4k",
            "discard 256k 64k",
            "flush",
            "aio_write -P 3 512k 64k",
            "aio_write -P 4 576k 64k",
            "aio_flush",
            "read -P 3 512k 64k",
            "read -P 4 576k 64k",
            "read -P 9 128k 4k",
        ] {
            qemu_io.args(["-c", command]);
        }
        let text = printed(qemu_io.args(["-f", "raw"]).arg(served.uri(export)));
        assert!(!text.contains("verification failed"), "{export}: {text}");
    }
}
