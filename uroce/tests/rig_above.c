/* SPDX-License-Identifier: MIT */
/* The floor above link/: packets and MADs are kept for the test, and all MADs are for this process.
 */
#include <errno.h>

#include "checks.h"
#include "group_own.h"
#include "link.h"
#include "netns.h"
#include "path.h"
#include "rig.h"

struct rig_packets rig_packets;
struct rig_mads rig_mads;
void (*rig_on_packet)(const struct packet *p);
void (*rig_on_mad)(const uint8_t *mad);

void rig_open_sockets(unsigned slot)
{
	char reason[200] = "";

	netns_enter();
	CHECK_INT(sockets_make(group.rx), 0);
	sockets_claimed(group.rx[slot]);
	group.slot = slot;
	CHECK_INT(path_setup("udp", reason, sizeof(reason)), 0);
}

void rig_forget(void)
{
	rig_packets.n = 0;
	rig_mads = (struct rig_mads){ 0 };
}

static void take_packet(const struct packet *p)
{
	struct rig_packets *r = &rig_packets;

	if (rig_on_packet) {
		rig_on_packet(p);
		return;
	}
	CHECK(r->n < RIG_PACKETS);
	r->p[r->n] = *p;
	r->p[r->n].payload = NULL;
	r->last[r->n++] = p->len ? p->payload[p->len - 1] : 0;
}

static void take_mad(const struct mad_from *from, const uint8_t *mad, size_t n)
{
	CHECK_INT(n, MAD_BYTES);
	if (!rx_mad(from, mad, n)) {
		rig_mads.lost++;
		return;
	}
	rig_mads.input++;
	rig_mads.from = *from;
	memcpy(rig_mads.mad, mad, n);
	if (rig_on_mad)
		rig_on_mad(mad);
}

static void take_shared_mad(const struct mad_from *from, const uint8_t *mad, size_t n)
{
	rig_mads.routed++;
	take_mad(from, mad, n);
}

static int make_inventory(void)
{
	errno = ENOSYS;
	return -1;
}

static size_t write_status(char *buf, size_t n)
{
	return (size_t)snprintf(buf, n, "a process of the test\n");
}

const struct link_upper link_upper = {
	.packet = take_packet,
	.mad = take_mad,
	.shared_mad = take_shared_mad,
	.status = write_status,
	.inventory = make_inventory,
};
