// SPDX-License-Identifier: MIT OR Apache-2.0
//! All workers of a cell, seen from outside: started, told to begin, waited for, ended.

use super::assignment::{Assignment, Message, WorkerReport};
use super::work::monotonic_ns;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The subcommand under which the program is a worker.
pub const COMMAND: &str = "bench-worker";

/// Workers that take longer than this to get ready, or to end when they are told to, are given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks at whether the user wants to end.
const LOOK: Duration = Duration::from_millis(50);

/// All workers begin this long after the last was told to.
const HEAD_START_NS: u64 = 20_000_000;

/// A worker to be started.
#[derive(Clone, Debug)]
pub struct Order {
    /// What errors call it.
    pub name: String,
    /// What it is to do.
    pub assignment: Assignment,
    /// The file that moves a process into the worker's control group; none: it stays in ours.
    pub cgroup_procs: Option<PathBuf>,
}

/// Why the wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// All that were waited for have ended.
    Ended,
    /// The time is over.
    TimeOver,
    /// The user wants to end.
    Interrupted,
}

/// A worker did not do what it was told.
#[derive(Debug, thiserror::Error)]
pub enum WorkerPoolError {
    /// It could not be started, or spoken to.
    #[error("{doing} the process {name}")]
    System {
        /// Name of the worker.
        name: String,
        /// What was being done.
        doing: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// It could not do it, and says why.
    #[error("process {name}: {said}")]
    Failed {
        /// Name of the worker.
        name: String,
        /// The worker's message, for people to read.
        said: String,
    },
    /// It ended without a message.
    #[error("process {name} ended unexpectedly")]
    Vanished {
        /// Name of the worker.
        name: String,
    },
    /// It does not answer.
    #[error("process {name} has not answered for {} s", PATIENCE.as_secs())]
    Silent {
        /// Name of the worker.
        name: String,
    },
}

/// Workers at work. All are ended when it is dropped.
pub struct WorkerPool {
    workers: Vec<Worker>,
    inbox: Receiver<(usize, Option<Message>)>,
}

struct Worker {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    ready: bool,
    report: Option<WorkerReport>,
}

impl WorkerPool {
    /// Starts workers, and waits until all are ready to begin.
    ///
    /// # Parameters
    /// * `program`: this program.
    /// * `mark`: what is done to each command before it is started.
    ///
    /// # Errors
    /// [`WorkerPoolError`]; those that were started are ended.
    pub fn start(
        program: &Path,
        orders: &[Order],
        mark: &dyn Fn(&mut Command),
    ) -> Result<Self, WorkerPoolError> {
        let (outbox, inbox) = channel();
        let mut pool = WorkerPool { workers: Vec::new(), inbox };
        for order in orders {
            let mut command = Command::new(program);
            mark(&mut command);
            let output = pool.start_one(command, order)?;
            let (number, outbox) = (pool.workers.len() - 1, outbox.clone());
            thread::spawn(move || listen(number, output, &outbox));
        }
        pool.until(Instant::now() + PATIENCE, &|| false, |worker| worker.ready)
            .and_then(|waited| pool.expect(waited, |worker| worker.ready))?;
        Ok(pool)
    }

    fn start_one(
        &mut self,
        mut command: Command,
        order: &Order,
    ) -> Result<ChildStdout, WorkerPoolError> {
        let system = |doing| {
            let name = order.name.clone();
            move |source| WorkerPoolError::System { name, doing, source }
        };
        let mut child = command
            .arg(COMMAND)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C is for us; we tell the workers.
            .process_group(0)
            .spawn()
            .map_err(system("starting"))?;
        let input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        let id = child.id();
        let name = order.name.clone();
        let worker = Worker { name, child, input: Some(input), ready: false, report: None };
        self.workers.push(worker);
        if let Some(procs) = &order.cgroup_procs {
            std::fs::write(procs, id.to_string()).map_err(system("moving into its group"))?;
        }
        let text = serde_json::to_string(&order.assignment).expect("texts and numbers only");
        self.tell(self.workers.len() - 1, &text)?;
        Ok(output)
    }

    /// Lets all begin at the same time.
    ///
    /// # Errors
    /// [`WorkerPoolError`].
    pub fn begin(&mut self) -> Result<Instant, WorkerPoolError> {
        let start_ns = monotonic_ns() + HEAD_START_NS;
        let start = Instant::now() + Duration::from_nanos(HEAD_START_NS);
        (0..self.workers.len()).try_for_each(|worker| self.tell(worker, &start_ns.to_string()))?;
        Ok(start)
    }

    /// Waits until some workers have ended, by their numbers in the order in which
    /// they were started.
    ///
    /// # Errors
    /// [`WorkerPoolError`] of any worker.
    pub fn wait_for(
        &mut self,
        workers: &[usize],
        deadline: Instant,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Waited, WorkerPoolError> {
        while workers.iter().any(|&number| self.workers[number].report.is_none()) {
            if let Some(why) = self.step(deadline, interrupted)? {
                return Ok(why);
            }
        }
        Ok(Waited::Ended)
    }

    /// Tells all that it is enough, and takes their reports, in the order in which
    /// they were started.
    ///
    /// # Errors
    /// [`WorkerPoolError`].
    pub fn finish(mut self) -> Result<Vec<WorkerReport>, WorkerPoolError> {
        self.workers.iter_mut().for_each(|worker| drop(worker.input.take()));
        let waited =
            self.until(Instant::now() + PATIENCE, &|| false, |worker| worker.report.is_some())?;
        self.expect(waited, |worker| worker.report.is_some())?;
        Ok(self.workers.iter_mut().filter_map(|worker| worker.report.take()).collect())
    }

    /// Takes messages until all workers are as wanted.
    fn until(
        &mut self,
        deadline: Instant,
        interrupted: &dyn Fn() -> bool,
        wanted: impl Fn(&Worker) -> bool,
    ) -> Result<Waited, WorkerPoolError> {
        while !self.workers.iter().all(&wanted) {
            if let Some(why) = self.step(deadline, interrupted)? {
                return Ok(why);
            }
        }
        Ok(Waited::Ended)
    }

    /// Takes a message if there is one soon; or says why the wait is over.
    fn step(
        &mut self,
        deadline: Instant,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Waited>, WorkerPoolError> {
        if interrupted() {
            return Ok(Some(Waited::Interrupted));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Some(Waited::TimeOver));
        }
        match self.inbox.recv_timeout(left.min(LOOK)) {
            Ok((number, message)) => self.hear(number, message).map(|()| None),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(None),
        }
    }

    fn hear(&mut self, number: usize, message: Option<Message>) -> Result<(), WorkerPoolError> {
        let worker = &mut self.workers[number];
        match message {
            Some(Message::Ready) => worker.ready = true,
            Some(Message::Report(report)) => worker.report = Some(report),
            Some(Message::Failed(said)) => {
                return Err(WorkerPoolError::Failed { name: worker.name.clone(), said });
            }
            None if worker.report.is_none() => {
                return Err(WorkerPoolError::Vanished { name: worker.name.clone() });
            }
            None => {}
        }
        Ok(())
    }

    /// A worker that is still awaited has been silent for too long.
    fn expect(
        &self,
        waited: Waited,
        wanted: impl Fn(&Worker) -> bool,
    ) -> Result<(), WorkerPoolError> {
        match (waited, self.workers.iter().find(|worker| !wanted(worker))) {
            (Waited::TimeOver, Some(worker)) => {
                Err(WorkerPoolError::Silent { name: worker.name.clone() })
            }
            _ => Ok(()),
        }
    }

    fn tell(&mut self, number: usize, line: &str) -> Result<(), WorkerPoolError> {
        let worker = &mut self.workers[number];
        let input = worker.input.as_mut().expect("it is open until all are told to end");
        writeln!(input, "{line}").and_then(|()| input.flush()).map_err(|source| {
            WorkerPoolError::System { name: worker.name.clone(), doing: "speaking to", source }
        })
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            // Those that have reported end by themselves; nothing can be done about errors.
            if worker.report.is_none() {
                let _ = worker.child.kill();
            }
            drop(worker.input.take());
            let _ = worker.child.wait();
        }
    }
}

/// Passes on what a worker says, to its end.
fn listen(number: usize, output: ChildStdout, outbox: &Sender<(usize, Option<Message>)>) {
    for line in BufReader::new(output).lines() {
        let Ok(line) = line else { break };
        let message = serde_json::from_str(&line)
            .unwrap_or_else(|_| Message::Failed(format!("unexpected words: {line}")));
        if outbox.send((number, Some(message))).is_err() {
            return;
        }
    }
    // If the pool is gone, no receiver is left.
    let _ = outbox.send((number, None));
}
