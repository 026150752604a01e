// SPDX-License-Identifier: MIT
#include "path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gid.h"
#include "onlooker.h"

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

/* Most packets go where the last one went, and come from there. */
bool path_is_here(const union ibv_gid *a, const union ibv_gid *b, uint32_t scope)
{
	static struct {
		union ibv_gid a, b;
		uint32_t scope;
		unsigned changes;
		bool here;
	} known[2], *k;
	static unsigned oldest;

	for (k = known; k < known + 2; k++)
		if (k->changes == gid_changes && k->scope == scope &&
		    memcmp(&k->a, a, sizeof(*a)) == 0 && memcmp(&k->b, b, sizeof(*b)) == 0)
			return k->here;
	k = &known[oldest ^= 1];
	k->a = *a;
	k->b = *b;
	k->scope = scope;
	k->changes = gid_changes;
	k->here = gid_index(a, scope) >= 0 && gid_index(b, scope) >= 0;
	return k->here;
}

static bool may_be_memory(const struct flow *flow, uint32_t qpn)
{
	return asked != PATH_UDP && qpn >> SLOT_SHIFT && qpn != QPN_MULTICAST &&
	       path_is_here(&flow->sgid, &flow->dgid, flow->scope);
}

static bool steps_aside(void)
{
	return asked != PATH_MEMORY && onlooker_on_loopback();
}

struct pair *path_to(const struct flow *flow, uint32_t qpn)
{
	unsigned slot = qpn >> SLOT_SHIFT;
	struct pair *p = NULL;

	if (!may_be_memory(flow, qpn))
		return NULL;
	if (!steps_aside())
		p = pair_with(slot);
	if (!p)
		pair_passed_by(slot);
	return p;
}

bool path_is_memory(const struct flow *flow, uint32_t qpn)
{
	return may_be_memory(flow, qpn) && !steps_aside() && pair_ready(qpn >> SLOT_SHIFT);
}
