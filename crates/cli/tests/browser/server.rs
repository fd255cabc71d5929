// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file server for pages that a browser takes from nowhere else: those made of modules.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};

/// Serves a folder on a port of its own until the tests end; says its address, which ends in `/`.
pub fn serve(folder: &Path) -> String {
    serve_with(folder, "application/wasm")
}

/// The same by a server that calls WebAssembly something else.
pub fn serve_with(folder: &Path, kind_of_wasm: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let folder = folder.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // A browser that goes away in the middle is none of our business.
            let _ = answer(&folder, kind_of_wasm, stream);
        }
    });
    format!("http://{address}/")
}

fn answer(folder: &Path, kind_of_wasm: &str, mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let asked = request.split(' ').nth(1).unwrap_or("/").trim_start_matches('/');
    let path = asked.split('?').next().unwrap_or("");
    let path = PathBuf::from(if path.is_empty() { "index.html" } else { path });
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let found = if is_inside { std::fs::read(folder.join(&path)).ok() } else { None };
    let (status, bytes) = match found {
        Some(bytes) => ("200 OK", bytes),
        None => ("404 Not Found", Vec::new()),
    };
    let kind = match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        Some("wasm") => kind_of_wasm,
        _ => "text/plain",
    };
    write!(stream, "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n")?;
    write!(stream, "Content-Length: {}\r\nConnection: close\r\n\r\n", bytes.len())?;
    stream.write_all(&bytes)
}
