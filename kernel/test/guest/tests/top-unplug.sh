# SPDX-License-Identifier: GPL-2.0 OR MIT
# A disk is taken away while `bfq top` shows it, and used: it says that the disk is gone, goes on
# with the other one, and leaves the kernel's tracing as it was.
# modes: normal slub
# limit_s: 300

needs_top
load_elevator
modprobe sd_mod
modprobe scsi_debug dev_size_mb=16 ndelay=2000000 max_queue=8 || skip "no scsi_debug"
gone=$(scsi_disk)
slow_disk disk
choose "$gone" $policy
choose disk $policy

# intervals PATTERN: how many intervals say that.
intervals() { grep -c "$1" /run/top; }
# wait_for_intervals PATTERN COUNT
wait_for_intervals() {
    while [ "$(intervals "$1")" -lt "$2" ]; do
        kill -0 $top || return 1
        sleep 0.1
    done
}

# There from the start: what does not exist yet has no intervals to count.
: >/run/top
bfq top "$gone" disk --json --interval 500ms --journals /run/journals >/run/top 2>/run/errors &
top=$!
users=
for name in "$gone" disk; do
    persist "/dev/$name" 4 &
    users="$users $!"
done
wait_for_intervals "\"name\":\"$gone\",.*\"ios\":[1-9]" 2 || wrong "it ended: $(cat /run/errors)"
echo 1 >"/sys/block/$gone/device/delete"
told="\"name\":\"$gone\",.*\"is_gone\":true"
wait_for_intervals "$told" 3 || wrong "it does not say that the disk is gone: $(cat /run/errors)"
tail -n 1 /run/top | grep -q '"name":"disk",.*"ios":[1-9]' || wrong "the other disk has stopped"
kill -INT $top
wait $top || wrong "it failed: $(cat /run/errors)"
expect_equal "instances of tracing that stay" 0 "$(ls $tracing/instances | wc -l)"
seen "$(intervals "\"interval_s\"") intervals, $(intervals "$told") of them without the disk"
# Their children die with them: `killall` would meet some that are gone already, and fail.
kill $users
while pidof persist >/dev/null; do sleep 0.1; done
rmmod scsi_debug
