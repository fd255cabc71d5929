// SPDX-License-Identifier: MIT OR Apache-2.0
//! Metrics and the live page by HTTP, and clients that try to hold the server up.

mod fake;

use fake::Fake;
use server::http;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use web::WebServer;

fn started() -> WebServer {
    let fake = Arc::new(Fake::default());
    *fake.status.lock().unwrap() = fake::sample(10);
    http::listen("127.0.0.1:0".parse().unwrap(), fake).unwrap()
}

fn connect(server: &WebServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// Head and body of the answer to a request.
fn answer(server: &WebServer, request: &str) -> (String, String) {
    let mut stream = connect(server);
    write!(stream, "{request} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_lowercase(), body.to_owned())
}

#[test]
fn metrics_are_openmetrics() {
    let (head, body) = answer(&started(), "GET /metrics");
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    assert!(head.contains("content-type: application/openmetrics-text; version=1.0.0"), "{head}");
    for line in [
        "# TYPE bfq_uptime_seconds gauge",
        "bfq_uptime_seconds 10.0",
        "bfq_refused_connections_total 3.0",
        "# UNIT bfq_disk_busy_seconds seconds",
        "bfq_disk_busy_seconds_total{disk=\"data\"} 9.0",
        "bfq_disk_waiting_requests{disk=\"data\"} 28.0",
        "bfq_export_connections{disk=\"data\",export=\"images\",tenant=\"alice\"} 2.0",
        "bfq_export_draining{disk=\"data\",export=\"\",tenant=\"bob\"} 1.0",
        "bfq_tenant_share_ratio{disk=\"data\",tenant=\"bob\"} 0.74",
        "bfq_tenant_entitled_ratio{disk=\"data\",tenant=\"alice\"} 0.25",
        "bfq_tenant_requests_total{disk=\"data\",tenant=\"alice\",operation=\"read\"} 1000.0",
        "bfq_tenant_transferred_bytes_total{disk=\"data\",tenant=\"alice\",operation=\"write\"} \
         40960.0",
        "bfq_tenant_errors_total{disk=\"data\",tenant=\"alice\"} 1.0",
        "bfq_tenant_latency_seconds{disk=\"data\",tenant=\"bob\",quantile=\"0.99\"} 0.004",
        "# EOF",
    ] {
        assert!(body.lines().any(|one| one == line), "{line}\n{body}");
    }
}

#[test]
fn the_page_fetches_nothing_and_may_not() {
    let (head, body) = answer(&started(), "GET /");
    assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
    assert!(body.starts_with("<!DOCTYPE html>"));
    // The name of SVG's elements is no address to fetch.
    let body = body.replace("http://www.w3.org/2000/svg", "");
    assert!(!body.contains("http:") && !body.contains("https:"));
    let (head, body) = answer(&started(), "HEAD /");
    assert!(head.starts_with("http/1.1 200 ") && body.is_empty(), "{head}");
}

#[test]
fn anything_else_is_refused() {
    let server = started();
    for (request, status) in
        [("GET /nothing", "404"), ("POST /metrics", "405"), ("DELETE /", "405"), ("garbage", "400")]
    {
        let (head, _) = answer(&server, request);
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{request}: {head}");
    }
}

#[test]
fn who_watches_is_told_again_and_again() {
    let server = started();
    let mut stream = connect(&server);
    write!(stream, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut told = String::new();
    let mut part = [0; 4096];
    while told.matches("data: {").count() < 2 {
        let length = stream.read(&mut part).unwrap();
        assert!(length > 0, "{told}");
        told.push_str(&String::from_utf8_lossy(&part[..length]));
    }
    let json = told.split("data: ").nth(1).unwrap().split("\n\n").next().unwrap();
    let status: server::Status = serde_json::from_str(json).unwrap();
    assert_eq!(status, fake::sample(10));
}

#[test]
fn clients_that_ask_nothing_or_read_nothing_hold_nobody_up() {
    let server = started();
    // All places are taken by clients that begin to ask: after a while they are let go.
    let silent: Vec<_> = (0..64)
        .map(|_| {
            let mut stream = connect(&server);
            stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
            stream
        })
        .collect();
    let (head, _) = answer(&server, "GET /metrics");
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    drop(silent);
    // More than may watch, none of whom reads.
    let watching: Vec<_> = (0..40)
        .map(|_| {
            let mut stream = connect(&server);
            stream.write_all(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            stream
        })
        .collect();
    let (head, _) = answer(&server, "GET /metrics");
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    drop(watching);
}

#[test]
fn it_ends_though_clients_are_there() {
    let server = started();
    let address = server.address();
    let mut watching = connect(&server);
    watching.write_all(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    watching.read_exact(&mut [0; 16]).unwrap();
    drop(server);
    let mut rest = Vec::new();
    // The connection ends, in whatever way.
    let _ = watching.read_to_end(&mut rest);
    assert!(TcpStream::connect(address).is_err());
}
