# SPDX-License-Identifier: GPL-2.0 OR MIT
# Kernels for arm64, `6.1-arm64` and `6.12-arm64`, on a machine of x86-64: their packages come by an
# apt of their own, their module is compiled by gcc for arm64, and QEMU emulates the machine. The
# guest has no programs of this machine, so tests that need these are skipped.

arm64_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm)
arm64_dir=$vm_dir/arm64
arm64_apt=(-q -o APT::Architecture=arm64 -o APT::Architectures::=arm64
    -o "Dir::State::lists=$arm64_dir/apt/lists" -o "Dir::Cache=$arm64_dir/apt/cache"
    -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)

# prepare_arm64: has that apt know today's kernels.
prepare_arm64() {
    mkdir -p "$arm64_dir"/apt/lists/partial "$arm64_dir"/apt/cache/archives/partial
    apt-get "${arm64_apt[@]}" update >&2 || fail "apt cannot get the lists of packages for arm64"
}

# arm64_package PACKAGE[=VERSION] DIR: unpacks it.
arm64_package() {
    local scratch
    scratch=$(mktemp -d -p "$arm64_dir")
    (cd "$scratch" && apt-get "${arm64_apt[@]}" download "$1") >&2 ||
        fail "cannot download ${1%=*} for arm64"
    mkdir -p "$2"
    dpkg-deb -x "$scratch"/*.deb "$2"
    rm -r "$scratch"
}

# arm64_busybox: prints the path of the program.
arm64_busybox() {
    [ -e "$arm64_dir/busybox/bin/busybox" ] || arm64_package busybox-static "$arm64_dir/busybox"
    echo "$arm64_dir/busybox/bin/busybox"
}

# arm64_kernel_packages "RELEASE VERSION": prints what is to be installed here for its module: the
# headers that all architectures have in common, and the tools that the build runs.
arm64_kernel_packages() {
    local release=${1% *} version=${1#* }
    echo "linux-headers-${release%-arm64}-common=$version"
    echo "linux-kbuild-${release%-arm64}=$version"
}

# arm64_headers RELEASE VERSION: unpacks the headers; from then on KDIR says where they are.
arm64_headers() {
    local root=$vm_dir/$1/headers
    if [ ! -e "$root" ]; then
        arm64_package "linux-headers-$1=$2" "$root.new"
        mkdir -p "$root.new/usr/lib"
        ln -s "/usr/lib/linux-kbuild-${1%-arm64}" "$root.new/usr/lib/"
        mv "$root.new" "$root"
    fi
    export KDIR=$root/usr/src/linux-headers-$1
}
