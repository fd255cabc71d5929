// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a configuration file, table by table.

use super::check::{check, check_export, listener_title};
use super::environment::Environment;
use super::error::{ConfigError, Mistake};
use super::keys::{DISKS, EXPORTS, LIMITS, LISTEN, TABLE_NAMES, TENANTS, TLS, TOP};
use super::permission::permission;
use super::places::{default_control, default_socket};
use super::section::{Document, Section};
use super::values::*;
use base::{IoprioValue, parse_ioprio};
use blk::DeviceLimits;
use device::Profile;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

impl Config {
    /// Reads a file and checks that all of it fits together.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong: all that is.
    pub fn load(path: &Path, environment: &dyn Environment) -> Result<Config, ConfigError> {
        let file = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| {
            let found = format!("cannot be read: {error}");
            let mistakes = vec![(None, Mistake::new("", None, found, ""))];
            ConfigError { file: file.clone(), mistakes }
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Config::parse(&text, &file, folder, environment)
    }

    /// Reads the text of a file; relative paths begin at `folder`.
    ///
    /// # Errors
    /// As for [`Config::load`].
    pub fn parse(
        text: &str,
        file: &str,
        folder: &Path,
        environment: &dyn Environment,
    ) -> Result<Config, ConfigError> {
        let mut document = Document::new(file, text);
        let table = document.parse()?;
        let mut reader = Reader { document, folder, environment };
        let config = reader.config(table.get_ref());
        if config.exports.is_empty() && !reader.document.has_mistakes() {
            let expected = "at least one table [exports.NAME]";
            reader.document.mistake(Mistake::new("", None, "nothing is served", expected));
        }
        for mistake in check(&config, environment) {
            reader.document.mistake(mistake);
        }
        reader.document.finish()?;
        Ok(config)
    }
}

impl Config {
    /// Reads an export that is to be added, from the keys of its table. Whether it may share its
    /// file is for the server to say, which knows the exports that were added or removed by hand.
    ///
    /// # Errors
    /// Something is wrong with it, or it does not fit to the rest.
    pub fn parse_export(
        &self,
        name: &str,
        keys: &str,
        environment: &dyn Environment,
    ) -> Result<Export, ConfigError> {
        let mut document = Document::new("export", keys);
        let table = document.parse()?;
        let mut reader = Reader { document, folder: Path::new("/"), environment };
        let title = format!("exports.{name}");
        let table = table.get_ref();
        let section = reader.document.section(title.clone(), 0, table, EXPORTS.keys, &[]);
        let mut config = self.clone();
        let export = reader.export(name, &section, &mut config);
        for mistake in export.iter().flat_map(|export| check_export(self, export, environment)) {
            reader.document.mistake(mistake);
        }
        reader.document.finish()?;
        Ok(export.expect("what is missing was told as a mistake, and ended this above"))
    }
}

/// What is needed to read a file.
struct Reader<'a> {
    document: Document<'a>,
    folder: &'a Path,
    environment: &'a dyn Environment,
}

impl Reader<'_> {
    fn config(&mut self, table: &DeTable) -> Config {
        let top = self.document.section(String::new(), 0, table, TOP.keys, &TABLE_NAMES);
        let mut config = Config {
            listeners: self.listeners(table),
            tls: self.table(table, "tls").and_then(|(at, table)| self.tls(at, table)),
            disks: self.all(table, "disks", Self::disk),
            tenants: self.all(table, "tenants", Self::tenant),
            exports: Vec::new(),
            control: match self.document.given(&top, "control").as_deref() {
                None => Some(default_control()),
                Some("") => None,
                Some(path) => Some(self.folder.join(path)),
            },
            http: self.document.read(&top, "http", |text| address(text, "127.0.0.1:9230")),
            drain_limit: self.document.time(&top, "drain_limit"),
            limits: self.limits(table),
        };
        let exports = self.all(table, "exports", |reader, name, section| {
            reader.export(name, section, &mut config)
        });
        config.exports = exports;
        config
    }

    /// The table of this name, and where it begins.
    fn table<'t, 'i>(
        &mut self,
        table: &'t DeTable<'i>,
        name: &'static str,
    ) -> Option<(usize, &'t DeTable<'i>)> {
        let (key, value) = table.get_key_value(name)?;
        Some((key.span().start, self.document.table(name, value)?))
    }

    /// What `read` makes of each table in the table of this name.
    fn all<T>(
        &mut self,
        table: &DeTable,
        of: &'static str,
        mut read: impl FnMut(&mut Self, &str, &Section) -> Option<T>,
    ) -> Vec<T> {
        let keys = match of {
            "disks" => DISKS.keys,
            "tenants" => TENANTS.keys,
            _ => EXPORTS.keys,
        };
        let mut values = Vec::new();
        let Some((_, tables)) = self.table(table, of) else { return values };
        for (name, value) in tables {
            let title = format!("{of}.{}", name.get_ref());
            let Some(table) = self.document.table(&title, value) else { continue };
            let section = self.document.section(title, name.span().start, table, keys, &[]);
            values.extend(read(self, name.get_ref(), &section));
        }
        values
    }

    fn path(&mut self, section: &Section, name: &'static str) -> Option<PathBuf> {
        Some(self.folder.join(self.document.text(section, name)?))
    }

    fn listeners(&mut self, table: &DeTable) -> Vec<Listener> {
        let Some((key, value)) = table.get_key_value("listen") else {
            let address = Address::Unix { path: default_socket(), mode: 0o600 };
            return vec![Listener { address, tls: TlsPolicy::Off }];
        };
        let one = std::slice::from_ref(value);
        let tables: &[Spanned<DeValue>] = value.get_ref().as_array().map_or(one, |array| array);
        let mut listeners = Vec::new();
        for (place, value) in tables.iter().enumerate() {
            let Some(table) = self.document.table("[listen]", value) else { continue };
            // The span of a table of a list is that of its head, if it has one.
            let at = if tables.len() == 1 { key.span().start } else { value.span().start };
            let title = listener_title(place);
            let section = self.document.section(title, at, table, LISTEN.keys, &[]);
            listeners.extend(self.listener(&section));
        }
        listeners
    }

    fn listener(&mut self, section: &Section) -> Option<Listener> {
        let mode = self.document.read(section, "mode", |text| {
            let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
            mode.ok_or_else(|| "permissions such as \"0660\"".to_owned())
        });
        let tls = self.document.read(section, "tls", |text| match text {
            "off" => Ok(TlsPolicy::Off),
            "allowed" => Ok(TlsPolicy::Allowed),
            "required" => Ok(TlsPolicy::Required),
            _ => Err("\"off\", \"allowed\" or \"required\"".to_owned()),
        });
        let address = match self.document.one_of(section, &["unix", "tcp", "inherited"])? {
            "unix" => Address::Unix { path: self.path(section, "unix")?, mode: mode? },
            "tcp" => Address::Tcp(
                self.document.read(section, "tcp", |text| address(text, "0.0.0.0:10809"))?,
            ),
            _ => Address::Inherited(self.document.text(section, "inherited")?),
        };
        Some(Listener { address, tls: tls? })
    }

    fn tls(&mut self, at: usize, table: &DeTable) -> Option<Tls> {
        let section = self.document.section("tls".to_owned(), at, table, TLS.keys, &[]);
        for name in ["certificate", "key"] {
            if !table.contains_key(name) {
                let found = format!("`{name}` of [tls] is missing");
                self.document.mistake(Mistake::new("tls", None, found, "the path of a PEM file"));
            }
        }
        let certificate = self.path(&section, "certificate");
        let key = self.path(&section, "key");
        let client_authority = self.path(&section, "client_authority");
        Some(Tls {
            certificate: certificate.unwrap_or_default(),
            key: key.unwrap_or_default(),
            client_authority,
        })
    }

    fn disk(&mut self, name: &str, section: &Section) -> Option<DiskConfig> {
        let is_named = section.table.contains_key("scheduler");
        let named = is_named.then(|| self.document.read(section, "scheduler", scheduler));
        let rate_bytes_per_s = self.document.quantity(section, "rate");
        let depth = self.document.number(section, "depth");
        let size_bytes = self.document.quantity(section, "size");
        let backing = match self.document.one_of(section, &["below", "emulate"])? {
            "below" => Backing::Below(self.path(section, "below")?),
            _ => Backing::Emulated {
                // What is wrong has been told, and that exports lie on this disk is right.
                profile: self.document.read(section, "emulate", profile).unwrap_or_default(),
                size_bytes: size_bytes.unwrap_or_default(),
            },
        };
        if matches!(backing, Backing::Below(_)) && section.table.contains_key("size") {
            let found = format!("`size` of [{}], which is not emulated", section.title);
            self.document.mistake(Mistake::new(&section.title, "size", found, "none"));
        }
        Some(DiskConfig {
            name: name.to_owned(),
            backing,
            scheduler: named.flatten(),
            rate_bytes_per_s,
            depth,
        })
    }

    fn tenant(&mut self, name: &str, section: &Section) -> Option<Tenant> {
        let ioprio = self.document.read(section, "ioprio", |text| {
            let ioprio = parse_ioprio(text);
            ioprio.map_err(|_| "be0 to be7, rt0 to rt7 or idle".to_owned())
        })?;
        let limits = TenantLimits {
            connections: self.document.number(section, "max_connections")?,
            requests: self.document.number(section, "max_requests")?,
            memory_bytes: self.document.quantity(section, "max_memory")?,
        };
        Some(Tenant {
            name: name.to_owned(),
            parent: self.document.text(section, "parent"),
            weight: self.document.number(section, "weight")?,
            ioprio: IoprioValue { class: Some(ioprio.class()), level: ioprio.level() },
            limits,
        })
    }

    /// An export. It adds its own tenant to the configuration if it names none.
    fn export(&mut self, name: &str, section: &Section, config: &mut Config) -> Option<Export> {
        let description = self.document.given(section, "description").unwrap_or_default();
        let read_only = self.document.flag(section, "read_only");
        let allow = self.allow(section, config);
        let tenant = match self.document.text(section, "tenant") {
            Some(tenant) => tenant,
            None => self.own_tenant(name, config),
        };
        let size = self.document.quantity(section, "size");
        let source = match self.document.one_of(section, &["path", "disk"])? {
            "path" => {
                if size.is_some() {
                    let found = format!("`size` of [{}], which has a path", section.title);
                    self.document.mistake(Mistake::new(&section.title, "size", found, "none"));
                }
                ExportSource::Path(self.path(section, "path")?)
            }
            _ => {
                let disk = self.document.text(section, "disk")?;
                let size_bytes = size.or_else(|| config.emulated_size(&disk)).unwrap_or(0);
                ExportSource::Emulated { disk, size_bytes }
            }
        };
        let name = name.to_owned();
        Some(Export { name, source, tenant, read_only, allow, description })
    }

    /// The tenant of an export that names none: one that has the export's name.
    fn own_tenant(&mut self, export: &str, config: &mut Config) -> String {
        let name = if export.is_empty() { "default" } else { export };
        if config.tenant(name).is_none() {
            let (title, empty) = (format!("exports.{export}"), DeTable::new());
            let defaults = Section { title, table: &empty, keys: TENANTS.keys };
            config.tenants.extend(self.tenant(name, &defaults));
        }
        name.to_owned()
    }

    fn allow(&mut self, section: &Section, config: &Config) -> Vec<Permission> {
        let Some(texts) = self.document.list(section, "allow") else {
            return match section.table.contains_key("allow") {
                true => vec![Permission::Anyone],
                false => config.allowed_by_default(),
            };
        };
        let mut allow = Vec::new();
        for text in texts {
            match permission(&text, self.environment) {
                Ok(permission) => allow.push(permission),
                Err(expected) => {
                    // In place of what cannot be read, so that it is not missed as well.
                    allow.push(Permission::Anyone);
                    let found = format!("`allow` has \"{text}\"");
                    self.document.mistake(Mistake::new(&section.title, "allow", found, expected));
                }
            }
        }
        allow
    }

    fn limits(&mut self, table: &DeTable) -> ServerLimits {
        let empty = DeTable::new();
        let (at, table) = self.table(table, "limits").unwrap_or((0, &empty));
        let section = self.document.section("limits".to_owned(), at, table, LIMITS.keys, &[]);
        ServerLimits {
            connections: self.document.number(&section, "connections").unwrap_or_default(),
            handshake: self.document.time(&section, "handshake"),
            stuck: ServerLimits::STUCK,
        }
    }
}

/// An address and port.
fn address(text: &str, such_as: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| format!("an address and port such as \"{such_as}\""))
}

/// A scheduler that can be built.
fn scheduler(text: &str) -> Result<String, String> {
    let any_device = DeviceLimits::new(128, false);
    match elevators::build(text, 0, &any_device) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!("a scheduler with its tunables ({error})")),
    }
}

/// A profile of a disk that there is.
fn profile(text: &str) -> Result<String, String> {
    match Profile::parse_argument(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!("the profile of a disk ({})", error.message())),
    }
}
