# SPDX-License-Identifier: GPL-2.0 OR MIT
# A recording that begins late names the groups there are, those with long paths by the end. It may
# begin while groups are removed.
# modes: normal slub

load_elevator recording_kib=64
memory_disk disk submit_queues=2
choose disk $policy
mount_cgroup2
decisions=/sys/kernel/debug/bfq/disk/decisions

# Two groups of 309 bytes that differ at the end, below groups with one name.
long=$(printf '%099d' 0)
path=
for level in 1 2 3; do
    path=$path/$long
    mkdir "$cgroup_root$path"
    echo +io >"$cgroup_root$path/cgroup.subtree_control"
done
for leaf in one-leaf two-leaf; do
    mkdir "$cgroup_root$path/$leaf"
    in_group "$path/$leaf" dd if=/dev/disk of=/dev/null bs=4k count=1 iflag=direct
done
# A name that is longer than what is recorded.
wide=$(printf '%0200d' 7)
mkdir "$cgroup_root/$wide"
in_group "$wide" dd if=/dev/disk of=/dev/null bs=4k count=1 iflag=direct
mkdir "$cgroup_root/short"
in_group short dd if=/dev/disk of=/dev/null bs=4k count=1 iflag=direct

head -c 3000 <$decisions >/run/disk.rec &
reader=$!
while kill -0 $reader 2>/dev/null; do
    dd if=/dev/disk of=/dev/null bs=4k count=100 iflag=direct
done
wait $reader
names=$(records 130 </run/disk.rec | cut -d' ' -f2-)
# end PATH: prints as much of it as is recorded, 96 bytes.
end() { echo "$1" | tail -c 97; }
for wanted in / /short "$(end "$path/one-leaf")" "$(end "$path/two-leaf")" "$(end "$wide")"; do
    echo "$names" | grep -qxF -- "$wanted" || wrong "no group $wanted in: $names"
done

# Groups come and go while recordings begin.
churn "$cgroup_root" /dev/disk 150 &
first=$!
churn "$cgroup_root" /dev/disk 150 &
second=$!
recordings=0
while kill -0 $first 2>/dev/null || kill -0 $second 2>/dev/null; do
    head -c 1 $decisions >/dev/null
    recordings=$((recordings + 1))
done
wait $first || wrong "churn stopped"
wait $second || wrong "churn stopped"
seen "five names; $recordings recordings begun while 300 groups were made and removed"
