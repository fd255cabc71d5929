// SPDX-License-Identifier: GPL-2.0 OR MIT
// elapsed COMMAND...: runs it and prints how long it took, in nanoseconds; in deterministic mode
// that is the number of instructions.
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char **argv)
{
	long long started_ns = now_ns();
	int status = 1;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: elapsed COMMAND...\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("elapsed");
		return 1;
	}
	if (status != 0) {
		fprintf(stderr, "elapsed: %s failed\n", argv[1]);
		return 1;
	}
	printf("%lld\n", now_ns() - started_ns);
	return 0;
}
