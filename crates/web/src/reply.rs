// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a site answers: a status, a type and a body, which browsers are told not to keep.

use http_body_util::BodyExt;
use http_body_util::Full;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body, Bytes};
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};
use std::convert::Infallible;

/// The pages do not need more, and nothing that gets into one can do more.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
    connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The answer to a request.
#[derive(Debug)]
pub struct Reply(pub(crate) Response<UnsyncBoxBody<Bytes, Infallible>>);

impl Reply {
    /// A reply with a plain text, in UTF-8.
    pub fn text(status: StatusCode, text: &'static str) -> Reply {
        Reply::whole(status, "text/plain; charset=utf-8", text)
    }

    /// A body that is there as a whole, of a media type such as `text/html; charset=utf-8`.
    pub fn whole(status: StatusCode, media_type: &'static str, body: impl Into<Bytes>) -> Reply {
        Reply::new(status, media_type, Full::new(body.into()))
    }

    /// A body that comes in parts, as long as the client stays.
    pub fn stream(
        media_type: &'static str,
        body: impl Body<Data = Bytes, Error = Infallible> + Send + 'static,
    ) -> Reply {
        Reply::new(StatusCode::OK, media_type, body)
    }

    /// How it is answered.
    pub fn status(&self) -> StatusCode {
        self.0.status()
    }

    /// What is answered, as a whole: for tests of a site, which need no socket for this.
    pub async fn body(self) -> Bytes {
        match self.0.into_body().collect().await {
            Ok(body) => body.to_bytes(),
            Err(never) => match never {},
        }
    }

    fn new(
        status: StatusCode,
        media_type: &'static str,
        body: impl Body<Data = Bytes, Error = Infallible> + Send + 'static,
    ) -> Reply {
        let mut response = Response::new(body.boxed_unsync());
        *response.status_mut() = status;
        for (name, value) in [
            (header::CONTENT_TYPE, media_type),
            (header::CACHE_CONTROL, "no-store"),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        Reply(response)
    }

    /// Adds the methods that there are.
    pub(crate) fn allow(mut self, methods: &'static str) -> Reply {
        self.0.headers_mut().insert(header::ALLOW, HeaderValue::from_static(methods));
        self
    }
}
