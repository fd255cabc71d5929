// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who was served when: a part of a run, event by event, as the timeline of a report shows it.
//!
//! Entries are written as arrays, for there are many of them; their documentation gives the order.

use serde::{Deserialize, Deserializer, Serialize, de::Error};

/// The reasons for which turns end, by bfq's names, and in words. The first: it had not ended.
pub const REASONS: [(&str, &str); 6] = [
    ("", "it goes on"),
    ("too_idle", "nothing came"),
    ("budget_timeout", "time was up"),
    ("budget_exhausted", "budget used"),
    ("no_more_requests", "nothing left"),
    ("preempted", "preempted"),
];

/// Other things that are decided, by their names in [`Mark::what`], and in words.
pub const MARKS: [(&str, &str); 6] = [
    ("injected", "injected"),
    ("raised", "raised"),
    ("raise_ended", "raise ended"),
    ("merged", "merged"),
    ("split", "split"),
    ("large_burst", "large burst"),
];

/// A part of the schedule. Times are nanoseconds from the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timeline {
    /// Where it begins.
    pub from_ns: u64,
    /// Where it ends.
    pub until_ns: u64,
    /// All processes and queues that occur below; other lists refer to their place in this one.
    pub who: Vec<Who>,
    /// What the device did. Requests of the same process that lie one behind the other on the disk
    /// and ended one after the other are one entry.
    pub requests: Vec<Requests>,
    /// Turns of queues on the disk; empty under a scheduler that has none (or tells nothing).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TimelineTurn>,
    /// Times during which the disk was kept for a queue that had nothing to dispatch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Wait>,
    /// Moments at which something else was decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

impl Timeline {
    /// The first place in `who` that an entry names and that the list does not have.
    fn missing(&self) -> Option<usize> {
        let requests = self.requests.iter().map(|entry| entry.who);
        let turns = self.turns.iter().map(|turn| turn.who);
        let waits = self.waits.iter().map(|wait| wait.who);
        let marks = self.marks.iter().map(|mark| mark.who);
        let mut named = requests.chain(turns).chain(waits).chain(marks);
        named.find(|&who| who >= self.who.len())
    }
}

/// Reads a timeline out of a result, which may have been edited: each entry must be of a
/// process or queue listed.
pub(crate) fn checked<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timeline>, D::Error> {
    let timeline = Option::<Timeline>::deserialize(from)?;
    match timeline.as_ref().and_then(Timeline::missing) {
        Some(who) => Err(D::Error::custom(format!(
            "an entry of a timeline is of \"who\" {who}, which is not listed"
        ))),
        None => Ok(timeline),
    }
}

/// A process, or processes that share a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Who {
    /// Name of the process or queue.
    pub name: String,
    /// Its job (of the first of them), by its place in the summary; none: background writes.
    pub job: Option<usize>,
}

/// Requests in one piece: `[dispatched_ns, ended_ns, who, op, first_sector, end_sector, count]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "RequestsRow", into = "RequestsRow")]
pub struct Requests {
    /// When the first went to the device.
    pub dispatched_ns: u64,
    /// When the last ended.
    pub ended_ns: u64,
    /// Whose they are.
    pub who: usize,
    /// `R`ead, `W`rite, `D`iscard or `F`lush.
    pub op: char,
    /// The first sector of the first.
    pub first_sector: u64,
    /// The sector behind the last one.
    pub end_sector: u64,
    /// How many they are.
    pub count: u64,
}

type RequestsRow = (u64, u64, usize, char, u64, u64, u64);

impl From<RequestsRow> for Requests {
    fn from(row: RequestsRow) -> Self {
        let (dispatched_ns, ended_ns, who, op, first_sector, end_sector, count) = row;
        Self { dispatched_ns, ended_ns, who, op, first_sector, end_sector, count }
    }
}

impl From<Requests> for RequestsRow {
    fn from(row: Requests) -> Self {
        let Requests { dispatched_ns, ended_ns, who, op, first_sector, end_sector, count } = row;
        (dispatched_ns, ended_ns, who, op, first_sector, end_sector, count)
    }
}

/// A turn of a queue on the disk: `[from_ns, until_ns, who, reason, slow]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Turn"))]
#[serde(from = "TurnRow", into = "TurnRow")]
pub struct TimelineTurn {
    /// When it got the disk.
    pub from_ns: u64,
    /// When the turn ended.
    pub until_ns: u64,
    /// Whose queue it is.
    pub who: usize,
    /// Why it ended, by the scheduler's name of the reason; empty: it had not.
    pub reason: String,
    /// Whether the queue was found slow, and charged for time.
    pub slow: bool,
}

type TurnRow = (u64, u64, usize, String, bool);

impl From<TurnRow> for TimelineTurn {
    fn from((from_ns, until_ns, who, reason, slow): TurnRow) -> Self {
        Self { from_ns, until_ns, who, reason, slow }
    }
}

impl From<TimelineTurn> for TurnRow {
    fn from(row: TimelineTurn) -> Self {
        (row.from_ns, row.until_ns, row.who, row.reason, row.slow)
    }
}

/// The disk was kept for a queue without requests to dispatch: `[from_ns, until_ns, who, rule]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "WaitRow", into = "WaitRow")]
pub struct Wait {
    /// Begin of the wait.
    pub from_ns: u64,
    /// End of the wait.
    pub until_ns: u64,
    /// Whom the disk was kept idle for.
    pub who: usize,
    /// The rule that asked for it.
    pub rule: String,
}

type WaitRow = (u64, u64, usize, String);

impl From<WaitRow> for Wait {
    fn from((from_ns, until_ns, who, rule): WaitRow) -> Self {
        Self { from_ns, until_ns, who, rule }
    }
}

impl From<Wait> for WaitRow {
    fn from(row: Wait) -> Self {
        (row.from_ns, row.until_ns, row.who, row.rule)
    }
}

/// Something that was decided: `[at_ns, who, what, detail]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "MarkRow", into = "MarkRow")]
pub struct Mark {
    /// Time of the event.
    pub at_ns: u64,
    /// Whom it is about.
    pub who: usize,
    /// One of [`MARKS`].
    pub what: String,
    /// The kind of injection or raise, or who else takes part; may be empty.
    pub detail: String,
}

type MarkRow = (u64, usize, String, String);

impl From<MarkRow> for Mark {
    fn from((at_ns, who, what, detail): MarkRow) -> Self {
        Self { at_ns, who, what, detail }
    }
}

impl From<Mark> for MarkRow {
    fn from(row: Mark) -> Self {
        (row.at_ns, row.who, row.what, row.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_arrays() {
        let timeline = Timeline {
            from_ns: 1,
            until_ns: 9,
            who: vec![Who { name: "a".into(), job: Some(0) }],
            requests: vec![Requests {
                dispatched_ns: 1,
                ended_ns: 2,
                who: 0,
                op: 'R',
                first_sector: 8,
                end_sector: 24,
                count: 2,
            }],
            turns: vec![TimelineTurn {
                from_ns: 1,
                until_ns: 5,
                who: 0,
                reason: "too_idle".into(),
                slow: false,
            }],
            waits: vec![Wait { from_ns: 2, until_ns: 5, who: 0, rule: "strict".into() }],
            marks: vec![Mark { at_ns: 3, who: 0, what: "raised".into(), detail: String::new() }],
        };
        let text = serde_json::to_string(&timeline).unwrap();
        assert_eq!(
            text,
            r#"{"from_ns":1,"until_ns":9,"who":[{"name":"a","job":0}],"#.to_owned()
                + r#""requests":[[1,2,0,"R",8,24,2]],"turns":[[1,5,0,"too_idle",false]],"#
                + r#""waits":[[2,5,0,"strict"]],"marks":[[3,0,"raised",""]]}"#
        );
        assert_eq!(serde_json::from_str::<Timeline>(&text).unwrap(), timeline);
    }

    #[test]
    fn an_entry_of_somebody_who_is_not_listed_is_an_error() {
        let list = r#"{"from_ns":1,"until_ns":9,"who":[{"name":"a","job":0}],"requests""#;
        for (entries, wrong) in [
            (r#"[[1,2,0,"R",8,24,2]]"#, None),
            (r#"[[1,2,1,"R",8,24,2]]"#, Some(1)),
            (r#"[],"turns":[[1,5,2,"",false]]"#, Some(2)),
            (r#"[],"waits":[[2,5,3,"strict"]]"#, Some(3)),
            (r#"[],"marks":[[3,4,"raised",""]]"#, Some(4)),
        ] {
            let text = format!("{list}:{entries}}}");
            let read = checked(&mut serde_json::Deserializer::from_str(&text));
            let message = read.err().map(|error| error.to_string());
            let expected = wrong.map(|who| format!("is of \"who\" {who}, which is not listed"));
            match (&message, &expected) {
                (Some(message), Some(expected)) => assert!(message.contains(expected), "{message}"),
                _ => assert_eq!(message, expected, "{entries}"),
            }
        }
    }
}
