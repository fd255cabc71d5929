// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq serve` as a service: how it starts, what it tells the service manager, how it ends.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// A limit for anything that is waited for here.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a server says first on a connection.
const GREETING: &[u8] = b"NBDMAGICIHAVEOPT";

struct Stage {
    folder: tempfile::TempDir,
}

/// A server that is ended with the test, whatever happens.
struct Served(Child);

impl Stage {
    fn new() -> Stage {
        let stage = Stage { folder: tempfile::tempdir().unwrap() };
        for image in ["a.img", "b.img"] {
            fs::write(stage.path(image), vec![0; 1 << 20]).unwrap();
        }
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn bfq(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
        command.current_dir(self.folder.path()).env("XDG_RUNTIME_DIR", self.folder.path());
        command.env_remove("RUNTIME_DIRECTORY").env_remove("NOTIFY_SOCKET");
        command
    }

    fn said(&self, arguments: &str) -> Output {
        self.bfq().args(arguments.split(' ')).output().unwrap()
    }

    /// A server whose log goes to `log`.
    fn serve(&self, arguments: &str, set: impl Fn(&mut Command)) -> Served {
        let mut command = self.bfq();
        command.arg("serve").args(arguments.split(' '));
        command.stdout(Stdio::piped()).stderr(fs::File::create(self.path("log")).unwrap());
        set(&mut command);
        Served(command.spawn().unwrap())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    /// Waits until something is so.
    fn wait_for(&self, what: &str, so: impl Fn() -> bool) {
        let begin = Instant::now();
        while !so() {
            assert!(begin.elapsed() < PATIENCE, "{what}\n{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn greeted(&self, path: &Path) {
        let mut stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut greeting = [0; GREETING.len()];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!(greeting, GREETING);
    }
}

impl Served {
    fn signal(&self, name: &str) {
        self.signal_times(name, 1);
    }

    /// Sends a signal that number of times, at once.
    fn signal_times(&self, name: &str, times: usize) {
        let id = self.0.id().to_string();
        let kill = Command::new("kill").arg(name).args(vec![id; times]).status();
        assert!(kill.unwrap().success());
    }

    fn end(&mut self) -> ExitStatus {
        self.0.wait().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended already, mostly.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_image_is_served_without_a_file_and_commands_are_told() {
    let stage = Stage::new();
    let mut served = stage.serve("a.img", |_| {});
    let mut lines = BufReader::new(served.0.stdout.take().unwrap()).lines();
    let said: Vec<String> = (0..6).map_while(|_| lines.next()).map(Result::unwrap).collect();
    let socket = stage.path("bfq/nbd.sock");
    let uri = format!("nbd+unix:///?socket={}", socket.display());
    assert!(said[0].ends_with("a.img is served. Ctrl-C ends that."), "{said:?}");
    assert_eq!(said[2], format!("nbdinfo '{uri}'"));
    assert_eq!(said[3], format!("sudo nbd-client -unix {} /dev/nbd0", socket.display()));
    assert!(said[4].contains(&format!("-drive 'file={uri},format=raw,if=virtio'")));
    assert_eq!(said[5], "bfq ctl tenants");
    stage.greeted(&socket);
    let status = stage.said("ctl status");
    assert!(String::from_utf8_lossy(&status.stdout).contains("(default)  default  1 MiB"));
    assert!(stage.said("ctl stop --limit 1s").status.success());
    assert!(served.end().success());
    assert!(!socket.exists() && !stage.path("bfq/control.sock").exists());
}

#[test]
fn an_emulated_disk_is_served_and_changed_while_it_runs() {
    let stage = Stage::new();
    let _served = stage.serve("--emulate ssd-sata,size=8MiB --scheduler none", |_| {});
    stage.wait_for("it listens", || stage.path("bfq/control.sock").exists());
    stage.greeted(&stage.path("bfq/nbd.sock"));
    for change in ["scheduler disk bfq", "tunable disk low_latency 0", "weight default 300"] {
        let said = stage.said(&format!("ctl {change}"));
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    let status = stage.said("ctl --json status");
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    let disk = &status["disks"][0];
    assert_eq!(disk["scheduler"], "bfq");
    assert_eq!(disk["tenants"][0]["weight"], 300);
    assert_eq!(disk["exports"][0]["size_bytes"], 8 << 20);
}

#[test]
fn the_service_manager_is_told_and_a_bad_file_changes_nothing() {
    let stage = Stage::new();
    stage.write("s.toml", "[exports.a]\npath = 'a.img'\n[tenants.a]\nweight = 200\n");
    let manager = UnixDatagram::bind(stage.path("notify")).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let wait_for = |word: &str| {
        let mut message = [0; 4096];
        loop {
            let length = manager.recv(&mut message).unwrap();
            if String::from_utf8_lossy(&message[..length]).lines().any(|line| line == word) {
                return;
            }
        }
    };
    let mut served = stage.serve("--config s.toml", |command| {
        command.env("NOTIFY_SOCKET", stage.path("notify")).env("WATCHDOG_USEC", "600000");
    });
    wait_for("READY=1");
    wait_for("WATCHDOG=1");
    let weight = || {
        let status = stage.said("ctl --json status");
        let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
        status["disks"][0]["tenants"][0]["weight"].clone()
    };
    assert_eq!(weight(), 200);
    stage.write("s.toml", "[exports.a]\npath = 'a.img'\n[tenants.a]\nweight = 0\n");
    served.signal("-HUP");
    wait_for("RELOADING=1");
    wait_for("READY=1");
    let line = "s.toml:4: `weight` is \"0\"; expected a whole number from 1 to 10000";
    stage.wait_for("a log line", || stage.log().contains(line));
    assert_eq!(weight(), 200);
    stage.write("s.toml", "[exports.a]\npath = 'a.img'\n[tenants.a]\nweight = 400\n");
    served.signal("-HUP");
    wait_for("RELOADING=1");
    wait_for("READY=1");
    assert_eq!(weight(), 400);
    // As `timeout` does: the program, then the group of processes that it is in.
    served.signal_times("-TERM", 2);
    wait_for("STOPPING=1");
    assert!(served.end().success());
    assert!(stage.log().contains("stopped"), "{}", stage.log());
}

#[test]
fn a_socket_of_the_service_manager_is_found_by_its_name() {
    let stage = Stage::new();
    let text = "[[listen]]\ninherited = 'nbd'\n[exports.a]\npath = 'a.img'\nallow = ['anyone']\n";
    stage.write("s.toml", text);
    let path = stage.path("theirs.sock");
    let listener = UnixListener::bind(&path).unwrap();
    // A shell turns our stdin into the first inherited descriptor, 3.
    let script = r#"exec 3<&0 </dev/null; LISTEN_PID=$$ exec "$0" serve --config s.toml"#;
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_bfq")]).current_dir(stage.folder.path());
    command.env("XDG_RUNTIME_DIR", stage.folder.path()).env_remove("RUNTIME_DIRECTORY");
    command.env("LISTEN_FDS", "1").env("LISTEN_FDNAMES", "nbd").env_remove("NOTIFY_SOCKET");
    command.stdin(OwnedFd::from(listener));
    command.stderr(fs::File::create(stage.path("log")).unwrap());
    let mut served = Served(command.spawn().unwrap());
    stage.greeted(&path);
    served.signal("-INT");
    assert!(served.end().success(), "{}", stage.log());
}

#[test]
fn a_configuration_is_checked_without_serving() {
    let stage = Stage::new();
    stage.write("s.toml", "[exports.a]\npath = 'a.img'\n[exports.b]\npath = 'b.img'\n");
    let said = stage.said("serve --check s.toml");
    assert_eq!(
        String::from_utf8_lossy(&said.stdout),
        "s.toml: all right: 2 exports, 2 tenants, 1 listener\n"
    );
    stage.write("s.toml", "[exports.a]\npath = 'none.img'\nsiize = 1\n");
    let said = stage.said("serve --check s.toml");
    assert_eq!(said.status.code(), Some(2));
    let said = String::from_utf8_lossy(&said.stderr);
    assert!(said.contains("s.toml:2: `path`: none.img: No such file"), "{said}");
    assert!(said.contains("\ns.toml:3: unknown key `siize`"), "{said}");
}

#[test]
fn what_is_wrong_with_the_command_line_is_said() {
    let stage = Stage::new();
    for (arguments, words) in [
        ("serve", "required arguments"),
        ("serve none.img", "bfq: IMAGE: "),
        ("serve none.img", "none.img: No such file"),
        ("serve a.img --http here", "bfq: --http is \"here\"; expected an address"),
        ("serve a.img --scheduler bfg", "bfq: --scheduler is \"bfg\""),
        ("serve s.toml", "--config s.toml"),
        ("serve --emulate ssd", "expected"),
        ("serve --emulate ssd", "bfq: --emulate is \"ssd\""),
        ("serve --emulate ssd-sata,size=1", "bfq: size= of --emulate is \"1\""),
        ("serve --emulate ssd-sata,size=1", "a number with a unit"),
        ("serve --emulate ssd-sata,size=9TiB", "bfq: --emulate: it has no room for"),
        ("serve a.img --scheduler bfg", "did you mean `bfq`?"),
        ("serve a.img --config s.toml", "cannot be used with"),
        ("serve --config none.toml", "none.toml: cannot be read"),
    ] {
        let output = stage.said(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{arguments}: {said}");
    }
}

#[test]
fn two_servers_do_not_take_each_others_sockets() {
    let stage = Stage::new();
    let _served = stage.serve("a.img", |_| {});
    stage.wait_for("it listens", || stage.path("bfq/control.sock").exists());
    let said = stage.said("serve b.img");
    assert_eq!(said.status.code(), Some(1));
    let said = String::from_utf8_lossy(&said.stderr);
    assert!(said.contains("another server listens there"), "{said}");
    stage.greeted(&stage.path("bfq/nbd.sock"));
}

/// systemd gives the service's user all that is in the service's folder: journals that root follows
/// cannot be in there.
#[test]
fn the_service_and_the_journals_of_root_have_folders_of_their_own() {
    let unit =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/serve/bfq-serve.service");
    let unit = fs::read_to_string(unit).unwrap();
    let state = unit.lines().find_map(|line| line.strip_prefix("StateDirectory=")).unwrap();
    let state = Path::new("/var/lib").join(state);
    assert!(!Path::new(host::restore::JOURNALS_FOLDER).starts_with(&state), "{}", state.display());
    assert!(unit.contains(&format!("# Files below {} are served", state.display())));
}

/// The second stop was once acknowledged, and not carried out.
#[test]
fn a_second_stop_shortens_the_limit_of_the_first() {
    let stage = Stage::new();
    // A read of 1 MiB takes this disk a quarter of an hour.
    let text = "[disks.slow]\nemulate = 'ssd-sata'\nrate = '1kB/s'\n[exports.'']\ndisk = 'slow'\n";
    stage.write("serve.toml", text);
    let mut served = stage.serve("--config serve.toml", |_| {});
    let socket = stage.path("bfq/nbd.sock");
    stage.wait_for("it listens", || UnixStream::connect(&socket).is_ok());
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.read_exact(&mut [0; GREETING.len() + 2]).unwrap();
    // Flags of a client, and the default export, by the oldest of the options.
    stream.write_all(b"\0\0\0\x03IHAVEOPT\0\0\0\x01\0\0\0\0").unwrap();
    stream.read_exact(&mut [0; 10]).unwrap();
    let read = [&b"\x25\x60\x95\x13"[..], &[0; 20], b"\0\x10\0\0"].concat();
    stream.write_all(&read).unwrap();
    let status = || String::from_utf8(stage.said("ctl status --json").stdout).unwrap();
    stage.wait_for("the server has it", || status().contains("\"memory_bytes\": 1048576"));

    assert!(stage.said("ctl stop --limit 1h").status.success());
    stage.wait_for("it stops", || stage.log().contains("stopping; requests in flight have 3600s"));
    assert!(served.0.try_wait().unwrap().is_none());
    assert!(stage.said("ctl stop --limit 1ms").status.success());
    let mut end = None;
    let begin = Instant::now();
    while end.is_none() {
        assert!(begin.elapsed() < PATIENCE, "{}", stage.log());
        end = served.0.try_wait().unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(end.is_some_and(|end| end.success()));
}
