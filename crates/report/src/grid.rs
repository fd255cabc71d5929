// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of text: columns as wide as what stands in them, side by side as far as a line goes, and
//! the rest below, with the names again.
//!
//! Table crates were looked at (comfy-table, tabled): they wrap cells or drop columns where a table
//! is too wide, and neither suits figures; what is left of them here would be the padding.

use crate::style::Style;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// What a line may be wide, columns of a terminal.
const LINE_WIDTH: usize = 100;

/// A table of text, aligned in columns.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// How many of the first columns are names: left-aligned, and in each block.
    names: usize,
    /// A cell for each column; it may have several lines.
    head: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
enum Row {
    Cells(Vec<String>),
    /// A line of its own.
    Heading(String),
    Gap,
}

impl Grid {
    /// A table with that head, of which the first `names` columns are names.
    pub fn new(names: usize, head: Vec<String>) -> Self {
        Self { names, head, rows: Vec::new() }
    }

    /// Adds a row, a cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.head.len(), "a cell for each column");
        self.rows.push(Row::Cells(cells));
    }

    /// The same, if the last columns are to be empty.
    pub fn row_with_blanks(&mut self, mut cells: Vec<String>) {
        cells.resize(self.head.len(), String::new());
        self.row(cells);
    }

    /// Adds a line that is about the rows below it.
    pub fn heading(&mut self, text: String) {
        self.rows.push(Row::Heading(text));
    }

    /// Adds an empty line, but not as the first.
    pub fn gap(&mut self) {
        if !self.is_empty() {
            self.rows.push(Row::Gap);
        }
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether any row has something in a column.
    fn uses(&self, column: usize) -> bool {
        self.cells().any(|cells| !cells[column].is_empty())
    }

    fn cells(&self) -> impl Iterator<Item = &Vec<String>> {
        self.rows.iter().filter_map(|row| match row {
            Row::Cells(cells) => Some(cells),
            _ => None,
        })
    }

    /// The table as text; name columns without any name are left out.
    pub fn print(&self, text: &mut String, style: Style) {
        let names: Vec<usize> = (0..self.names).filter(|&column| self.uses(column)).collect();
        let widths: Vec<usize> = (0..self.head.len()).map(|column| self.width(column)).collect();
        let limit = if style.wide { usize::MAX } else { LINE_WIDTH };
        let name_width: usize = names.iter().map(|&column| widths[column] + 2).sum();
        let mut first = self.names;
        loop {
            let mut end = first;
            let mut width = name_width;
            while end < self.head.len() && (end == first || width + widths[end] <= limit) {
                width += widths[end] + 2;
                end += 1;
            }
            let columns: Vec<usize> = names.iter().copied().chain(first..end).collect();
            self.block(text, &columns, &widths, style);
            first = end;
            if first >= self.head.len() {
                return;
            }
            text.push('\n');
        }
    }

    fn width(&self, column: usize) -> usize {
        let lines = self.head[column].lines().map(UnicodeWidthStr::width);
        lines.chain(self.cells().map(|cells| cells[column].width())).max().unwrap_or(0)
    }

    fn block(&self, text: &mut String, columns: &[usize], widths: &[usize], style: Style) {
        let line = |cell: &dyn Fn(usize) -> String| {
            let mut line = String::new();
            for &column in columns {
                let cell = cell(column);
                let pad = widths[column] - cell.width();
                let gap = if line.is_empty() { "" } else { "  " };
                let _ = match column < self.names {
                    true => write!(line, "{gap}{cell}{:pad$}", ""),
                    false => write!(line, "{gap}{:pad$}{cell}", ""),
                };
                // An empty first name still has its width, which keeps the next gap.
            }
            line.trim_end().to_owned()
        };
        let heights = columns.iter().map(|&column| self.head[column].lines().count());
        let height = heights.max().unwrap_or(0);
        for number in 0..height {
            let head = line(&|column| {
                let lines: Vec<&str> = self.head[column].lines().collect();
                let above = height - lines.len();
                number.checked_sub(above).map_or(String::new(), |place| lines[place].to_owned())
            });
            let _ = writeln!(text, "{}", style.heading(&head));
        }
        for row in &self.rows {
            match row {
                Row::Cells(cells) => {
                    let _ = writeln!(text, "{}", line(&|column| cells[column].clone()));
                }
                Row::Heading(heading) => {
                    let _ = writeln!(text, "{heading}");
                }
                Row::Gap => text.push('\n'),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(grid: &Grid, wide: bool) -> String {
        let mut text = String::new();
        grid.print(&mut text, Style { color: false, wide });
        text
    }

    #[test]
    fn columns_are_aligned_and_heads_stand_low() {
        let mut grid =
            Grid::new(2, ["job", "kind", "MB/s", "clicks:\nmedian"].map(str::to_owned).into());
        grid.row(["磁盘", "", "1.00", "2 ms"].map(str::to_owned).into());
        grid.gap();
        grid.row(["copy", "", "10.00", "12.3 ms"].map(str::to_owned).into());
        grid.heading("elsewhere".into());
        let expected = "
             clicks:
job    MB/s   median
磁盘   1.00     2 ms

copy  10.00  12.3 ms
elsewhere
";
        assert_eq!(format!("\n{}", printed(&grid, false)), expected, "the kinds are left out");
    }

    #[test]
    fn what_is_too_wide_goes_below() {
        let mut head = vec!["job".to_owned()];
        head.extend((0..30).map(|number| format!("column {number}")));
        let mut grid = Grid::new(1, head);
        grid.row((0..31).map(|number| number.to_string()).collect());
        let text = printed(&grid, false);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert_eq!(text.matches("job").count(), text.split("\n\n").count(), "{text}");
        for number in 0..30 {
            assert_eq!(
                text.matches(&format!("column {number}\n")).count()
                    + text.matches(&format!("column {number} ")).count(),
                1
            );
        }
        assert_eq!(printed(&grid, true).lines().count(), 2, "wide is wide");
    }
}
