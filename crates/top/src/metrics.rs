// SPDX-License-Identifier: MIT OR Apache-2.0
//! Totals and the figures of the last interval by HTTP, for a metrics server.

use crate::error::TopError;
use live::{Snapshot, Totals};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use web::{Reply, Site, StatusCode, WebServer};

/// What is served, until it is dropped.
#[derive(Debug)]
pub struct Metrics {
    totals: Totals,
    text: Arc<Mutex<String>>,
    server: WebServer,
}

impl Metrics {
    /// Serves at an address; with port 0 the system chooses one.
    ///
    /// # Errors
    /// [`TopError::Listen`] if the address cannot be had.
    pub fn listen(address: SocketAddr) -> Result<Self, TopError> {
        let text = Arc::new(Mutex::new("# EOF\n".to_owned()));
        let server = WebServer::listen(address, Page(text.clone()))
            .map_err(|source| TopError::Listen { address, source })?;
        Ok(Metrics { totals: Totals::default(), text, server })
    }

    /// Where it is served: with the port that the system chose, if that was 0.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// An interval is over.
    pub fn add(&mut self, snapshot: &Snapshot) {
        self.totals.add(snapshot);
        // Text can be written.
        let Ok(text) = live::open_metrics(&self.totals) else { return };
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

/// The only page: what was told last.
struct Page(Arc<Mutex<String>>);

impl Site for Page {
    async fn answer(&self, path: &str) -> Reply {
        match path {
            "/metrics" => {
                let text = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Reply::whole(StatusCode::OK, web::metrics::MEDIA_TYPE, text)
            }
            _ => Reply::text(StatusCode::NOT_FOUND, "there is /metrics\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// How a page is answered and what it says: without a connection, for these tests also run
    /// where there is no network at all.
    fn get(metrics: &Metrics, path: &str) -> (StatusCode, String) {
        let answer = async {
            let reply = Page(metrics.text.clone()).answer(path).await;
            (reply.status(), String::from_utf8(reply.body().await.to_vec()).unwrap())
        };
        match pin!(answer).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => answer,
            Poll::Pending => panic!("the page waits for something"),
        }
    }

    #[test]
    fn totals_rise_with_each_interval_and_there_is_no_other_page() {
        let mut metrics = Metrics::listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let mut snapshot = Snapshot { lost_events: 3, ..Snapshot::default() };
        for lost in ["3", "5"] {
            metrics.add(&snapshot);
            let (status, said) = get(&metrics, "/metrics");
            let line = format!("\nbfq_top_lost_events_total {lost}.0\n");
            assert_eq!(status, StatusCode::OK);
            assert!(said.contains(&line) && said.ends_with("# EOF\n"), "{said}");
            snapshot.lost_events = 2;
        }
        let (status, said) = get(&metrics, "/");
        assert_eq!((status, said.as_str()), (StatusCode::NOT_FOUND, "there is /metrics\n"));
    }
}
