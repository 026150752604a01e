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

/* Are both addresses of this host? Most packets go where the last one went. */
static bool is_here(const struct flow *flow)
{
	static struct flow last;
	static unsigned changes;
	static bool here;

	if (changes != gid_changes || memcmp(&last, flow, sizeof(last)) != 0) {
		here = gid_index(&flow->dgid, flow->scope) >= 0 &&
		       gid_index(&flow->sgid, flow->scope) >= 0;
		changes = gid_changes;
		last = *flow;
	}
	return here;
}

static bool may_be_memory(const struct flow *flow, uint32_t qpn)
{
	return asked != PATH_UDP && qpn >> SLOT_SHIFT && qpn != QPN_MULTICAST && is_here(flow);
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
