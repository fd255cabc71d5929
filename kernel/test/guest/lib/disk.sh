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

# allocated DISK: prints the most requests of its first pool that are in use at one of some moments.
allocated() {
    local moment
    for moment in $(seq 20); do
        sed -n 's/^busy=//p' "/sys/kernel/debug/block/$1/hctx0/sched_tags"
        usleep 20000
    done | sort -n | tail -1
}

# allocated_once_at_least DISK LEAST: prints what `allocated` does once that is LEAST, or after
# twenty seconds: on a busy machine those who do I/O need time to have as many requests.
allocated_once_at_least() {
    local attempt got
    for attempt in $(seq 50); do
        got=$(allocated "$1")
        [ "$got" -lt "$2" ] || break
    done
    echo "$got"
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

# raid5 NAME DISK...: makes /dev/NAME of whole disks, without anything that md writes on them.
raid5() {
    local md=/sys/block/$1/md slot=0 disk
    echo "$1" >/sys/module/md_mod/parameters/new_array
    shift
    echo none >"$md/metadata_version"
    echo raid5 >"$md/level"
    echo $# >"$md/raid_disks"
    echo 65536 >"$md/chunk_size"
    for disk; do
        device_number "$disk" >"$md/new_dev"
        echo 32768 >"$md/dev-$disk/size"
        echo $slot >"$md/dev-$disk/slot"
        slot=$((slot + 1))
    done
    echo 32768 >"$md/component_size"
    echo none >"$md/resync_start"
    echo active >"$md/array_state"
}

# nvme_target NAME DEVICE TRANSPORT: has the kernel offer a device as an NVMe disk, and connects to
# it itself: /dev/nvme0n1, which is complete in sysfs when bdi is there.
nvme_target() {
    local target=/sys/kernel/config/nvmet attempt address=
    local subsystem=$target/subsystems/$1 port=$target/ports/1
    mkdir "$subsystem" "$subsystem/namespaces/1" $port
    echo 1 >"$subsystem/attr_allow_any_host"
    echo "$2" >"$subsystem/namespaces/1/device_path"
    echo 1 >"$subsystem/namespaces/1/enable"
    echo "$3" >$port/addr_trtype
    if [ "$3" = tcp ]; then
        echo ipv4 >$port/addr_adrfam
        echo 127.0.0.1 >$port/addr_traddr
        echo 4420 >$port/addr_trsvcid
        address=traddr=127.0.0.1,trsvcid=4420,
    fi
    ln -s "$subsystem" "$port/subsystems/$1"
    echo "transport=$3,${address}nqn=$1" >/dev/nvme-fabrics
    for attempt in $(seq 50); do
        [ ! -b /dev/nvme0n1 ] || [ ! -e /sys/block/nvme0n1/bdi ] || return 0
        sleep 0.1
    done
    return 1
}

# drop_nvme_target NAME: disconnects, and offers it no more.
drop_nvme_target() {
    local target=/sys/kernel/config/nvmet controller
    local subsystem=$target/subsystems/$1 port=$target/ports/1
    for controller in /sys/class/nvme/nvme*/delete_controller; do
        [ ! -e "$controller" ] || echo 1 >"$controller"
    done
    rm -f "$port/subsystems/$1"
    rmdir $port
    echo 0 >"$subsystem/namespaces/1/enable"
    rmdir "$subsystem/namespaces/1" "$subsystem"
}
