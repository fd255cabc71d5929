// SPDX-License-Identifier: GPL-2.0 OR MIT
// mark MARK FILE TEXT: writes MARK into the kernel's trace and, right after it, TEXT to FILE in a
// single write(2), so the trace shows the time of that. `mark MARK` alone only writes to the trace.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int write_whole(int fd, const char *text)
{
	return write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

int main(int argc, char **argv)
{
	int marker, file = -1;

	if (argc != 2 && argc != 4) {
		fprintf(stderr, "usage: mark MARK [FILE TEXT]\n");
		return 2;
	}
	marker = open("/sys/kernel/debug/tracing/trace_marker", O_WRONLY);
	if (argc == 4)
		file = open(argv[2], O_WRONLY);
	if (marker < 0 || (argc == 4 && file < 0)) {
		perror("open");
		return 1;
	}
	if (!write_whole(marker, argv[1]) || (argc == 4 && !write_whole(file, argv[3]))) {
		perror("write");
		return 1;
	}
	return 0;
}
