# SPDX-License-Identifier: GPL-2.0 OR MIT
# Unpacks the kernel to boot and its modules from the package of its image. Nothing is installed on
# this machine.

# Modules that the guest may load, with their dependencies. Modules that a kernel has built in or
# lacks are skipped; a test that needs a missing one is skipped as well.
guest_modules=(bfq kyber-iosched null_blk virtio_blk virtio_pci scsi_debug sd_mod sg ext4
    crc32c_generic loop brd dm-mod dm-multipath dm-round-robin raid456 nvme nvme-loop
    nvme-tcp nvmet-tcp nbd)

# fetch_image SERIES RELEASE VERSION: unpacks the image to $vm_dir/RELEASE/image.
fetch_image() {
    local series=$1 release=$2 version=$3
    local dir=$vm_dir/$release
    [ ! -e "$dir/image" ] || return 0
    echo "fetching the kernel $release" >&2
    rm -rf "$dir/download"
    mkdir -p "$dir/download"
    (cd "$dir/download" && with_apt_of "$series" apt-get download -q \
        -o APT::Sandbox::User=root "linux-image-$release=$version") >&2 ||
        fail "cannot download linux-image-$release $version; run apt-get update as root"
    dpkg-deb --fsys-tarfile "$dir"/download/*.deb |
        tar -x -C "$dir/download" --exclude='./usr/share' --exclude='*/drivers/gpu' \
            --exclude='*/drivers/net'
    rm "$dir"/download/*.deb
    depmod -b "$dir/download" "$release" 2>/dev/null
    mv "$dir/download" "$dir/image"
}

# collect_modules RELEASE ROOT MODULE...: copies these and their dependencies, uncompressed, with an
# index for modprobe.
collect_modules() {
    local release=$1 root=$2 image=$vm_dir/$1/image file name
    local to=$root/lib/modules/$release
    shift 2
    mkdir -p "$to"
    find "$image/lib/modules/$release" -maxdepth 1 '(' -name 'modules.builtin*' -o \
        -name modules.order ')' -exec cp -t "$to" {} +
    for name; do
        { modprobe -d "$image" -S "$release" --show-depends "$name" 2>/dev/null || true; } |
            sed -n 's/^insmod \([^ ]*\).*/\1/p'
    done | sort -u | while read -r file; do
        install -D -m 644 "$file" "$root/${file#"$image"/}"
    done
    find "$to" -name '*.ko.xz' -exec xz -d {} +
    depmod -b "$root" "$release"
}

# begin_installed RELEASE: copies the guest's modules to $vm_dir/RELEASE/installed.
begin_installed() {
    local root=$vm_dir/$1/installed
    rm -rf "$root"
    mkdir -p "$root/lib"
    cp -r "$vm_dir/$1/base/lib/modules" "$root/lib"
}

# install_ours RELEASE LOG: copies the guest's modules with ours installed beside the kernel's own
# to $vm_dir/RELEASE/installed; builds ours with faults for tests to $build_dir/RELEASE/testing; the
# build's messages go to LOG.
install_ours() {
    local release=$1 log=$2 root=$vm_dir/$1/installed
    begin_installed "$release"
    make --no-print-directory -C "$kernel_dir" install "KVER=$release" "INSTALL_MOD_PATH=$root" \
        >"$log" 2>&1 ||
        fail "the module does not build or install for $release:" "$(tail -n 20 "$log")"
    make --no-print-directory -C "$kernel_dir" all "KVER=$release" BFQ_TESTING=y >>"$log" 2>&1 ||
        fail "the module for tests does not build for $release:" "$(tail -n 20 "$log")"
    rm -r "$root/lib/modules/$release/kernel"
}
