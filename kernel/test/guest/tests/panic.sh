# SPDX-License-Identifier: GPL-2.0 OR MIT
# The core panics in each of its functions that I/O, processes, groups and users call, under the
# device's lock and in interrupts. The disk goes on, first in, first out; written data are read back
# and nothing is done twice; a file and the log say where and why it panicked; the elevator can be
# chosen again.
# modes: normal slub
# expects: bfq: (disk|sd.): (  |failed|from now on)
# limit_s: 600

load_testing_elevator
panic_at=/sys/module/bfq/parameters/panic_at
# Choosing an elevator mostly waits for grace periods.
expedited=/sys/kernel/rcu_expedited
echo 1 >$expedited
mount_cgroup2

# use_disk NAME: sets the disk to use.
use_disk() {
    disk=$1
    queue=/sys/block/$disk/queue
    debugfs=/sys/kernel/debug/bfq/$disk
}

# completed: prints how many I/Os the disk has done, with those merged into them.
completed() {
    read -r reads read_merges _ _ writes write_merges _ </sys/block/$disk/stat
    echo $((reads + read_merges + writes + write_merges))
}

# verify JOB...: writes and reads back another round each time; sets blocks, how many it wrote and
# read.
verify() {
    rounds=$((rounds + 1))
    blocks=$(verified /dev/$disk $rounds "$@" </dev/null) || wrong "it does not verify"
    expected=$((expected + 2 * blocks))
}

# work: runs processes with many and with few requests at a time, one by one and in batches, one
# that leaves the disk idle, one in a group, one that moves from group to group; changes groups,
# pools and tunables.
work() {
    mkdir "$cgroup_root/one" "$cgroup_root/two"
    verify 0:32:8:1:0 1000:64:16:4:0 2000:3:1:1:12 "3000:16:4:1:0:$cgroup_root/one" \
        "4000:4:1:1:0:$cgroup_root/one:$cgroup_root/two"
    rmdir "$cgroup_root/one" "$cgroup_root/two"
    echo 8 >$queue/iosched/slice_idle || true
    cat $queue/iosched/slice_idle >/dev/null || true
    echo $((64 + rounds % 2)) >$queue/nr_requests
}

# struck FUNCTION: whether it has panicked because of the test. A worker removes groups a little
# later.
struck() {
    local line attempt
    for attempt in 1 2 3 4 5; do
        read -r line <$debugfs/state
        case $line in
            "failed: panic in bfq_core_$1 at "*": a test wanted it") return 0 ;;
            serving) sleep 0.1 ;;
            *) wrong "$1: $line" ;;
        esac
    done
    return 1
}

# provoke FUNCTION POINT: provokes a panic there; every second core is recorded, and panics within
# its decisions.
provoke() {
    local reader='' attempt=0
    echo $policy >$queue/scheduler
    case $policy in
        bfq) echo 1 >$queue/iosched/strict_guarantees ;;
        tfq) echo 2 >$queue/iosched/strict ;;
    esac
    if [ $((panics % 2)) = 1 ]; then
        cat $debugfs/decisions >/dev/null &
        reader=$!
    fi
    read -r line <$debugfs/state
    expect_equal "a new core" serving "$line"
    echo "bfq_core_$1 $2" >$panic_at
    expected=$(completed)
    until struck "$1"; do
        attempt=$((attempt + 1))
        [ $attempt -le 20 ] || { wrong "$1 $2: no panic; left: $(cat $panic_at)"; return; }
        work
    done
    grep -q "^  unguarded_bfq_core_$1+" $debugfs/state || wrong "$1 $2: the backtrace lacks it"
    verify 0:16:8:1:0 1000:16:2:1:0
    expect_equal "$1 $2: blocks written and read" "$expected" "$(completed)"
    [ -z "$reader" ] || { kill "$reader"; wait "$reader" || true; }
    echo none >$queue/scheduler
    panics=$((panics + 1))
}

# provoke_all: reads lines of a function and its points. With poisoned slabs all is slow: the first
# two points have to do.
provoke_all() {
    local function first second others points point
    while read -r function first second others; do
        points="$first $second"
        [ "$mode" = slub ] || points="$points $others"
        for point in $points; do
            provoke "$function" "$point" </dev/null
        done
        dmesg -r -c >>/run/test/dmesg.before
    done
}

rounds=0 panics=0
memory_disk disk irqmode=2 completion_nsec=20000 hw_queue_depth=4
use_disk disk
provoke_all <<'TABLE'
insert                     1 2 3 5 8 13 21 34
dispatch                   1 2 3 5 8 13 21 34
complete                   1 2 3 5 8 13 21 34
on_timer                   1 2 3 4 5 6
add_process                1 2 3 4 6 8
exit_process               1 2 3 4 5 6 8 10
move_process               1 2 3 4 6 9
add_group                  1 2 3 4 5 6
set_group_weight           1 2 3 4
remove_group               1 2 3 4 5 6
merge_candidates           1 2 8 21
merged                     1 2 8 21
coalesced                  1 2 5 8
neighbour                  1 2 5 8
allows_merge               1 2 8 21
insertion_merge_candidate  1 2
allowed_requests           1 2 3 5 8 13
write_tunable              1 2
read_tunable               1
set_nr_requests            1 2
TABLE

# A disk that now and then serves only half of a read: the rest is requeued. Debian's kernels for
# arm64 have none.
modprobe sd_mod
if [ "$(uname -m)" != aarch64 ]; then
    modprobe scsi_debug dev_size_mb=32 ndelay=20000 max_queue=4 every_nth=10 opts=0x100
    use_disk "$(scsi_disk)"
    provoke_all <<'TABLE'
requeue                    1 2 3 4 5 6
TABLE
    rmmod scsi_debug
    use_disk disk
fi
told=$(grep -c 'bfq: .*: failed: panic in' /run/test/dmesg.before)
expect_equal "failures told" $panics "$told"

# Under load the elevator is switched away and chosen again; a new core that panics fails to attach.
mkfifo /run/test/input
verified /dev/disk 0 0:64:8:1:0 1000:64:16:4:0 2000:64:1:1:1 </run/test/input >/dev/null &
worker=$!
exec 9>/run/test/input
for function in insert dispatch complete insert dispatch complete; do
    echo $policy >$queue/scheduler
    echo "bfq_core_$function 9" >$panic_at
    until struck $function; do :; done
    echo none >$queue/scheduler
    echo "bfq_core_new 1" >$panic_at
    choose disk $policy && wrong "a core that panicked was chosen"
done
choose disk $policy
read -r line <$debugfs/state
expect_equal "a new core" serving "$line"
exec 9>&-
wait $worker || wrong "under load it does not verify"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
echo 0 >$expedited
seen "$panics panics, and 6 while elevators are switched under load; verified $rounds times"
