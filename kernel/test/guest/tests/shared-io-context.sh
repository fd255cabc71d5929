# SPDX-License-Identifier: GPL-2.0 OR MIT
# Threads that share an I/O context find its io_cq of a device while the block layer still makes it.
# They take it for no other process's: none is moved to their group, and none gets their priority.
# modes: normal slub

load_testing_elevator
mount_cgroup2
make_group settled
make_group sharers
slow_disk disk mbps=0 hw_queue_depth=1
# On such a disk the core looks at each bio while requests wait.
echo 1 >/sys/block/disk/queue/rotational
choose disk $policy
# By default two, so that the others would wait for room, outside of the scheduler.
echo 64 >/sys/block/disk/queue/nr_requests
in_group settled fio --filename=/dev/disk --direct=1 --runtime=3600 --time_based \
    --output=/run/out --name=settled --rw=randread --bs=4k --ioengine=psync --numjobs=6 &
wait_for_requests disk 100 $!
cat /sys/kernel/debug/bfq/disk/decisions >/run/disk.rec &
reader=$!
while [ ! -s /run/disk.rec ]; do sleep 0.02; done
echo 10 >/sys/module/bfq/parameters/icq_delay_ms
rounds=40
in_group sharers sharers /dev/disk $rounds 12000 || wrong "sharers failed"
echo 0 >/sys/module/bfq/parameters/icq_delay_ms
# The reader of the recording looks for more every 10 ms.
for attempt in $(seq 100); do
    sleep 0.1
    added=$(records 4 </run/disk.rec | wc -l)
    [ "$added" -lt $rounds ] || break
done
kill $reader
wait $reader || true
kill $(pidof fio)

# Calls of the core: 4 adds a process, 5 changes what is known of one, 6 moves one.
expect_equal "processes that were moved" "" "$(records 6 </run/disk.rec)"
expect_equal "processes that were changed" "" "$(records 5 </run/disk.rec)"
[ "$added" -ge $rounds ] || wrong "only $added of $rounds sharers are in the recording"
seen "$added pairs, and no other process has changed"
