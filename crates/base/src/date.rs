// SPDX-License-Identifier: MIT OR Apache-2.0
//! The day and time of a moment in UTC. Own code: a calendar's library is large, and this is all
//! that is needed of one.

/// A moment in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// The year after Christ.
    pub year: u64,
    /// The month, 1 to 12.
    pub month: u64,
    /// The day of the month, from 1.
    pub day: u64,
    /// The day of the week, 0 for Thursday, as 1970 began with one.
    pub weekday: usize,
    /// Seconds of the day.
    pub second: u64,
}

impl Date {
    /// The moment that number of seconds after the beginning of 1970.
    pub const fn since_1970(seconds: u64) -> Date {
        const ERA_DAYS: u64 = 146_097;
        let days = seconds / 86_400;
        // Years that begin in March, so that the odd day is the last one.
        let from_march = days + 719_468;
        let (era, day) = (from_march / ERA_DAYS, from_march % ERA_DAYS);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let (weekday, second) = ((days % 7) as usize, seconds % 86_400);
        Date { year: era * 400 + year + next, month, day, weekday, second }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (seconds, expected) in [
            (0, (1970, 1, 1, 0, 0)),
            (59 * 86_400 + 5, (1970, 3, 1, 3, 5)),
            (951_782_399, (2000, 2, 28, 4, 86_399)),
            (951_782_400, (2000, 2, 29, 5, 0)),
            (951_868_800, (2000, 3, 1, 6, 0)),
            (1_767_225_599, (2025, 12, 31, 6, 86_399)),
            (20_779 * 86_400, (2026, 11, 22, 3, 0)),
            (4_107_542_400, (2100, 3, 1, 4, 0)),
        ] {
            let Date { year, month, day, weekday, second } = Date::since_1970(seconds);
            assert_eq!((year, month, day, weekday, second), expected, "{seconds}");
        }
    }
}
