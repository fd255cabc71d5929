# SPDX-License-Identifier: GPL-2.0 OR MIT
# The elevator is exchanged again and again under load, and no request gets lost or mixed up.
# modes: normal slub

load_elevator
modprobe kyber-iosched
memory_disk disk submit_queues=2
fio_verify /run/out --filename=/dev/disk --size=8m --time_based --runtime=15 \
    --name=random --rw=randwrite --bs=4k --iodepth=16 --offset=0 \
    --name=sequential --rw=write --bs=64k --iodepth=4 --offset=16m \
    --name=mixed --rw=randrw --bs=4k --iodepth=8 --offset=32m --ioengine=psync &
fio=$!
switches=0
while kill -0 "$fio" 2>/dev/null; do
    for name in bfq mq-deadline bfq kyber bfq none; do
        choose disk "$name" || wrong "no $name"
        switches=$((switches + 1))
        sleep 0.1
    done
done
wait "$fio" || wrong "fio: $(tail -1 /run/out)"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
[ "$switches" -ge 20 ] || wrong "only $switches switches"
seen "$switches switches"
