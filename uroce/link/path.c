/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/if_ether.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lock.h"
#include "gid.h"
#include "line_reader.h"
#include "path.h"

static enum { PATH_BEST, PATH_UDP, PATH_MEMORY } asked;

int path_setup(const char *value, char *reason, size_t size)
{
	if (!value || !*value)
		asked = PATH_BEST;
	else if (strcmp(value, "udp") == 0)
		asked = PATH_UDP;
	else if (strcmp(value, "memory") == 0)
		asked = PATH_MEMORY;
	else {
		snprintf(reason, size,
			 "UROCE_PATH=%s is neither udp nor memory: unset it for the best of both",
			 value);
		errno = EINVAL;
		return -1;
	}
	return 0;
}

bool path_may_share(void)
{
	return asked != PATH_UDP;
}

bool path_is_here(const union ibv_gid *a, const union ibv_gid *b, uint32_t scope)
{
	return gid_is_here(a, scope) && gid_is_here(b, scope);
}

static bool may_be_memory(const struct flow *flow, uint32_t qpn)
{
	return asked != PATH_UDP && qpn >> SLOT_SHIFT && qpn != QPN_MULTICAST &&
	       path_is_here(&flow->sgid, &flow->dgid, flow->scope);
}

/* ------------------------------------------------ who watches from outside -- */

#define LOOK_AGAIN UINT64_C(100000000) /* ns */
#define LOOPBACK   1		       /* the index of lo in every network */

static struct {
	uint64_t at; /* engine_now() of the last look; 0: never */
	bool loopback, anywhere;
} last;

/* The columns, which proc(5) does not describe: sk RefCnt Type Proto Iface R Rmem User Inode. If
 * there is no such file, there are no packet sockets. If it may not be read, there may be some. */
static void look_for_sockets(void)
{
	struct line_reader sockets;
	const char *line;

	if (!line_reader_open(&sockets, "/proc/net/packet")) {
		last.loopback = last.anywhere = errno != ENOENT;
		return;
	}
	while ((line = line_reader_next(&sockets))) {
		unsigned proto, running;
		int iface;

		if (sscanf(line, "%*s %*s %*s %x %d %u", &proto, &iface, &running) != 3 ||
		    !running || (proto != ETH_P_ALL && proto != ETH_P_IP && proto != ETH_P_IPV6))
			continue;
		last.anywhere = true;
		last.loopback |= iface == 0 || iface == LOOPBACK;
	}
	line_reader_close(&sockets);
}

static void look_around(void)
{
	uint64_t now = engine_now();

	if (last.at && now - last.at < LOOK_AGAIN)
		return;
	last.at = now;
	last.loopback = last.anywhere = false;
	look_for_sockets();
}

bool path_is_watched(void)
{
	look_around();
	return last.anywhere;
}

/* ------------------------------------------------------------------ the way -- */

/* At the loopback: is there a running packet socket for all protocols, IP or IPv6, on that
 * interface or on all? packet(7); that of a DHCP client is on another interface. */
static bool loopback_is_watched(void)
{
	look_around();
	return last.loopback;
}

static bool memory_steps_aside(void)
{
	return asked != PATH_MEMORY && loopback_is_watched();
}

struct pair *path_to(const struct flow *flow, uint32_t qpn)
{
	unsigned slot = qpn >> SLOT_SHIFT;
	struct pair *p = NULL;

	if (!may_be_memory(flow, qpn))
		return NULL;
	if (!memory_steps_aside())
		p = pair_with(slot);
	if (!p)
		pair_note_udp(slot);
	return p;
}

bool path_is_memory(const struct flow *flow, uint32_t qpn)
{
	return may_be_memory(flow, qpn) && !memory_steps_aside() && pair_ready(qpn >> SLOT_SHIFT);
}
