// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that takes connections and answers them, and how it ends.

use crate::reply::Reply;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::AbortHandle;
use tokio_io_timeout::TimeoutStream;

/// What a client may take of a server.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Connections at a time.
    connections: usize,
    /// How long a client may take to ask.
    asking: Duration,
    /// How long a client may read nothing of what there is to send.
    reading: Duration,
}

const LIMITS: Limits =
    Limits { connections: 64, asking: Duration::from_secs(5), reading: Duration::from_secs(10) };

/// What a web server serves: an answer for each path.
pub trait Site: Send + Sync + 'static {
    /// Answers who asks for a path. All answers come from one thread: what takes long has to be
    /// awaited.
    fn answer(&self, path: &str) -> impl Future<Output = Reply> + Send;

    /// What is done besides, from the beginning until the server is dropped: nothing, usually.
    fn beside(self: Arc<Self>) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Serves a site until it is dropped.
#[derive(Debug)]
pub struct WebServer {
    address: SocketAddr,
    closing: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl WebServer {
    /// Listens at an address; with port 0 the system chooses one.
    ///
    /// # Errors
    /// The address cannot be had, or the system has no thread or descriptors left.
    pub fn listen(address: SocketAddr, site: impl Site) -> io::Result<WebServer> {
        WebServer::within(LIMITS, address, site)
    }

    fn within(limits: Limits, address: SocketAddr, site: impl Site) -> io::Result<WebServer> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let (closing, closed) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("http".to_owned())
            .spawn(move || serve(runtime, listener, limits, Arc::new(site), closed))?;
        Ok(WebServer { address, closing: Some(closing), thread: Some(thread) })
    }

    /// Where it listens: with the port that the system chose, if that was 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        drop(self.closing.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread: takes connections until `closed`.
fn serve(
    runtime: Runtime,
    listener: TcpListener,
    limits: Limits,
    site: Arc<impl Site>,
    closed: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        tokio::spawn(site.clone().beside());
        tokio::spawn(async move { accept_all(&listener, limits, &site).await });
        // It is an error when the other end is dropped, which is how it is closed.
        let _ = closed.await;
    });
    // A site that does not answer would hold up the end.
    runtime.shutdown_background();
}

/// A connection on which nothing was asked when it was last looked at.
struct Asking {
    connection: AbortHandle,
    has_asked: Arc<AtomicBool>,
}

impl Asking {
    fn goes_on(&self) -> bool {
        !self.connection.is_finished() && !self.has_asked.load(Ordering::Relaxed)
    }
}

async fn accept_all(listener: &tokio::net::TcpListener, limits: Limits, site: &Arc<impl Site>) {
    let places = Arc::new(Semaphore::new(limits.connections));
    // In the order in which they came.
    let mut asking: VecDeque<Asking> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors, mostly: some will be free again.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        asking.retain(Asking::goes_on);
        // Clients that connect and do not ask must not hold up who does. All tasks are of one
        // thread: what has not asked here asks nothing before it is gone.
        if places.available_permits() == 0
            && let Some(longest) = asking.pop_front()
        {
            longest.connection.abort();
        }
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let has_asked = Arc::new(AtomicBool::new(false));
        let connection = connection(stream, limits, site.clone(), has_asked.clone(), place);
        let connection = tokio::spawn(connection).abort_handle();
        asking.push_back(Asking { connection, has_asked });
    }
}

/// One request and its answer. A connection is not kept: no client asks often.
async fn connection(
    stream: TcpStream,
    limits: Limits,
    site: Arc<impl Site>,
    has_asked: Arc<AtomicBool>,
    place: OwnedSemaphorePermit,
) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.reading));
    let service = service_fn(|request| {
        has_asked.store(true, Ordering::Relaxed);
        let site = site.clone();
        async move { Ok::<_, Infallible>(answer(&*site, &request).await.0) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.asking)
        .keep_alive(false)
        .max_buf_size(16 << 10)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    // What goes wrong goes wrong for this client only.
    let _ = connection.await;
    drop(place);
}

async fn answer(site: &impl Site, request: &Request<Incoming>) -> Reply {
    match *request.method() {
        // hyper leaves out the body of an answer to HEAD.
        Method::GET | Method::HEAD => site.answer(request.uri().path()).await,
        _ => Reply::text(StatusCode::METHOD_NOT_ALLOWED, "GET or HEAD\n").allow("GET, HEAD"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::mpsc;
    use tokio::sync::Notify;

    /// Answers `/held` when it is told to, and says when it was asked for that.
    struct Held {
        asked: mpsc::Sender<()>,
        answered: Arc<Notify>,
    }

    impl Site for Held {
        async fn answer(&self, path: &str) -> Reply {
            if path == "/held" {
                let _ = self.asked.send(());
                self.answered.notified().await;
            }
            Reply::text(StatusCode::OK, "here\n")
        }
    }

    fn connected(server: &WebServer) -> TcpStream {
        let stream = TcpStream::connect(server.address()).unwrap();
        // So that what is never answered fails; nothing waits so long otherwise.
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream
    }

    fn ask(mut stream: &TcpStream, path: &str) {
        write!(stream, "GET {path} HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
    }

    fn answer_of(mut stream: &TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn who_does_not_ask_makes_room_for_who_does() {
        let (asked, was_asked) = mpsc::channel();
        let answered = Arc::new(Notify::new());
        let hour = Duration::from_secs(3600);
        let limits = Limits { connections: 3, asking: hour, reading: hour };
        let site = Held { asked, answered: answered.clone() };
        let server = WebServer::within(limits, "127.0.0.1:0".parse().unwrap(), site).unwrap();
        if let Err(error) = TcpStream::connect(server.address()) {
            eprintln!("skipped: no connection to this machine: {error}");
            return;
        }

        let held = connected(&server);
        ask(&held, "/held");
        was_asked.recv().unwrap();
        let [longest, other] = [(); 2].map(|()| connected(&server));
        let late = connected(&server);
        ask(&late, "/");
        assert!(answer_of(&late).ends_with("here\n"));
        assert_eq!(answer_of(&longest), "", "who waited longest without asking was let go");
        ask(&other, "/");
        assert!(answer_of(&other).ends_with("here\n"), "and nobody else");
        answered.notify_one();
        assert!(answer_of(&held).ends_with("here\n"), "who has asked is answered");
    }
}
