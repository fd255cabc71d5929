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
        Figures { control, watchers: Watchers::default(), turns: Turns::default() },
    )
}

/// The metrics, the live page and its events, on top of the server's control.
struct Figures {
    control: Arc<dyn Control>,
    watchers: Watchers,
    turns: Turns,
}

/// Turns at asking the server, so that one that does not answer holds one thread at most.
#[derive(Default)]
struct Turns(Arc<Mutex<()>>);

impl Turns {
    /// Asks when it is one's turn, in a thread that may wait. The turn is over with the answer,
    /// also if nobody waits for that any more.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let turn = Arc::clone(&self.0).lock_owned().await;
        let asked = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            question()
        });
        asked.await.ok()
    }
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
        let control = self.control.clone();
        self.turns.ask(move || control.status()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// Each client that hung up before it was answered once left a thread waiting.
    #[test]
    fn a_turn_lasts_until_the_answer_though_nobody_waits_for_it() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let turns = Turns::default();
            let (answer, waits) = channel::<()>();
            let hangs_up = turns.ask(move || waits.recv().is_err());
            assert!(tokio::time::timeout(Duration::ZERO, hangs_up).await.is_err(), "no answer");
            assert!(turns.0.try_lock().is_err(), "its thread waits still");
            drop(answer);
            assert_eq!(turns.ask(|| 2).await, Some(2));
        });
    }
}
