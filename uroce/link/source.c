// SPDX-License-Identifier: MIT
#include "source.h"

#include <string.h>

#define SOURCES	   256
#define SMALL	   64 /* identifications of a segmented send: 0, 1, 2 ... */
#define KNOWN	   4  /* so many small ones in a row are no chance */
#define TRUST_MAX  8
#define TRUST_LOST 2 /* by one that is not small: some in a row, and the sender is a new one */

struct source {
	uint32_t addr;
	uint16_t port;
	uint8_t trust;
};

static struct source sources[SOURCES];

bool source_believed(const struct packet *a, uint16_t id)
{
	struct source *s;
	uint32_t addr;
	bool same;

	memcpy(&addr, a->src.raw + 12, sizeof(addr));
	s = &sources[(addr * 0x9e3779b1u >> 16 ^ a->sport) % SOURCES];
	same = s->addr == addr && s->port == a->sport;
	if (id < SMALL) {
		if (!same)
			*s = (struct source){ .addr = addr, .port = a->sport };
		if (s->trust < TRUST_MAX)
			s->trust++;
		return true;
	}
	if (!same || s->trust < KNOWN)
		return true;
	s->trust -= TRUST_LOST;
	return false;
}
