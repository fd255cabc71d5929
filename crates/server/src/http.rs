// SPDX-License-Identifier: MIT OR Apache-2.0
//! Metrics and the live page by HTTP: one thread, which no client can hold up.
//!
//! The protocol is hyper's. A client has a few seconds to ask; who does not read what is sent is
//! let go; connections, and those that watch among them, are limited in number.

mod events;

use crate::control::Control;
use crate::metrics;
use crate::page;
use crate::status::Status;
use events::{Events, Watchers};
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_io_timeout::TimeoutStream;

/// Connections at a time.
const MAX_CONNECTIONS: usize = 64;
/// How long a client may take to ask.
const ASKING: Duration = Duration::from_secs(5);
/// How long a client may read nothing of what there is to send.
const READING: Duration = Duration::from_secs(10);
/// How often those who watch are told.
const PERIOD: Duration = Duration::from_secs(1);
/// The page does not need more, and nothing that gets into it can do more.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
    connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Body = Either<Full<Bytes>, Events>;

/// Serves metrics and the live page until it is dropped.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    closing: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl HttpServer {
    /// Listens at an address.
    ///
    /// # Errors
    /// The address cannot be had.
    pub fn listen(address: SocketAddr, control: Arc<dyn Control>) -> io::Result<HttpServer> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let (closing, closed) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("http".to_owned())
            .spawn(move || serve(runtime, listener, control, closed))?;
        Ok(HttpServer { address, closing: Some(closing), thread: Some(thread) })
    }

    /// Where it listens: with the port that the system chose, if that was 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for HttpServer {
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
    control: Arc<dyn Control>,
    closed: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let site = Arc::new(Site { control, watchers: Watchers::default(), asked: Mutex::new(()) });
        tokio::spawn(site.clone().tell_watchers());
        tokio::spawn(async move { accept_all(&listener, &site).await });
        // It is an error when the other end is dropped, which is how it is closed.
        let _ = closed.await;
    });
    // A server that does not answer would hold up the end.
    runtime.shutdown_background();
}

async fn accept_all(listener: &tokio::net::TcpListener, site: &Arc<Site>) {
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

/// One request and its answer. A connection is not kept: nobody asks often.
async fn connection(stream: TcpStream, site: Arc<Site>, place: OwnedSemaphorePermit) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(READING));
    let service = service_fn(|request| {
        let site = site.clone();
        async move { Ok::<_, Infallible>(site.answer(&request).await) }
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

/// What is served.
struct Site {
    control: Arc<dyn Control>,
    watchers: Watchers,
    /// Held by who asks the server, so that one that does not answer holds one thread at most.
    asked: Mutex<()>,
}

impl Site {
    async fn answer(&self, request: &Request<Incoming>) -> Response<Body> {
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "GET or HEAD\n");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        match request.uri().path() {
            "/" => whole(StatusCode::OK, "text/html; charset=utf-8", page::page()),
            "/metrics" => match self.status().await.map(metrics::text) {
                Some(Ok(text)) => whole(StatusCode::OK, metrics::CONTENT_TYPE, text),
                _ => text(StatusCode::SERVICE_UNAVAILABLE, "the server does not answer\n"),
            },
            "/events" if request.method() == Method::GET => match self.watchers.watch() {
                Some(events) => {
                    response(StatusCode::OK, "text/event-stream", Either::Right(events))
                }
                None => text(StatusCode::SERVICE_UNAVAILABLE, "too many watch\n"),
            },
            _ => text(StatusCode::NOT_FOUND, "there are /, /events and /metrics\n"),
        }
    }

    /// Asks the server, which may take a moment.
    async fn status(&self) -> Option<Status> {
        let _turn = self.asked.lock().await;
        let control = self.control.clone();
        tokio::task::spawn_blocking(move || control.status()).await.ok()
    }

    /// Tells those who watch what there is to see, again and again.
    async fn tell_watchers(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(PERIOD);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if !self.watchers.are_there() {
                continue;
            }
            let Some(status) = self.status().await else { continue };
            // Numbers and texts: they can be written.
            let Ok(json) = serde_json::to_string(&status) else { continue };
            self.watchers.tell(&Bytes::from(format!("data: {json}\n\n")));
        }
    }
}

fn text(status: StatusCode, text: &'static str) -> Response<Body> {
    whole(status, "text/plain; charset=utf-8", text)
}

fn whole(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Response<Body> {
    response(status, content_type, Either::Left(Full::new(body.into())))
}

fn response(status: StatusCode, content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
