// SPDX-License-Identifier: MIT
/* Writes the packets of the captures in DIR to OUT, as inputs of fuzz_packet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "read_capture.h"
#include "packet.h"

static const uint8_t modes[] = { 0x00, 0x01, 0x04, 0x0c, 0x2c, 0x08, 0x29, 0x02 };

static void write_seed(const char *out, const char *name, unsigned i, const struct captured *c)
{
	uint8_t head[3] = { modes[i % sizeof(modes)] };
	char path[4096];
	FILE *f;

	put_be16(head + 1, c->ip_id);
	snprintf(path, sizeof(path), "%s/%s.%u", out, name, i);
	f = fopen(path, "wb");
	if (!f || fwrite(head, 1, 3, f) != 3 ||
	    fwrite(c->data, 1, c->len - ICRC_BYTES, f) != c->len - ICRC_BYTES || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "rxe-gold.pcap", "lab-v6.pcap", "uroce-rxe.pcap" };
	unsigned n = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: fuzz_packet_seeds DIR OUT\n");
		return 2;
	}
	mkdir(argv[2], 0777);
	for (unsigned k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		struct captured c;

		capture_open(argv[1], names[k]);
		for (unsigned i = 0; capture_next(&c); i++, n++)
			write_seed(argv[2], names[k], i, &c);
	}
	printf("%u seeds\n", n);
	return n ? 0 : 1;
}
