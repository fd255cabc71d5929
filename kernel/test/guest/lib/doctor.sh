# SPDX-License-Identifier: GPL-2.0 OR MIT
# Has `bfq doctor` look at the guest, and compares what it says with what the test has set up.

# diagnose DISK...: what it says is in /run/diagnosis.
diagnose() {
    bfq doctor "$@" >/run/diagnosis || [ $? = 3 ] || wrong "bfq doctor $*: $(cat /run/diagnosis)"
    cat /run/diagnosis
}

# findings: prints a line for each finding of the last diagnosis: its rule, and what it is about.
findings() {
    sed -n 's/^[0-9]*\. [^:]*: \(.*\) \[\(.*\)\]$/\2 \1/p; s/^[0-9]*\. [^:]* \[\(.*\)\]$/\1/p' \
        /run/diagnosis | sort
}

# expect_findings DISK [FINDING...]: these are found on the disk, and nothing else.
expect_findings() {
    local disk=$1
    shift
    diagnose "$disk"
    expect_equal "findings on $disk" "$([ $# = 0 ] || printf '%s\n' "$@" | sort)" "$(findings)"
    found="${found:-}${1:+ ${1%% *}}"
}

# expect_mended DISK RULE FILE: `--fix` changes the file, and the finding is gone; `--restore` puts
# the file back.
expect_mended() {
    local before after
    before=$(cat "$3")
    bfq doctor "$1" --fix --journals /run/journals || [ $? = 3 ] || wrong "--fix fails for $2"
    after=$(cat "$3")
    diagnose "$1"
    ! findings | grep -q "^$2" || wrong "$2 is found after it was mended"
    [ "$before" != "$after" ] || wrong "$2: $3 is still $before"
    bfq doctor --restore --journals /run/journals
    expect_equal "$3, put back" "$before" "$(cat "$3")"
    mended="${mended:-} $2"
}

# predicted GROUP: prints the share that the last diagnosis predicts for it, in percent.
predicted() { awk -v group="/$1" '$1 == group {print $6}' /run/diagnosis; }

# use DISK GROUP...: each of the groups reads a block.
use() {
    local disk=$1 group
    shift
    for group; do
        in_group "$group" dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct
    done
}

# inhabit GROUP...: each of the groups has a process from now on, which does nothing.
inhabit() {
    local group
    for group; do
        in_group "$group" exec sleep 100000 &
        until grep -q . "$cgroup_root/$group/cgroup.procs"; do usleep 10000; done
    done
}

# empty GROUP...: ends the processes that are directly in the groups.
empty() {
    local group
    for group; do
        xargs kill <"$cgroup_root/$group/cgroup.procs"
        while grep -q . "$cgroup_root/$group/cgroup.procs"; do usleep 10000; done
    done
}

# The groups of a server: a database, and nightly work that shall get half of what that gets.
db=system.slice/db.service
batch=system.slice/batch.service
make_services() {
    mount_cgroup2
    echo +memory >"$cgroup_root/cgroup.subtree_control"
    slice=$cgroup_root/system.slice
    make_group system.slice
    echo "+io +memory" >"$slice/cgroup.subtree_control"
    make_group $db 200
    make_group $batch
    inhabit $db $batch
}

# disk_of_groups NAME: gives a disk the elevator, and has these groups use it.
disk_of_groups() {
    choose "$1" $policy
    tune "$1" low_latency 0
    use "$1" $db $batch
}
