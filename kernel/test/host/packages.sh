# SPDX-License-Identifier: GPL-2.0 OR MIT
# Chooses the packages that the tests need, and the versions of the kernel: image, headers and
# source of a series in the same version, the newest that has all three.

packages=(qemu-system-x86 busybox-static cpio kmod gcc make libc6-dev xz-utils e2fsprogs dkms
    nbd-client)

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# versions PACKAGE...: prints lines of name and version that apt knows, newest first.
versions() {
    apt-cache madison "$@" 2>/dev/null | awk -F ' *[|] *' '{gsub(/ /, "", $1); print $1, $2}'
}

# newest_kernel SERIES: prints the release (as `uname -r`) and the version of its packages.
newest_kernel() {
    local images version name release
    mapfile -t images < <(apt-cache search --names-only "$(images_of "$1")" | cut -d' ' -f1)
    [ ${#images[@]} -gt 0 ] || return 1
    while read -r _ version; do
        name=$(versions "${images[@]}" | awk -v version="$version" '$2 == version {print $1; exit}')
        release=${name#linux-image-}
        if [ -n "$name" ] &&
            versions "linux-headers-$release" | grep -qF "linux-headers-$release $version"; then
            echo "$release $version"
            return
        fi
    done < <(versions "linux-source-$(debian_series "$1")" | sort -rVu -k2)
    return 1
}

# debian_headers SERIES...: prints the packages of headers, and their versions, that these kernels
# need on this system.
debian_headers() {
    local series kernel
    for series; do
        ! is_backport "$series" || continue
        ! is_compiled "$series" || series=$(debian_series "$series")
        if ! newest_kernel "$series" >/dev/null; then
            [ "$(id -u)" = 0 ] || fail "apt knows no kernel $series; run: sudo apt-get update"
            apt-get update -q >&2
        fi
        kernel=$(newest_kernel "$series") ||
            fail "apt knows no kernel $series with image, headers and source in one version"
        echo "linux-headers-${kernel% *}=${kernel#* }"
    done
}

# prepare_machine SERIES...: installs what is missing, or names it.
prepare_machine() {
    command -v apt-get >/dev/null ||
        fail "the kernels come from Debian's packages: this needs Debian 12"
    local series missing=() package backports=
    for series; do
        ! is_compiled "$series" || packages+=("${compiled_packages[@]}")
        ! is_backport "$series" || backports=yes
    done
    [ -z "$backports" ] || packages+=("${backports_packages[@]}")
    debian_headers "$@" >"$vm_dir/headers"
    mapfile -t -O ${#packages[@]} packages <"$vm_dir/headers"
    for package in "${packages[@]}"; do
        installed "${package%=*}" || missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        [ "$(id -u)" = 0 ] ||
            fail "packages are missing; run: sudo apt-get install ${missing[*]}"
        echo "installing ${missing[*]}" >&2
        DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends \
            "${missing[@]}" >&2
    fi
    [ -z "$backports" ] || prepare_backports
}
