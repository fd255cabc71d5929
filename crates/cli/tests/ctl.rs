// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq ctl`, asking a server that serves nothing.

#[path = "../../server/tests/fake/mod.rs"]
mod fake;

use fake::Fake;
use server::Config;
use server::config::Machine;
use server::ctl::{ControlSocket, Operator};
use server::status::Status;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::mpsc::channel;

struct Stage {
    fake: Arc<Fake>,
    folder: tempfile::TempDir,
    _socket: ControlSocket,
}

impl Stage {
    fn new() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("c.sock");
        Stage::in_folder(folder, &socket)
    }

    /// With its control socket there.
    fn at(socket: &Path) -> Stage {
        Stage::in_folder(tempfile::tempdir().unwrap(), socket)
    }

    fn in_folder(folder: tempfile::TempDir, socket: &Path) -> Stage {
        std::fs::write(folder.path().join("a.img"), [0; 4096]).unwrap();
        let text = "[exports.a]\npath = 'a.img'\n";
        let config = Config::parse(text, "f", folder.path(), &Machine).unwrap();
        let fake = Arc::new(Fake::default());
        *fake.status.lock().unwrap() = fake::sample(10);
        let operator = Arc::new(Operator::new(fake.clone(), config, None, channel().0));
        let socket = ControlSocket::listen(socket, operator).unwrap();
        Stage { fake, folder, _socket: socket }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("c.sock")
    }

    fn bfq(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
        command.arg("ctl").args(arguments.split(' '));
        if !arguments.contains("--socket") {
            command.arg("--socket").arg(self.socket());
        }
        command.current_dir(self.folder.path()).output().unwrap()
    }

    fn done(&self, arguments: &str) -> String {
        let output = self.bfq(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{arguments}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn fails(&self, code: i32, arguments: &str) -> String {
        let output = self.bfq(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }
}

#[test]
fn people_see_tables() {
    let stage = Stage::new();
    assert_eq!(
        stage.done("tenants"),
        "\
data:
tenant  weight  share   entitled  median  99 %     waiting  in flight  memory  errors  waits for
alice   100     26.0 %  25.0 %    900 µs  4.00 ms  14       2          3 MiB   1       bob
bob     300     74.0 %  75.0 %    900 µs  4.00 ms  14       2          3 MiB   0
"
    );
    let status = stage.done("status");
    for line in [
        "Running for 10.0 s; connections in their handshake: 1; refused or closed so far: 3.",
        "data: emulated ssd-sata",
        "scheduler bfq, 4 of 32 commands in flight, 28 waiting",
        "  low_latency=1",
        "export     tenant  size   connections",
        "images     alice   1 GiB  2",
        "(default)  bob     1 GiB  2            read-only, draining",
    ] {
        assert!(status.lines().any(|one| one == line), "{line}\n{status}");
    }
    assert_eq!(
        stage.done("explain alice"),
        "\
read of 4 KiB at 1 MiB of images: 120 ms, ended 2.00 s ago
  before the scheduler 1.00 ms, in it 110 ms, in the disk 9.00 ms
  110 ms: `bob` was served.
"
    );
}

#[test]
fn programs_get_json() {
    let stage = Stage::new();
    let status: Status = serde_json::from_str(&stage.done("--json status")).unwrap();
    assert_eq!(status, fake::sample(10));
    assert_eq!(stage.done("weight alice 7 --json"), "null\n");
}

#[test]
fn changes_reach_the_server() {
    let stage = Stage::new();
    for (arguments, call) in [
        ("weight alice 7", "weight alice 7"),
        ("tunable data low_latency 0", "tunable data low_latency 0"),
        ("scheduler data bfq:slice_idle=0", "scheduler data bfq:slice_idle=0"),
        ("export drain a --limit 2s", "drain a 2s false"),
        ("export remove a", "drain a 30s true"),
        ("export resume a", "resume a"),
    ] {
        assert_eq!(stage.done(arguments), "");
        assert_eq!(stage.fake.take_calls(), [call]);
    }
    stage.done("export add b --tenant a --path a.img --read-only --allow user:0 --allow group:0");
    let call = stage.fake.take_calls().remove(0);
    let path = stage.folder.path().join("a.img").display().to_string();
    assert!(call.contains(&path), "a relative path is that of this folder: {call}");
    assert!(call.contains("read_only: true, allow: [User(0), Group(0)]"), "{call}");
}

#[test]
fn what_is_refused_is_told_with_an_exit_code() {
    let stage = Stage::new();
    let said = stage.fails(2, "weight alise 7");
    assert_eq!(said, "bfq: no tenant `alise`; did you mean `alice`?\n");
    for weight in ["0", "1.5", "10001", "x"] {
        let said = stage.fails(2, &format!("weight alice {weight}"));
        assert!(said.contains("expected a whole number from 1 to 10000"), "{said}");
    }
    assert!(stage.fails(2, "explain alice --count 0").contains("invalid value '0'"));
    assert_eq!(stage.fails(1, "reload"), "bfq: there is no configuration file to read again\n");
    // This test does not wait for the end.
    assert_eq!(stage.fails(1, "stop"), "bfq: the server is stopping\n");
    std::fs::remove_file(stage.socket()).unwrap();
    let said = stage.fails(1, "status");
    assert!(said.starts_with("bfq: no server at /") && said.contains(": No such file"), "{said}");
}

/// Root's login shells have a folder for sockets of their own, where the service has none.
#[test]
fn without_a_socket_that_of_the_user_is_tried_and_then_that_of_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let bfq = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
        command.arg("ctl").args(arguments).env_remove("RUNTIME_DIRECTORY");
        command.env("XDG_RUNTIME_DIR", folder.path()).output().unwrap()
    };
    let own = folder.path().join("bfq/control.sock");
    // Where these tests run the service may be at work.
    if !Path::new("/run/bfq/control.sock").exists() {
        let said = String::from_utf8(bfq(&["status"]).stderr).unwrap();
        let start = format!("bfq: no server at {}: No such file", own.display());
        assert!(said.starts_with(&start), "{said}");
        assert!(said.contains("; no server at /run/bfq/control.sock: "), "{said}");
    }
    std::fs::create_dir(folder.path().join("bfq")).unwrap();
    let stage = Stage::at(&own);
    assert!(bfq(&["weight", "alice", "7"]).status.success());
    assert_eq!(stage.fake.take_calls(), ["weight alice 7"]);
    drop(stage);
    // A server that was killed has left its socket. That of the service is not what was meant.
    _ = std::fs::remove_file(&own);
    drop(std::os::unix::net::UnixListener::bind(&own).unwrap());
    let said = String::from_utf8(bfq(&["weight", "alice", "8"]).stderr).unwrap();
    assert!(said.contains("refused") && !said.contains("/run/bfq/"), "{said}");
}

/// Who serves by a configuration has no control socket beside that of NBD.
#[test]
fn a_socket_that_is_none_of_control_is_told_with_the_one_that_may_be() {
    let stage = Stage::new();
    let other = stage.folder.path().join("nbd.sock");
    let beside = stage.folder.path().join("nbd.sock.control");
    let listener = std::os::unix::net::UnixListener::bind(&other).unwrap();
    // What it says first is what a server of NBD says; then it ends the conversation.
    let greeting = std::thread::spawn(move || {
        for _ in 0..2 {
            let mut stream = listener.accept().unwrap().0;
            std::io::Write::write_all(&mut stream, b"NBDMAGICIHAVEOPT\0\x03").unwrap();
            std::io::Read::read(&mut stream, &mut [0; 4]).unwrap();
        }
    });
    let arguments = format!("status --socket {}", other.display());
    let said = stage.fails(1, &arguments);
    assert!(!said.contains(&beside.display().to_string()), "{said}");
    assert!(said.contains("/control.sock"), "{said}");
    std::fs::write(&beside, "").unwrap();
    let said = stage.fails(1, &arguments);
    greeting.join().unwrap();
    assert!(said.contains(&format!("--socket {}", beside.display())), "{said}");
}
