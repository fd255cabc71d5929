# SPDX-License-Identifier: GPL-2.0 OR MIT
# Runs fio and reads its results.

# The percentiles that fio_value reads: the median and the 99th, with one a little below and one a
# little above each.
percentiles=49:50:51:98.5:99:99.5

# fio_run RESULT OPTION...: fails if fio does, also on a wrong checksum.
fio_run() {
    local result=$1
    shift
    fio --output-format=terse --terse-version=3 --output="$result" --eta=never --group_reporting=0 \
        --thread --direct=1 --ioengine=io_uring --percentile_list=$percentiles "$@" || {
        cat "$result"
        return 1
    }
}

# fio_value RESULT JOB WHAT: prints one figure of one job.
fio_value() {
    local column
    case $3 in
        read_kib) column=6 ;;
        read_iops) column=8 ;;
        runtime_ms) column=9 ;;
        read_below_median_us) column=18 ;;
        read_above_median_us) column=20 ;;
        read_below_p99_us) column=21 ;;
        read_above_p99_us) column=23 ;;
        read_mean_us) column=40 ;;
        read_max_us) column=39 ;;
        written_kib) column=47 ;;
        write_below_median_us) column=59 ;;
        write_above_median_us) column=61 ;;
        write_below_p99_us) column=62 ;;
        write_above_p99_us) column=64 ;;
        write_iops) column=49 ;;
    esac
    # Of a percentile only what follows its name.
    awk -F';' -v job="$2" -v column="$column" '
        $3 == job {sub(/^[0-9.]*%=/, "", $column); print $column}' "$1"
}

# fio_verify RESULT OPTION...: runs fio with checksums written and read back.
fio_verify() { fio_run "$@" --verify=crc32c --verify_fatal=1 --do_verify=1; }
