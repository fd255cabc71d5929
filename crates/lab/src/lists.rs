// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists as people write them, of which each entry may have settings: `--scheduler` and `--device`;
//! and the settings themselves.

/// The rule, for `--help`.
pub const RULE: &str = "A part of the list that has a `=` and no `:` belongs to the entry before \
                        it, any other part begins a new one";

/// Takes a list apart: `bfq:low_latency=0,slice_idle=0,none` has two entries, since a setting
/// belongs to the entry before it. The list is bytes, as files may be called by any.
pub fn entries(list: &[u8]) -> Vec<Vec<u8>> {
    let mut entries: Vec<Vec<u8>> = Vec::new();
    let parts = list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    for part in parts.filter(|part| !part.is_empty()) {
        match entries.last_mut() {
            Some(entry) if part.contains(&b'=') && !part.contains(&b':') => {
                entry.push(if entry.contains(&b':') { b',' } else { b':' });
                entry.extend_from_slice(part);
            }
            _ => entries.push(part.to_owned()),
        }
    }
    entries
}

/// Splits `NAME=VALUE`, neither of them empty.
pub fn name_and_value(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    (!name.is_empty() && !value.is_empty()).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_belongs_to_the_entry_before_it() {
        for (list, expected) in [
            ("", &[][..]),
            (" , ", &[]),
            ("none", &["none"]),
            ("none, mq-deadline,", &["none", "mq-deadline"]),
            (
                "mq-deadline:fifo_batch=1,read_expire=5,none",
                &["mq-deadline:fifo_batch=1,read_expire=5", "none"],
            ),
            ("mq-deadline,fifo_batch=1", &["mq-deadline:fifo_batch=1"]),
            (
                "hdd:depth=32,rotational=0,ssd:depth=1",
                &["hdd:depth=32,rotational=0", "ssd:depth=1"],
            ),
            ("x=1,y=2", &["x=1:y=2"]),
        ] {
            let entries: Vec<_> = entries(list.as_bytes())
                .into_iter()
                .map(|entry| String::from_utf8(entry).unwrap())
                .collect();
            assert_eq!(entries, expected, "{list}");
        }
    }
}
