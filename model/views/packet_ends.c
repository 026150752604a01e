/* SPDX-License-Identifier: MIT */
#include "packet_ends.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "decode.h"

void packet_address(const union ibv_gid *gid, char text[INET6_ADDRSTRLEN])
{
	if (gid_is_ipv4(gid))
		inet_ntop(AF_INET, gid->raw + 12, text, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, gid->raw, text, INET6_ADDRSTRLEN);
}

const char *packet_ends(const struct decoded *d)
{
	static char ends[2 * INET6_ADDRSTRLEN + 4];
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	packet_address(&d->p.src, src);
	packet_address(&d->p.dst, dst);
	snprintf(ends, sizeof ends, "%s > %s", src, dst);
	return ends;
}
