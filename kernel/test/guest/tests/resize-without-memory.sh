# SPDX-License-Identifier: GPL-2.0 OR MIT
# A pool of requests grows, and the core has no memory for the new numbers: what writers may have of
# the pool follows its size nevertheless, and some requests are served unscheduled, which is told.
# modes: normal slub
# expects: no memory (for 256 requests in each pool|to schedule all requests)

about_bfq "it compares what writers get with what bfq gives them"
load_testing_elevator
slow_disk disk
choose disk $policy
tune disk low_latency 0
[ "$(cat /sys/block/disk/queue/nr_requests)" = 64 ] || echo 64 >/sys/block/disk/queue/nr_requests
echo 1 >/sys/module/bfq/parameters/fail_every
echo 256 >/sys/block/disk/queue/nr_requests
echo 0 >/sys/module/bfq/parameters/fail_every
dmesg | grep 'bfq: no memory for 256 requests' || wrong "the core had memory"

fio_run /run/out --filename=/dev/disk --name=writer --rw=randwrite --bs=4k --iodepth=256 \
    --time_based --runtime=3600 >/dev/null 2>&1 &
fio=$!
wait_for_requests disk 64 $fio
got=$(allocated_once_at_least disk 64)
killall fio || true
wait $fio || true
# Of the old size it would be three quarters of 64 at most.
expect_within "requests of writers" 64 256 "$got"
[ "$(awk '$1 == "strays" {print $2}' /sys/kernel/debug/bfq/disk/fallbacks)" -gt 0 ] ||
    wrong "no request was unscheduled"
seen "$got of 256 requests for writers"
