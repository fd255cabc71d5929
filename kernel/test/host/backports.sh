# SPDX-License-Identifier: GPL-2.0 OR MIT
# Kernels of Debian 13's backports, `7.2`, `7.3` and with PREEMPT_RT `7.2-rt`, `7.3-rt`: they are
# newer than this system. Their module is built as a user of Debian 13 has it built, by the tree for
# DKMS and with that system's compiler, in a Debian 13 that is unpacked once and kept outside of the
# repository (1 GB, as root).

backports_packages=(debootstrap ca-certificates)
backports_root=${XDG_CACHE_HOME:-$HOME/.cache}/bfq/kernel/debian-13

# in_backports COMMAND...: runs it in the Debian 13, which has a /proc meanwhile.
in_backports() {
    unshare --mount --pid --fork --root "$backports_root" --mount-proc \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C "$@"
}

# backports_install PACKAGE[=VERSION]...: installs them there, unless they are.
backports_install() {
    in_backports dpkg-query -W "${@%%=*}" >/dev/null 2>&1 ||
        in_backports env DEBIAN_FRONTEND=noninteractive apt-get install -yq \
            --no-install-recommends "$@" >&2
}

# prepare_backports: unpacks the Debian 13, and has its apt know today's kernels.
prepare_backports() {
    local mirror=http://deb.debian.org/debian
    [ "$(id -u)" = 0 ] || fail "only root can unpack the Debian 13 that kernels 7.2 and 7.3 need"
    if [ ! -e "$backports_root/etc/debian_version" ]; then
        echo "unpacking Debian 13" >&2
        rm -rf "$backports_root" "$backports_root.new"
        mkdir -p "$(dirname "$backports_root")"
        debootstrap --variant=minbase --include=ca-certificates trixie "$backports_root.new" \
            "$mirror" >&2 || fail "cannot unpack Debian 13 from $mirror"
        echo "deb $mirror trixie-backports main" \
            >"$backports_root.new/etc/apt/sources.list.d/backports.list"
        mv "$backports_root.new" "$backports_root"
    fi
    cp /etc/resolv.conf "$backports_root/etc/resolv.conf"
    in_backports apt-get update -q >&2 || fail "the Debian 13 in $backports_root has no network"
    backports_install binutils gcc libc6-dev make xz-utils
}

# backport_image RELEASE VERSION: unpacks the kernel and its modules to $vm_dir/RELEASE/image.
backport_image() {
    local release=$1 version=$2 image=$vm_dir/$1/image package
    [ ! -e "$image" ] || return 0
    echo "fetching the kernel $release" >&2
    rm -rf "$image.new" "$backports_root/var/tmp/image"
    mkdir -p "$image.new/boot" "$backports_root/var/tmp/image"
    # shellcheck disable=SC2016 # the arguments are the inner shell's
    in_backports sh -ec 'cd /var/tmp/image; apt-get download -q -o APT::Sandbox::User=root "$@"' \
        sh "linux-base-$release=$version" "linux-binary-$release=$version" \
        "linux-modules-$release=$version" >&2 ||
        fail "cannot download the kernel $release"
    for package in "$backports_root"/var/tmp/image/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$image.new" --strip-components=2 \
            --exclude='*/drivers/gpu' --exclude='*/drivers/net' ./usr/lib
    done
    rm -r "$backports_root/var/tmp/image"
    mv "$image.new/lib/modules/$release/vmlinuz" "$image.new/boot/vmlinuz-$release"
    depmod -b "$image.new" "$release" 2>/dev/null
    mv "$image.new" "$image"
}

# build_backport RELEASE CORE VARIABLE...: builds the module with that core from a tree for DKMS;
# prints its path.
build_backport() {
    local release=$1 core=$2 tree=/usr/src/bfq-under-test-$1
    shift 2
    "$kernel_dir/scripts/dkms-tree" "$("$kernel_dir/scripts/version")" "$kernel_dir" \
        "$build_dir/core/$core.o" "$backports_root$tree"
    in_backports make --no-print-directory -C "$tree" all "KVER=$release" "$@" >&2
    find "$backports_root$tree/build/$release" -name bfq.ko
}

# install_backport RELEASE VERSION LOG: what install_ours does for kernels of this system.
install_backport() {
    local release=$1 version=$2 log=$3 root=$vm_dir/$1/installed module
    backports_install "linux-headers-$release=$version"
    begin_installed "$release"
    mkdir -p "$build_dir/$release/testing"
    {
        make --no-print-directory -C "$kernel_dir" core &&
            make --no-print-directory -C "$kernel_dir" core BFQ_TESTING=y &&
            module=$(build_backport "$release" bfq_core) &&
            "$kernel_dir/scripts/install-module" "$release" "$module" "$root" &&
            module=$(build_backport "$release" bfq_core_testing BFQ_TESTING=y) &&
            cp "$module" "$build_dir/$release/testing/bfq.ko"
    } >"$log" 2>&1 || fail "the module does not build for $release:" "$(tail -n 20 "$log")"
    rm -r "$root/lib/modules/$release/kernel"
}
