// SPDX-License-Identifier: GPL-2.0 OR MIT
// write FILE TEXT: writes TEXT (with C's escapes \n, \t, \0) to FILE in a single write(2), and says
// by name which error it met. A shell's echo can tell success from failure only.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t unescape(char *text)
{
	char *from = text, *to = text;

	for (; *from; from++) {
		if (*from == '\\' && from[1]) {
			from++;
			*to++ = *from == 'n' ? '\n' :
				*from == 't' ? '\t' :
				*from == '0' ? '\0' : *from;
		} else {
			*to++ = *from;
		}
	}
	return to - text;
}

int main(int argc, char **argv)
{
	size_t len;
	ssize_t written;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: write FILE TEXT\n");
		return 2;
	}
	fd = open(argv[1], O_WRONLY);
	if (fd < 0) {
		printf("open: %s\n", strerrorname_np(errno));
		return 1;
	}
	len = unescape(argv[2]);
	written = write(fd, argv[2], len);
	if (written < 0) {
		printf("%s\n", strerrorname_np(errno));
		return 1;
	}
	if ((size_t)written != len) {
		printf("%zd of %zu bytes\n", written, len);
		return 1;
	}
	return 0;
}
