// SPDX-License-Identifier: MIT OR Apache-2.0
//! The line in which the kernel tells the schedulers of a disk: `none [mq-deadline] bfq`.

/// What the file `queue/scheduler` of a disk says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerChoice<'a> {
    /// The schedulers that can be chosen, in the kernel's order.
    pub offered: Vec<&'a str>,
    /// The one in force: the word in brackets, or one that stands alone, which needs none; `none`
    /// otherwise.
    pub in_force: &'a str,
}

impl<'a> SchedulerChoice<'a> {
    /// Reads the line. Where it is empty there is no scheduler, and nothing to choose.
    pub fn parse(line: &'a str) -> Self {
        let in_brackets = |word: &'a str| word.strip_prefix('[')?.strip_suffix(']');
        let words: Vec<&str> = line.split_whitespace().collect();
        let chosen = words.iter().find_map(|word| in_brackets(word));
        let offered: Vec<&str> =
            words.iter().map(|word| in_brackets(word).unwrap_or(word)).collect();
        let in_force = match (chosen, &offered[..]) {
            (Some(chosen), _) => chosen,
            (None, [only]) => only,
            _ => "none",
        };
        SchedulerChoice { in_force, offered }
    }
}

impl SchedulerChoice<'_> {
    /// The scheduler in force by such a line.
    pub fn in_force(line: &str) -> &str {
        SchedulerChoice::parse(line).in_force
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_force_is_in_brackets_or_alone() {
        for (line, offered, in_force) in [
            ("none mq-deadline [bfq]", &["none", "mq-deadline", "bfq"][..], "bfq"),
            ("none [mq-deadline] bfq\n", &["none", "mq-deadline", "bfq"], "mq-deadline"),
            ("[none] bfq", &["none", "bfq"], "none"),
            ("none", &["none"], "none"),
            ("bfq", &["bfq"], "bfq"),
            ("none bfq", &["none", "bfq"], "none"),
            ("", &[], "none"),
        ] {
            let expected = SchedulerChoice { offered: offered.to_vec(), in_force };
            assert_eq!(SchedulerChoice::parse(line), expected, "{line:?}");
        }
    }
}
