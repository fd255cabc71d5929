// SPDX-License-Identifier: MIT OR Apache-2.0
//! What makes a choice permanent: the text of a rule, with where to put it.
//!
//! Each text is whole and commented, so that a person who finds it on a machine years later knows
//! where it is from and how to be rid of it. Nothing here writes anything.

mod comment;
mod cost;
mod form;
mod forms;

pub use cost::{Measured, rule as io_cost};
pub use form::{EmitError, Form};

use crate::model::Opening;
use crate::verdict::Verdict;
use comment::comment;
use forms::Setting;
use host::Candidate;
use host::Disk;

/// The rule that makes the recommendation for the first goal permanent.
///
/// # Errors
/// [`EmitError`]: nothing is recommended, it was measured on another disk, or it cannot be written
/// in this form.
pub fn rule(verdict: &Verdict, disk: &Disk, form: Form) -> Result<String, EmitError> {
    let doubt = doubt(&verdict.opening, &disk.to_string(), disk.identity().as_deref())?;
    if form == Form::IoCost {
        let head = doubt.map(|doubt| comment(&[doubt])).unwrap_or_default();
        return Ok(head + &cost::rule(&Measured::by(verdict), disk)?);
    }
    let goal = verdict.goals.first();
    let Some((goal, candidate)) = goal.zip(verdict.recommended()) else {
        let summary = goal.map_or(String::new(), |goal| verdict.summary(goal));
        return Err(EmitError::NothingChosen { summary });
    };
    let why = format!("By bfq bench, {}.", verdict.summary(goal));
    setting(candidate, disk, std::iter::once(why).chain(doubt).collect(), form)
}

/// What makes it doubtful that a disk is the one that was measured: names such as `sdb` may change
/// at a restart, and results may be judged long after.
///
/// # Errors
/// [`EmitError::Different`]: it is another one.
fn doubt(
    measured: &Opening,
    disk: &str,
    identity: Option<&str>,
) -> Result<Option<String>, EmitError> {
    let Some(before) = &measured.identity else {
        let (before, target) = (&measured.disk, &measured.target);
        return Ok((before != disk).then(|| {
            format!(
                "Nothing tells whether this is the disk that was measured: the results are of \
                 \"{before}\", and behind {target} there is now \"{disk}\"."
            )
        }));
    };
    let now = identity.unwrap_or("not known");
    if before == now {
        return Ok(None);
    }
    let (target, before, now) = (measured.target.clone(), before.clone(), now.to_owned());
    Err(EmitError::Different { target, before, now })
}

/// The rule that makes any candidate permanent; `why` stands at its top.
///
/// # Errors
/// [`EmitError::Value`], [`EmitError::Hidden`].
pub fn rule_for(
    candidate: &Candidate,
    disk: &Disk,
    why: &str,
    form: Form,
) -> Result<String, EmitError> {
    setting(candidate, disk, vec![why.to_owned()], form)
}

fn setting(
    candidate: &Candidate,
    disk: &Disk,
    why: Vec<String>,
    form: Form,
) -> Result<String, EmitError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    for (_, value) in &candidate.tunables {
        if !value.chars().all(plain) {
            return Err(EmitError::Value { value: value.clone(), form });
        }
    }
    let setting = Setting { candidate, disk, why };
    match form {
        Form::Udev => setting.udev(),
        Form::Systemd => Ok(setting.systemd()),
        Form::Tuned => Ok(setting.tuned()),
        Form::SysctlLike => Ok(setting.sysctl_like()),
        Form::IoCost => Err(EmitError::NothingMeasured),
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tools_tests;
