# SPDX-License-Identifier: GPL-2.0 OR MIT
# Chooses the packages that the tests need, and the versions of the kernel: image, headers and
# source of a series in the same version, the newest that has all three.

packages=(qemu-system-x86 busybox-static cpio kmod gcc make libc6-dev xz-utils e2fsprogs dkms
    nbd-client)

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# with_apt_of SERIES COMMAND ARGUMENT...: runs apt-get or apt-cache as the kernel's own system has
# it: this one, a Debian 13 (backports.sh), or one for arm64 (arm64.sh).
with_apt_of() {
    local series=$1 command=$2
    shift 2
    if is_backport "$series"; then
        in_backports "$command" "$@"
    elif is_arm64 "$series"; then
        "$command" "${arm64_apt[@]}" "$@"
    else
        "$command" "$@"
    fi
}

# versions SERIES PACKAGE...: prints lines of name and version that the kernel's apt knows, newest
# first.
versions() {
    local series=$1
    shift
    with_apt_of "$series" apt-cache madison "$@" 2>/dev/null |
        awk -F ' *[|] *' '{gsub(/ /, "", $1); print $1, $2}'
}

# images_of SERIES: prints the packages of its images.
images_of() {
    local series flavour='[0-9]-amd64'
    series=$(debian_series "$1")
    ! is_real_time "$1" || flavour=-rt-amd64
    ! is_arm64 "$1" || flavour='[0-9]-arm64'
    with_apt_of "$1" apt-cache search --names-only \
        "^linux-image-${series//./[.]}[.][0-9].*$flavour\$" | cut -d' ' -f1
}

# newest_kernel SERIES: prints the release (as `uname -r`) and the version of its packages.
newest_kernel() {
    local series=$1 images version name release
    mapfile -t images < <(images_of "$series")
    [ ${#images[@]} -gt 0 ] || return 1
    while read -r _ version; do
        name=$(versions "$series" "${images[@]}" |
            awk -v version="$version" '$2 == version {print $1; exit}')
        release=${name#linux-image-}
        if [ -n "$name" ] &&
            versions "$series" "linux-headers-$release" |
            grep -qF "linux-headers-$release $version"; then
            echo "$release $version"
            return
        fi
    done < <(versions "$series" "linux-source-$(debian_series "$series")" | sort -rVu -k2)
    return 1
}

# wanted_kernel SERIES: the same; it is an error if there is none.
wanted_kernel() {
    newest_kernel "$1" ||
        fail "apt knows no kernel $1 with image, headers and source in one version"
}

# kernel_packages SERIES...: prints what these kernels need to be installed on this system, with its
# version, for their module to be built.
kernel_packages() {
    local series kernel
    for series; do
        ! is_backport "$series" || continue
        ! is_compiled "$series" || series=$(debian_series "$series")
        if ! newest_kernel "$series" >/dev/null; then
            [ "$(id -u)" = 0 ] || fail "apt knows no kernel $series; run: sudo apt-get update"
            apt-get update -q >&2
        fi
        kernel=$(wanted_kernel "$series")
        if is_arm64 "$series"; then
            arm64_kernel_packages "$kernel"
        else
            echo "linux-headers-${kernel% *}=${kernel#* }"
        fi
    done
}

# prepare_machine SERIES...: installs what is missing, or names it.
prepare_machine() {
    command -v apt-get >/dev/null ||
        fail "the kernels come from Debian's packages: this needs Debian 12"
    local series missing=() package of_kernels backports=
    for series; do
        ! is_compiled "$series" || packages+=("${compiled_packages[@]}")
        ! is_backport "$series" || { backports=yes; packages+=("${backports_packages[@]}"); }
        ! is_arm64 "$series" || { packages+=("${arm64_packages[@]}"); prepare_arm64; }
    done
    of_kernels=$(kernel_packages "$@")
    [ -z "$of_kernels" ] || mapfile -t -O ${#packages[@]} packages <<<"$of_kernels"
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
