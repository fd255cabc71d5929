# SPDX-License-Identifier: GPL-2.0 OR MIT
# A virtual machine in software emulation, in one of three modes:
#
#   normal         four CPUs ($processors of them, if set), a virtio disk, time is the host's
#   slub           the same with eight CPUs, and with slabs that are poisoned and checked
#   deterministic  one CPU, a nanosecond of guest time is one instruction: the same run has the same
#                  figures, whatever else the host does

# Disks that a caller adds to the machine, and its memory if the caller needs more.
devices=()
memory_mib=1024

# boot MODE RELEASE INITRD LOG RESULTS LIMIT_S: returns when the guest has switched itself off. The
# kernel's console goes to LOG, the results to RESULTS.
boot() {
    local mode=$1 release=$2 initrd=$3 log=$4 results=$5 limit_s=$6
    local arguments="quiet panic=-1 oops=panic mitigations=off nokaslr"
    local machine memory_mib=$memory_mib emulator=qemu-system-x86_64 fast=max
    local exact="qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt"
    local ports=(-serial "file:$log" -serial "file:$results")
    if is_arm64 "$release"; then
        # Signed pointers, which `max` has, take long in emulation.
        emulator=qemu-system-aarch64 fast=cortex-a72 exact=cortex-a72
        arguments+=" console=ttyAMA0"
        ports=(-machine virt -serial "file:$log" -device virtio-serial-pci
            -chardev "file,id=results,path=$results" -device "virtconsole,chardev=results")
    else
        arguments+=" console=ttyS0"
    fi
    # KASAN needs a byte for each eight of memory, and keeps freed memory for a while. ACPI's method
    # for interrupts is aborted after 30 s, which may be too short for its loops in emulation.
    [[ $release != *-sanitised ]] || memory_mib=$((memory_mib * 5 / 2))
    ! is_compiled "$release" || arguments+=" pci=noacpi"
    # The kernel's own data races fill the usual buffer.
    [[ $release != *-kcsan ]] || arguments+=" log_buf_len=16M"
    case $mode in
        normal)
            machine=(-accel "tcg,thread=multi" -cpu "$fast" -smp "${processors:-4}")
            ;;
        slub)
            machine=(-accel "tcg,thread=multi" -cpu "$fast" -smp 8)
            arguments+=" slub_debug=FZPU"
            ;;
        deterministic)
            machine=(-accel tcg -cpu "$exact" -smp 1
                -icount "shift=0,sleep=off" -rtc "base=2020-01-01T00:00:00,clock=vm")
            arguments+=" norandmaps random.trust_cpu=off"
            ;;
    esac
    if [ "$mode" != deterministic ]; then
        # The kernel's tests of its ciphers hang at times, emulated on several threads.
        arguments+=" cryptomgr.notests=1"
        # On a busy host the kernel would find that this clock differs from another one. It would
        # then patch its own code, which the emulator gets wrong at times (tests.sh, was_patched).
        is_arm64 "$release" || arguments+=" tsc=reliable"
        truncate -s 256M "$initrd.disk"
        machine+=(-drive "file=$initrd.disk,format=raw,if=none,id=disk,cache=unsafe"
            -device "virtio-blk-pci,drive=disk,num-queues=2")
    fi
    timeout "$limit_s" "$emulator" "${machine[@]}" "${devices[@]}" "${ports[@]}" \
        -m "$memory_mib" -nodefaults -no-user-config \
        -display none -no-reboot \
        -kernel "$vm_dir/$release/image/boot/vmlinuz-$release" -initrd "$initrd" \
        -append "$arguments" \
        </dev/null >>"$log.qemu" 2>&1 || true
    rm -f "$initrd.disk"
}
