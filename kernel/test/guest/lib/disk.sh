# SPDX-License-Identifier: GPL-2.0 OR MIT
# Disks that exist only in the guest's memory, made by null_blk.

null_config=/sys/kernel/config/nullb

# null_disk NAME ATTRIBUTE=VALUE...: makes /dev/NAME.
null_disk() {
    local dir=$null_config/$1 pair
    shift
    mkdir "$dir"
    for pair; do
        echo "${pair#*=}" >"$dir/${pair%%=*}"
    done
    echo 1 >"$dir/power"
}

# memory_disk NAME [ATTRIBUTE=VALUE...]: a disk of 64 MB that keeps what is written to it.
memory_disk() {
    local name=$1
    shift
    null_disk "$name" queue_mode=2 irqmode=1 size=64 blocksize=512 memory_backed=1 "$@"
}

# slow_disk NAME [ATTRIBUTE=VALUE...]: a disk that takes 2 ms for a request and moves a megabyte a
# second, so that requests wait in the scheduler.
slow_disk() {
    local name=$1
    shift
    null_disk "$name" queue_mode=2 irqmode=2 completion_nsec=2000000 hw_queue_depth=32 mbps=1 \
        size=1024 "$@"
}

drop_disk() {
    echo 0 >"$null_config/$1/power"
    rmdir "$null_config/$1"
}

drop_all_disks() {
    local dir
    for dir in "$null_config"/*/; do
        [ -d "$dir" ] && drop_disk "$(basename "$dir")"
    done
}

# device_number DISK: prints its number as in weights of cgroups.
device_number() { cat "/sys/block/$1/dev"; }

# disk_stat DISK FIELD: prints a field of the disk's statistics, numbered as in the kernel's
# documentation.
disk_stat() { awk -v field="$2" '{print $field}' "/sys/block/$1/stat"; }

# in_flight DISK: prints how many requests are in flight, reads and writes.
in_flight() { awk '{print $1 + $2}' "/sys/block/$1/inflight"; }

# wait_for_io DISK: waits until a process uses it; at worst the limit of the test ends the wait.
wait_for_io() {
    while [ "$(in_flight "$1")" = 0 ]; do sleep 0.1; done
}

# requests_of DISK: prints how many reads and writes it has served since it was made.
requests_of() { awk '{print $1 + $5}' "/sys/block/$1/stat"; }

# wait_for_requests DISK COUNT PROCESS: waits until it has served COUNT more; fails if the process,
# which causes them, ends.
wait_for_requests() {
    local enough
    enough=$(($(requests_of "$1") + $2))
    while [ "$(requests_of "$1")" -lt "$enough" ]; do
        kill -0 "$3" || return 1
        sleep 0.02
    done
}

# scsi_disk: prints the name of scsi_debug's disk once it is complete: in sysfs bdi is made after
# its queue.
scsi_disk() {
    local attempt
    for attempt in $(seq 100); do
        set -- /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/*
        if [ -b "/dev/${1##*/}" ] && [ -e "$1/bdi" ]; then
            echo "${1##*/}"
            return
        fi
        sleep 0.1
    done
    return 1
}
