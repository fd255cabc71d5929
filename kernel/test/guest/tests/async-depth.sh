# SPDX-License-Identifier: GPL-2.0 OR MIT
# Where users may limit the requests for what is no synchronous read (queue/async_depth, from Linux
# 7.0 on), our elevators offer three quarters of the pool, and what is written instead changes what
# writers get in that proportion, and is never exceeded; without an elevator the number is the block
# layer's own again.
# modes: normal

load_elevator
slow_disk disk
async_depth=/sys/block/disk/queue/async_depth
[ -e $async_depth ] || {
    before 7.0 || wrong "no async_depth"
    skip "this kernel has no async_depth"
}
choose disk $policy
tune disk low_latency 0
requests=$(cat /sys/block/disk/queue/nr_requests)
expect_equal "offered" $((requests * 3 / 4)) "$(cat $async_depth)"

fio_run /run/out --filename=/dev/disk --name=writer --rw=randwrite --bs=4k --iodepth=128 \
    --time_based --runtime=3600 >/dev/null 2>&1 &
fio=$!
wait_for_requests disk 64 $fio
usual=$(allocated_once_at_least disk $((requests / 4)))
# A sixth of what was offered. The device is empty when the number is in force.
echo $((requests / 8)) >$async_depth
few=$(allocated disk)
killall fio || true
wait $fio || true
expect_within "requests of writers by default" $((requests / 4)) "$requests" "$usual"
expect_within "requests with a sixth of that" 1 $((requests / 8)) "$few"
choose disk none
expect_equal "without an elevator" "$(cat /sys/block/disk/queue/nr_requests)" "$(cat $async_depth)"
seen "a pool of $requests: $usual for writers, $few with async_depth at $((requests / 8))"
