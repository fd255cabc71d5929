// SPDX-License-Identifier: GPL-2.0 OR MIT
// busy COMMAND...: runs it and prints for how long processes ran meanwhile, in nanoseconds; in
// deterministic mode that is the number of instructions. Time in which all processes slept does not
// count: fio sleeps before and after its work for varying times.
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The time that all processes have run on the only CPU; -1 if the kernel does not say.
static long long busy_ns(void)
{
	FILE *file = fopen("/proc/schedstat", "r");
	long long ns = -1;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "cpu0 ", 5))
			sscanf(line, "cpu0 %*u %*u %*u %*u %*u %*u %lld", &ns);
	if (file)
		fclose(file);
	return ns;
}

int main(int argc, char **argv)
{
	long long before_ns = busy_ns(), after_ns;
	int status = 1;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: busy COMMAND...\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("busy");
		return 1;
	}
	if (status != 0) {
		fprintf(stderr, "busy: %s failed\n", argv[1]);
		return 1;
	}
	after_ns = busy_ns();
	if (before_ns < 0 || after_ns < 0) {
		fprintf(stderr, "busy: no figures in /proc/schedstat\n");
		return 1;
	}
	printf("%lld\n", after_ns - before_ns);
	return 0;
}
