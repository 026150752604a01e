/* SPDX-License-Identifier: MIT */
/* traced_scribbler N: calls verbs once, and then writes N words at random places of the memory that
 * it shares with vtrace, first those at the beginning, one by one. */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAPPINGS 4
#define NEAR	 (1u << 20) /* bytes of each that are written to */

static struct {
	_Atomic uint64_t *at;
	size_t words;
} mapping[MAPPINGS];

static unsigned find_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char line[512], rights[8];
	unsigned n = 0;

	while (f && n < MAPPINGS && fgets(line, sizeof line, f))
		if (strstr(line, "memfd:vtrace") &&
		    sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && rights[1] == 'w') {
			mapping[n].at = (void *)from;
			mapping[n++].words = (to - from < NEAR ? to - from : NEAR) / 8;
		}
	if (f)
		fclose(f);
	return n;
}

static uint64_t any_word(void)
{
	const uint64_t word = (uint64_t)random() << 33 ^ (uint64_t)random();

	return random() % 2 ? word >> random() % 64 : word;
}

int main(int argc, char **argv)
{
	const unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 100000;
	const struct timespec moment = { .tv_nsec = 20000000 };
	struct ibv_device **list = ibv_get_device_list(NULL);
	unsigned mappings;

	if (list)
		ibv_free_device_list(list);
	mappings = find_mappings();
	if (!mappings) {
		fprintf(stderr, "traced_scribbler: it is not traced\n");
		return 1;
	}
	for (unsigned i = 0; i < 64; i++)
		for (unsigned m = 0; m < mappings; m++)
			mapping[m].at[i] = any_word();
	nanosleep(&moment, NULL); /* vtrace looks */
	for (unsigned i = 0; i < n; i++) {
		const unsigned m = (unsigned)random() % mappings;

		mapping[m].at[(size_t)random() % mapping[m].words] = any_word();
	}
	nanosleep(&moment, NULL);
	_exit(0);
}
