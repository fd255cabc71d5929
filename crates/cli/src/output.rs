// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where results go: stdout or a file, for people or for programs.

use crate::failure::Failure;
use crate::streams::{print, stdout_columns, stdout_has_color, unwritable};
use ::explain::Look;
use clap::{Arg, ValueEnum};
use lab::{Draft, check_writable};
use report::{LogFiles, Results, Style, tables};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The form of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    #[value(alias = "text")]
    Normal,
    /// JSON for programs
    Json,
}

/// A form that is written, and the endings of names that ask for it.
pub type Endings<'a, F> = [(&'a [&'a str], F)];

/// The forms that most commands write.
const FORMS: &Endings<Format> = &[(&["txt"], Format::Normal), (&["json"], Format::Json)];

/// Endings of forms that no name has by chance: it would be a surprise to find text there.
const ENDINGS_OF_FORMS: [&str; 20] = [
    "bz2", "csv", "gz", "htm", "html", "json", "jsonl", "markdown", "md", "ods", "pdf", "png",
    "svg", "tsv", "xlsx", "xml", "xz", "yaml", "yml", "zst",
];

/// The form in which a result is written: that of the option, or the one that the ending of the
/// file's name asks for; none if nothing asks, and the result is text.
///
/// # Errors
/// If the ending is that of a form that is not among those there are.
pub fn form<F: Copy>(
    asked: Option<F>,
    path: Option<&Path>,
    forms: &Endings<F>,
) -> Result<Option<F>, Failure> {
    match (asked, path) {
        (Some(form), _) => Ok(Some(form)),
        (None, Some(path)) => by_ending(path, forms),
        (None, None) => Ok(None),
    }
}

fn by_ending<F: Copy>(path: &Path, forms: &Endings<F>) -> Result<Option<F>, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if let Some((_, form)) = forms.iter().find(|(endings, _)| endings.contains(&&*ending)) {
        return Ok(Some(*form));
    }
    if !ENDINGS_OF_FORMS.contains(&&*ending) {
        return Ok(None);
    }
    let written = forms.iter().filter_map(|(endings, _)| Some(format!(".{}", endings.first()?)));
    Err(Failure::usage(format!(
        "--output {}: that form is not written; expected {} or --output-format",
        path.display(),
        written.collect::<Vec<_>>().join(", ")
    )))
}

/// What the form of a result is, of commands that run jobs.
pub const JSON_HELP: &str = "\
Form of the result

By default the ending of --output says it; of another it is normal. JSON is fio's, with what fio \
does not know around it.";

/// The option that says in which of the forms `F` a result is: one for all commands that have
/// results for programs.
#[derive(Debug, clap::Args)]
pub struct FormOption<F: ValueEnum + Send + Sync + 'static> {
    /// Form of the result
    ///
    /// By default the ending of --output says it; of another it is normal.
    #[arg(long, value_enum, value_name = "FORMAT")]
    output_format: Option<F>,
    /// The same as --output-format json
    // The help of the whole command tells of it.
    #[arg(long, hide = true, conflicts_with = "output_format")]
    json: bool,
}

impl<F: ValueEnum + Send + Sync + 'static> FormOption<F> {
    /// Whether both options are given. clap does not see that of options which are of a command and
    /// of its parts.
    pub fn is_given_twice(&self) -> bool {
        self.json && self.output_format.is_some()
    }

    /// The form that is asked for, of which `json` is the one for programs.
    pub fn asked(&self, json: F) -> Option<F> {
        if self.json { Some(json) } else { self.output_format.clone() }
    }
}

impl FormOption<Format> {
    /// Whether JSON is asked for.
    pub fn is_json(&self) -> bool {
        self.asked(Format::Json) == Some(Format::Json)
    }
}

/// The option of commands that print, and write no file; `of_json` says what there is to know of
/// their JSON.
pub fn printed(option: Arg, of_json: &str) -> Arg {
    let help = "Form of the result [default: normal]";
    option.help(help).long_help(format!("{help}\n\n{of_json}"))
}

/// The option of commands that write reports, which took `--format` before.
pub fn of_report(option: Arg) -> Arg {
    let help = "The form of the report [default: by the ending of --output, else text]";
    option.alias("format").help(help).long_help(help)
}

/// The options of output that commands share.
#[derive(Debug, clap::Args)]
pub struct OutputOptions {
    #[command(flatten)]
    form: FormOption<Format>,
    /// Write the result to FILE instead of stdout
    ///
    /// It appears whole or not at all. A name that ends in .json makes it JSON; `-` is stdout.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// No progress bar, no notes
    #[arg(long)]
    pub quiet: bool,
}

/// How wide the tables of results are.
#[derive(Debug, clap::Args)]
pub struct TableOptions {
    /// More columns in tables, and longer lines
    ///
    /// Lines are as long as they get, else 100 columns.
    #[arg(long)]
    pub wide: bool,
}

impl OutputOptions {
    fn file(&self) -> Option<&Path> {
        file(self.output.as_deref())
    }

    /// The form that is asked for: by the option, or by the ending of the file's name.
    pub fn format(&self) -> Format {
        let form = form(self.form.asked(Format::Json), self.file(), FORMS);
        // What is refused was so before: see `check_as`.
        form.ok().flatten().unwrap_or(Format::Normal)
    }

    /// Checks, before long work, that the output file can be written where it shall be.
    ///
    /// # Errors
    /// If its name asks for a form that is not written, its folder does not exist or may not be
    /// written to, or it is a folder itself, or one of the files that are read.
    pub fn check(&self, inputs: impl IntoIterator<Item: AsRef<Path>>) -> Result<(), Failure> {
        self.check_as(FORMS, inputs)
    }

    /// As [`OutputOptions::check`], of a command with other forms.
    ///
    /// # Errors
    /// Those of [`OutputOptions::check`], by the forms of that command.
    pub fn check_as(
        &self,
        forms: &Endings<Format>,
        inputs: impl IntoIterator<Item: AsRef<Path>>,
    ) -> Result<(), Failure> {
        form(self.form.asked(Format::Json), self.file(), forms)?;
        check(self.file())?;
        self.file().map_or(Ok(()), |path| check_is_no_input(path, inputs))
    }

    /// Writes a result; `options` say how its tables look.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, results: &Results, options: &TableOptions) -> Result<(), Failure> {
        let text = match self.format() {
            Format::Json => results.to_json(),
            Format::Normal => {
                let color = self.file().is_none() && stdout_has_color();
                tables(results, Style { color, wide: options.wide })
            }
        };
        self.write_text(&text)
    }

    /// How explanations look where the output goes.
    pub fn look(&self) -> Look {
        let columns = stdout_columns().map_or(Look::PLAIN.columns, usize::from);
        match self.file() {
            Some(_) => Look::PLAIN,
            None => Look { color: stdout_has_color(), columns },
        }
    }

    /// Writes a text to where the output goes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_text(&self, text: &str) -> Result<(), Failure> {
        write(self.file(), text)
    }
}

/// The file that an option names, if it is one: `-` is stdout.
pub fn file(named: Option<&Path>) -> Option<&Path> {
    named.filter(|path| path.as_os_str() != "-")
}

/// Checks, before long work, that a file (if it is one) can be written where it shall be.
///
/// # Errors
/// If its folder does not exist or may not be written to, or it is a folder itself.
pub fn check(path: Option<&Path>) -> Result<(), Failure> {
    path.map_or(Ok(()), check_writable).map_err(Failure::usage)
}

/// Checks, before any work, that a file to be written is none of those that are read.
///
/// # Errors
/// If it is, under whatever name.
pub fn check_is_no_input(
    path: &Path,
    inputs: impl IntoIterator<Item: AsRef<Path>>,
) -> Result<(), Failure> {
    lab::check_is_no_input(path, inputs).map_err(Failure::usage)
}

/// Writes a text to a file, or to stdout if there is none.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    match path {
        None => print(text),
        Some(path) => write_file(path, text),
    }
}

/// Writes the logs that jobs asked for into the current folder, as fio does.
///
/// # Errors
/// If a file cannot be written.
pub fn write_logs(logs: &LogFiles) -> Result<(), Failure> {
    logs.0.iter().try_for_each(|(name, text)| write_file(Path::new(name), text))
}

/// Writes a file so that at every time there is the old one or the new one, never a part.
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let written = Draft::create(path).and_then(|mut draft| {
        draft.file().write_all(text.as_bytes())?;
        draft.finish()
    });
    written.map_err(|error| unwritable(&path.display().to_string(), error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn asked(output_format: Option<Format>) -> FormOption<Format> {
        FormOption { output_format, json: false }
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("result"), folder.path().join("link"));
        fs::write(&file, "something longer").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_file(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }

    #[test]
    fn a_file_is_replaced_and_no_draft_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        for text in ["first", "second"] {
            write_file(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_found_out_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("missing/result")] {
            let options = OutputOptions { form: asked(None), output: Some(path), quiet: true };
            assert!(matches!(options.check([""; 0]), Err(Failure::Usage(_))));
        }
    }

    #[test]
    fn the_ending_of_a_name_says_the_form() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, output_format| {
            let output = Some(folder.path().join(name));
            let options = OutputOptions { form: asked(output_format), output, quiet: true };
            match options.check([""; 0]) {
                Ok(()) => Ok(options.format()),
                Err(Failure::Usage(error)) => Err(error.to_string()),
                Err(other) => panic!("{other:?}"),
            }
        };
        for (path, expected) in [
            ("x.json", Format::Json),
            ("x.JSON", Format::Json),
            ("x.txt", Format::Normal),
            ("x", Format::Normal),
            ("x.2026", Format::Normal),
        ] {
            assert_eq!(of(path, None), Ok(expected), "{path}");
        }
        assert_eq!(of("x.json", Some(Format::Normal)), Ok(Format::Normal));
        assert_eq!(of("x.csv", Some(Format::Json)), Ok(Format::Json));
        let refused = of("x.csv", None).unwrap_err();
        assert!(refused.ends_with("expected .txt, .json or --output-format"), "{refused}");
    }
}
