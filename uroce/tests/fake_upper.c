// SPDX-License-Identifier: MIT
#include "fake_upper.h"

#include "checks.h"
#include "link.h"
#include "transport.h"

struct upper upper_packets;
struct upper_mads upper_mads;

void upper_reset(void)
{
	upper_packets.n = 0;
	memset(&upper_mads, 0, sizeof(upper_mads));
}

void transport_input(const struct packet *p)
{
	struct upper *u = &upper_packets;

	CHECK(u->n < UPPER_MAX);
	u->p[u->n] = *p;
	u->p[u->n].payload = NULL;
	u->first[u->n] = p->len ? p->payload[0] : 0;
	u->last[u->n] = p->len ? p->payload[p->len - 1] : 0;
	u->n++;
}

/* All MADs are for this process. */
void cm_route(const struct mad_from *from, const uint8_t *mad, size_t n)
{
	upper_mads.routed++;
	cm_input(from, mad, n);
}

void cm_input(const struct mad_from *from, const uint8_t *mad, size_t n)
{
	CHECK_INT(n, MAD_BYTES);
	if (!rx_mad(from, mad, n)) {
		upper_mads.lost++;
		return;
	}
	upper_mads.input++;
	upper_mads.from = *from;
	memcpy(upper_mads.mad, mad, n);
}
