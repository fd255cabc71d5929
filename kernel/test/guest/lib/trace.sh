# SPDX-License-Identifier: GPL-2.0 OR MIT
# Records what the kernel's own bfq says in the block tracer while a disk works.

tracing=/sys/kernel/debug/tracing

# From now on traces show the moment when the scheduler learns that a cgroup is removed.
trace_offline() {
    echo 'p:bfq/offline blkcg_css_offline' >$tracing/kprobe_events
    echo 1 >$tracing/events/bfq/offline/enable
}

# begin DISK [TUNABLE=VALUE...]: gives the disk a fresh elevator and starts to trace it. Times are
# those of the clock that the scheduler reads.
begin() {
    local pair
    traced=$1
    shift
    tunables=$*
    choose "$traced" none
    echo 2 >"/sys/block/$traced/queue/nomerges"
    echo nop >$tracing/current_tracer
    echo mono >$tracing/trace_clock
    echo 65536 >$tracing/buffer_size_kb
    choose "$traced" bfq
    echo 256 >"/sys/block/$traced/queue/nr_requests"
    for pair in $tunables; do
        tune "$traced" "${pair%%=*}" "${pair#*=}"
    done
    echo blk >$tracing/current_tracer
    echo 1 >"/sys/block/$traced/trace/enable"
}

# table NAME PAIR...: prints a table of a file of settings, if it has any pair.
table() {
    [ $# -gt 1 ] || return 0
    printf '\n[%s]\n' "$1"
    shift
    printf '%s\n' "$@" | sed 's/=/ = /'
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

# move_marked PID GROUP: moves a process to another group; `-` is the root.
move_marked() { mark "moved $1 $2" "$cgroup_root/${2#-}/cgroup.procs" "$1"; }

# drop_marked GROUP: removes a group. The scheduler learns of it a moment later.
drop_marked() {
    mark "removed $1"
    drop_group "$1"
}
