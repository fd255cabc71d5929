// SPDX-License-Identifier: MIT OR Apache-2.0
//! Servers as processes: ours and those it is compared with.

use crate::error::BenchError;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take until it has a socket.
const START_SECONDS: u64 = 10;

/// A server that runs until it is dropped.
pub struct Server {
    process: Child,
    socket: PathBuf,
}

impl Server {
    /// Starts `command`, which has been told to listen on `socket`.
    fn start(mut command: Command, socket: PathBuf) -> Result<Server, BenchError> {
        let program = command.get_program().to_string_lossy().into_owned();
        // One that was killed has left its own behind.
        let _ = fs::remove_file(&socket);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let process = command.spawn();
        let process =
            process.map_err(|source| BenchError::Run { program: program.clone(), source })?;
        let mut server = Server { process, socket };
        let deadline = Instant::now() + Duration::from_secs(START_SECONDS);
        while std::os::unix::net::UnixStream::connect(&server.socket).is_err() {
            if let Ok(Some(_)) = server.process.try_wait() {
                let message = server.complaint();
                return Err(BenchError::Ended { program, message });
            }
            if Instant::now() > deadline {
                return Err(BenchError::NoSocket { program, seconds: START_SECONDS });
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    /// What a process that has ended said.
    fn complaint(&mut self) -> String {
        let mut message = String::new();
        if let Some(stderr) = &mut self.process.stderr {
            let _ = std::io::Read::read_to_string(stderr, &mut message);
        }
        message.trim().to_owned()
    }

    /// The unix socket on which the server takes clients.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Processor time of its threads so far. Those of threads that have ended are missing.
    pub fn processor_time(&self) -> Duration {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process.id()));
        let of_task = |task: fs::DirEntry| -> Option<u64> {
            let statistics = fs::read_to_string(task.path().join("schedstat")).ok()?;
            statistics.split_whitespace().next()?.parse().ok()
        };
        let tasks = tasks.into_iter().flatten().flatten();
        Duration::from_nanos(tasks.filter_map(of_task).sum())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The size of each tenant's file.
const FILE_BYTES: u64 = 256 << 20;

/// The tables of tenants with an export each, which is of the part of the disk that `part` says.
fn of_tenants(tenants: &[Tenant<'_>], part: impl Fn(&str) -> String) -> String {
    let mut tables = String::new();
    for (tenant, weight) in tenants {
        let part = part(tenant);
        // A string takes any text.
        let _ = write!(
            tables,
            "[tenants.{tenant}]\nweight = {weight}\nmax_requests = 4096\n\
             [exports.{tenant}]\n{part}\ntenant = \"{tenant}\"\n"
        );
    }
    tables
}

/// What is the same for all servers: our command, and the folder of files and sockets.
pub struct Place {
    pub bfq: PathBuf,
    pub folder: PathBuf,
}

/// A tenant of ours: its name, which is its export's as well, and weight.
pub type Tenant<'a> = (&'a str, u32);

impl Place {
    fn socket(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.sock"))
    }

    /// `bfq serve` of a file, as the export `disk`.
    pub fn bfq_of_file(
        &self,
        name: &str,
        file: &Path,
        scheduler: &str,
    ) -> Result<Server, BenchError> {
        let disk = format!("below = \"{}\"\nscheduler = \"{scheduler}\"", file.display());
        let export = format!("[exports.disk]\npath = \"{}\"\n", file.display());
        self.bfq(name, &disk, &export)
    }

    /// `bfq serve` of an emulated disk, which each tenant has a part of.
    pub fn bfq_of_model(
        &self,
        name: &str,
        profile: &str,
        scheduler: &str,
        tenants: &[Tenant<'_>],
    ) -> Result<Server, BenchError> {
        let disk = format!("emulate = \"{profile}\"\nscheduler = \"{scheduler}\"");
        let part = |_: &str| "disk = \"disk\"\nsize = \"256MiB\"".to_owned();
        self.bfq(name, &disk, &of_tenants(tenants, part))
    }

    /// `bfq serve` of a file for each tenant, on a file system that is held to a rate.
    pub fn bfq_of_files(
        &self,
        name: &str,
        rate: &str,
        scheduler: &str,
        tenants: &[Tenant<'_>],
    ) -> Result<Server, BenchError> {
        let path = |tenant: &str| self.folder.join(format!("{name}.{tenant}"));
        for (tenant, _) in tenants {
            let path = path(tenant);
            let file = fs::File::create(&path).and_then(|file| file.set_len(FILE_BYTES));
            file.map_err(|source| BenchError::File { path, source })?;
        }
        let below = self.folder.display();
        let disk = format!("below = \"{below}\"\nscheduler = \"{scheduler}\"\nrate = \"{rate}\"");
        let part = |tenant: &str| format!("path = \"{}\"", path(tenant).display());
        self.bfq(name, &disk, &of_tenants(tenants, part))
    }

    fn bfq(&self, name: &str, disk: &str, rest: &str) -> Result<Server, BenchError> {
        let socket = self.socket(name);
        let file = self.folder.join(format!("{name}.toml"));
        let listen = format!("[[listen]]\nunix = \"{}\"\n", socket.display());
        let text = format!("control = false\n{listen}[disks.disk]\n{disk}\n{rest}");
        fs::write(&file, text).map_err(|source| BenchError::File { path: file.clone(), source })?;
        let mut command = Command::new(&self.bfq);
        command.args(["serve", "--config"]).arg(&file);
        Server::start(command, socket)
    }

    /// nbdkit with this plugin and its parameters, maybe below filters, and their parameters.
    pub fn nbdkit(
        &self,
        name: &str,
        filters: &[&str],
        plugin: &[&str],
    ) -> Result<Server, BenchError> {
        let socket = self.socket(name);
        let mut command = Command::new("nbdkit");
        command.args(["--foreground", "--exit-with-parent", "--unix"]).arg(&socket);
        command.args(filters.iter().map(|filter| format!("--filter={filter}"))).args(plugin);
        Server::start(command, socket)
    }

    /// qemu-nbd of an image: a file or a URI.
    pub fn qemu_nbd(&self, name: &str, image: &str) -> Result<Server, BenchError> {
        let socket = self.socket(name);
        let mut command = Command::new("qemu-nbd");
        command.args(["--persistent", "--shared=0", "--format=raw", "--export-name=disk"]);
        command.arg(format!("--socket={}", socket.display())).arg(image);
        Server::start(command, socket)
    }

    /// qemu-storage-daemon with an export for each part of the disk at `backing`, each in a
    /// throttle group of its own with this rate.
    pub fn storage_daemon(
        &self,
        name: &str,
        backing: &Path,
        parts: &[&str],
        rate_bytes_per_s: u64,
    ) -> Result<Server, BenchError> {
        let socket = self.socket(name);
        let mut command = Command::new("qemu-storage-daemon");
        command.arg("--nbd-server");
        command.arg(format!("addr.type=unix,addr.path={},max-connections=0", socket.display()));
        for part in parts {
            let of_nbd = format!(
                "driver=nbd,node-name={part}-nbd,export={part},server.type=unix,server.path={}",
                backing.display()
            );
            let group = format!("throttle-group,id={part},x-bps-total={rate_bytes_per_s}");
            let throttled = format!(
                "driver=throttle,node-name={part}-part,throttle-group={part},file={part}-nbd"
            );
            let export =
                format!("type=nbd,id={part}-export,node-name={part}-part,name={part},writable=on");
            command.args(["--blockdev", &of_nbd, "--object", &group]);
            command.args(["--blockdev", &throttled, "--export", &export]);
        }
        Server::start(command, socket)
    }
}
