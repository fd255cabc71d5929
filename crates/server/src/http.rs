// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the block server tells by HTTP: metrics and the live page.
//!
//! Those who watch the page are told once a second, and limited in number.

mod events;

use crate::control::Control;
use crate::metrics;
use crate::page;
use crate::status::Status;
use events::Watchers;
use hyper::body::Bytes;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use web::{Reply, Site, StatusCode, WebServer};

/// How often those who watch are told.
const PERIOD: Duration = Duration::from_secs(1);

/// Serves metrics and the live page at an address until it is dropped.
///
/// # Errors
/// The address cannot be had.
pub fn listen(address: SocketAddr, control: Arc<dyn Control>) -> io::Result<WebServer> {
    WebServer::listen(
        address,
        Figures { control, watchers: Watchers::default(), asked: Mutex::new(()) },
    )
}

/// The metrics, the live page and its events, on top of the server's control.
struct Figures {
    control: Arc<dyn Control>,
    watchers: Watchers,
    /// Held by who asks the server, so that one that does not answer holds one thread at most.
    asked: Mutex<()>,
}

impl Site for Figures {
    async fn answer(&self, path: &str) -> Reply {
        match path {
            "/" => Reply::whole(StatusCode::OK, "text/html; charset=utf-8", page::page()),
            "/metrics" => match self.status().await.map(metrics::text) {
                Some(Ok(text)) => Reply::whole(StatusCode::OK, web::metrics::MEDIA_TYPE, text),
                _ => Reply::text(StatusCode::SERVICE_UNAVAILABLE, "the server does not answer\n"),
            },
            "/events" => match self.watchers.watch() {
                Some(events) => Reply::stream("text/event-stream", events),
                None => Reply::text(StatusCode::SERVICE_UNAVAILABLE, "too many watch\n"),
            },
            _ => Reply::text(StatusCode::NOT_FOUND, "there are /, /events and /metrics\n"),
        }
    }

    /// Tells those who watch what there is to see, again and again.
    async fn beside(self: Arc<Self>) {
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

impl Figures {
    /// Asks the server, which may take a moment.
    async fn status(&self) -> Option<Status> {
        let _turn = self.asked.lock().await;
        let control = self.control.clone();
        tokio::task::spawn_blocking(move || control.status()).await.ok()
    }
}
