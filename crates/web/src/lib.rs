// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small web server for pages and metrics: `bfq serve` and `bfq top` have one each.
//!
//! One thread serves a [`Site`] until its [`WebServer`] is dropped. The protocol is hyper's; added
//! is that no client can hold up others: a client has a few seconds to ask, who does not read what
//! is sent is let go, and connections are limited in number: when there are too many, the one that
//! has waited longest without asking makes room. Only GET and HEAD are answered, so nothing can be
//! changed through it; there is no login and no TLS. [`metrics`] writes measured values as
//! OpenMetrics.
//!
//! ```
//! use web::{Reply, Site, StatusCode, WebServer};
//!
//! struct Hello;
//!
//! impl Site for Hello {
//!     async fn answer(&self, path: &str) -> Reply {
//!         match path {
//!             "/" => Reply::text(StatusCode::OK, "hello\n"),
//!             _ => Reply::text(StatusCode::NOT_FOUND, "there is /\n"),
//!         }
//!     }
//! }
//!
//! let server = WebServer::listen("127.0.0.1:0".parse()?, Hello)?;
//! println!("http://{}/", server.address());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod metrics;
mod reply;
mod server;

pub use hyper::StatusCode;
pub use reply::Reply;
pub use server::{Site, WebServer};
