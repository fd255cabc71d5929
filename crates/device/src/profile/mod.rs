// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profiles: the numbers that turn a model into a particular disk, each with its unit, its source
//! and its tolerance.

mod check;
mod error;
mod figure;
mod parameters;
mod parse;
pub(crate) mod schema;
#[cfg(test)]
mod tests;
pub(crate) mod units;

use parse::Parsed;
use std::path::Path;

pub(crate) use error::Mistake;
pub use error::ProfileError;
pub use figure::{Figure, Tolerance};
pub use parameters::{ModelKind, Parameters};
pub use schema::{FlashParameters, HardDiskParameters, ParameterRow, SimpleParameters};
pub use units::Quantity;

/// The built-in profiles: name and text.
const BUILTIN: &[(&str, &str)] = &[
    ("reference-flat", include_str!("../../profiles/reference-flat.toml")),
    ("reference-hdd", include_str!("../../profiles/reference-hdd.toml")),
    ("reference-ssd", include_str!("../../profiles/reference-ssd.toml")),
    ("hdd-desktop-2008", include_str!("../../profiles/hdd-desktop-2008.toml")),
    ("hdd-laptop-2007", include_str!("../../profiles/hdd-laptop-2007.toml")),
    ("hdd-desktop", include_str!("../../profiles/hdd-desktop.toml")),
    ("ssd-sata", include_str!("../../profiles/ssd-sata.toml")),
    ("ssd-nvme", include_str!("../../profiles/ssd-nvme.toml")),
];

/// A disk in numbers: which model, its values, and what is expected of it.
///
/// A profile is a TOML file. It names its model (`simple`, `hard-disk` or `flash`), says in a
/// sentence what disk it is, gives each of the [values of the model](ModelKind::rows), and what has
/// been [measured](crate::measure::Measurement::ALL) on the real disk, as far as that is known:
///
/// ```
/// let text = r#"
/// model = "simple"
/// description = "One server at 80 MB/s"
///
/// [values]
/// depth = { value = 32, unit = "commands", source = "data sheet", tolerance = "exact" }
/// rotational = { value = 0, unit = "flag", source = "assumed", tolerance = "exact" }
/// capacity = { value = 64, unit = "GB", source = "data sheet", tolerance = "exact" }
/// servers = { value = 1, unit = "servers", source = "assumed", tolerance = "exact" }
/// base = { value = 0.12, unit = "ms", source = "measured by ourselves", tolerance = "10 %" }
/// seek = { value = 0, unit = "ms", source = "assumed", tolerance = "exact" }
/// bus = { value = 80, unit = "MB/s", source = "measured by ourselves", tolerance = "5 %" }
///
/// [expect]
/// sequential_read_outer = { value = 74.5, unit = "MB/s", source = "review", tolerance = "5 %" }
/// "#;
/// let profile = device::Profile::parse(text, "my-card.toml")?;
/// assert_eq!(profile.name(), "my-card");
///
/// let measurement = device::measure::Measurement::named("sequential_read_outer").unwrap();
/// let modelled = measurement.take(&profile);
/// assert!(modelled.abs_diff(profile.expectations()[0].value) < 1_000_000);
/// # Ok::<(), device::ProfileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    name: String,
    file: String,
    description: String,
    model: ModelKind,
    values: Vec<Figure>,
    expectations: Vec<Figure>,
    overrides: Vec<(String, String)>,
}

impl Profile {
    /// The names of the built-in profiles.
    pub fn builtin_names() -> impl ExactSizeIterator<Item = &'static str> {
        BUILTIN.iter().map(|(name, _)| *name)
    }

    /// The built-in profile of this name.
    pub fn builtin(name: &str) -> Option<Profile> {
        let (_, text) = BUILTIN.iter().find(|(builtin, _)| *builtin == name)?;
        Profile::parse(text, &format!("{name}.toml")).ok()
    }

    /// Reads a profile from a file.
    ///
    /// # Errors
    /// The file can't be read, or isn't a profile.
    pub fn load(path: &Path) -> Result<Profile, ProfileError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Mistake::new(format!("cannot be read: {error}"), "a device profile in TOML")
                .at(&file, None)
        })?;
        Profile::parse(&text, &file)
    }

    /// Reads a profile from its text; `file` is what errors call it, and its stem the name
    /// of the profile.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub fn parse(text: &str, file: &str) -> Result<Profile, ProfileError> {
        let Parsed { description, model, values, expectations } = parse::parse(text, file)?;
        let name = Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy());
        let profile = Profile {
            name: name.into_owned(),
            file: file.to_owned(),
            description,
            model,
            values,
            expectations,
            overrides: Vec::new(),
        };
        if let Err((name, mistake)) = profile.check() {
            let line = profile.values.iter().find(|f| f.row.name == name).map(|f| f.line);
            return Err(mistake.at(file, line));
        }
        Ok(profile)
    }

    /// A profile as the command line names it: the name of a built-in one or a file, and behind a
    /// colon the values to override: `ssd-nvme`, `my.toml:depth=32,rotational=0`.
    ///
    /// # Errors
    /// No such profile or file, a mistake in the file, or an override that doesn't fit.
    pub fn parse_argument(argument: &str) -> Result<Profile, ProfileError> {
        let (name, overrides) = match argument.rsplit_once(':') {
            Some((name, overrides)) if overrides.contains('=') => (name, overrides),
            // A sign was forgotten.
            Some((name, overrides)) if !overrides.is_empty() && is_known(name) => (name, overrides),
            _ => (argument, ""),
        };
        let mut profile = match Profile::builtin(name) {
            Some(profile) => profile,
            None if is_file(name) => Profile::load(Path::new(name))?,
            None => {
                let known: Vec<_> = Profile::builtin_names().collect();
                let what = "no such device profile, and no file NAME.toml";
                return Err(Mistake::unknown(what, name, &known).at(name, None));
            }
        };
        profile.set_all(overrides)?;
        Ok(profile)
    }

    /// Overrides values: `depth=32,rotational=0`. They have to go together when all are set, so
    /// their order does not matter.
    ///
    /// # Errors
    /// As for [`set`](Self::set); the profile is left as it was.
    pub fn set_all(&mut self, overrides: &str) -> Result<(), ProfileError> {
        let mut changed = self.clone();
        for setting in overrides.split(',').filter(|setting| !setting.is_empty()) {
            let Some((key, value)) = setting.split_once('=') else {
                let place = format!("{}:{overrides}", self.name);
                let mistake = Mistake::new(format!("\"{setting}\""), "NAME=VALUE");
                return Err(mistake.at(&place, None));
            };
            changed.put(key.trim(), value.trim())?;
        }
        self.become_if_it_fits(changed, overrides)
    }

    /// Overrides one value. `text` is a number in the unit that the profile uses, or a number with
    /// its unit: `12`, `12ms`.
    ///
    /// # Errors
    /// An unknown name, a bad unit or value, or a value that doesn't go with the others; the
    /// profile is left as it was.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ProfileError> {
        let mut changed = self.clone();
        changed.put(name, text)?;
        self.become_if_it_fits(changed, &format!("{name}={text}"))
    }

    /// Takes the values of `changed`, which `overrides` made of this profile, if they go together.
    fn become_if_it_fits(&mut self, changed: Self, overrides: &str) -> Result<(), ProfileError> {
        if let Err((_, mistake)) = changed.check() {
            return Err(mistake.at(&format!("{}:{overrides}", self.name), None));
        }
        *self = changed;
        Ok(())
    }

    /// Overrides one value, whatever the others are.
    fn put(&mut self, name: &str, text: &str) -> Result<(), ProfileError> {
        let place = format!("{}:{name}={text}", self.name);
        let Some(figure) = self.values.iter_mut().find(|figure| figure.row.name == name) else {
            let known: Vec<_> = self.values.iter().map(|figure| figure.row.name).collect();
            let what = format!("a {} disk has no value \"{name}\"", self.model.name());
            return Err(Mistake::unknown(what, name, &known).at(&place, None));
        };
        let (number, unit) = match Quantity::split(text) {
            _ if figure.row.quantity == Quantity::Flag => (text, ""),
            split => split,
        };
        if number.is_empty() && figure.row.quantity != Quantity::Flag {
            let units = figure.row.quantity.unit_names();
            let expected = format!("a number that is not negative, alone or with a unit: {units}");
            return Err(Mistake::new(format!("value \"{text}\""), expected).at(&place, None));
        }
        let unit = if unit.is_empty() { figure.unit.clone() } else { unit.to_owned() };
        figure.value = figure.row.read(number, &unit).map_err(|m| m.at(&place, None))?;
        figure.text = number.to_owned();
        figure.unit = unit;
        figure.source = "override".to_owned();
        figure.tolerance = Tolerance::Exact;
        self.overrides.retain(|(known, _)| known != name);
        self.overrides.push((name.to_owned(), text.to_owned()));
        Ok(())
    }

    /// Its name: of a file, without folder and extension.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file it was read from.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What disk it describes, in a sentence.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Which model it is for.
    pub fn model(&self) -> ModelKind {
        self.model
    }

    /// Its values, in the order of [`ModelKind::rows`].
    pub fn values(&self) -> &[Figure] {
        &self.values
    }

    /// The measured or promised figures of the real disk, as far as the profile gives them.
    pub fn expectations(&self) -> &[Figure] {
        &self.expectations
    }

    /// What was overridden, as it was written, in order.
    pub fn overrides(&self) -> &[(String, String)] {
        &self.overrides
    }

    /// Commands that the device accepts at once.
    pub fn depth(&self) -> u32 {
        match self.parameters() {
            Parameters::Simple(p) => p.depth as u32,
            Parameters::HardDisk(p) => p.depth as u32,
            Parameters::Flash(p) => p.depth as u32,
        }
    }

    /// Whether the device calls itself rotational.
    pub fn rotational(&self) -> bool {
        match self.parameters() {
            Parameters::Simple(p) => p.rotational != 0,
            Parameters::HardDisk(p) => p.rotational != 0,
            Parameters::Flash(p) => p.rotational != 0,
        }
    }

    /// Size of the device in sectors.
    pub fn capacity_sectors(&self) -> u64 {
        let bytes = match self.parameters() {
            Parameters::Simple(p) => p.capacity,
            Parameters::HardDisk(p) => p.capacity,
            Parameters::Flash(p) => p.capacity,
        };
        bytes / base::SECTOR_BYTES
    }

    /// The values as numbers in base units.
    pub fn parameters(&self) -> Parameters {
        Parameters::of(self.model, &self.values)
    }

    /// Whether the values go together; if not, the name of one that doesn't.
    pub(crate) fn check(&self) -> Result<(), (&'static str, Mistake)> {
        check::parameters(&self.parameters())
    }
}

/// Whether the command line means a built-in profile or a file.
fn is_known(name: &str) -> bool {
    Profile::builtin_names().any(|builtin| builtin == name) || is_file(name)
}

/// Whether the command line means a file, also one that is not there.
fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    path.extension().is_some_and(|extension| extension == "toml") || path.is_file()
}
