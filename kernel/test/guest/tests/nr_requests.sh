# SPDX-License-Identifier: GPL-2.0 OR MIT
# The pool of requests grows and shrinks under load.
# modes: normal slub

load_elevator
memory_disk disk hw_queue_depth=64
choose disk $policy
fio_verify /run/out --filename=/dev/disk --size=4m --time_based --runtime=8 --iodepth=32 \
    --name=random --rw=randwrite --bs=4k \
    --name=more --rw=randwrite --bs=4k --offset=8m &
fio=$!
changes=0
while kill -0 $fio 2>/dev/null; do
    for number in 4 128 16 64 8; do
        echo $number >/sys/block/disk/queue/nr_requests
        expect_equal nr_requests $number "$(cat /sys/block/disk/queue/nr_requests)"
        changes=$((changes + 1))
        sleep 0.1
    done
done
wait $fio || wrong "fio: $(tail -1 /run/out)"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
seen "$changes changes"
