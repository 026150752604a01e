/* SPDX-License-Identifier: MIT */
#include "host_gid.h"

#include <arpa/inet.h>
#include <glob.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool can_bind(const union ibv_gid *gid, uint32_t scope)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_scope_id = scope };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool can;

	memcpy(&a.sin6_addr, gid, sizeof a.sin6_addr);
	can = fd >= 0 && bind(fd, (const struct sockaddr *)&a, sizeof a) == 0;
	if (fd >= 0)
		close(fd);
	return can;
}

/* A socket can be bound to an address of this host only, and to a link-local one on its interface.
 */
static bool is_host_address(const union ibv_gid *gid)
{
	struct if_nameindex *all = IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)gid)
					   ? if_nameindex()
					   : NULL;
	bool can = can_bind(gid, 0);

	for (const struct if_nameindex *i = all; i && i->if_index && !can; i++)
		can = can_bind(gid, i->if_index);
	if (all)
		if_freenameindex(all);
	return can;
}

static bool file_has_gid(const char *path, const union ibv_gid *gid)
{
	char text[INET6_ADDRSTRLEN] = "";
	union ibv_gid found;
	FILE *f = fopen(path, "re");
	bool has = f && fgets(text, sizeof text, f);

	text[strcspn(text, "\n")] = '\0';
	if (f)
		fclose(f);
	return has && inet_pton(AF_INET6, text, &found) == 1 &&
	       memcmp(&found, gid, sizeof found) == 0;
}

/* Is it a GID of a device of the kernel? The first one of a port may be no address of an interface.
 */
static bool is_device_gid(const union ibv_gid *gid)
{
	glob_t all = { 0 };
	bool has = false;

	glob("/sys/class/infiniband/*/ports/*/gids/*", GLOB_NOSORT, NULL, &all);
	for (size_t i = 0; i < all.gl_pathc && !has; i++)
		has = file_has_gid(all.gl_pathv[i], gid);
	globfree(&all);
	return has;
}

bool host_gid_is_own(const union ibv_gid *gid)
{
	return is_host_address(gid) || is_device_gid(gid);
}
