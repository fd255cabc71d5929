// SPDX-License-Identifier: MIT OR Apache-2.0
//! libnbd's tools: nbdinfo, nbdcopy and nbdsh.

use crate::served::{SIZE_BYTES, Served};
use crate::tools::{printed, succeeds, tool};

#[test]
fn nbdinfo_sees_what_is_served() {
    let Some(mut nbdinfo) = tool("nbdinfo", "libnbd-bin") else { return };
    let served = Served::new();
    let text = printed(nbdinfo.arg("--json").arg(served.uri("disk")));
    let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(all["protocol"], "newstyle-fixed");
    assert_eq!(all["structured"], true);
    let export = &all["exports"][0];
    assert_eq!(export["export-size"], SIZE_BYTES);
    assert_eq!(export["description"], "the export disk");
    assert_eq!(export["contexts"][0], "base:allocation");
    for (what, is) in [
        ("is_read_only", false),
        ("can_flush", true),
        ("can_fua", true),
        ("can_multi_conn", true),
        ("can_trim", true),
        ("can_zero", true),
        ("can_fast_zero", true),
        ("can_cache", true),
        ("can_df", true),
    ] {
        assert_eq!(export[what], is, "{what}");
    }
}

#[test]
fn nbdinfo_lists_and_asks() {
    let (Some(mut list), Some(mut map)) = (nbdinfo(), nbdinfo()) else { return };
    let served = Served::new();
    let socket = served.uri("");
    let text = printed(list.args(["--list", "--json"]).arg(socket));
    for export in ["disk", "other", "read-only", "emulated"] {
        assert!(text.contains(&format!("\"export-name\": \"{export}\"")), "{export}: {text}");
    }
    let ask = |question: [&str; 2], export: &str| {
        nbdinfo().is_some_and(|mut ask| succeeds(ask.args(question).arg(served.uri(export))))
    };
    assert!(ask(["--is", "read-only"], "read-only"));
    assert!(!ask(["--is", "read-only"], "disk"));
    assert!(ask(["--can", "multi-conn"], "disk"));
    assert!(!nbdinfo().is_some_and(|mut info| succeeds(info.arg(served.uri("elsewhere")))));
    let holes = printed(map.arg("--map").arg(served.uri("disk")));
    let words: Vec<&str> = holes.split_whitespace().collect();
    assert_eq!(words, ["0", &SIZE_BYTES.to_string(), "3", "hole,zero"], "a file of one hole");
}

fn nbdinfo() -> Option<std::process::Command> {
    tool("nbdinfo", "libnbd-bin")
}

#[test]
fn nbdcopy_copies_both_ways_and_keeps_holes() {
    let served = Served::new();
    for export in ["disk", "emulated"] {
        let (Some(mut there), Some(mut back)) = (nbdcopy(), nbdcopy()) else { return };
        let source = served.write_sparse("source");
        printed(there.args(["--connections=4", "--flush"]).arg(&source).arg(served.uri(export)));
        printed(back.arg(served.uri(export)).arg(served.path("copy")));
        assert!(served.contents("copy") == served.contents("source"), "{export}");
    }
    assert!(served.contents("disk") == served.contents("source"));
    let (stored, source) = (served.stored_bytes("disk"), served.stored_bytes("source"));
    assert!(stored < source + (1 << 20), "{stored} bytes stored for {source}");
}

fn nbdcopy() -> Option<std::process::Command> {
    tool("nbdcopy", "libnbd-bin")
}

/// What a connection can do, as a program for nbdsh, whose handle is `h`.
const COMMANDS: &str = r#"
h.pwrite(b"hello" * 2048, 8192, nbd.CMD_FLAG_FUA)
h.flush()
assert h.pread(10240, 8192) == b"hello" * 2048
assert h.pread_structured(512, 8192, lambda *a: None, nbd.CMD_FLAG_DF)[:5] == b"hello"
h.zero(4096, 8192, nbd.CMD_FLAG_NO_HOLE)
assert h.pread(4096, 8192) == bytes(4096)
h.trim(4096, 12288)
h.cache(65536, 0)
try:
    h.zero(4096, 0, nbd.CMD_FLAG_FAST_ZERO)
except nbd.Error as error:
    assert error.errno == "ENOTSUP", error

extents = []
def extent(context, offset, entries, error):
    extents.extend(entries)
h.pwrite(b"x" * 65536, 1048576)
h.block_status(h.get_size() - 1048576, 1048576, extent)
assert extents[0] == 65536 and extents[1] == 0, extents
extents.clear()
h.block_status(4096, 1048576, extent, nbd.CMD_FLAG_REQ_ONE)
assert extents == [4096, 0], extents

cookies = [h.aio_pwrite(nbd.Buffer.from_bytearray(bytearray([i] * 4096)), i * 4096)
           for i in range(64)]
while h.aio_in_flight() > 0:
    h.poll(-1)
assert all(h.aio_command_completed(cookie) for cookie in cookies)
assert h.pread(64 * 4096, 0) == b"".join(bytes([i] * 4096) for i in range(64))
"#;

/// What the server must refuse, although the client does not know better.
const REFUSALS: &str = r#"
h.set_strict_mode(0)
def refused(call, errno):
    try:
        call()
    except nbd.Error as error:
        assert error.errno == errno, (errno, error)
    else:
        raise AssertionError("it was not refused")
size = h.get_size()
refused(lambda: h.pread(512, size), "EINVAL")
refused(lambda: h.pwrite(bytes(512), size), "ENOSPC")
refused(lambda: h.zero(1024, size - 512), "ENOSPC")
refused(lambda: h.trim(512, size), "EINVAL")
refused(lambda: h.pwrite(bytes(512), 0, 128), "EINVAL")
h.pread(512, 0)
"#;

const READ_ONLY: &str = r#"
h.set_strict_mode(0)
assert h.is_read_only()
for call in (lambda: h.pwrite(bytes(512), 0), lambda: h.trim(512, 0), lambda: h.zero(512, 0)):
    try:
        call()
    except nbd.Error as error:
        assert error.errno == "EPERM", error
    else:
        raise AssertionError("it was not refused")
"#;

#[test]
fn nbdsh_does_each_command() {
    let served = Served::new();
    let cases = [
        ("disk", COMMANDS),
        ("emulated", COMMANDS),
        ("disk", REFUSALS),
        ("emulated", REFUSALS),
        ("read-only", READ_ONLY),
    ];
    for (export, program) in cases {
        let Some(mut nbdsh) = tool("nbdsh", "python3-libnbd") else { return };
        let context = r#"h.add_meta_context("base:allocation")"#;
        let uri = served.uri(export);
        printed(nbdsh.args(["-c", context, "-u", &uri, "-c", program]));
    }
}

#[test]
fn nbdsh_does_without_structured_replies() {
    let Some(mut nbdsh) = tool("nbdsh", "python3-libnbd") else { return };
    let served = Served::new();
    let simple = "h.set_request_structured_replies(False)";
    let program = r#"
assert not h.get_structured_replies_negotiated()
h.pwrite(b"simple" * 2048, 0)
assert h.pread(512, 0)[:6] == b"simple"
"#;
    printed(nbdsh.args(["-c", simple, "-u", &served.uri("disk"), "-c", program]));
}
