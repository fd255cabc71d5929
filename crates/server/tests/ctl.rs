// SPDX-License-Identifier: MIT OR Apache-2.0
//! The control socket: what is asked reaches the server, what is wrong is refused with a reason,
//! and clients that behave badly hurt no other.

mod fake;

use fake::Fake;
use serde_json::{Value, json};
use server::Config;
use server::config::Machine;
use server::ctl::protocol::{ControlRequest, ExportKeys, MAX_LINE_BYTES, RefusalKind};
use server::ctl::{AskError, Client, ControlSocket, Operator, StopRequest};
use server::status::{SlowRequest, Status};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A fake server with its control socket, and a configuration file.
struct Stage {
    fake: Arc<Fake>,
    folder: tempfile::TempDir,
    stopped: Receiver<StopRequest>,
    socket: ControlSocket,
}

impl Stage {
    fn new() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.img"), [0; 4096]).unwrap();
        let file = folder.path().join("serve.toml");
        fs::write(&file, "[exports.a]\npath = 'a.img'\n").unwrap();
        let config = Config::load(&file, &Machine).unwrap();
        let fake = Arc::new(Fake::default());
        let (stop, stopped) = channel();
        let operator = Arc::new(Operator::new(fake.clone(), config, Some(file), stop));
        let socket = ControlSocket::listen(&folder.path().join("c.sock"), operator).unwrap();
        Stage { fake, folder, stopped, socket }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn client(&self) -> Client {
        Client::connect(&self.path("c.sock")).unwrap()
    }

    fn connect(&self) -> UnixStream {
        let stream = UnixStream::connect(self.path("c.sock")).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }
}

fn refused(error: AskError) -> (RefusalKind, String) {
    match error {
        AskError::Refused(refusal) => (refusal.kind, refusal.message),
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_asked_reaches_the_server() {
    let stage = Stage::new();
    *stage.fake.status.lock().unwrap() = fake::sample(10);
    let mut client = stage.client();
    assert_eq!(client.ask::<Status>(&ControlRequest::Status).unwrap(), fake::sample(10));
    let text = str::to_owned;
    for (request, call) in [
        (ControlRequest::Weight { tenant: text("alice"), weight: 7 }, "weight alice 7"),
        (
            ControlRequest::Tunable { disk: text("d"), name: text("n"), value: text("v") },
            "tunable d n v",
        ),
        (
            ControlRequest::Scheduler { disk: text("d"), scheduler: text("none") },
            "scheduler d none",
        ),
        (ControlRequest::ExportDrain { name: text("a"), limit_ns: None }, "drain a 30s false"),
        (ControlRequest::ExportRemove { name: text("a"), limit_ns: Some(5) }, "drain a 5ns true"),
        (ControlRequest::ExportResume { name: text("a") }, "resume a"),
    ] {
        client.ask::<()>(&request).unwrap();
        assert_eq!(stage.fake.take_calls(), [call]);
    }
    let explain = ControlRequest::Explain { tenant: text("alice"), count: 3 };
    assert_eq!(client.ask::<Vec<SlowRequest>>(&explain).unwrap(), [fake::slow_request()]);
    client.ask::<()>(&ControlRequest::Stop { limit_ns: Some(9) }).unwrap();
    let stop = stage.stopped.recv().unwrap();
    assert_eq!(stop.accept(), Duration::from_nanos(9));
}

#[test]
fn an_export_that_is_added_is_checked_as_in_a_file() {
    let stage = Stage::new();
    let add = |path: &str, tenant: &str| {
        let export = ExportKeys {
            path: Some(path.to_owned()),
            tenant: Some(tenant.to_owned()),
            ..ExportKeys::default()
        };
        ControlRequest::ExportAdd { name: "b".to_owned(), export }
    };
    let image = |name: &str| stage.path(name).display().to_string();
    fs::copy(image("a.img"), image("b.img")).unwrap();
    stage.client().ask::<()>(&add(&image("b.img"), "a")).unwrap();
    let calls = stage.fake.take_calls();
    assert!(calls[0].contains("name: \"b\"") && calls[0].contains("[Anyone]"), "{calls:?}");
    let (kind, message) = refused(stage.client().ask::<()>(&add("/nowhere", "c")).unwrap_err());
    assert_eq!(kind, RefusalKind::Configuration);
    assert!(message.contains("/nowhere: No such file"), "{message}");
    assert!(message.contains("no tenant `c`"), "{message}");
}

#[test]
fn what_is_refused_says_why_and_the_connection_goes_on() {
    let stage = Stage::new();
    let mut client = stage.client();
    let request = ControlRequest::Weight { tenant: "alise".to_owned(), weight: 7 };
    let (kind, message) = refused(client.ask::<()>(&request).unwrap_err());
    assert_eq!(kind, RefusalKind::Unknown);
    assert_eq!(message, "no tenant `alise`; did you mean `alice`?");
    client.ask::<Status>(&ControlRequest::Status).unwrap();
}

#[test]
fn a_bad_file_changes_nothing_and_says_line_and_reason() {
    let stage = Stage::new();
    let mut client = stage.client();
    let file = stage.path("serve.toml");
    fs::write(&file, "[exports.a]\npath = 'a.img'\n[tenants.a]\nweight = 0\n").unwrap();
    let (kind, message) = refused(client.ask::<Vec<String>>(&ControlRequest::Reload).unwrap_err());
    assert_eq!(kind, RefusalKind::Configuration);
    assert!(
        message.ends_with(
            "serve.toml:4: `weight` is \"0\"; expected a whole number from 1 \
        to 10000"
        ),
        "{message}"
    );
    fs::write(&file, "[exports.a]\npath = 'a.img'\n[tenants.impossible]\n").unwrap();
    let (kind, message) = refused(client.ask::<Vec<String>>(&ControlRequest::Reload).unwrap_err());
    assert_eq!((kind, message.as_str()), (RefusalKind::Refused, "no room for `impossible`"));
    assert!(stage.fake.take_calls().is_empty());
    fs::write(&file, "http = '127.0.0.1:1'\n[exports.a]\npath = 'a.img'\n").unwrap();
    let said: Vec<String> = client.ask(&ControlRequest::Reload).unwrap();
    assert_eq!(
        said,
        ["The weight of `alice` is 200.", "`http` changes when the server is started again",]
    );
    assert_eq!(stage.fake.take_calls(), ["apply 1 exports"]);
}

#[test]
fn clients_that_behave_badly_are_sent_away_and_others_served() {
    let stage = Stage::new();
    // One that sends what is no request goes on; one whose line has no end does not.
    let mut garbage = stage.connect();
    garbage.write_all(b"\xff\xfe\n").unwrap();
    let mut answer = [0; 64];
    let length = garbage.read(&mut answer).unwrap();
    assert!(String::from_utf8_lossy(&answer[..length]).contains("\"kind\":\"request\""));
    let mut endless = stage.connect();
    endless.write_all(&vec![b'x'; MAX_LINE_BYTES + 1]).unwrap();
    let mut rest = String::new();
    endless.read_to_string(&mut rest).unwrap();
    let answer: Value = serde_json::from_str(&rest).unwrap();
    assert_eq!(answer["error"]["message"], json!("a line of more than 65536 bytes"));
    // Silent ones take places, of which there are 16: the garbage client has one.
    let silent: Vec<_> = (0..16).map(|_| stage.connect()).collect();
    let mut last = String::new();
    (&silent[15]).read_to_string(&mut last).unwrap();
    assert!(last.contains("too many clients"), "{last}");
    drop(silent);
    // Their places are free when their threads have seen them go.
    let served = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        stage.client().ask::<Status>(&ControlRequest::Status).is_ok()
    });
    assert!(served);
}

#[test]
fn the_socket_is_for_its_owner_and_gone_with_the_server() {
    let stage = Stage::new();
    let path = stage.path("c.sock");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let _silent = stage.connect();
    drop(stage.socket);
    assert!(!path.exists());
}
