// SPDX-License-Identifier: GPL-2.0 OR MIT
// records KIND: reads a recording (crates/recording has the format) from stdin and prints a line
// for each record of that kind: its fields, if all of them are numbers. Of the name of a group
// (kind 130) it prints the number and the name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP 130

static const unsigned char *at, *end;

static unsigned long long number(void)
{
	unsigned long long value = 0;
	int shift = 0;

	while (at < end) {
		value |= (*at & 0x7full) << shift;
		shift += 7;
		if (!(*at++ & 0x80))
			return value;
	}
	fprintf(stderr, "records: a number has no end\n");
	exit(1);
}

int main(int argc, char **argv)
{
	static unsigned char line[256];
	int length, kind = argc == 2 ? atoi(argv[1]) : -1;
	char head[9];

	if (kind < 0) {
		fprintf(stderr, "usage: records KIND\n");
		return 2;
	}
	if (fread(head, sizeof(head), 1, stdin) != 1 || memcmp(head, "bfqrec\r\n\2", 9)) {
		fprintf(stderr, "records: this is no recording of format 2\n");
		return 1;
	}
	while ((length = getchar()) != EOF) {
		// The last record may be half of one: its reader has stopped.
		if (fread(line, 1, length, stdin) != (size_t)length)
			return 0;
		at = line;
		end = line + length;
		number(); // the time
		if (at == end || *at++ != kind)
			continue;
		printf("%llu", number());
		if (kind == GROUP)
			printf(" %.*s", *at, at + 1);
		else
			while (at < end)
				printf(" %llu", number());
		putchar('\n');
	}
	return 0;
}
