// SPDX-License-Identifier: GPL-2.0 OR MIT
// persist DISK PROCESSES: reads and writes blocks of 4 KiB all over DISK until it is killed,
// whatever errors it meets. fio ends at the first read from a disk that has no sectors any more.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 4096
#define BLOCKS 1024

static void work(int disk, unsigned int seed)
{
	static char buffer[BLOCK] __attribute__((aligned(BLOCK)));

	for (;;) {
		off_t at = (off_t)(rand_r(&seed) % BLOCKS) * BLOCK;
		ssize_t done = seed & 1 ? pread(disk, buffer, BLOCK, at) :
					  pwrite(disk, buffer, BLOCK, at);

		// A removed disk answers at once: leave the processor to other processes.
		if (done != BLOCK)
			usleep(1000);
	}
}

int main(int argc, char **argv)
{
	int disk, i;

	if (argc != 3) {
		fprintf(stderr, "usage: persist DISK PROCESSES\n");
		return 2;
	}
	disk = open(argv[1], O_RDWR | O_DIRECT);
	if (disk < 0) {
		perror(argv[1]);
		return 1;
	}
	for (i = 0; i < atoi(argv[2]); i++) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(disk, i);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
