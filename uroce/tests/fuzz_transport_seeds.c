/* SPDX-License-Identifier: MIT */
/* Writes inputs of fuzz_transport to OUT: steps at random, of which most make sense. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SEEDS 200
#define STEPS 300

static uint64_t state = 88172645463325252u;

static unsigned any(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 33) % n;
}

static void write_step(FILE *f, unsigned seed)
{
	/* RC, UC or UD as fuzz_transport reads the first byte */
	static const uint8_t transport[] = { 0, 0, 0x20, 0x60 };
	uint8_t s[8];

	for (unsigned i = 0; i < 8; i++)
		s[i] = (uint8_t)any(256);
	if (any(8)) {
		unsigned kind = s[0] % 16;

		if (kind > 9)
			s[1] = transport[seed % 4] + (uint8_t)any(seed % 4 == 3 ? 6 : 0x18);
		if (any(4))
			s[2] = 0; /* the PSN that is expected */
		if (kind > 9 || kind == 2)
			s[3] &= 0x0f;
		if (any(2))
			s[4] = (uint8_t)(128 + any(85)); /* less than an MTU */
		s[6] = (uint8_t)any(150);		 /* the right key */
	}
	fwrite(s, 1, sizeof(s), f);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: fuzz_transport_seeds OUT\n");
		return 2;
	}
	mkdir(argv[1], 0777);
	for (unsigned i = 0; i < SEEDS; i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%u", argv[1], i);
		f = fopen(path, "wb");
		if (!f) {
			perror(path);
			return 1;
		}
		fputc((int)(i % 16), f);
		fputc((int)any(256), f);
		for (unsigned k = 0; k < STEPS; k++)
			write_step(f, i);
		if (fclose(f) != 0) {
			perror(path);
			return 1;
		}
	}
	return 0;
}
