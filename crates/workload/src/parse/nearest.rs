//! Options that fio knows and this crate does not support, and the supported option that comes
//! nearest, for error messages.

/// fio's unsupported options, each group with the option that comes nearest.
const UNSUPPORTED: &[(&[&str], &str)] = &[
    (
        &[
            "verify",
            "do_verify",
            "verify_only",
            "verify_interval",
            "verify_offset",
            "verify_pattern",
            "verify_pattern_interval",
            "verify_fatal",
            "verify_dump",
            "verify_async",
            "verify_async_cpus",
            "verify_backlog",
            "verify_backlog_batch",
            "verify_state_load",
            "verify_state_save",
            "verify_write_sequence",
            "verify_header_seed",
            "experimental_verify",
            "trim_percentage",
            "trim_verify_zero",
            "trim_backlog",
            "trim_backlog_batch",
        ],
        "rw",
    ),
    (
        &[
            "iodepth_batch",
            "iodepth_batch_submit",
            "iodepth_batch_complete",
            "iodepth_batch_complete_min",
            "iodepth_batch_complete_max",
            "iodepth_low",
            "serialize_overlap",
            "io_submit_mode",
            "latency_target",
            "latency_window",
            "latency_percentile",
            "latency_run",
        ],
        "iodepth",
    ),
    (&["ba", "blockalign", "bs_is_seq_rand"], "bs"),
    (&["bs_unaligned", "blocksize_unaligned"], "bsrange"),
    (&["percentage_random"], "rw"),
    (&["random_distribution", "softrandommap"], "norandommap"),
    (
        &[
            "filesize",
            "fill_device",
            "fill_fs",
            "zonesize",
            "zonecapacity",
            "zonerange",
            "zone_reset_threshold",
            "zone_reset_frequency",
            "ignore_zone_limits",
            "max_open_zones",
            "job_max_open_zones",
        ],
        "size",
    ),
    (&["file_append", "zonemode", "zoneskip", "read_beyond_wp", "zone_skip"], "offset"),
    (&["rate_min", "ratemin", "rate_cycle", "ratecycle", "flow", "flow_id", "flow_sleep"], "rate"),
    (&["rate_iops_min"], "rate_iops"),
    (&["max_latency"], "percentile_list"),
    (&["wait_for", "exitall", "exit_what", "exitall_on_error", "create_only"], "stonewall"),
    (&["exec_prerun", "exec_postrun"], "startdelay"),
    (
        &[
            "write_iops_log",
            "per_job_logs",
            "log_entries",
            "log_prio",
            "log_issue_time",
            "log_compression",
            "log_compression_cpus",
            "log_store_compressed",
        ],
        "write_bw_log",
    ),
    (&["write_hist_log", "log_offset"], "write_lat_log"),
    (
        &[
            "log_hist_msec",
            "log_hist_coarseness",
            "log_max_value",
            "log_window_value",
            "log_unix_epoch",
            "log_alternate_epoch",
            "log_alternate_epoch_clock_id",
            "bwavgtime",
            "iopsavgtime",
            "status-interval",
        ],
        "log_avg_msec",
    ),
    (
        &[
            "clat_percentiles",
            "lat_percentiles",
            "slat_percentiles",
            "block_error_percentiles",
            "significant_figures",
        ],
        "percentile_list",
    ),
    (
        &[
            "stats",
            "gtod_reduce",
            "gtod_cpu",
            "disable_lat",
            "disable_clat",
            "disable_slat",
            "disable_bw",
            "disable_bw_measurement",
            "profile",
            "error_dump",
            "continue_on_error",
            "ignore_error",
        ],
        "group_reporting",
    ),
    (
        &[
            "steadystate",
            "ss",
            "steadystate_duration",
            "ss_dur",
            "steadystate_ramp_time",
            "ss_ramp",
            "steadystate_check_interval",
            "ss_interval",
        ],
        "ramp_time",
    ),
    (
        &[
            "nice",
            "cmdprio",
            "cmdprio_percentage",
            "cmdprio_class",
            "cmdprio_hint",
            "cmdprio_split",
            "cmdprio_bssplit",
            "priohint",
        ],
        "prio",
    ),
    (
        &[
            "cpumask",
            "cpus_allowed",
            "cpus_allowed_policy",
            "numa_cpu_nodes",
            "numa_mem_policy",
            "uid",
            "gid",
        ],
        "cgroup",
    ),
    (&["ioscheduler"], "--scheduler on the command line"),
    (&["opendir", "lockfile"], "filename"),
    (&["unique_filename"], "filename_format"),
    (&["openfiles", "file_service_type"], "nrfiles"),
    (&["pre_read", "unlink_each_loop", "lockmem"], "invalidate"),
    (&["sync", "write_barrier", "atomic"], "fsync"),
    (&["sync_file_range"], "fdatasync"),
    (&["fsync_on_close"], "end_fsync"),
    (
        &[
            "write_iolog",
            "read_iolog_chunked",
            "merge_blktrace_file",
            "merge_blktrace_scalars",
            "merge_blktrace_iters",
        ],
        "read_iolog",
    ),
    (&["unit_base"], "kb_base"),
    (
        &[
            "hipri",
            "hipri_percentage",
            "fixedbufs",
            "registerfiles",
            "sqthread_poll",
            "sqthread_poll_cpu",
            "nonvectored",
            "uncached",
            "nowait",
            "force_async",
            "userspace_reap",
            "cmd_type",
            "cpuload",
            "cpuchunks",
            "hostname",
            "port",
            "protocol",
            "listen",
            "pool",
            "rbdname",
            "clientname",
            "volume",
            "brick",
        ],
        "ioengine",
    ),
];

/// Does fio have an option of that name, which is not supported here? Then, the nearest that is.
pub(super) fn to_unsupported(name: &str) -> Option<&'static str> {
    UNSUPPORTED.iter().find(|(names, _)| names.contains(&name)).map(|(_, nearest)| *nearest)
}

/// The candidate that takes the fewest edits to become `word`; the first of several.
pub(crate) fn by_spelling<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> &'a str {
    candidates.min_by_key(|candidate| distance(word, candidate)).unwrap_or_default()
}

/// Letters to insert, delete, replace, or swap with the next, to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().take(64).collect();
    let to: Vec<char> = to.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut current = vec![i];
        for j in 1..=to.len() {
            let replaced = last[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(current[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_the_one_with_the_fewest_edits() {
        for (word, nearest) in [
            ("iodpeth", "iodepth"),
            ("io_depth", "iodepth"),
            ("thinktimes", "thinktime"),
            ("blksize", "blocksize"),
        ] {
            let candidates = ["runtime", "iodepth", "thinktime", "blocksize", "size"];
            assert_eq!(by_spelling(word, candidates.into_iter()), nearest);
        }
    }

    #[test]
    fn no_unsupported_option_is_supported_and_every_hint_is() {
        for (names, nearest) in UNSUPPORTED {
            for name in *names {
                assert!(super::super::options::find(name).is_none(), "{name}");
            }
            let is_option = super::super::options::find(nearest).is_some();
            assert!(is_option || nearest.starts_with("--"), "{nearest}");
        }
    }
}
