# SPDX-License-Identifier: GPL-2.0 OR MIT
# Every n-th allocation of the core fails. I/O goes on, and its data are right; what is not
# scheduled as it should be is counted, and a message says so, at most one in five seconds.
# modes: normal slub
# expects: no memory to schedule all requests

load_testing_elevator
switch=/sys/module/bfq/parameters/fail_every
memory_disk disk
mount_cgroup2
choose disk $policy
# in_some_group NAME COMMAND...: runs it in the group if that could be made.
in_some_group() {
    if [ -d "$cgroup_root/$1" ]; then
        in_group "$@"
    else
        shift
        "$@"
    fi
}

# fallbacks: prints how many requests were not scheduled as they should be.
fallbacks() { awk '{n += $2} END {print n}' /sys/kernel/debug/bfq/disk/fallbacks; }
# told: prints how many messages say so.
told() { dmesg | grep -c 'bfq: disk: no memory to schedule all requests' || true; }
uptime_s() { cut -d. -f1 /proc/uptime; }

expect_equal "fallbacks at first" 0 "$(fallbacks)"
refused=0
began_s=$(uptime_s)
for every in 1 2 3 7 50; do
    choose disk $policy
    echo $every >$switch
    # A new group, like choosing bfq, may be refused, but cleanly.
    make_group g$every || refused=$((refused + 1))
    for round in 1 2 3; do
        in_some_group g$every fio_verify /run/out --filename=/dev/disk --size=512k \
            --name=random --rw=randwrite --bs=4k --iodepth=8 --numjobs=4 --offset_increment=1m ||
            wrong "every $every: fio failed"
    done
    [ $every != 1 ] || { first_fallbacks=$(fallbacks) first_told=$(told) until_s=$(uptime_s); }
    choose disk none
    choose disk $policy || refused=$((refused + 1))
    rmdir "$cgroup_root/g$every" || true
    echo 0 >$switch
done
[ "$first_fallbacks" -gt 0 ] || wrong "without any memory all requests were scheduled"
[ "$first_told" -gt 0 ] || wrong "no message of requests that are not scheduled"
most_told=$(((until_s - began_s + 1) / 5 + 1))
[ "$first_told" -le $most_told ] || wrong "$first_told messages in $((until_s - began_s)) s"
choose disk $policy
fio_verify /run/out --filename=/dev/disk --size=1m --name=after --rw=randwrite --bs=4k --iodepth=8
expect_equal "fallbacks with memory" 0 "$(fallbacks)"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
seen "every 1st, 2nd, 3rd, 7th, 50th; a group or the elevator refused $refused times;" \
    "without memory $first_fallbacks requests fell back, told of in $first_told messages"

# Weights and figures: an error, and nothing has changed.
number=$(device_number disk)
make_group kept
weights="$cgroup_root/kept/io.bfq.weight"
echo 1 >$switch
expect_equal "a weight without memory" ENOMEM "$(write_to "$weights" "$number 300")"
echo 0 >$switch
expect_equal "weights after that" "default 100" "$(paste -sd, "$weights")"
expect_equal "a weight with memory" ok "$(write_to "$weights" "$number 300")"
drop_all_cgroups
if mount_blkio; then
    figures="$cgroup_root/blkio.bfq.io_serviced"
    echo 1 >$switch
    ! cat "$figures" || wrong "there were figures without memory"
    echo 0 >$switch
    grep -q "^$number Write" "$figures" || wrong "no figures with memory"
fi
