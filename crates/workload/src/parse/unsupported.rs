// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options that fio has and this crate does not support.

/// fio's unsupported options; each group with the option that does something like them,
/// if one does.
const UNSUPPORTED: &[(&[&str], Option<&str>)] = &[
    (
        &[
            "verify_only",
            "verify_offset",
            "verify_pattern",
            "verify_pattern_interval",
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
        None,
    ),
    (&["io_submit_mode"], None),
    (&["ba", "blockalign"], None),
    (&["bs_is_seq_rand"], Some("bs")),
    (&["bs_unaligned", "blocksize_unaligned"], None),
    (&["percentage_random"], None),
    (&["softrandommap"], Some("norandommap")),
    (&["filesize", "fill_device", "fill_fs"], Some("size")),
    (
        &[
            "zonecapacity",
            "zone_reset_threshold",
            "zone_reset_frequency",
            "ignore_zone_limits",
            "max_open_zones",
            "job_max_open_zones",
            "read_beyond_wp",
        ],
        None,
    ),
    (&["file_append"], Some("offset")),
    (&["rate_min", "ratemin", "rate_cycle", "ratecycle", "rate_iops_min"], None),
    (&["max_latency"], None),
    (&["wait_for"], Some("stonewall")),
    (&["exitall_on_error", "create_only"], None),
    (&["exec_prerun", "exec_postrun"], None),
    (
        &[
            "per_job_logs",
            "log_entries",
            "log_prio",
            "log_issue_time",
            "log_compression",
            "log_compression_cpus",
            "log_store_compressed",
            "log_offset",
            "log_max_value",
            "log_window_value",
            "log_unix_epoch",
            "log_alternate_epoch",
            "log_alternate_epoch_clock_id",
            "status-interval",
        ],
        None,
    ),
    (&["write_hist_log", "log_hist_msec", "log_hist_coarseness"], Some("write_lat_log")),
    (&["bwavgtime", "iopsavgtime"], Some("log_avg_msec")),
    (
        &["clat_percentiles", "lat_percentiles", "slat_percentiles", "significant_figures"],
        Some("percentile_list"),
    ),
    (
        &[
            "block_error_percentiles",
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
        None,
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
        None,
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
        Some("prio"),
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
        None,
    ),
    (&["ioscheduler"], Some("--scheduler on the command line")),
    (&["opendir", "lockfile"], None),
    (&["unique_filename"], Some("filename_format")),
    (&["openfiles"], None),
    (&["pre_read"], Some("invalidate")),
    (&["unlink_each_loop", "lockmem"], None),
    (&["sync", "write_barrier", "sync_file_range"], Some("fdatasync")),
    (&["atomic"], None),
    (&["fsync_on_close"], Some("end_fsync")),
    (
        &[
            "read_iolog_chunked",
            "merge_blktrace_file",
            "merge_blktrace_scalars",
            "merge_blktrace_iters",
        ],
        Some("read_iolog"),
    ),
    (&["write_iolog"], None),
    (&["unit_base"], None),
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
        None,
    ),
];

/// An option that fio has and this crate does not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unsupported {
    /// What does something like it.
    pub(super) instead: Option<&'static str>,
}

/// Does fio have an option of that name, which is not supported here?
pub(super) fn find(name: &str) -> Option<Unsupported> {
    let (_, instead) = UNSUPPORTED.iter().find(|(names, _)| names.contains(&name))?;
    Some(Unsupported { instead: *instead })
}

/// The names of all of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    UNSUPPORTED.iter().flat_map(|(names, _)| names.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_unsupported_option_is_supported_and_every_hint_is() {
        for (names, nearest) in UNSUPPORTED {
            for name in *names {
                assert!(crate::parse::options::find(name).is_none(), "{name}");
            }
            if let Some(nearest) = nearest {
                let is_option = crate::parse::options::find(nearest).is_some();
                assert!(is_option || nearest.starts_with("--"), "{nearest}");
            }
        }
    }
}
