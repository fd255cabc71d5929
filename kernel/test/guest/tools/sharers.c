// SPDX-License-Identifier: GPL-2.0 OR MIT
// sharers DISK ROUNDS DELAY_US: ROUNDS times, two processes that share an I/O context come to read
// from DISK for the first time, the second a little later than the first, by less than DELAY_US.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void read_once(int disk, int block)
{
	static char buffer[4096] __attribute__((aligned(4096)));

	if (pread(disk, buffer, sizeof(buffer), block % 4096 * 4096L) < 0)
		die("pread");
}

// The other one is cloned before either of them has read.
static void share(int disk, int round, int later_us)
{
	int status;
	pid_t other;

	// Who has no I/O context shares none; this makes one.
	if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
		    IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 6)))
		die("ioprio_set");
	other = syscall(SYS_clone, CLONE_IO | SIGCHLD, 0, 0, 0, 0);
	if (other < 0)
		die("clone");
	if (other == 0) {
		usleep(later_us);
		read_once(disk, 2 * round);
		exit(0);
	}
	read_once(disk, 2 * round + 1);
	if (waitpid(other, &status, 0) != other || status)
		exit(1);
	exit(0);
}

int main(int argc, char **argv)
{
	int disk, round, status;

	if (argc != 4) {
		fprintf(stderr, "usage: sharers DISK ROUNDS DELAY_US\n");
		return 2;
	}
	disk = open(argv[1], O_RDONLY | O_DIRECT);
	if (disk < 0)
		die(argv[1]);
	for (round = 0; round < atoi(argv[2]); round++) {
		if (fork() == 0)
			share(disk, round, round * 3001 % atoi(argv[3]));
		if (wait(&status) < 0 || status)
			return 1;
	}
	return 0;
}
