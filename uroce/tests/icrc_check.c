// SPDX-License-Identifier: MIT
/* icrc_check DIR FILE: the ICRC of every RoCE packet of a capture, with the identification of
 * its IP header. 0: all are right. */
#include <stdio.h>

#include "read_capture.h"
#include "packet.h"

int main(int argc, char **argv)
{
	unsigned n = 0, wrong = 0, ids = 0;
	struct captured c;

	if (argc != 3) {
		fputs("usage: icrc_check DIR FILE\n", stderr);
		return 2;
	}
	capture_open(argv[1], argv[2]);
	while (capture_next(&c)) {
		const uint8_t *b = c.data + c.len - ICRC_BYTES;
		uint32_t got = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;

		n++;
		ids += c.ip_id != 0;
		wrong += c.len < BTH_BYTES + ICRC_BYTES ||
			 icrc_of(&c.src, &c.dst, c.sport, c.data, c.len - ICRC_BYTES, c.ip_id) !=
				 got;
	}
	printf("%u packets, %u with an IP identification; %u wrong ICRCs\n", n, ids, wrong);
	return !n || wrong;
}
