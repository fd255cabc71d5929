# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `tests`: runs each of $tests, for at most $patience times its limit, and writes lines
# about it to the results:
#
#   start NAME            before; if nothing follows, the guest did not survive the test
#   ok NAME: WHAT         what was seen
#   FAIL NAME: WHAT       what was wrong; the log of the test is on the console then
#   skip NAME: WHY        this kernel or this mode has not what it needs
#
# Each test gets a fresh module, which has to unload and leave nothing behind. A test announces
# messages that it provokes in the kernel's log by a head line `expects: REGULAR EXPRESSION`. A test
# that empties the log keeps its contents in /run/test/dmesg.before.

export patience
. /test/lib/elevator.sh
. /test/lib/disk.sh
. /test/lib/cgroup.sh
. /test/lib/complaints.sh

# run_test NAME: runs one test.
run_test() {
    local name=$1 limit_s started watchdog test status verdict expected
    limit_s=$(sed -n 's/^# limit_s: *//p' "/test/tests/$name.sh")
    limit_s=$((${limit_s:-120} * patience))
    expected=$(sed -n 's/^# expects: *//p' "/test/tests/$name.sh")
    echo "start $name" >&4
    rm -rf /run/test
    mkdir /run/test
    touch /run/test/wrong /run/test/seen /run/test/dmesg.before
    dmesg -c >/dev/null
    started=$(cut -d' ' -f1 /proc/uptime)

    setsid sh -u /test/lib/main.sh "$name" >/run/test/log 2>&1 &
    test=$!
    (sleep "$limit_s"; give_up "$name" "$limit_s") &
    watchdog=$!
    wait "$test"
    status=$?
    kill_session "$test"
    [ "$status" = 0 ] || grep '^+' /run/test/log | tail -1 |
        sed "s/^+* /status $status of: /" >>/run/test/wrong
    clean_up >>/run/test/log 2>&1
    dmesg -r | cat /run/test/dmesg.before - >/run/test/dmesg
    complaints /run/test/dmesg | grep -vE "${expected:-^\$}" | head -3 \
        >>/run/test/wrong
    kill "$watchdog"

    if [ -s /run/test/wrong ]; then
        verdict="FAIL $name: $(joined /run/test/wrong) (seen: $(joined /run/test/seen))"
        echo "=== $verdict"
        cat /run/test/log /run/test/dmesg
        echo "=== end of $name"
    elif [ -e /run/test/skip ]; then
        verdict="skip $name: $(joined /run/test/skip)"
    else
        verdict="ok $name: $(joined /run/test/seen)"
    fi
    echo "$verdict [$(cut -d' ' -f1 /proc/uptime |
        awk -v s="$started" '{printf "%.0f s", $1 - s}')]" >&4
}

# kill_session ID: kills the processes that the test has left running.
kill_session() {
    local pids
    pids=$(awk -v session="$1" '{sub(/.*\) /, "")} $4 == session {print FILENAME}' \
        /proc/[0-9]*/stat 2>/dev/null | cut -d/ -f3)
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill -9 $pids
}

# Joins the lines of a file.
joined() { awk 'NR > 1 {printf "; "} {printf "%s", $0}' "$1"; }

# give_up NAME LIMIT_S: the test hangs and may hold locks: prints what is known; the host runs the
# next test in a fresh guest.
give_up() {
    echo "=== $1 hangs"
    cat /run/test/log
    echo w >/proc/sysrq-trigger
    echo l >/proc/sysrq-trigger
    dmesg -r
    find /sys/kernel/debug/block \( -name dispatch -o -name busy -o -name state \
        -o -name requeue_list -o -name '*tags' -o -name queued \) -exec grep -Hs . {} \;
    grep . /sys/block/*/inflight /sys/block/*/stat
    echo "FAIL $1: it hangs for $2 s: $(joined /run/test/wrong)" >&4
    reboot -f
}

# Removes what a test left, so that the module can be unloaded.
clean_up() {
    local disk
    umount -a -t ext4 2>/dev/null
    drop_all_disks
    drop_all_cgroups
    rmmod scsi_debug 2>/dev/null
    for disk in /sys/block/*/queue/scheduler; do
        ! grep -qE '\[(bfq|tfq)\]' "$disk" || echo none >"$disk"
    done
    if [ -d /sys/module/bfq ]; then
        unload_elevator || echo "the module does not go: $(lsmod | grep '^bfq')" >>/run/test/wrong
    fi
    grep '^[bt]fq' /proc/slabinfo | awk '$2 > 0 {print "left in the slab " $1 ": " $2}' \
        >>/run/test/wrong
}

# Who traces would have the names of processes recorded as well, for which the kernel rewrites an
# instruction of its __schedule(). On several emulated processors, QEMU 7.2 at times goes on to
# execute the break point that stood there meanwhile, and all of them hang.
echo 0 >/sys/kernel/debug/tracing/options/record-cmd 2>/dev/null || true

for name in $tests; do
    run_test "$name"
done
# How many accesses KCSAN watched, and how many races it found, its own kernel's included.
cat /sys/kernel/debug/kcsan 2>/dev/null
