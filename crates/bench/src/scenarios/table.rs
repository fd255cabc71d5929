// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of scenarios.
//!
//! The load of a scenario is at least eight processes that begin at once, where there is one: with
//! [`PrimingReads`](crate::workers::PrimingReads) before them bfq takes them for one large program
//! and raises none of them, as it raises no load that has been there for minutes. (Two readers
//! alone would be raised for their first seconds, just as the start-up that they are to disturb.)

use super::measure::Measure;
use crate::model::{Goal, Level};

/// What a scenario cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The target may be written to.
    Writes,
    /// Control groups with weights can be made.
    Groups,
    /// The user has named a command.
    Command,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name, as in the file of results.
    pub name: &'static str,
    /// What happens, in words.
    pub title: &'static str,
    /// Which goals it serves.
    pub goals: &'static [Goal],
    /// From which level on it is played.
    pub from: Level,
    /// What it cannot do without.
    pub needs: &'static [Need],
    /// The sections of its job file, one a job; they follow a global one of all scenarios.
    pub sections: &'static [&'static str],
    /// The jobs that are waited for; when they have ended, so does everything.
    pub awaited: &'static [&'static str],
    /// What is read off it.
    pub measures: &'static [Measure],
}

/// What holds for all jobs.
pub(super) const GLOBAL: &str = "\
[global]
direct=1
ioengine=psync
time_based
runtime={time}
";

/// A load is at work before what it is to disturb begins. That is its ramp time, so that its
/// throughput is of the time in which both are at work.
const READERS_10: &str =
    "[readers]\nrw=read\nbs=256k\nsize={part}\nnumjobs=10\nruntime=1d\nramp_time={lead}\n";
const READERS_5: &str = "[readers]\nrw=read\nbs=256k\nsize={part}\nnumjobs=5\nruntime=1d\n";
const WRITERS_5: &str = "[writers]\nrw=write\nbs=256k\nsize={part}\nnumjobs=5\nruntime=1d\n";
/// Copies, as `cp` makes them: half of the processes read files through the page cache, half write
/// others there, and the kernel writes them back.
const COPIES_5: &str =
    "[readers]\ndirect=0\nrw=read\nbs=128k\nsize={part}\nnumjobs=5\nruntime=1d\nramp_time={lead}\n";
const COPIED_5: &str =
    "[writers]\ndirect=0\nrw=write\nbs=128k\nsize={part}\nnumjobs=5\nruntime=1d\n";
const SHELL: &str = "\
[start-up]
read_iolog=bash
replay_redirect=start-up
replay_mode=chain
startdelay={lead}
time_based=0
runtime={limit}
";
const OFFICE: &str = "\
[start-up]
read_iolog=writer
replay_redirect=start-up
replay_mode=chain
startdelay={lead}
time_based=0
runtime={limit}
";

/// The job that stands for the user's command: no process of ours, but measured as one.
pub const COMMAND_JOB: &str = "command";

use Goal::{Database, Desktop, Media, Server, Throughput};
use Measure::{
    CpuPerIo, Iops, LateFrames, LatencyMedian, LatencyTail, ShareError, StartUp, SyncTail,
};

/// All scenarios, one row each.
pub const SCENARIOS: [Scenario; 19] = [
    Scenario {
        name: "start-idle",
        title: "a shell starts on the idle disk",
        goals: &[Desktop],
        from: Level::Normal,
        needs: &[],
        sections: &[SHELL],
        awaited: &["start-up"],
        measures: &[StartUp("start-up")],
    },
    Scenario {
        name: "start-readers",
        title: "a shell starts beside ten readers",
        goals: &[Desktop],
        from: Level::Quick,
        needs: &[],
        sections: &[READERS_10, SHELL],
        awaited: &["start-up"],
        measures: &[StartUp("start-up"), Measure::Throughput("readers")],
    },
    Scenario {
        name: "start-writers",
        title: "a shell starts beside five readers and five writers",
        goals: &[Desktop],
        from: Level::Normal,
        needs: &[Need::Writes],
        sections: &[READERS_5, WRITERS_5, SHELL],
        awaited: &["start-up"],
        measures: &[StartUp("start-up")],
    },
    Scenario {
        name: "start-copies",
        title: "a shell starts beside five copies through the page cache",
        goals: &[Desktop],
        from: Level::Quick,
        needs: &[Need::Writes],
        sections: &[COPIES_5, COPIED_5, SHELL],
        awaited: &["start-up"],
        measures: &[StartUp("start-up"), Measure::Throughput("readers")],
    },
    Scenario {
        name: "office-readers",
        title: "a large program starts beside ten readers",
        goals: &[Desktop],
        from: Level::Thorough,
        needs: &[],
        sections: &[READERS_10, OFFICE],
        awaited: &["start-up"],
        measures: &[StartUp("start-up")],
    },
    Scenario {
        name: "command-idle",
        title: "your command on the idle disk",
        goals: &[Desktop],
        from: Level::Quick,
        needs: &[Need::Command],
        sections: &[],
        awaited: &[COMMAND_JOB],
        measures: &[StartUp(COMMAND_JOB)],
    },
    Scenario {
        name: "command-readers",
        title: "your command beside ten readers",
        goals: &[Desktop],
        from: Level::Quick,
        needs: &[Need::Command],
        sections: &[READERS_10],
        awaited: &[COMMAND_JOB],
        measures: &[StartUp(COMMAND_JOB)],
    },
    Scenario {
        name: "buffered",
        title: "ten programs read a file each through the page cache",
        goals: &[Throughput, Desktop, Server],
        from: Level::Quick,
        needs: &[],
        sections: &["[readers]\ndirect=0\nrw=read\nbs=128k\nsize={part}\nnumjobs=10\n"],
        awaited: &["readers"],
        measures: &[Measure::Throughput("readers")],
    },
    Scenario {
        name: "sequential",
        title: "ten sequential readers that bypass the page cache",
        goals: &[Throughput, Server],
        from: Level::Quick,
        needs: &[],
        sections: &["[readers]\nrw=read\nbs=256k\nsize={part}\nnumjobs=10\n"],
        awaited: &["readers"],
        measures: &[Measure::Throughput("readers")],
    },
    Scenario {
        name: "copying",
        title: "five sequential readers and five writers",
        goals: &[Throughput],
        from: Level::Normal,
        needs: &[Need::Writes],
        sections: &[
            "[readers]\nrw=read\nbs=256k\nsize={part}\nnumjobs=5\n",
            "[writers]\nrw=write\nbs=256k\nsize={part}\nnumjobs=5\n",
        ],
        awaited: &["readers", "writers"],
        measures: &[Measure::Throughput("")],
    },
    Scenario {
        name: "random",
        title: "ten processes that read 16 KiB here and there",
        goals: &[Throughput, Server],
        from: Level::Normal,
        needs: &[],
        sections: &["[readers]\nrw=randread\nbs=16k\nfilename=bulk\nsize={bulk}\nnumjobs=10\n"],
        awaited: &["readers"],
        measures: &[Measure::Throughput("readers"), LatencyTail("readers")],
    },
    Scenario {
        name: "single",
        title: "one process, one random read of 4 KiB at a time",
        goals: &[Database],
        from: Level::Normal,
        needs: &[],
        sections: &["[reader]\nrw=randread\nbs=4k\nfilename=bulk\nsize={bulk}\n"],
        awaited: &["reader"],
        measures: &[Iops("reader"), LatencyMedian("reader"), LatencyTail("reader"), CpuPerIo],
    },
    Scenario {
        name: "deep",
        title: "four processes, 32 random reads of 4 KiB each at a time",
        goals: &[Throughput, Database],
        from: Level::Quick,
        needs: &[],
        sections: &[
            "[readers]\nioengine=io_uring\niodepth=32\nrw=randread\nbs=4k\nfilename=bulk\n\
                     size={bulk}\nnumjobs=4\n",
        ],
        awaited: &["readers"],
        measures: &[Iops("readers"), LatencyTail("readers"), CpuPerIo],
    },
    Scenario {
        name: "equals",
        title: "two readers of equal weight, one with large requests, one with small ones",
        goals: &[Server],
        from: Level::Normal,
        needs: &[],
        sections: &[
            "[large]\nioengine=io_uring\niodepth=8\nrw=read\nbs=512k\nsize={part}\n",
            "[small]\nioengine=io_uring\niodepth=8\nrw=read\nbs=64k\nsize={part}\n",
        ],
        awaited: &["large", "small"],
        measures: &[ShareError],
    },
    Scenario {
        name: "priorities",
        title: "four readers with the I/O priorities 0, 2, 4 and 6",
        goals: &[Server],
        from: Level::Normal,
        needs: &[],
        sections: &[
            "[first]\nioengine=io_uring\niodepth=8\nrw=read\nbs=128k\nsize={part}\nprio=0\n",
            "[second]\nioengine=io_uring\niodepth=8\nrw=read\nbs=128k\nsize={part}\nprio=2\n",
            "[third]\nioengine=io_uring\niodepth=8\nrw=read\nbs=128k\nsize={part}\nprio=4\n",
            "[fourth]\nioengine=io_uring\niodepth=8\nrw=read\nbs=128k\nsize={part}\nprio=6\n",
        ],
        awaited: &["first", "second", "third", "fourth"],
        measures: &[ShareError],
    },
    Scenario {
        name: "groups",
        title: "two control groups with the weights 100 and 300",
        goals: &[Server],
        from: Level::Quick,
        needs: &[Need::Groups],
        sections: &[
            "[light]\nioengine=io_uring\niodepth=8\nrw=read\nbs=128k\nsize={part}\n\
             cgroup=light\ncgroup_weight=100\n",
            "[heavy]\nioengine=io_uring\niodepth=8\nrw=read\nbs=128k\nsize={part}\n\
             cgroup=heavy\ncgroup_weight=300\n",
        ],
        awaited: &["light", "heavy"],
        measures: &[ShareError],
    },
    Scenario {
        name: "player",
        title: "a film of 50 frames a second beside five readers and five writers",
        goals: &[Media, Desktop],
        from: Level::Quick,
        needs: &[Need::Writes],
        sections: &[
            READERS_5,
            WRITERS_5,
            "[player]\nioengine=io_uring\niodepth=64\nrw=read\nbs=64k\nsize={part}\nrate_iops=50\n\
             startdelay={lead}\n",
        ],
        awaited: &["player"],
        measures: &[LateFrames { job: "player", frame_ms: 20 }, LatencyTail("player")],
    },
    Scenario {
        name: "client",
        title: "a client reads 16 KiB 50 times a second beside ten readers",
        goals: &[Server, Desktop],
        from: Level::Normal,
        needs: &[],
        sections: &[
            READERS_10,
            "[client]\nrw=randread\nbs=16k\nsize={part}\nrate_iops=50\nstartdelay={lead}\n",
        ],
        awaited: &["client"],
        measures: &[LatencyMedian("client"), LatencyTail("client")],
    },
    Scenario {
        name: "commits",
        title: "a database writes 16 KiB and syncs, again and again, beside eight writers",
        goals: &[Database, Server],
        from: Level::Quick,
        needs: &[Need::Writes],
        sections: &[
            "[writers]\nrw=write\nbs=256k\nsize={part}\nnumjobs=8\nruntime=1d\n",
            "[database]\nrw=randwrite\nbs=16k\nsize={part}\nfsync=1\nstartdelay={lead}\n",
        ],
        awaited: &["database"],
        measures: &[SyncTail("database"), Iops("database")],
    },
];
