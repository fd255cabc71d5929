# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq serve` of a disk with bad sectors: the kernel's own client gets the error, for these sectors
# only and as long as they are bad; the log says which; and the client of another disk gets what it
# wrote all the time. No module of ours takes part.
# modes: normal
# limit_s: 300

[ -x /bin/bfq ] || skip "the bfq command was not built"
[ -x /bin/nbd-client ] || skip "nbd-client is not in the guest"
modprobe nbd nbds_max=2 || skip "no nbd"
memory_disk bad
memory_disk good
[ -e "$null_config/bad/badblocks" ] || skip "this null_blk has no bad sectors"
mkdir -p /run/serve
cat >/run/serve/config.toml <<END
[[listen]]
unix = "/run/serve/nbd.sock"
[exports.bad]
path = "/dev/bad"
[exports.good]
path = "/dev/good"
END
bfq serve --config /run/serve/config.toml >/run/serve/log 2>&1 &
server=$!
for attempt in $(seq 600); do
    [ ! -S /run/serve/nbd.sock ] || break
    sleep 0.1
done
nbd-client -unix /run/serve/nbd.sock -N bad /dev/nbd0
nbd-client -unix /run/serve/nbd.sock -N good /dev/nbd1

# read_block BLOCK, write_block BLOCK: 4 KiB of the bad disk.
read_block() { dd if=/dev/nbd0 of=/dev/null bs=4096 skip="$1" count=1 iflag=direct; }
write_block() { dd if=/dev/zero of=/dev/nbd0 bs=4096 seek="$1" count=1 oflag=direct; }

fio_verify /run/out --filename=/dev/nbd1 --size=8m --name=beside --rw=randwrite --bs=4k &
beside=$!
echo "+2048-2055" >"$null_config/bad/badblocks"
for round in 1 2 3; do
    { read_block 255 && write_block 257; } || wrong "round $round: a good sector failed"
    ! read_block 256 || wrong "round $round: a bad sector was read"
    ! write_block 256 || wrong "round $round: a bad sector was written"
done
echo "-2048-2055" >"$null_config/bad/badblocks"
{ write_block 256 && read_block 256; } || wrong "the sector is not bad any more, and fails"
wait "$beside" || wrong "the other disk's client: $?"
for nbd in nbd0 nbd1; do nbd-client -d "/dev/$nbd"; done
kill "$server"
status=0
wait "$server" || status=$?
expect_equal "the server's exit code" 0 "$status"
errors=$(grep -c 'the disk fails.*export="bad".*offset_bytes=1048576' /run/serve/log || true)
seen "$errors errors in the server's log"
[ "$errors" -ge 2 ] || wrong "the log does not tell of the bad sectors: $(tail -n 5 /run/serve/log)"
! grep -q 'the disk fails.*export="good"' /run/serve/log || wrong "the good disk failed, too"
rmmod nbd
