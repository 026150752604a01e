// SPDX-License-Identifier: MIT
/* Writes the MADs of the captures as seeds of fuzz_cm: each to some connections. */
#include <errno.h>
#include <sys/stat.h>

#include "bytes.h"
#include "read_capture.h"
#include "checks.h"
#include "mad.h"

#define MAD_AT (BTH_BYTES + 8)
#define CONNS  12

static unsigned seeds;

static void write_seed(const char *dir, unsigned how, const uint8_t *mad)
{
	uint8_t record[2 + MAD_BYTES] = { (uint8_t)how, (uint8_t)(seeds % CONNS) };
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%03u", dir, seeds++);
	f = fopen(path, "wb");
	CHECK(f);
	memcpy(record + 2, mad, MAD_BYTES);
	CHECK_INT(fwrite(record, 1, sizeof(record), f), sizeof(record));
	CHECK_INT(fclose(f), 0);
}

int main(int argc, char **argv)
{
	struct captured c;

	if (argc != 3)
		return 2;
	CHECK(mkdir(argv[2], 0777) == 0 || errno == EEXIST);
	for (unsigned i = 0; i < CONNS; i++) {
		capture_open(argv[1], "rxe-gold.pcap");
		while (capture_next(&c))
			if (c.len >= MAD_AT + MAD_BYTES && get_be24(c.data + 5) == GSI_QPN)
				write_seed(argv[2], i << 4 & 0xff, c.data + MAD_AT);
	}
	CHECK_INT(seeds, 13 * CONNS);
	return checks_end();
}
