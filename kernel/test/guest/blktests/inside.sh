#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
# The first process of the Debian that runs blktests. It writes to the results, the fourth
# descriptor:
#
#   start NAME                            before each test
#   outcome NAME<tab>OUTCOME<tab>WHY      passed, failed or skipped; for each device or condition
#   end NAME                              after it; without this the guest did not survive the test
#
# A guest in which a test did not end in time is not used for another.

export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ LC_ALL=C
. /test/lib/complaints.sh
. /test/blktests/outcomes.sh

# blktests splits a release at its dots, and fails on Debian's `6.12.117+deb12-amd64`.
uname() { command uname "$@" | sed 's/+deb[0-9]*//'; }
export -f uname
release=$(command uname -r)
if [ "$release" != "$(uname -r)" ]; then
    ln -s "$release" "/lib/modules/$(uname -r)"
    ln -s "config-$release" "/boot/config-$(uname -r)"
fi

mount -t tmpfs tmpfs /tmp
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ln -sfn /proc/self/fd /dev/fd
# Only when a disk is added: at a change it would undo what a test has chosen.
cat >/etc/udev/rules.d/90-bfq.rules <<'RULE'
ACTION=="add", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", TEST=="queue/scheduler", \
  ATTR{queue/scheduler}="bfq"
RULE
/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add
udevadm settle
grep -H . /sys/block/*/queue/scheduler

# switch_off: switches off at once, as hanging processes may keep file systems busy.
switch_off() {
    sync -f /blktests &
    sleep 1
    echo o >/proc/sysrq-trigger
    sleep 60
}

# test_device NAME: prints the disk for tests that take one; QEMU's SCSI disk for tests of SCSI.
test_device() {
    local disk
    for disk in /sys/block/sd*; do
        if [[ $1 == scsi/* && -e $disk ]]; then
            echo "/dev/${disk##*/}"
            return
        fi
    done
    echo /dev/vda
}

cd /blktests || switch_off
for name in $tests; do
    echo "start $name" >&4
    echo "TEST_DEVS=($(test_device "$name")) TIMEOUT=20" >config
    dmesg -C
    started_s=$SECONDS
    setsid ./check "$name" >/run/output 2>&1 &
    check=$!
    while kill -0 "$check" 2>/dev/null && [ $((SECONDS - started_s)) -lt "$limit_s" ]; do
        sleep 0.5
    done
    cat /run/output
    dmesg -r >/run/dmesg
    complaint=$(complaints /run/dmesg | head -1)
    outcomes "$name" "$complaint" </run/output >/run/outcomes
    if kill -0 "$check" 2>/dev/null; then
        printf 'outcome %s\tfailed\tit does not end in %d s\n' "$name" "$limit_s" >/run/outcomes
        echo w >/proc/sysrq-trigger
        dmesg
    elif grep -q $'\tfailed\t' /run/outcomes; then
        cat /run/dmesg
        head -n 100 results/*/"$name".out.bad
    fi
    cat /run/outcomes >&4
    echo "end $name" >&4
    ! kill -0 "$check" 2>/dev/null || switch_off
done

udevadm settle
for disk in /sys/block/*/queue/scheduler; do
    echo none >"$disk"
done
sleep 1
rmmod bfq && verdict=passed || verdict=failed
printf 'outcome %s\t%s\t%s\n' "the module goes" "$verdict" "$(grep '^bfq ' /proc/modules)" >&4
switch_off
