// SPDX-License-Identifier: MIT OR Apache-2.0
//! The control socket's server: a thread for each of a few clients, which have to be quick.

use super::line::read_line;
use super::operator::Operator;
use super::protocol::{
    ControlOutcome, MAX_LINE_BYTES, Refusal, RefusalKind, answer_line, read_request,
};
use crate::unix_socket;
use std::io::{self, BufReader, ErrorKind, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Clients at a time; more are told so and sent away.
const MAX_CLIENTS: usize = 16;
/// How long a client may be silent, or take to send a line or to read an answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// The permissions of the socket: its owner may do everything, other users nothing.
const MODE: u32 = 0o600;

/// A socket on which an operator is asked, until it is dropped.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ControlSocket {
    /// Listens at a path.
    ///
    /// # Errors
    /// The socket cannot be made, or another server listens there.
    pub fn listen(path: &Path, operator: Arc<Operator>) -> io::Result<ControlSocket> {
        let listener = unix_socket::listen(path, MODE)?;
        let closing = Arc::new(AtomicBool::new(false));
        let accepting = closing.clone();
        let thread = thread::Builder::new()
            .name("control".to_owned())
            .spawn(move || accept_all(&listener, &operator, &accepting))?;
        Ok(ControlSocket { path: path.to_owned(), closing, thread: Some(thread) })
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Release);
        // A last client wakes the thread. If that fails, the thread ends with the process.
        if UnixStream::connect(&self.path).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Takes clients until the socket is closed.
fn accept_all(listener: &UnixListener, operator: &Arc<Operator>, closing: &AtomicBool) {
    // Each client's thread has a clone: they count the clients.
    let present = Arc::new(());
    for stream in listener.incoming() {
        if closing.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = stream else {
            // Out of descriptors, mostly: some will be free again.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        let limits = stream
            .set_read_timeout(Some(PATIENCE))
            .and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
        if limits.is_err() {
            continue;
        }
        if Arc::strong_count(&present) > MAX_CLIENTS {
            let busy = Refusal::new(RefusalKind::Unavailable, "too many clients");
            let _ = answer(&stream, &Err(busy));
            continue;
        }
        let (operator, present) = (operator.clone(), present.clone());
        let client = thread::Builder::new().name("control client".to_owned()).spawn(move || {
            let _present = present;
            serve(&stream, &operator);
        });
        // The client of a thread that cannot be had sees its connection end.
        drop(client);
    }
}

/// Answers a client until it goes, is too slow or sends what is no line.
fn serve(stream: &UnixStream, operator: &Operator) {
    let mut reader = BufReader::new(stream);
    loop {
        let line = match read_line(&mut reader, MAX_LINE_BYTES, PATIENCE) {
            Ok(Some(line)) => line,
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                let refusal = Refusal::new(RefusalKind::Request, error.to_string());
                let _ = answer(stream, &Err(refusal));
                return;
            }
            Ok(None) | Err(_) => return,
        };
        let answered = match read_request(&line) {
            Ok(request) => operator.carry_out(request, |outcome| answer(stream, outcome)),
            Err(refusal) => answer(stream, &Err(refusal)),
        };
        if answered.is_err() {
            return;
        }
    }
}

fn answer(mut stream: &UnixStream, outcome: &ControlOutcome) -> io::Result<()> {
    stream.write_all(answer_line(outcome)?.as_bytes())
}
