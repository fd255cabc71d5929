// SPDX-License-Identifier: MIT OR Apache-2.0
//! The live page: one file of HTML that needs nothing but the stream of events beside it.

use maud::{DOCTYPE, PreEscaped, html};

/// The page. What it shows comes later, by events.
pub fn page() -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "bfq serve" }
                link rel="icon" href="data:,";
                style { (PreEscaped(report::PALETTE)) (PreEscaped(include_str!("page/style.css"))) }
            }
            body {
                header {
                    h1 { "bfq serve" }
                    p.lead {
                        output #state role="status" { "Connecting …" } " "
                        span #uptime {}
                    }
                    div.controls role="group" aria-label="What is shown" {
                        button #pause type="button" aria-pressed="false" aria-keyshortcuts="p" {
                            "Pause (p)"
                        }
                        @for (minutes, name) in [(1, "1 minute"), (5, "5 minutes"), (30, "30 minutes")] {
                            button.range type="button" data-minutes=(minutes)
                                aria-pressed=(if minutes == 5 { "true" } else { "false" }) { (name) }
                        }
                    }
                    noscript { p.note { "This page draws by JavaScript, which is off; /metrics does not." } }
                }
                main #disks {}
                footer {
                    p {
                        "Made by bfq " (env!("CARGO_PKG_VERSION")) ". A share is a tenant's part of \
                         the bytes of the last second; the mark in its bar is what it is entitled to \
                         among those who want the disk now. Latencies are those of the last ten \
                         seconds."
                    }
                }
                script { (PreEscaped(include_str!("page/live.js"))) }
            }
        }
    };
    markup.into_string()
}
