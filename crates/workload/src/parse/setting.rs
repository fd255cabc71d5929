// SPDX-License-Identifier: MIT OR Apache-2.0
//! A line that sets an option: checked, its keywords filled in, and taken over into the draft.

use super::draft::Draft;
use super::expected::Expected;
use super::lines::Origin;
use super::options::{self, OptionKind};
use super::unsupported;
use crate::error::JobError;
use base::suggest::{did_you_mean, nearest_of_families};

/// Takes over one line.
pub(super) fn set(
    draft: &mut Draft,
    name: &str,
    value: Option<String>,
    origin: Origin,
    ignore_unsupported: bool,
) -> Result<(), JobError> {
    let Some(spec) = options::find(name) else {
        if !ignore_unsupported || unsupported::find(name).is_none() {
            return Err(unknown(name, &origin));
        }
        draft.note(&origin, format!("option \"{name}\" is not supported, and is ignored"));
        return Ok(());
    };
    let text = match (spec.kind, &value) {
        (OptionKind::Text | OptionKind::OptionalText, Some(value)) => value.as_str(),
        (_, Some(value)) if !value.is_empty() => value.as_str(),
        (OptionKind::Flag | OptionKind::NoEffectFlag(_), None) => "1",
        (OptionKind::OptionalText, None) => "",
        (_, None | Some(_)) => {
            return Err(
                origin.wrong(format!("option \"{name}\" has no value"), format!("{name}=VALUE"))
            );
        }
    };
    let text = match spec.kind {
        OptionKind::Text | OptionKind::OptionalText => text.to_string(),
        _ => keywords_filled_in(name, text, &origin)?,
    };
    (spec.apply)(draft, &text).map_err(|Expected(expected)| {
        origin.wrong(format!("bad value \"{text}\" for option \"{name}\""), expected)
    })?;
    if let OptionKind::NoEffect(why) | OptionKind::NoEffectFlag(why) = spec.kind {
        draft.note(&origin, format!("option \"{name}\" has no effect: {why}"));
    }
    draft.add(spec.names[0], name, value, origin);
    Ok(())
}

/// fio's page size for `$pagesize`; fixed, so that a job file means the same everywhere.
const PAGE_BYTES: &str = "4096";

/// What is wrong with an option that is not in the table.
fn unknown(name: &str, origin: &Origin) -> JobError {
    if let Some(unsupported) = unsupported::find(name) {
        let expected = match unsupported.instead {
            Some(instead) => format!("{instead}, or --ignore-unsupported"),
            None => "a job without it, or --ignore-unsupported".to_string(),
        };
        return origin.wrong(format!("fio's option \"{name}\" is not supported"), expected);
    }
    let hint = match nearest_of_families(name, options::names()) {
        None => "; bfq list job-options has all".to_string(),
        found => did_you_mean(found),
    };
    origin.wrong(format!("unknown option \"{name}\"{hint}"), "")
}

/// fio's keywords: `$pagesize`, also with arithmetic around it. The others depend on the machine.
fn keywords_filled_in(name: &str, text: &str, origin: &Origin) -> Result<String, JobError> {
    for keyword in ["$mb_memory", "$ncpus"] {
        if text.contains(keyword) {
            return Err(origin.wrong(
                format!("option \"{name}\" uses {keyword}, which depends on the machine"),
                "a value that means the same everywhere, or ${VARIABLE}",
            ));
        }
    }
    if !text.contains("$pagesize") {
        return Ok(text.to_string());
    }
    let filled = text.replace("$pagesize", PAGE_BYTES);
    let is_sum = filled.contains(['+', '*', '/', '^']) && !filled.starts_with('(');
    Ok(if is_sum { format!("({filled})") } else { filled })
}
