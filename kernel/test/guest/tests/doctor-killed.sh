# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq doctor --fix` is killed at several moments, also between its first and its last change:
# `bfq doctor --restore` puts back what it has changed.
# modes: normal

[ -x /bin/bfq ] || skip "the bfq command was not built"
load_elevator
make_services
memory_disk disk
disk_of_groups disk
choose disk mq-deadline
echo 0 >/sys/block/disk/queue/rq_affinity
mkdir -p /run/journals

settings() { cat /sys/block/disk/queue/scheduler /sys/block/disk/queue/rq_affinity; }

# kill_it COMMAND...: begins to mend, and kills it when the command has ended.
half_mended=0
kill_it() {
    local fixing after
    bfq doctor disk --fix --journals /run/journals >/dev/null &
    fixing=$!
    "$@"
    kill -9 $fixing || true
    wait $fixing || true
    after=$(settings)
    [ "$after" = "$before" ] || half_mended=$((half_mended + 1))
    bfq doctor --restore --journals /run/journals
    expect_equal "settings, put back after: $*" "$before" "$(settings)"
    expect_equal "journals left" "" "$(ls /run/journals)"
}
elevator_changes() { while [ "$(elevator_of disk)" = mq-deadline ]; do :; done; }

before=$(settings)
for delay_us in 50000 100000 150000 200000 250000 300000; do
    kill_it usleep $delay_us
done
for again in 1 2 3; do
    kill_it elevator_changes
done
expect_within "runs with changes to undo" 3 9 "$half_mended"
seen "killed 9 times, $half_mended of them with something changed"
