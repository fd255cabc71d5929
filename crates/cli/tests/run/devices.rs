// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs on block devices, and what is read back from a target.

use super::*;

/// A block device made of a file; only root can have one.
struct LoopDevice(String);

impl LoopDevice {
    fn attach(backing: &Path, block_bytes: u32) -> Option<LoopDevice> {
        let made = Command::new("losetup")
            .args(["--find", "--show", "--sector-size", &block_bytes.to_string()])
            .arg(backing)
            .output();
        match made {
            Ok(output) if output.status.success() => {
                let path = String::from_utf8(output.stdout).unwrap();
                Some(LoopDevice(path.trim().to_owned()))
            }
            Ok(output) => {
                eprintln!("skipped: no loop device: {}", stderr(&output).trim());
                None
            }
            Err(error) => {
                eprintln!("skipped: no losetup: {error}");
                None
            }
        }
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

#[test]
fn a_block_device_is_a_target() {
    let place = Scratch::new();
    place.write("read.fio", READ);
    place.write("write.fio", WRITE);
    let backing = place.write("disk", vec![0xee; 4 * MIB as usize]);
    let Some(device) = LoopDevice::attach(&backing, 512) else { return };
    let path = &device.0;
    let results = place.results(&format!("read.fio --target {path} --scheduler mq-deadline"));
    assert_eq!(results["runs"][0]["device"]["capacity_bytes"], 4 * MIB);
    assert_eq!(results["runs"][0]["fio"]["jobs"][0]["read"]["io_bytes"], 4 * MIB);

    let refused = place.run(&format!("write.fio --target {path} --scheduler none"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--allow-write"), "{}", stderr(&refused));
    assert!(fs::read(&backing).unwrap().iter().all(|&byte| byte == 0xee));

    place.results(&format!("write.fio --target {path} --scheduler none --allow-write"));
    let after = fs::read(&backing).unwrap();
    assert!(after[..MIB as usize].iter().any(|&byte| byte != 0xee));
    assert!(after[MIB as usize..].iter().all(|&byte| byte == 0xee));
}

#[test]
fn on_a_device_with_large_blocks_small_ones_are_a_mistake() {
    let place = Scratch::new();
    place.write("small.fio", "[small]\nrw=randread\nbsrange=512-8k\nsize=1m\ndirect=1\n");
    place.write("late.fio", "[late]\nrw=read\nbs=4k\noffset=1k\nsize=1m\ndirect=1\n");
    place.write("read.fio", READ);
    let backing = place.write("disk", vec![0xee; 4 * MIB as usize]);
    let Some(device) = LoopDevice::attach(&backing, 4096) else { return };
    let path = &device.0;
    let results = place.results(&format!("read.fio --target {path} --scheduler none"));
    assert_eq!(results["runs"][0]["device_stats"]["block_bytes"], 4096);
    for (file, message) in [
        ("small.fio", "small.fio:1: job small: a block size of 512 bytes; expected a multiple of"),
        ("late.fio", "late.fio:1: job late: an offset of 1024 bytes; expected a multiple of"),
    ] {
        let output = place.run(&format!("{file} --target {path} --scheduler none"));
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

const SEALED: &str = "[sealed]\nrw=randwrite\nbs=16k\nsize=1m\ndirect=1\niodepth=8\n\
                      ioengine=libaio\nverify=crc32c\n";

#[test]
fn what_is_written_with_verify_is_read_back_and_checked() {
    for way in ["--engine threads", "", "--scheduler none", BUFFERED, "--limit-bytes-per-s 100m"] {
        let place = Scratch::new();
        place.write("sealed.fio", SEALED);
        let results = place.results(&format!("sealed.fio --target t --size 1m {way}"));
        let (job, stats) =
            (&results["runs"][0]["fio"]["jobs"][0], &results["runs"][0]["device_stats"]);
        assert_eq!(job["error"], 0);
        assert_eq!(job["write"]["total_ios"], 64, "{way}");
        assert_eq!(job["read"]["total_ios"], 64, "{way}");
        assert_eq!((&stats["read_bytes"], &stats["written_bytes"]), (&MIB.into(), &MIB.into()));
    }
}

#[test]
fn blocks_that_are_split_merged_and_written_again_are_right() {
    let global = "[global]\ndirect=1\nioengine=libaio\niodepth=16\n";
    let rewritten = "[a]\nrw=randrw\nsize=2m\nio_size=8m\nbssplit=4k/50:8k/50\n\
                     norandommap\nverify=crc32c\n";
    let cut = "[b]\nrw=write\nsize=8m\nbs=2m\nverify=crc32c\nverify_interval=64k\n";
    let unchecked = "[c]\nrw=write\nsize=2m\n";
    let place = Scratch::new();
    place.write("jobs.fio", [global, rewritten, cut, unchecked].concat());
    for scheduler in ["bfq", "deadline"] {
        let results =
            place.results(&format!("jobs.fio --target t --size 16m --scheduler {scheduler}"));
        assert_eq!(results["runs"][0]["fio"]["jobs"][1]["read"]["io_bytes"], 8 * MIB);
    }
}

#[test]
fn blocks_with_a_checksum_do_not_lie_in_two_requests() {
    let place = Scratch::new();
    place.write("big.fio", "[big]\nrw=write\nbs=2m\nsize=8m\ndirect=1\nverify=crc32c\n");
    let output = place.run("big.fio --target t --size 8m");
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    assert!(told.contains("big.fio:1: job \"big\"") && told.contains("1310720"), "{told}");
}

#[test]
fn a_byte_that_changed_on_the_target_is_found_and_told_with_its_block() {
    let place = Scratch::new();
    place.write("write.fio", format!("{SEALED}do_verify=0\n"));
    let read = SEALED.replace("randwrite", "read").replace("sealed", "reader");
    place.write("read.fio", &read);
    place.write("fatal.fio", format!("{read}verify_fatal=1\n"));
    place.results("write.fio --target t --size 1m --keep");
    place.results("read.fio --target t");

    let mut bytes = fs::read(place.path("t")).unwrap();
    bytes[100_000] ^= 0x40;
    place.write("t", &bytes);
    let output = place.run("read.fio --target t --output-format json");
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("t: verify found 1 bad block:"), "{told}");
    assert!(told.contains("job reader: at byte 98304, 16384 bytes: crc32c "), "{told}");
    assert!(told.contains(", expected "), "{told}");
    let run = &json(&output)["runs"][0];
    assert_eq!(run["fio"]["jobs"][0]["error"], 84);
    assert_eq!(run["device_stats"]["read_bytes"], MIB, "all of it is looked at");

    bytes[..MIB as usize / 2].fill(0);
    place.write("t", &bytes);
    let told = stderr(&place.run("read.fio --target t"));
    assert!(told.contains("t: verify found 32 bad blocks:"), "{told}");
    assert!(told.contains("job reader: at byte 0, 16384 bytes: no header"), "{told}");
    assert!(told.contains("… and 22 more"), "{told}");

    let output = place.run("fatal.fio --target t --scheduler none --output-format json");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("job reader: at byte "), "{}", stderr(&output));
    let read_bytes = json(&output)["runs"][0]["device_stats"]["read_bytes"].as_u64().unwrap();
    assert!(read_bytes < MIB, "{read_bytes}");
}

#[test]
fn trims_among_writes_with_verify_leave_no_wrong_block() {
    let place = Scratch::new();
    let global = "[global]\nrw=trimwrite\ndirect=1\nbs=4k\nverify=crc32c\n";
    // It ends between a trim and the write behind it.
    place.write("cut.fio", format!("{global}[cut]\nsize=16k\nloops=3\nnumber_ios=3\n"));
    let output = place.run("cut.fio --target t --size 1m");
    if stderr(&output).contains("not supported") {
        return eprintln!("skipped: no trims here: {}", stderr(&output).trim());
    }
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));

    // Writes are as long as trims, and so are the blocks that are checked.
    place.write("written.fio", format!("{global}[a]\nsize=1m\nbs=4k,8k,4k\ndo_verify=0\n"));
    place.write("read.fio", format!("{global}[a]\nrw=read\nsize=1m\n"));
    place.results("written.fio --target u --size 1m --keep");
    let results = place.results("read.fio --target u");
    assert_eq!(results["runs"][0]["fio"]["jobs"][0]["read"]["total_ios"], 256);
}
