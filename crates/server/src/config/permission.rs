// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who may use an export, as it is written: `anyone`, `certificate:NAME`, `user:NAME`,
//! `group:NAME`.

use super::environment::Environment;
use super::values::Permission;

/// What a permission looks like.
const EXPECTED: &str = "\"anyone\", \"certificate:NAME\", \"user:NAME\" or \"group:NAME\"";

/// Reads a permission. Users and groups may be given by number.
///
/// # Errors
/// It is none, or names a user or group that is unknown; the text says what was expected.
pub fn permission(text: &str, environment: &dyn Environment) -> Result<Permission, String> {
    if text == "anyone" {
        return Ok(Permission::Anyone);
    }
    let (kind, name) = text.split_once(':').ok_or(EXPECTED)?;
    if name.is_empty() {
        return Err(EXPECTED.to_owned());
    }
    let number = |found: Option<u32>, file: &str| {
        let number = name.parse().ok().or(found);
        number.ok_or_else(|| format!("a number, or a name in {file}"))
    };
    match kind {
        "certificate" => Ok(Permission::Certificate(name.to_owned())),
        "user" => Ok(Permission::User(number(environment.user(name), "/etc/passwd")?)),
        "group" => Ok(Permission::Group(number(environment.group(name), "/etc/group")?)),
        _ => Err(EXPECTED.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::environment::Machine;
    use super::*;

    #[test]
    fn permissions_are_read() {
        let read = |text| permission(text, &Machine);
        assert_eq!(read("anyone"), Ok(Permission::Anyone));
        assert_eq!(read("certificate:a:b"), Ok(Permission::Certificate("a:b".to_owned())));
        assert_eq!(read("user:1000"), Ok(Permission::User(1000)));
        assert_eq!(read("group:root"), Ok(Permission::Group(0)));
        assert_eq!(
            read("user:nobody-at-all"),
            Err("a number, or a name in /etc/passwd".to_owned())
        );
        for text in ["", "any", "user:", "host:x"] {
            assert_eq!(read(text), Err(EXPECTED.to_owned()), "{text}");
        }
    }
}
