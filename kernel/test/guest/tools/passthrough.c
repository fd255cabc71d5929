// SPDX-License-Identifier: GPL-2.0 OR MIT
// passthrough DISK COUNT: sends COUNT SCSI commands of its own (INQUIRY, TEST UNIT READY and
// READ(10) of one sector, in turn) bypassing the block layer's queues, by SG_IO.
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

struct command {
	unsigned char bytes[10];
	unsigned char len;
	unsigned int data_len;
};

static const struct command commands[] = {
	{ .bytes = { 0x12, 0, 0, 0, 96 }, .len = 6, .data_len = 96 },
	{ .bytes = { 0x00 }, .len = 6 },
	{ .bytes = { 0x28, 0, 0, 0, 0, 8, 0, 0, 1 }, .len = 10, .data_len = 512 },
};

static int send_command(int disk, const struct command *command)
{
	unsigned char data[512], sense[32];
	struct sg_io_hdr header;

	memset(&header, 0, sizeof(header));
	header.interface_id = 'S';
	header.cmdp = (unsigned char *)command->bytes;
	header.cmd_len = command->len;
	header.dxfer_direction = command->data_len ? SG_DXFER_FROM_DEV : SG_DXFER_NONE;
	header.dxferp = data;
	header.dxfer_len = command->data_len;
	header.sbp = sense;
	header.mx_sb_len = sizeof(sense);
	header.timeout = 10000;
	if (ioctl(disk, SG_IO, &header) != 0) {
		perror("SG_IO");
		return 1;
	}
	if ((header.info & SG_INFO_OK_MASK) != SG_INFO_OK) {
		fprintf(stderr, "command 0x%02x: status 0x%02x, host 0x%02x\n", command->bytes[0],
			header.status, header.host_status);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int disk, count, i;

	if (argc != 3) {
		fprintf(stderr, "usage: passthrough DISK COUNT\n");
		return 2;
	}
	disk = open(argv[1], O_RDWR);
	if (disk < 0) {
		perror(argv[1]);
		return 1;
	}
	count = atoi(argv[2]);
	for (i = 0; i < count; i++)
		if (send_command(disk, &commands[i % 3]))
			return 1;
	return 0;
}
