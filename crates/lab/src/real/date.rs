// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a run in real time was made, as fio says it.

use base::Date;
use report::FioOutput;
use std::time::{SystemTime, UNIX_EPOCH};

/// Puts the present time where fio has it.
pub fn put(fio: &mut FioOutput) {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    fio.timestamp = since_1970.as_secs();
    fio.timestamp_ms = u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX);
    fio.time = utc(since_1970.as_secs());
}

/// A date as `ctime` writes it, in UTC.
fn utc(seconds: u64) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let Date { year, month, day, weekday, second } = Date::since_1970(seconds);
    format!(
        "{} {} {:>2} {:02}:{:02}:{:02} {year}",
        WEEKDAYS[weekday],
        MONTHS[month as usize - 1],
        day,
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (seconds, text) in [
            (0, "Thu Jan  1 00:00:00 1970"),
            (951_782_399, "Mon Feb 28 23:59:59 2000"),
            (951_782_400, "Tue Feb 29 00:00:00 2000"),
            (951_868_800, "Wed Mar  1 00:00:00 2000"),
            (1_767_225_599, "Wed Dec 31 23:59:59 2025"),
            (4_107_542_400, "Mon Mar  1 00:00:00 2100"),
        ] {
            assert_eq!(utc(seconds), text);
        }
    }
}
