# SPDX-License-Identifier: GPL-2.0 OR MIT
# Control groups of both versions. A hierarchy is mounted by the test that needs it.

cgroup_root=/run/cgroup

# mount_cgroup2: mounts version 2 with the io controller.
mount_cgroup2() {
    mkdir -p "$cgroup_root"
    mount -t cgroup2 cgroup2 "$cgroup_root"
    echo +io >"$cgroup_root/cgroup.subtree_control"
}

# mount_blkio: mounts the blkio controller of version 1; fails where the kernel has none.
mount_blkio() {
    mkdir -p "$cgroup_root"
    mount -t cgroup -o blkio blkio "$cgroup_root" 2>/dev/null
}

# make_group NAME [WEIGHT]: makes a group.
make_group() {
    mkdir "$cgroup_root/$1"
    [ $# = 1 ] || echo "$2" >"$cgroup_root/$1/io.bfq.weight"
}

# in_group NAME COMMAND...: runs a command or a function there.
in_group() {
    local procs=$cgroup_root/$1/cgroup.procs
    shift
    (
        echo 0 >"$procs"
        "$@"
    )
}

# reads DISK GROUP: prints how many reads of it and of the groups below the disk has been given.
reads() {
    awk -v disk="$(device_number "$1")" '
        $1 == disk && match($0, /rios=[0-9]+/) {reads = substr($0, RSTART + 5, RLENGTH - 5)}
        END {print reads + 0}' "$cgroup_root/$2/io.stat"
}

# count_reads DISK SECONDS GROUP...: counts the reads of groups over the same seconds, in which all
# of them read; `/run/reads` has a line for each, its name and its reads. The figures of the readers
# themselves would be of different seconds, for they start and end one by one.
count_reads() {
    local disk=$1 seconds=$2 group
    shift 2
    for group; do echo "$group $(reads "$disk" "$group")"; done >/run/reads.before
    sleep "$seconds"
    for group; do echo "$group $(reads "$disk" "$group")"; done >/run/reads.after
    awk 'NR == FNR {before[$1] = $2; next} {print $1, $2 - before[$1]}' \
        /run/reads.before /run/reads.after >/run/reads
}

# drop_group NAME: removes the group; a process belongs to it until its very end.
drop_group() {
    local attempt
    for attempt in $(seq 50); do
        rmdir "$cgroup_root/$1" 2>/dev/null && return
        sleep 0.1
    done
    rmdir "$cgroup_root/$1"
}

# Removes all groups and the hierarchy. A hierarchy of version 1 disappears a moment after it was
# unmounted, if its groups are gone by then; otherwise it has to be mounted and unmounted once more.
# Until it has disappeared version 2 has no io controller.
drop_all_cgroups() {
    local attempt
    grep -q " $cgroup_root " /proc/mounts || return 0
    find "$cgroup_root" -mindepth 1 -depth -type d -exec rmdir {} \;
    for attempt in 1 2 3 4 5; do
        umount "$cgroup_root"
        blkio_stays || return 0
        mount_blkio
    done
    return 1
}

# blkio_stays: whether the controller is still in a hierarchy of version 1 after two seconds.
blkio_stays() {
    local attempt
    for attempt in $(seq 20); do
        [ "$(awk '$1 == "blkio" {print $2}' /proc/cgroups)" != 0 ] || return 1
        sleep 0.1
    done
}
