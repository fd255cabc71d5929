# SPDX-License-Identifier: GPL-2.0 OR MIT
# A disk is taken away while it works: its requests end with an error, and nothing hangs.
# modes: normal slub
# limit_s: 300

load_elevator
modprobe sd_mod

# work DISK: runs sixteen readers and writers at a time. A process of fio ends at its first error,
# at the very moment when the elevator is removed. Up to 6.4 the kernel must not do both at once:
# ioc_clear_queue() reads what an exiting process frees. There the processes go on until they are
# killed.
case $(uname -r) in
    6.[0-4].*)
        work() { exec persist "/dev/$1" 16; }
        stop() {
            kill "$1"
            while pidof persist >/dev/null; do sleep 0.1; done
        }
        ;;
    *)
        work() {
            fio_run /run/out --filename="/dev/$1" --size=4m --time_based --runtime=3600 \
                --ioengine=psync \
                --name=writes --rw=randwrite --bs=4k --numjobs=8 \
                --name=reads --rw=randread --bs=4k --numjobs=8 >/dev/null 2>&1
        }
        stop() { :; }
        ;;
esac
rounds=6 failures=0
for round in $(seq $rounds); do
    modprobe scsi_debug dev_size_mb=16 ndelay=2000000 max_queue=8 || skip "no scsi_debug"
    disk=$(scsi_disk)
    choose "$disk" $policy
    work "$disk" &
    worker=$!
    wait_for_requests "$disk" 100 $worker || wrong "round $round: its users gave up before"
    wait_for_io "$disk"
    # The disk alone and the whole host are removed by turns.
    if [ $((round % 2)) = 0 ]; then
        echo 1 >"/sys/block/$disk/device/delete"
    else
        echo -1 >/sys/bus/pseudo/drivers/scsi_debug/add_host
    fi
    stop $worker
    wait $worker || failures=$((failures + 1))
    [ -e "/sys/block/$disk" ] && wrong "round $round: the disk is still there"
    rmmod scsi_debug
done
expect_equal "times that its users gave up or were told to" $rounds $failures
seen "$rounds disks taken away under load"
