# SPDX-License-Identifier: GPL-2.0 OR MIT
# Records what the kernel's own bfq says in the block tracer while a disk works.

tracing=/sys/kernel/debug/tracing

# From now on traces show when a disk gets its elevator, and when the scheduler learns that a group
# of a disk goes. That may be long after its cgroup was removed: pages that were written in it keep
# it.
trace_comings_and_goings() {
    echo 'p:bfq/attached elevator_alloc' >$tracing/kprobe_events
    echo 'p:bfq/offline blkg_destroy' >>$tracing/kprobe_events
    echo 1 >$tracing/events/bfq/enable
}

# groups_gone: prints how many groups have gone.
groups_gone() { awk '$1 == "offline" {print $2}' $tracing/kprobe_profile; }

# begin DISK [TUNABLE=VALUE...]: gives the disk a fresh elevator and starts to trace it, each
# request with its group. Times are those of the clock that the scheduler reads.
begin() {
    local pair group
    traced=$1
    shift
    tunables=$*
    choose "$traced" none
    echo 2 >"/sys/block/$traced/queue/nomerges"
    echo nop >$tracing/current_tracer
    echo mono >$tracing/trace_clock
    echo 65536 >$tracing/buffer_size_kb
    echo blk >$tracing/current_tracer
    echo 1 >$tracing/options/blk_cgroup
    choose "$traced" bfq
    # 6.12 takes its limits from the size that the pool had before; they are the same for 257.
    echo 257 >"/sys/block/$traced/queue/nr_requests"
    echo 256 >"/sys/block/$traced/queue/nr_requests"
    for pair in $tunables; do
        tune "$traced" "${pair%%=*}" "${pair#*=}"
    done
    for group in $(cd "$cgroup_root" && find . -type d | sed 's/^[.]\/*//'); do
        mark "group $group $(printf %x "$(stat -c %i "$cgroup_root/$group")")"
    done
    echo 1 >"/sys/block/$traced/trace/enable"
}

# table NAME PAIR...: prints a table of a file of settings, if it has any pair. Names with a slash
# are quoted.
table() {
    [ $# -gt 1 ] || return 0
    printf '\n[%s]\n' "$1"
    shift
    printf '%s\n' "$@" | sed 's/^[^=]*\/[^=]*/"&"/; s/=/ = /'
}

# finish NAME DEPTH [GROUP=WEIGHT...]: writes the trace and the settings of the host.
finish() {
    local name=$1 depth=$2 queue=/sys/block/$traced/queue
    shift 2
    echo 0 >"/sys/block/$traced/trace/enable"
    gzip -9 <$tracing/trace >"/run/recordings/$name.trace.gz"
    echo nop >$tracing/current_tracer
    {
        echo "disk = { rotational = $(sed 's/0/false/; s/1/true/' "$queue/rotational") }"
        echo "depth = $depth"
        echo "nr_requests = $(cat "$queue/nr_requests")"
        echo "hz = $hz"
        echo "kernel = \"$series\""
        echo "merging = false"
        # In 6.12 the clock is read once for all that a process submits at once.
        echo "clock_runs = $([ "$series" = 6.1 ] && echo true || echo false)"
        # shellcheck disable=SC2086 # several words
        table tunables $tunables
        table groups "$@"
    } >"/run/recordings/$name.toml"
    choose "$traced" none
}

# paced GROUP NAME=VALUE...: starts a process that does I/O on the traced disk, in the background;
# `-` is the root group.
paced() {
    local group=$1
    shift
    (
        [ "$group" = - ] || echo 0 >"$cgroup_root/$group/cgroup.procs"
        exec pace "/dev/$traced" group="$group" "$@"
    ) &
}

# tune_marked NAME VALUE: writes a tunable of the traced disk while it works.
tune_marked() { mark "tunable $1 $2" "/sys/block/$traced/queue/iosched/$1" "$2"; }

# weigh_marked GROUP WEIGHT: writes the weight of a group in the same way.
weigh_marked() { mark "weight $1 $2" "$cgroup_root/$1/io.bfq.weight" "$2"; }

# move PID GROUP: moves a process to another group; `-` is the root. Its next request tells.
move() { echo "$1" >"$cgroup_root/${2#-}/cgroup.procs"; }

# drop_marked GROUP: removes a group. Returns when the scheduler has learnt of it.
drop_marked() {
    local gone attempt
    gone=$(groups_gone)
    mark "removed $1"
    drop_group "$1"
    for attempt in $(seq 500); do
        [ "$(groups_gone)" = "$gone" ] || return 0
        usleep 10000
    done
    return 1
}
