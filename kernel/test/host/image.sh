# SPDX-License-Identifier: GPL-2.0 OR MIT
# The kernel that is booted and its modules, unpacked from the package of its image. Nothing is
# installed on this machine.

# Modules that the guest may load, with all that they need. Those that a kernel has built in, or has
# not at all, are passed over; the test that wants one is skipped then.
guest_modules=(kyber-iosched null_blk virtio_blk virtio_pci scsi_debug sd_mod sg ext4 crc32c_generic loop brd dm-mod)

# fetch_image RELEASE VERSION: to $vm_dir/RELEASE/image.
fetch_image() {
    local release=$1 version=$2
    local dir=$vm_dir/$release
    [ ! -e "$dir/image" ] || return 0
    echo "fetching the kernel $release" >&2
    rm -rf "$dir/download"
    mkdir -p "$dir/download"
    (cd "$dir/download" && apt-get download -q "linux-image-$release=$version") >&2 ||
        fail "cannot download linux-image-$release $version; run apt-get update as root"
    dpkg-deb --fsys-tarfile "$dir"/download/*.deb |
        tar -x -C "$dir/download" --exclude='./usr/share' --exclude='*/drivers/gpu' --exclude='*/drivers/net'
    rm "$dir"/download/*.deb
    depmod -b "$dir/download" "$release" 2>/dev/null
    mv "$dir/download" "$dir/image"
}

# collect_modules RELEASE ROOT: the closure of $guest_modules, uncompressed, with an index for modprobe.
collect_modules() {
    local release=$1 root=$2 image=$vm_dir/$1/image file name
    local to=$root/lib/modules/$release
    mkdir -p "$to"
    cp "$image/lib/modules/$release"/modules.{builtin,order}* "$to"
    for name in "${guest_modules[@]}"; do
        modprobe -d "$image" -S "$release" --show-depends "$name" 2>/dev/null |
            sed -n 's/^insmod \([^ ]*\).*/\1/p'
    done | sort -u | while read -r file; do
        cp "$file" "$to"
    done
    find "$to" -name '*.ko.xz' -exec xz -d {} +
    depmod -b "$root" "$release"
}

# stock_module RELEASE: the kernel's own bfq, uncompressed, on stdout.
stock_module() {
    local file=$vm_dir/$1/image/lib/modules/$1/kernel/block/bfq.ko
    if [ -e "$file" ]; then cat "$file"; else xz -dc "$file.xz"; fi
}
