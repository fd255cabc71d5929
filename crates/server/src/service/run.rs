// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time of a service from when it is ready until it has stopped.

use crate::config::Config;
use crate::control::Control;
use crate::ctl::{ControlSocket, Operator, StopRequest};
use crate::http;
use crate::service::stopping::{StopSignal, Stopping};
use crate::status::Status;
use sd_notify::NotifyState;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use tracing::{error, info, warn};
use web::WebServer;

/// How often the service manager is told what goes on, if it does not ask for more.
const PERIOD: Duration = Duration::from_secs(10);

/// Why a server does not become a service.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The control socket cannot be had.
    #[error("control socket {0}")]
    Control(io::Error),
    /// Metrics and the live page cannot be served.
    #[error("http {address}: {error}")]
    Http {
        /// Where they should be.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// Signals cannot be listened to, or there are no threads left.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Signals that wait for the service to take them.
#[derive(Debug)]
pub struct CaughtSignals(Signals);

impl CaughtSignals {
    /// Catches signals from now on: before clients can come, so that none ends the server while it
    /// answers them.
    ///
    /// # Errors
    /// The system does not let it.
    pub fn catch() -> io::Result<CaughtSignals> {
        Signals::new([SIGHUP, SIGINT, SIGTERM]).map(CaughtSignals)
    }
}

/// A running server with its control socket, its page, and the system that looks after it.
pub struct Service {
    control: Arc<dyn Control>,
    /// Stops that were asked for: by a signal, or on the control socket.
    stops: Receiver<StopRequest>,
    _socket: Option<ControlSocket>,
    http: Option<WebServer>,
}

impl Service {
    /// Makes a server a service. It runs by `config`, which came from `file` if there is one.
    ///
    /// # Errors
    /// A socket or address cannot be had.
    pub fn start(
        control: Arc<dyn Control>,
        config: Config,
        file: Option<PathBuf>,
        signals: CaughtSignals,
    ) -> Result<Service, ServiceError> {
        let (stop, stops) = channel();
        let http = config.http.map(|address| {
            http::listen(address, control.clone())
                .map_err(|error| ServiceError::Http { address, error })
        });
        let http = http.transpose()?;
        let path = config.control.clone();
        let operator = Arc::new(Operator::new(control.clone(), config, file, stop));
        let socket = path.map(|path| ControlSocket::listen(&path, operator.clone()));
        let socket = socket.transpose().map_err(ServiceError::Control)?;
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || take_signals(signals.0, &operator))?;
        Ok(Service { control, stops, _socket: socket, http })
    }

    /// Where metrics and the live page are served.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http.as_ref().map(WebServer::address)
    }

    /// Tells the service manager that the server is ready; then runs until it is told to stop, and
    /// stops it.
    pub fn run(self) {
        tell(&[NotifyState::Ready]);
        // The manager is told while all disks answer: of a server that hangs, or has lost a disk,
        // it hears nothing, and starts it again.
        let period = sd_notify::watchdog_enabled().map_or(PERIOD, |limit| (limit / 3).min(PERIOD));
        let limit = loop {
            let status = self.control.status();
            let line = in_a_line(&status);
            tell(&[NotifyState::Status(&line)]);
            if !status.disks.iter().any(|disk| disk.ended) {
                tell(&[NotifyState::Watchdog]);
            }
            match self.stops.recv_timeout(period) {
                Ok(request) => break request.accept(),
                Err(RecvTimeoutError::Timeout) => {}
                // The operator has a sender as long as it is there.
                Err(RecvTimeoutError::Disconnected) => break Duration::ZERO,
            }
        };
        info!("stopping; requests in flight have {limit:?}");
        let grace = limit.saturating_add(PERIOD).as_micros().try_into().unwrap_or(u32::MAX);
        tell(&[NotifyState::Stopping, NotifyState::ExtendTimeoutUsec(grace)]);
        // Others may ask for less time meanwhile.
        let (control, stops) = (Arc::clone(&self.control), self.stops);
        let take_limits = move || {
            for request in stops {
                let limit = request.accept();
                info!("requests in flight have {limit:?} now");
                control.stop(limit);
            }
        };
        if let Err(error) = thread::Builder::new().name("stops".to_owned()).spawn(take_limits) {
            warn!("no other limit is taken any more: {error}");
        }
        self.control.stop(limit);
        info!("stopped");
    }
}

/// Tells the service manager, if there is one.
fn tell(states: &[NotifyState]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!("the service manager is not told: {error}");
    }
}

/// What `systemctl status` says.
fn in_a_line(status: &Status) -> String {
    let exports = status.disks.iter().map(|disk| disk.exports.len()).sum::<usize>();
    let connections = status.disks.iter().flat_map(|disk| &disk.exports);
    let connections = connections.map(|export| export.connections).sum::<u32>();
    let ended = match status.disks.iter().filter(|disk| disk.ended).count() {
        0 => String::new(),
        number => format!(" ({number} serve nothing any more)"),
    };
    format!(
        "disks: {}{ended}, exports: {exports}, connections: {connections}, refused: {}",
        status.disks.len(),
        status.refused
    )
}

/// SIGHUP reloads; SIGINT and SIGTERM stop, as [`Stopping`] has it.
fn take_signals(mut signals: Signals, operator: &Operator) {
    let mut stopping = Stopping::default();
    for signal in signals.forever() {
        if signal == SIGHUP {
            reload(operator);
            continue;
        }
        match stopping.take(Instant::now()) {
            // It may be stopping already, as it was asked to.
            StopSignal::First => drop(operator.stop(None)),
            StopSignal::Repeated => info!("stopping already; a later signal ends it at once"),
            StopSignal::Second => {
                error!("stopped at once by a second signal");
                process::exit(1);
            }
        }
    }
}

fn reload(operator: &Operator) {
    match sd_notify::NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(error) => warn!("the clock cannot be read: {error}"),
    }
    match operator.reload() {
        Ok(said) => {
            info!("the configuration was read again");
            for sentence in said {
                info!("{sentence}");
            }
        }
        Err(error) => error!("the configuration was not taken, nothing was changed: {error}"),
    }
    tell(&[NotifyState::Ready]);
}
