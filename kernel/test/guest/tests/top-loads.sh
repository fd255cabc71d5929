# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq top` beside the kernel's and fio's figures for loads of many kinds: two sequential readers, a
# writer beside a random reader, buffered writes, and readers through device mapper and a loop
# device. The disk's bytes are exactly the kernel's; those of who does direct I/O are fio's within
# 1 %, and its latencies within 5 %; of buffered writes the bytes are.
# modes: deterministic

needs_top
modprobe dm-mod || skip "no device mapper"
modprobe loop || skip "no loop devices"
load_elevator
slow_disk disk mbps=8 memory_backed=1 size=64 blocksize=512
choose disk $policy

# load NAME OPTION...: runs fio on $target for some seconds as a program of that name.
load() {
    local name=$1
    shift
    cp /bin/fio "/run/$name"
    "/run/$name" --output-format=terse --terse-version=3 --output="/run/$name.out" --eta=never \
        --thread --direct=1 --ioengine=io_uring --percentile_list=$percentiles --name=job \
        --time_based --runtime=8 --filename="/dev/$target" --size=32m --norandommap "$@"
}
# watched_bytes FIELD: the bytes that the kernel's statistics of the watched disk tell.
watched_bytes() { echo $(($(disk_stat $watched "$1") * 512)); }
# begin DISK [TARGET]: watches the disk below the target, by default the same.
begin() {
    watched=$1 target=${2:-$1} jobs=
    watch_disk $watched
    read_before=$(watched_bytes 3) written_before=$(watched_bytes 7)
}
# ends WHAT: when all jobs are done.
ends() {
    wait $jobs
    sync
    top_ends
    expect_equal "$1: bytes read" $(($(watched_bytes 3) - read_before)) "$(of_disk read_bytes)"
    expect_equal "$1: bytes written" $(($(watched_bytes 7) - written_before)) \
        "$(of_disk written_bytes)"
}
# expect_as_fio NAME OPERATION BYTES_KEY
expect_as_fio() {
    local by_fio key=$3 kib=read_kib
    [ "$2" = read ] || kib=written_kib
    by_fio=$(($(fio_value "/run/$1.out" job $kib) * 1024))
    expect_within "bytes of $1" "$(calculate "$by_fio * 0.99")" "$(calculate "$by_fio * 1.01")" \
        "$(of_program "$key" "$1")"
    expect_quantiles_as_fio "$1" "/run/$1.out" "$2" '"pid":' "\"name\":\"$1\""
}

begin disk
load first --rw=read --bs=64k --iodepth=2 &
jobs=$!
load second --rw=read --bs=64k --offset=32m --iodepth=2 &
jobs="$jobs $!"
ends "two readers"
expect_as_fio first read read_bytes
expect_as_fio second read read_bytes

begin disk
load writer --rw=write --bs=32k --iodepth=4 &
jobs=$!
load random --rw=randread --bs=4k --iodepth=1 &
jobs="$jobs $!"
ends "a writer beside a random reader"
expect_as_fio writer write written_bytes
expect_as_fio random read read_bytes

# Whoever hands over buffered writes, a thread of the kernel or fio in its fsync, is told; all of
# what fio has written is there: in one pass, so that each page is written once.
begin disk
load buffered --direct=0 --ioengine=psync --rw=write --bs=64k --end_fsync=1 --time_based=0 \
    --size=16m &
jobs=$!
ends "buffered writes"
by_fio=$(($(fio_value /run/buffered.out job written_kib) * 1024))
told=$(calculate "$(of_kernel written_bytes) + $(of_program written_bytes buffered)")
expect_equal "who wrote" "$(calculate "$(of_disk written_bytes)")" "$told"
expect_within "buffered bytes" "$(calculate "$by_fio * 0.99")" "$(calculate "$by_fio * 1.01")" \
    "$(of_disk written_bytes)"
seen "buffered: fio wrote $by_fio bytes, the disk got $(of_disk written_bytes)," \
    "$(of_kernel written_bytes) of these from threads of the kernel"

mapped=$(mapped create seams "20008:linear:/dev/disk 0" "20024:linear:/dev/disk 40000")
begin disk "$mapped"
load through_dm --size=16m --rw=randread --bs=4k --iodepth=4 &
jobs=$!
ends "through device mapper"
expect_as_fio through_dm read read_bytes
mapped remove seams

losetup /dev/loop0 /dev/disk
begin loop0
load through_loop --rw=randread --bs=4k --iodepth=4 &
jobs=$!
ends "through a loop device"
expect_as_fio through_loop read read_bytes
losetup -d /dev/loop0
