# SPDX-License-Identifier: GPL-2.0 OR MIT
# The core of a disk with tfq panics while it is recorded. The disk goes on, what is written is read
# back, and a new choice makes a new core.
# modes: normal slub
# expects: bfq: disk: (  |failed|from now on)

load_testing_elevator
debugfs=/sys/kernel/debug/bfq/disk
memory_disk disk irqmode=2 completion_nsec=20000 hw_queue_depth=4
verify() {
    fio_verify /run/out --filename=/dev/disk --size=1m --iodepth=16 \
        --name=random --rw=randwrite --bs=4k --offset=0 \
        --name=sequential --rw=write --bs=64k --offset=16m || wrong "fio: $(tail -1 /run/out)"
}
for function in insert dispatch complete; do
    choose disk tfq
    # Decisions are points to panic at while they are recorded.
    cat $debugfs/decisions >/dev/null &
    reader=$!
    until [ "$(ls "/proc/$reader/fd" 2>/dev/null | wc -l)" -gt 3 ]; do sleep 0.02; done
    echo "bfq_core_$function 20" >/sys/module/bfq/parameters/panic_at
    verify
    read -r line <$debugfs/state
    case $line in
        "failed: panic in bfq_core_$function at "*) ;;
        *) wrong "$function: $line" ;;
    esac
    expect_equal "$function: a tunable" EIO "$(write_to /sys/block/disk/queue/iosched/strict 0)"
    verify
    # It ends with the elevator, if it has not before.
    kill $reader 2>/dev/null || true
    wait $reader || true
    expect_equal "$function: in flight" 0 "$(in_flight disk)"
    choose disk none
done
choose disk tfq
read -r line <$debugfs/state
expect_equal "a new core" serving "$line"
verify
seen "3 panics"
