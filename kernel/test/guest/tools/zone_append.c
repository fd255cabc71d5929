// SPDX-License-Identifier: GPL-2.0 OR MIT
// zone_append DISK ZONE COUNT: appends COUNT blocks of 4 KiB to the zone of an NVMe disk that
// begins at block ZONE, prints the block where the disk put each, and fails if it is not found
// there afterwards. Several processes can append to one zone at a time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ZONE_APPEND 0x7d
#define BLOCK 4096

static char data[BLOCK] __attribute__((aligned(BLOCK)));
static char found[BLOCK] __attribute__((aligned(BLOCK)));

// Returns the disk's block where the appended block begins, or -1.
static long long append(int disk, unsigned int namespace, unsigned long long zone, int blocks)
{
	struct nvme_passthru_cmd64 command = {
		.opcode = ZONE_APPEND,
		.nsid = namespace,
		.addr = (unsigned long)data,
		.data_len = BLOCK,
		.cdw10 = zone,
		.cdw11 = zone >> 32,
		.cdw12 = blocks - 1,
	};
	int status = ioctl(disk, NVME_IOCTL_IO64_CMD, &command);

	if (status == 0)
		return command.result;
	if (status < 0)
		perror("zone append");
	else
		fprintf(stderr, "zone append: NVMe status 0x%x\n", status);
	return -1;
}

// Makes a block that differs from all others.
static void fill(int number)
{
	int i;

	for (i = 0; i < BLOCK; i += 16)
		sprintf(data + i, "%07d %06d", getpid(), number);
}

int main(int argc, char **argv)
{
	int disk, count, block_size, namespace, i;
	unsigned long long zone;
	long long *places;

	if (argc != 4) {
		fprintf(stderr, "usage: zone_append DISK ZONE COUNT\n");
		return 2;
	}
	disk = open(argv[1], O_RDWR | O_DIRECT);
	zone = strtoull(argv[2], NULL, 10);
	count = atoi(argv[3]);
	places = calloc(count, sizeof(*places));
	if (disk < 0 || !places || ioctl(disk, BLKSSZGET, &block_size) < 0 ||
	    (namespace = ioctl(disk, NVME_IOCTL_ID)) < 0) {
		perror(argv[1]);
		return 1;
	}
	for (i = 0; i < count; i++) {
		fill(i);
		places[i] = append(disk, namespace, zone, BLOCK / block_size);
		if (places[i] < 0)
			return 1;
		printf("%lld\n", places[i]);
	}
	for (i = 0; i < count; i++) {
		fill(i);
		if (pread(disk, found, BLOCK, places[i] * block_size) != BLOCK ||
		    memcmp(data, found, BLOCK)) {
			fprintf(stderr, "zone append: block %d is not at %lld\n", i, places[i]);
			return 1;
		}
	}
	return 0;
}
