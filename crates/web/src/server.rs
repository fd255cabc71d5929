// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that takes connections and answers them, and how it ends.

use crate::reply::Reply;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_io_timeout::TimeoutStream;

/// Connections at a time.
const MAX_CONNECTIONS: usize = 64;
/// How long a client may take to ask.
const ASKING: Duration = Duration::from_secs(5);
/// How long a client may read nothing of what there is to send.
const READING: Duration = Duration::from_secs(10);

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
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let (closing, closed) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("http".to_owned())
            .spawn(move || serve(runtime, listener, Arc::new(site), closed))?;
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
    site: Arc<impl Site>,
    closed: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        tokio::spawn(site.clone().beside());
        tokio::spawn(async move { accept_all(&listener, &site).await });
        // It is an error when the other end is dropped, which is how it is closed.
        let _ = closed.await;
    });
    // A site that does not answer would hold up the end.
    runtime.shutdown_background();
}

async fn accept_all(listener: &tokio::net::TcpListener, site: &Arc<impl Site>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(connection(stream, site.clone(), place));
            }
            // Out of descriptors, mostly: some will be free again.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// One request and its answer. A connection is not kept: no client asks often.
async fn connection(stream: TcpStream, site: Arc<impl Site>, place: OwnedSemaphorePermit) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(READING));
    let service = service_fn(|request| {
        let site = site.clone();
        async move { Ok::<_, Infallible>(answer(&*site, &request).await.0) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ASKING)
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
