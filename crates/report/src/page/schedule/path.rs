// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths of SVG, in as few bytes as they can be: a report has hundreds of thousands of points.

use std::fmt::Write;

/// Units of a drawing from its left to its right end.
pub(super) const UNITS: f64 = 20_000.0;

/// A path in whole units.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    text: String,
    /// Where the pen is.
    at: Option<(i64, i64)>,
}

impl Path {
    fn move_to(&mut self, (x, y): (i64, i64)) {
        match self.at {
            Some(at) if at == (x, y) => {}
            Some(at) => {
                let _ = write!(self.text, "m{} {}", x - at.0, y - at.1);
            }
            None => {
                let _ = write!(self.text, "M{x} {y}");
            }
        }
        self.at = Some((x, y));
    }

    /// A line from one point to the other; one that has no length is still a dot.
    pub fn segment(&mut self, from: (i64, i64), to: (i64, i64)) {
        self.move_to(from);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let _ = match (dx, dy) {
            (_, 0) => write!(self.text, "h{dx}"),
            (0, _) => write!(self.text, "v{dy}"),
            _ => write!(self.text, "l{dx} {dy}"),
        };
        self.at = Some(to);
    }

    /// A level line of at least one unit.
    pub fn bar(&mut self, y: i64, from: i64, until: i64) {
        self.segment((from, y), (until.max(from + 1), y));
    }

    /// A line from where the path ends.
    pub fn line_to(&mut self, to: (i64, i64)) {
        match self.at {
            Some(at) if at == to => {}
            Some(at) => self.segment(at, to),
            None => self.move_to(to),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short() {
        let mut path = Path::default();
        path.bar(9, 100, 150);
        path.bar(9, 150, 150);
        path.bar(27, 200, 260);
        path.segment((260, 27), (260, 30));
        path.line_to((270, 20));
        path.line_to((270, 20));
        assert_eq!(path.text(), "M100 9h50h1m49 18h60v3l10 -10");
    }
}
