# SPDX-License-Identifier: GPL-2.0 OR MIT
# Makes a small Debian on a disk, for test programs that need more than busybox. It is made once
# from the distribution's packages; nothing is installed on the host.

root_tools=(mmdebstrap fakeroot)

# Packages that blktests needs for the groups that are run; Debian's fio, as the static one has no
# libaio.
root_packages=(udev kmod procps psmisc bsdextrautils bsdutils gawk bc fio dmsetup blktrace parted
    fdisk e2fsprogs xfsprogs f2fs-tools dosfstools pciutils sg3-utils iproute2)

root_size_mib=1024

# root_disk: prints the path of the image, an ext4; makes it if the list above has changed, which
# takes two minutes.
root_disk() {
    local file=$vm_dir/root.ext4 scratch=$vm_dir/root.new suite
    if ! newer "$file" "$test_dir/host/root.sh"; then
        echo "making a Debian root file system for the guest" >&2
        suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
        rm -rf "$scratch"
        mkdir -p "$scratch/root"
        mmdebstrap --variant=minbase --include="${root_packages[*]}" \
            --aptopt='APT::Install-Recommends "false"' \
            --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
            --dpkgopt='path-exclude=/usr/share/locale/*' \
            "$suite" "$scratch/root.tar" >"$log_dir/root.log" 2>&1 ||
            fail "the root file system cannot be made:" "$(tail -n 5 "$log_dir/root.log")"
        # One fakeroot runs both commands, because it remembers owners only while it runs.
        fakeroot sh -ec '
            tar -x -f "$1/root.tar" -C "$1/root" --exclude="./dev/*"
            truncate -s "$2M" "$1/root.ext4"
            mkfs.ext4 -qF -d "$1/root" "$1/root.ext4"' sh "$scratch" "$root_size_mib"
        mv "$scratch/root.ext4" "$file"
        rm -rf "$scratch"
    fi
    echo "$file"
}
