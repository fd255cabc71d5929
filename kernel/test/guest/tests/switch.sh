# SPDX-License-Identifier: GPL-2.0 OR MIT
# The elevator is exchanged again and again under load, and no request gets lost or mixed up. Each
# elevator has its share of the load before the next one comes, however long that takes.
# modes: normal slub
# limit_s: 300

load_elevator
modprobe kyber-iosched
memory_disk disk submit_queues=2
# verify: writes and reads back until the test is over, or something was wrong.
verify() {
    until [ -e /run/test/over ]; do
        fio_verify /run/out --filename=/dev/disk --size=8m \
            --name=random --rw=randwrite --bs=4k --iodepth=16 --offset=0 \
            --name=sequential --rw=write --bs=64k --iodepth=4 --offset=16m \
            --name=mixed --rw=randrw --bs=4k --iodepth=8 --offset=32m --ioengine=psync || return
        echo >>/run/test/verified
    done
}
verify &
load=$!
switches=0
for round in $(seq 12); do
    for name in $policy mq-deadline $policy kyber $policy none; do
        choose disk "$name" || wrong "no $name"
        switches=$((switches + 1))
        wait_for_requests disk 200 $load || break 2
    done
done
touch /run/test/over
wait $load || wrong "fio: $(tail -1 /run/out)"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
expect_equal "switches" 72 $switches
seen "$switches switches, $(wc -l </run/test/verified) times 24 MB written and read back"
