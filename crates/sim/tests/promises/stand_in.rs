// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another scheduler in bfq's place: what does it keep of what bfq promises?

/// The tunables of bfq that a promise may name and another scheduler can keep nevertheless: whether
/// programs that start come first, and how long a queue is waited for. Who has them too is asked
/// with the same values.
const ANYBODYS: [&str; 2] = ["low_latency", "slice_idle"];
/// With this tunable bfq is the kernel's, a rival.
const RIVALS: &str = "behaviour";

/// The scheduler in bfq's place, if the figures are not bfq's: BFQ_STAND_IN.
pub fn stand_in() -> Option<String> {
    std::env::var("BFQ_STAND_IN").ok().filter(|name| !name.is_empty())
}

/// What runs where a promise says `spec`.
pub fn cast(spec: &str, stand_in: Option<&str>) -> String {
    let name = spec.split(':').next().unwrap_or(spec);
    match stand_in {
        Some(other) if name == "bfq" && !names(spec).contains(&RIVALS) => {
            let anybodys: Vec<&str> = tunables(spec)
                .filter(|tunable| ANYBODYS.contains(&name_of(tunable)))
                .filter(|tunable| has(other, name_of(tunable)))
                .collect();
            match anybodys.is_empty() {
                false => format!("{other}:{}", anybodys.join(",")),
                true => other.to_owned(),
            }
        }
        _ => spec.to_owned(),
    }
}

/// Whether a scheduler has a tunable.
fn has(scheduler: &str, name: &str) -> bool {
    let tunables = elevators::tunables(scheduler).unwrap_or_default();
    tunables.iter().any(|tunable| tunable.name == name)
}

/// What is promised of a mechanism that only bfq has; of another scheduler in its place, what the
/// mechanism is for.
pub fn own_or<T>(own: impl FnOnce() -> T, purpose: impl FnOnce() -> T) -> T {
    if stand_in().is_some() { purpose() } else { own() }
}

/// Whether `spec` is bfq with a tunable of its own, which no other can stand in for.
fn is_own(spec: &str) -> bool {
    let names = names(spec);
    let own = names.iter().any(|name| !ANYBODYS.contains(name));
    spec.starts_with("bfq:") && own && !names.contains(&RIVALS)
}

/// The tunables in `bfq:low_latency=0,slice_idle=0`, each with its value.
fn tunables(spec: &str) -> impl Iterator<Item = &str> {
    let tunables = spec.split_once(':').map_or("", |(_, tunables)| tunables);
    tunables.split(',').filter(|one| one.contains('='))
}

fn name_of(tunable: &str) -> &str {
    tunable.split('=').next().unwrap_or(tunable)
}

/// The names of the tunables that a scheduler is asked with.
fn names(spec: &str) -> Vec<&str> {
    tunables(spec).map(name_of).collect()
}

/// The schedulers that a command runs.
fn specs(command: &str) -> Vec<String> {
    let list = command.split("--scheduler ").nth(1).and_then(|rest| rest.split(' ').next());
    let mut specs: Vec<String> = Vec::new();
    for part in list.unwrap_or_default().split(',') {
        match specs.last_mut() {
            // A tunable of the scheduler before it.
            Some(last) if part.contains('=') && !part.contains(':') => *last += &format!(",{part}"),
            _ => specs.push(part.to_owned()),
        }
    }
    specs
}

/// Whether the commands of a promise need bfq itself.
pub fn needs_bfq(commands: &str) -> bool {
    commands.lines().flat_map(specs).any(|spec| is_own(&spec))
}

/// A command with the stand-in in bfq's place.
pub fn recast(command: &str, stand_in: Option<&str>) -> String {
    let mut recast: Vec<String> = Vec::new();
    for spec in specs(command) {
        let spec = cast(&spec, stand_in);
        if !recast.contains(&spec) {
            recast.push(spec);
        }
    }
    let [before, after] = [specs(command), recast].map(|specs| specs.join(","));
    command.replace(&format!("--scheduler {before}"), &format!("--scheduler {after}"))
}

#[test]
fn only_bfq_is_stood_in_for() {
    let command = "bfq sim jobs/a.fio --device d --scheduler bfq,bfq:low_latency=0,none";
    assert_eq!(recast(command, None), command);
    assert_eq!(
        recast(command, Some("tfq")),
        "bfq sim jobs/a.fio --device d --scheduler tfq,tfq:low_latency=0,none"
    );
    assert_eq!(recast("bfq sim --scheduler bfq", Some("tfq")), "bfq sim --scheduler tfq");
    assert_eq!(cast("bfq:low_latency=0", Some("kyber")), "kyber", "it has no such tunable");
    for (spec, runs, needs) in [
        ("bfq", "tfq", false),
        ("bfq:low_latency=0", "tfq:low_latency=0", false),
        ("bfq:low_latency=0,slice_idle=0", "tfq:low_latency=0,slice_idle=0", false),
        ("bfq:low_latency=0,timeout_sync=100", "tfq:low_latency=0", true),
        ("bfq:low_latency=0,behaviour=linux-6.1", "bfq:low_latency=0,behaviour=linux-6.1", false),
        ("cfq", "cfq", false),
    ] {
        assert_eq!(cast(spec, Some("tfq")), runs);
        assert_eq!(cast(spec, None), spec);
        let commands = format!("bfq sim a.fio --scheduler none\nbfq sim b.fio --scheduler {spec}");
        assert_eq!(needs_bfq(&commands), needs, "{spec}");
    }
}
