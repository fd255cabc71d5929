// SPDX-License-Identifier: MIT OR Apache-2.0
//! The models, and the numbers of each, ready for use.

use super::figure::Figure;
use super::schema::{FlashParameters, HardDiskParameters, ParameterRow, SimpleParameters};

/// The numbers of a model, ready for use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// The numbers of a [`SimpleDisk`](crate::SimpleDisk).
    Simple(SimpleParameters),
    /// The numbers of a [`HardDisk`](crate::HardDisk).
    HardDisk(HardDiskParameters),
    /// The numbers of a [`FlashDisk`](crate::FlashDisk).
    Flash(FlashParameters),
}

/// Which model a profile is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// Named by `model = "simple"`.
    Simple,
    /// Named by `model = "hard-disk"`.
    HardDisk,
    /// Named by `model = "flash"`.
    Flash,
}

impl ModelKind {
    /// All models that there are.
    pub const ALL: [ModelKind; 3] = [ModelKind::Simple, ModelKind::HardDisk, ModelKind::Flash];

    /// Its name in a profile.
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::Simple => "simple",
            ModelKind::HardDisk => "hard-disk",
            ModelKind::Flash => "flash",
        }
    }

    /// The values that a profile of it has to give, and which may be overridden.
    pub fn rows(self) -> &'static [ParameterRow] {
        match self {
            ModelKind::Simple => SimpleParameters::ROWS,
            ModelKind::HardDisk => HardDiskParameters::ROWS,
            ModelKind::Flash => FlashParameters::ROWS,
        }
    }
}

impl Parameters {
    /// The parameters of a model, from all its values in the order of [`ModelKind::rows`].
    pub(super) fn of(model: ModelKind, values: &[Figure]) -> Parameters {
        let values = values.iter().map(|figure| figure.value);
        match model {
            ModelKind::Simple => Parameters::Simple(SimpleParameters::from_values(values)),
            ModelKind::HardDisk => Parameters::HardDisk(HardDiskParameters::from_values(values)),
            ModelKind::Flash => Parameters::Flash(FlashParameters::from_values(values)),
        }
    }
}
