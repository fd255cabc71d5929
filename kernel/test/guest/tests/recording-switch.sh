# SPDX-License-Identifier: GPL-2.0 OR MIT
# Recordings begin and end under I/O, and the elevator is removed while one is read: no request is
# lost and no reader hangs.
# modes: normal slub
# limit_s: 300

load_elevator recording_kib=64
slow_disk disk completion_nsec=200000 mbps=0 submit_queues=2
choose disk $policy
decisions=/sys/kernel/debug/bfq/disk/decisions
fio --filename=/dev/disk --direct=1 --runtime=3600 --time_based --output=/run/out \
    --name=load --rw=randrw --bs=4k --iodepth=8 --ioengine=io_uring --numjobs=4 &
load=$!

# A reader that is slower than the disk loses records, not its file.
for round in $(seq 20); do
    head -c 30000 $decisions | tail -c 1000 | wc -c
done >/run/read
expect_equal "rounds" 20 "$(grep -cx 1000 /run/read)"

# It ends with the elevator each time.
for round in $(seq 10); do
    exec 3<$decisions
    cat <&3 >"/run/read.$round" &
    reader=$!
    exec 3<&-
    wait_for_requests disk 100 $load
    choose disk none
    wait $reader || wrong "a reader failed in round $round"
    [ -e $decisions ] && wrong "the file is there although $policy is not"
    choose disk $policy
done
kill -INT $load
wait $load || true
grep -q 'err= 0' /run/out || wrong "fio failed"
grep -q 'err= *[1-9]' /run/out && wrong "an I/O failed"
head -c 6 /run/read.10 | grep -q bfqrec || wrong "what was read is no recording"

# A reader with nothing to read can be stopped.
cat $decisions >/run/idle &
reader=$!
while [ ! -s /run/idle ]; do sleep 0.02; done
kill $reader
wait $reader || true
# The module stays loaded as long as its file is open.
exec 3<$decisions
choose disk none
rmmod bfq 2>/run/busy && wrong "the module went while its file was open"
exec 3<&-
expect_equal "in flight at the end" 0 "$(in_flight disk)"
seen "30 recordings, 10 of them ended with the elevator;" \
    "$(wc -c </run/read.10) bytes in the last one"
